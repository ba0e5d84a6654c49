import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BrowserHost, createBrowserHost } from '../../electron/host/browser.ts';
import { pageFiles } from '../../electron/host/page-files.ts';
import type { Answer } from '../../shared/contract.ts';
import { record } from '../figures.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { rawRequest, upgradeHeaders } from './raw-request.ts';

let folder = '';
let host: BrowserHost;
let token = '';
let answer: () => Promise<Answer> = async () => ({ ok: true, value: null });

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-floods-')));
  await writeFiles(folder, { 'secret.txt': 'secret', 'page/index.html': '<p>', 'page/a.js': 'export {};' });
  const pages = await pageFiles(path.join(folder, 'page'));
  host = await createBrowserHost({ pages, answer: () => answer(), slowestMs: 300 });
  token = new URL(host.url).hash.slice('#t='.length);
});

afterAll(async () => {
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

const raw = (): Socket => createConnection({ host: '127.0.0.1', port: host.port }).on('error', () => undefined);
const gone = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('close', () => resolve()).resume());
const alive = async (): Promise<number> => (await rawRequest(host.port, '/')).status;
const connect = (): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${host.port}/ipc`, ['turnback.v1', `token.${token}`], { origin: `http://127.0.0.1:${host.port}` });
const opened = (socket: WebSocket): Promise<void> => new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
const closed = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve).on('error', () => undefined));

const HOSTS = [
  'evil.example',
  'localhost.evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  '127.0.0.1.nip.io',
  'localtest.me',
  'localhost.',
  'localhost:80:80',
  'localhost:999999',
  'localhost:',
  'localhost:x',
  'localhost/evil',
  'localhost#evil',
  'localhost?',
  'user@localhost',
  'localhost evil.example',
  '127.1',
  '127.0.0.2',
  '0.0.0.0',
  '0x7f000001',
  '2130706433',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::1',
  '::1',
  '*',
  'xn--localhost-.example',
];

test.each(HOSTS)('a page at the name %j is not ours', async (name) => {
  expect((await rawRequest(host.port, '/', { host: name })).status).toBe(421);
  const headers = upgradeHeaders(host.port, token, { host: name, origin: `http://${name}` });
  expect((await rawRequest(host.port, '/ipc', headers)).status).toBe(403);
});

/** A request whose head is written by hand: its status, or 0 when nothing came back. */
async function handWritten(head: string): Promise<number> {
  const socket = raw();
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.write(head);
  await gone(socket);
  expect(text).not.toContain('secret');
  return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0);
}

describe('a request that is not whole or not one', () => {
  test.each<[string, string, readonly number[]]>([
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', [400, 421]],
    ['an old protocol without a host', 'GET / HTTP/1.0\r\n\r\n', [421]],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n', [400, 421, 200]],
    ['a host of two lines', 'GET / HTTP/1.1\r\nHost: localhost\r\n .evil\r\nConnection: close\r\n\r\n', [400, 421]],
    ['a tunnel', 'CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: localhost\r\n\r\n', [0, 400, 405]],
    ['a proxy request', 'GET http://169.254.169.254/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', [400]],
    [
      'both lengths of a body',
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      [400],
    ],
    ['no request at all', '\u0016\u0003\u0001\u0002\u0000\u0001', [400]],
    ['a head of 100 kB', `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`, [431]],
    ['a target of 100 kB', `GET /${'y'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, [414, 431]],
    ['2,500 headers', `GET / HTTP/1.1\r\nHost: localhost\r\n${'A: b\r\n'.repeat(2500)}\r\n`, [200, 431]],
    ['an upgrade to something else', 'GET /ipc HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n', [403]],
  ])('%s', async (_, head, statuses) => {
    expect(statuses).toContain(await handWritten(head));
    expect(await alive()).toBe(200);
  });
});

const OUTSIDE = [
  '/../secret.txt',
  '/../../secret.txt',
  '/./../secret.txt',
  '/a.js/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/%2e%2e%2fsecret.txt',
  '/..%2fsecret.txt',
  '/.%2e/secret.txt',
  '/%252e%252e%252fsecret.txt',
  '/%25252e%25252e/secret.txt',
  '/..%5csecret.txt',
  '/..%255csecret.txt',
  '/..\\secret.txt',
  '/%5c..%5csecret.txt',
  '/..%00/secret.txt',
  '/..%0d%0a/secret.txt',
  '/%c0%ae%c0%ae/secret.txt',
  '/%e0%80%ae%e0%80%ae/secret.txt',
  '/%uff0e%uff0e/secret.txt',
  '/..;/secret.txt',
  '/.../secret.txt',
  '/....//secret.txt',
  '//secret.txt',
  '///../secret.txt',
  '/index.html/../../secret.txt',
  '/index.html%00',
  '/index.html%20',
  '/index.html.',
  '/INDEX.HTML',
  '/index.html::$DATA',
  '/page/../secret.txt',
  '/.git/config',
  '/~root/.ssh/id_rsa',
  '/C:/Windows/win.ini',
  '/%2fetc%2fpasswd',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/zero',
];

test.each(OUTSIDE)('the target %j leads to no file but those of the page', async (target) => {
  const { status, body } = await rawRequest(host.port, target);
  expect([400, 403, 404]).toContain(status);
  expect(body.length).toBe(0);
});

describe('floods', () => {
  test('of connections are cut off at a number, and the page is served again when they end', async () => {
    const sockets = Array.from({ length: 200 }, raw);
    // Those that say nothing are ended after a while, and those beyond the number at once.
    await Promise.all(sockets.map(gone));
    expect(await alive()).toBe(200);
    record('hostile input', 'connections at once that say nothing: all ended by the host', sockets.length);
  });

  test('of requests that come letter by letter are cut off', async () => {
    const sockets = Array.from({ length: 40 }, raw);
    const ended = Promise.all(sockets.map(gone));
    const dripping = setInterval(() => {
      for (const socket of sockets) if (socket.writable) socket.write('G');
    }, 50);
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX: ');
    await ended;
    clearInterval(dripping);
    expect(await alive()).toBe(200);
  });

  test('of refused upgrades leave no connection open, even when the other side keeps its half', async () => {
    const head = 'GET /ipc HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const sockets = Array.from({ length: 60 }, () => createConnection({ host: '127.0.0.1', port: host.port, allowHalfOpen: true }));
    const ended = Promise.all(
      sockets.map(
        (socket) =>
          new Promise<void>((resolve) =>
            socket
              .on('error', () => undefined)
              .resume()
              .once('end', resolve),
          ),
      ),
    );
    for (const socket of sockets) socket.write(head);
    await ended;
    expect(await alive()).toBe(200);
    // A side that is closed answers what still comes with a reset.
    const reset = Promise.all(sockets.map((socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()))));
    for (const socket of sockets) {
      socket.write('x');
      setTimeout(() => socket.write('y'), 50);
    }
    await reset;
  });

  test('of frames, pings and pieces of a message end that page alone', async () => {
    const good = connect();
    await opened(good);
    const bad = connect();
    await opened(bad);
    const ended = closed(bad);
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    for (let at = 0; at < 20; at++) bad.send(piece, { fin: false, binary: false }, () => undefined);
    expect([1006, 1009]).toContain(await ended);
    const pinging = connect();
    await opened(pinging);
    for (let at = 0; at < 2000; at++) pinging.ping();
    const reply = new Promise((resolve) => good.once('message', resolve));
    good.send(JSON.stringify({ id: 1, call: 'x', input: null }));
    await reply;
    good.terminate();
    pinging.terminate();
  });

  test('of bytes that break the protocol of the socket end it', async () => {
    for (const bytes of ['ffffffff', '8b00', '88ff00000000', 'c1ff', '0180', '81fe', '817fffffffffffffffff00000000']) {
      const socket = raw();
      const headers = upgradeHeaders(host.port, token, { host: `127.0.0.1:${host.port}` });
      const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const ended = gone(socket);
      socket.write(`GET /ipc HTTP/1.1\r\n${head.join('')}\r\n`);
      setTimeout(() => socket.write(Buffer.from(bytes, 'hex')), 20);
      setTimeout(() => socket.end(), 100);
      await ended;
    }
    expect(await alive()).toBe(200);
  });
});

test('an answer that no text can hold is told as a failure of ours, and the host goes on', async () => {
  const twice: Record<string, unknown> = {};
  twice['self'] = twice;
  answer = async () => ({ ok: true, value: twice });
  const page = connect();
  await opened(page);
  const reply = new Promise<unknown>((resolve) => page.once('message', (data) => resolve(JSON.parse(String(data)))));
  page.send(JSON.stringify({ id: 5, call: 'threads.list', input: {} }));
  expect(await reply).toMatchObject({ id: 5, answer: { ok: false, error: { code: 'INTERNAL' } } });
  answer = async () => ({ ok: true, value: null });
  page.terminate();
  expect(await alive()).toBe(200);
});
