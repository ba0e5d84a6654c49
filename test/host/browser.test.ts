import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type BrowserHost, type BrowserHostOptions, createBrowserHost } from '../../electron/host/browser.ts';
import { CSP } from '../../electron/host/csp.ts';
import { pageFiles } from '../../electron/host/page-files.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { rawRequest, upgradeHeaders } from './raw-request.ts';

const PAGE = '<!doctype html><title>Turnback</title>';

async function start(options: Partial<BrowserHostOptions> = {}): Promise<{ host: BrowserHost; token: string }> {
  const folder = await tempFolder();
  await writeFile(path.join(folder, 'package.json'), '{"secret":true}');
  await writeFiles(path.join(folder, 'page'), {
    'index.html': PAGE,
    'assets/app.js': 'export {};',
    'assets/inter.woff2': Buffer.from([1, 2, 3]),
    'assets/codicon.ttf': Buffer.from([4]),
    'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'favicon.ico': Buffer.from([5]),
    'assets/app.js.map': '{}',
    'link.js': { link: '../package.json' },
  });
  const host = await createBrowserHost({
    pages: await pageFiles(path.join(folder, 'page')),
    answer: async (call, input) => ({ ok: true, value: { call, input } }),
    ...options,
  });
  onTestFinished(() => host.close());
  return { host, token: new URL(host.url).hash.slice('#t='.length) };
}

const connect = (host: BrowserHost, token: string): WebSocket =>
  new WebSocket(`ws://127.0.0.1:${host.port}/ipc`, ['turnback.v1', `token.${token}`], { origin: `http://127.0.0.1:${host.port}` });

const opened = (socket: WebSocket): Promise<void> => new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
const message = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
const closed = (socket: WebSocket): Promise<number> => new Promise((resolve) => socket.once('close', resolve));

test('the address has a loopback name, the port, and 256 bits of token in the fragment', async () => {
  const { host, token } = await start();
  expect(host.url).toBe(`http://127.0.0.1:${host.port}/#t=${token}`);
  expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  const { token: other } = await start();
  expect(other).not.toBe(token);
});

test('the page comes with the policy as a header, and each kind of file with its type', async () => {
  const { host } = await start();
  const page = await rawRequest(host.port, '/');
  expect(page.status).toBe(200);
  expect(page.body.toString()).toBe(PAGE);
  expect(page.headers['content-security-policy']).toBe(CSP);
  expect(page.headers['x-content-type-options']).toBe('nosniff');
  expect(page.headers['referrer-policy']).toBe('no-referrer');
  expect(page.headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(page.headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(page.headers['set-cookie']).toBeUndefined();
  const types = new Map<string, unknown>();
  for (const name of ['/assets/app.js', '/assets/inter.woff2', '/assets/codicon.ttf', '/icon.svg', '/favicon.ico']) {
    types.set(name, (await rawRequest(host.port, name)).headers['content-type']);
  }
  expect(Object.fromEntries(types)).toEqual({
    '/assets/app.js': 'text/javascript; charset=utf-8',
    '/assets/inter.woff2': 'font/woff2',
    '/assets/codicon.ttf': 'font/ttf',
    '/icon.svg': 'image/svg+xml',
    '/favicon.ico': 'image/x-icon',
  });
});

test('HEAD gives the headers without the body', async () => {
  const { host } = await start();
  const answer = await rawRequest(host.port, '/index.html', {}, 'HEAD');
  expect([answer.status, answer.headers['content-length'], answer.body.length]).toEqual([200, String(PAGE.length), 0]);
});

const PAGES: readonly [name: string, target: string, headers: Record<string, string>, method: string, status: number][] = [
  ['a rebound DNS name', '/', { host: 'evil.example' }, 'GET', 421],
  ['a name that begins like ours', '/', { host: 'localhost.evil.example' }, 'GET', 421],
  ['a name that ends like ours', '/', { host: 'evil-localhost:80' }, 'GET', 421],
  ['another loopback address', '/', { host: '127.0.0.2:80' }, 'GET', 421],
  ['an empty host', '/', { host: ':80' }, 'GET', 421],
  ['a user name before the host', '/', { host: 'localhost:80@evil.example' }, 'GET', 421],
  ['an ssh-forwarded port', '/', { host: 'localhost:9999' }, 'GET', 200],
  ['IPv6 loopback', '/', { host: '[::1]:9999' }, 'GET', 200],
  ['POST', '/', {}, 'POST', 405],
  ['PUT', '/index.html', {}, 'PUT', 405],
  ['DELETE', '/index.html', {}, 'DELETE', 405],
  ['OPTIONS, the preflight of a foreign page', '/', { 'access-control-request-method': 'GET' }, 'OPTIONS', 405],
  [
    'a part of the page loaded by another site',
    '/assets/app.js',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    'GET',
    403,
  ],
  [
    'the page fetched by another site',
    '/',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    'GET',
    403,
  ],
  ['cross-site alone', '/', { 'sec-fetch-site': 'cross-site' }, 'GET', 403],
  ['same-site is not same-origin: another port', '/', { 'sec-fetch-site': 'same-site' }, 'GET', 403],
  [
    'the page in a frame of another site',
    '/',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    'GET',
    403,
  ],
  [
    'a part of the page opened from another site',
    '/assets/app.js',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    'GET',
    403,
  ],
  [
    'a link to the page from another site',
    '/',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    'GET',
    200,
  ],
  ['our own page', '/assets/app.js', { 'sec-fetch-site': 'same-origin' }, 'GET', 200],
  ['a typed address', '/', { 'sec-fetch-site': 'none' }, 'GET', 200],
  ['encoded slashes upwards', '/..%2f..%2fpackage.json', {}, 'GET', 403],
  ['plain dots upwards', '/../package.json', {}, 'GET', 403],
  ['encoded dots upwards', '/%2e%2e/package.json', {}, 'GET', 403],
  ['backslashes upwards', '/..%5c..%5cpackage.json', {}, 'GET', 403],
  ['dots in the middle', '/assets/../../package.json', {}, 'GET', 403],
  ['a NUL byte', '/index.html%00.js', {}, 'GET', 403],
  ['doubly encoded dots name no file', '/%252e%252e/package.json', {}, 'GET', 404],
  ['a broken escape', '/%zz', {}, 'GET', 400],
  ['an absolute target', 'http://evil.example/', {}, 'GET', 400],
  ['an absolute path', '//etc/passwd', {}, 'GET', 404],
  ['a link out of the folder', '/link.js', {}, 'GET', 404],
  ['a source map', '/assets/app.js.map', {}, 'GET', 404],
  ['a folder', '/assets', {}, 'GET', 404],
  ['the name of a prototype member', '/constructor', {}, 'GET', 404],
  ['the WebSocket without an upgrade', '/ipc', {}, 'GET', 404],
  ['a query', '/index.html?x=1', {}, 'GET', 200],
];

test.each(PAGES)('page: %s', async (_, target, headers, method, status) => {
  const { host } = await start();
  const answer = await rawRequest(host.port, target, headers, method);
  expect(answer.status).toBe(status);
  expect(answer.body.includes('secret')).toBe(false);
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});

const UPGRADES: readonly [name: string, changes: Record<string, string | null>, target: string, status: number][] = [
  ['right', {}, '/ipc', 101],
  ['without a token', { 'sec-websocket-protocol': 'turnback.v1' }, '/ipc', 403],
  ['without a protocol', { 'sec-websocket-protocol': null }, '/ipc', 403],
  ['with another token', { 'sec-websocket-protocol': `turnback.v1, token.${'A'.repeat(43)}` }, '/ipc', 403],
  ['with an empty token', { 'sec-websocket-protocol': 'turnback.v1, token.' }, '/ipc', 403],
  ['from another origin', { origin: 'http://evil.example' }, '/ipc', 403],
  ['from another port of this machine', { origin: 'http://127.0.0.1:1' }, '/ipc', 403],
  ['from a file', { origin: 'null' }, '/ipc', 403],
  ['with https in the origin', { origin: 'https://127.0.0.1' }, '/ipc', 403],
  ['without an origin', { origin: null }, '/ipc', 403],
  ['from a rebound name', { host: 'evil.example', origin: 'http://evil.example' }, '/ipc', 403],
  ['through ssh -L', { host: 'localhost:9999', origin: 'http://localhost:9999' }, '/ipc', 101],
  ['at another path', {}, '/', 403],
  ['with the token in the query', {}, '/ipc?token=x', 403],
];

test.each(UPGRADES)('upgrade: %s', async (_, changes, target, status) => {
  const { host, token } = await start();
  expect((await rawRequest(host.port, target, upgradeHeaders(host.port, token, changes))).status).toBe(status);
});

test('a right token without the protocol name is refused', async () => {
  const { host, token } = await start();
  const headers = upgradeHeaders(host.port, token, { 'sec-websocket-protocol': `token.${token}` });
  expect((await rawRequest(host.port, '/ipc', headers)).status).toBe(403);
});

test('a call is answered under its id, the protocol is the name alone, and events reach every page', async () => {
  const { host, token } = await start();
  const [first, second] = [connect(host, token), connect(host, token)];
  await Promise.all([opened(first), opened(second)]);
  expect(first.protocol).toBe('turnback.v1');
  const answer = message(first);
  first.send(JSON.stringify({ id: 7, call: 'threads.list', input: { odd: 'a\udc80' } }));
  expect(await answer).toEqual({ id: 7, answer: { ok: true, value: { call: 'threads.list', input: { odd: 'a\udc80' } } } });
  const events = Promise.all([message(first), message(second)]);
  host.push('thread.changed', { thread: 't' });
  expect(await events).toEqual(Array(2).fill({ event: 'thread.changed', payload: { thread: 't' } }));
});

test.each([
  ['text that is not JSON', 'nope'],
  ['no id', '{"call":"threads.list","input":{}}'],
  ['a call that is not a name', '{"id":1,"call":["threads.list"],"input":{}}'],
  ['bytes', Buffer.from('{"id":1,"call":"threads.list","input":{}}')],
])('a message of an unknown form ends that connection: %s', async (_, text) => {
  const { host, token } = await start();
  const socket = connect(host, token);
  await opened(socket);
  const code = closed(socket);
  socket.send(text);
  expect(await code).toBe(1008);
});

test('a message over 8 MB ends the connection, and the next page is served', async () => {
  const { host, token } = await start();
  const socket = connect(host, token);
  await opened(socket);
  socket.on('error', () => {});
  const code = closed(socket);
  socket.send(JSON.stringify({ id: 1, call: 'x', input: 'y'.repeat(8 * 1024 * 1024) }));
  expect([1006, 1009]).toContain(await code);
  await opened(connect(host, token));
});

test('the thirteenth page at once is turned away, and let in when one has left', async () => {
  const { host, token } = await start();
  const sockets = Array.from({ length: 12 }, () => connect(host, token));
  await Promise.all(sockets.map(opened));
  expect((await rawRequest(host.port, '/ipc', upgradeHeaders(host.port, token))).status).toBe(503);
  const gone = closed(sockets[0] as WebSocket);
  sockets[0]?.terminate();
  await gone;
  await expect.poll(async () => (await rawRequest(host.port, '/ipc', upgradeHeaders(host.port, token))).status).toBe(101);
});

test('a page that answers no ping is dropped, one that does stays', async () => {
  const { host, token } = await start({ heartbeatMs: 40 });
  const silent = new WebSocket(`ws://127.0.0.1:${host.port}/ipc`, ['turnback.v1', `token.${token}`], {
    origin: `http://127.0.0.1:${host.port}`,
    autoPong: false,
  });
  const lively = connect(host, token);
  await Promise.all([opened(silent), opened(lively)]);
  await closed(silent);
  expect(lively.readyState).toBe(lively.OPEN);
});

test('only 127.0.0.1 is bound', async () => {
  const { host } = await start();
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((address) => address.family === 'IPv4' && !address.internal);
  for (const { address } of others) await expect(fetch(`http://${address}:${host.port}/`)).rejects.toThrow();
  await expect(fetch(`http://[::1]:${host.port}/`)).rejects.toThrow();
});

test('a port that is taken is an error, and close frees the port', async () => {
  const { host } = await start();
  const pages = await pageFiles(await tempFolder());
  const again = { pages, answer: async () => ({ ok: true as const, value: null }), port: host.port };
  await expect(createBrowserHost(again)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await host.close();
  const next = await createBrowserHost(again);
  expect(next.port).toBe(host.port);
  await next.close();
});
