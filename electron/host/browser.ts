import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Answer } from '../../shared/contract.ts';
import { reason } from '../../shared/errors.ts';
import { PROTOCOL, pageRefusal, upgradeAllowed } from './browser-guard.ts';
import { PAGE_HEADERS } from './csp.ts';
import type { PageFiles } from './page-files.ts';

/** Windows at once, as a person may have tabs open; one that is turned away cannot tell why. */
const MAX_CLIENTS = 12;
const MAX_MESSAGE = 8 * 1024 * 1024;
/** Connections of all kinds at once; a page needs six and a socket. */
const MAX_CONNECTIONS = 64;
/** Milliseconds that somebody may take to send a request. */
const SLOWEST_REQUEST = 10_000;
/** How often connections are looked at for that. */
const LOOK_EVERY = 2_000;
/** Bytes that wait for a page that does not take them. */
const MAX_WAITING = 256 * 1024 * 1024;

const requestSchema = z.object({ id: z.number(), call: z.string(), input: z.unknown() });

export interface BrowserHostOptions {
  pages: PageFiles;
  answer(call: string, input: unknown): Promise<Answer>;
  /** 0: any free port. */
  port?: number;
  heartbeatMs?: number;
  /** Milliseconds that a request may take to come in whole. */
  slowestMs?: number;
}

export interface BrowserHost {
  /** The address with the token in its fragment: whoever has it can use the viewer. */
  readonly url: string;
  readonly port: number;
  /** Sends an event to every connected page. */
  push(event: string, payload: unknown): void;
  close(): Promise<void>;
}

/** An answer as text; one that is longer than any text can be is told instead of sent. */
function textOf(id: number, answer: Answer): string {
  try {
    return JSON.stringify({ id, answer });
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown.message : String(thrown);
    return JSON.stringify({ id, answer: { ok: false, error: reason('INTERNAL', { cause }) } satisfies Answer });
  }
}

/** Sends to a page that is there; one that takes nothing any more is dropped before it fills our memory. */
function say(socket: WebSocket, text: string): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > MAX_WAITING) socket.terminate();
  else socket.send(text);
}

/** Answers the messages of one page: `{id, call, input}` -> `{id, answer}`. A message of another form ends the connection. */
function serveClient(socket: WebSocket, answer: BrowserHostOptions['answer']): void {
  const reply = async (raw: unknown): Promise<void> => {
    const request = requestSchema.safeParse(raw);
    if (!request.success) return socket.close(1008, 'not a request');
    const { id, call, input } = request.data;
    say(socket, textOf(id, await answer(call, input)));
  };
  socket.on('message', (data, isBinary) => {
    let raw: unknown = null;
    try {
      raw = isBinary ? null : JSON.parse(String(data));
    } catch {
      // Not JSON is refused like any other message of an unknown form.
    }
    void reply(raw);
  });
  // The close that follows says all there is to say: a page that breaks the protocol or goes away is dropped.
  socket.on('error', () => socket.terminate());
}

function refuse(socket: Duplex, status: string): void {
  socket.on('error', () => socket.destroy());
  // Whoever was refused may keep its half of the connection open for ever.
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

/** Pings every page and drops those that did not answer the last ping; the result stops it. */
function heartbeat(server: WebSocketServer, everyMs: number): () => void {
  const alive = new WeakSet<WebSocket>();
  server.on('connection', (socket: WebSocket) => {
    alive.add(socket);
    socket.on('pong', () => alive.add(socket));
  });
  const timer = setInterval(() => {
    for (const socket of server.clients) {
      if (!alive.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }, everyMs);
  return () => clearInterval(timer);
}

/**
 * The viewer over loopback HTTP and one WebSocket. Binds 127.0.0.1 only; a 256-bit token, made anew for each start, stands
 * between other local programs and the handlers. No cookies: they ignore ports. Rejects when the port is taken.
 */
export async function createBrowserHost(options: BrowserHostOptions): Promise<BrowserHost> {
  const token = randomBytes(32).toString('base64url');
  const slowest = options.slowestMs ?? SLOWEST_REQUEST;
  const limits = { headersTimeout: slowest, requestTimeout: slowest, connectionsCheckingInterval: Math.min(LOOK_EVERY, slowest) };
  const http = createServer({ ...limits, keepAliveTimeout: slowest }, (request, response) => {
    const target = request.url ?? '/';
    const refusal = pageRefusal(request.method, request.headers, target);
    if (refusal !== null) return void response.writeHead(refusal, PAGE_HEADERS).end();
    options.pages.answer(target).then(
      ({ status, type, bytes }) => {
        response.writeHead(status, { ...PAGE_HEADERS, 'content-type': type, 'content-length': bytes?.length ?? 0 });
        response.end(request.method === 'HEAD' ? undefined : bytes);
      },
      () => void response.writeHead(500, PAGE_HEADERS).end(),
    );
  });
  http.maxConnections = MAX_CONNECTIONS;
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  http.on('upgrade', (request, socket, head) => {
    if (!upgradeAllowed(request.headers, request.url, token)) return refuse(socket, '403 Forbidden');
    if (server.clients.size >= MAX_CLIENTS) return refuse(socket, '503 Service Unavailable');
    server.handleUpgrade(request, socket, head, (client) => {
      server.emit('connection', client, request);
      serveClient(client, options.answer);
    });
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = http.address() as AddressInfo;
  // Only now: its timer would keep a process alive whose port was taken.
  const stopHeartbeat = heartbeat(server, options.heartbeatMs ?? 30_000);
  return {
    port,
    url: `http://127.0.0.1:${port}/#t=${token}`,
    push(event, payload) {
      const text = JSON.stringify({ event, payload });
      for (const client of server.clients) say(client, text);
    },
    async close() {
      stopHeartbeat();
      for (const client of server.clients) client.terminate();
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}
