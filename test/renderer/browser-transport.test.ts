import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type WebSocket as Socket, WebSocketServer } from 'ws';
import { browserTransport } from '../../renderer/browser-transport.ts';

let server: WebSocketServer;
let sockets: Socket[];
let offered: string[][];
const kept = new Map<string, string>();
const moved: string[] = [];

function listen(port: number): Promise<void> {
  const handleProtocols = (names: Set<string>): string => {
    offered.push([...names]);
    return 'turnback.v1';
  };
  server = new WebSocketServer({ port, host: '127.0.0.1', path: '/ipc', handleProtocols });
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => {
      const { id, call, input } = JSON.parse(String(data)) as { id: number; call: string; input: unknown };
      if (call !== 'silence') socket.send(JSON.stringify({ id, answer: { ok: true, value: [call, input] } }));
    });
  });
  return new Promise((resolve) => server.on('listening', resolve));
}

beforeEach(async () => {
  sockets = [];
  offered = [];
  moved.length = 0;
  kept.clear();
  await listen(0);
  const { port } = server.address() as AddressInfo;
  vi.stubGlobal('location', { protocol: 'http:', host: `127.0.0.1:${port}`, hash: '#t=abc-DEF_1', pathname: '/', search: '' });
  vi.stubGlobal('history', { replaceState: (_: unknown, __: string, to: string) => moved.push(to) });
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => kept.set(key, value),
  });
});
afterEach(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
  vi.unstubAllGlobals();
});

test('takes the token out of the address, keeps it for a reload, and offers it as a subprotocol', async () => {
  const transport = browserTransport({ onState: () => undefined });
  expect(await transport.invoke('app.info', {})).toEqual({ ok: true, value: ['app.info', {}] });
  expect(moved).toEqual(['/']);
  expect([...kept.values()]).toEqual(['abc-DEF_1']);
  expect(offered[0]).toEqual(['turnback.v1', 'token.abc-DEF_1']);
});

test('calls made before it is open wait, answers find their call, events reach every listener', async () => {
  const transport = browserTransport({ onState: () => undefined });
  const answers = await Promise.all([1, 2, 3].map((value) => transport.invoke('x', value)));
  expect(answers).toEqual([1, 2, 3].map((value) => ({ ok: true, value: ['x', value] })));
  const heard: unknown[] = [];
  const off = transport.subscribe((event, payload) => heard.push([event, payload]));
  sockets[0]?.send(JSON.stringify({ event: 'thread.changed', payload: { thread: 't' } }));
  await expect.poll(() => heard).toEqual([['thread.changed', { thread: 't' }]]);
  off();
  sockets[0]?.send(JSON.stringify({ event: 'thread.changed', payload: { thread: 'u' } }));
  await transport.invoke('x', 4);
  expect(heard).toHaveLength(1);
});

test('a lost host is said, calls on their way fail, and the connection comes back by itself', async () => {
  const states: string[] = [];
  const transport = browserTransport({ onState: (state) => states.push(state) });
  await transport.invoke('x', 1);
  const pending = transport.invoke('silence', null);
  await expect.poll(() => sockets.length).toBe(1);
  sockets[0]?.terminate();
  expect(await pending).toMatchObject({ ok: false, error: { code: 'HOST_LOST' } });
  expect(await transport.invoke('x', 2)).toEqual({ ok: true, value: ['x', 2] });
  expect(states).toEqual(['open', 'lost', 'open']);
});
