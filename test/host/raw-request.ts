import { request } from 'node:http';

export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** One HTTP request exactly as given: the target is not normalised, and `host` may be any text. */
export function rawRequest(port: number, target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path: target,
      method,
      headers: { host: `127.0.0.1:${port}`, ...headers },
      agent: false,
    });
    sent.on('error', reject);
    sent.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.alloc(0) });
    });
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.end();
  });
}

/** The headers of a WebSocket upgrade as our page sends them; a `null` header is left out. */
export function upgradeHeaders(port: number, token: string, changes: Record<string, string | null> = {}): Record<string, string> {
  const headers: Record<string, string | null> = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-protocol': `turnback.v1, token.${token}`,
    origin: `http://127.0.0.1:${port}`,
    ...changes,
  };
  return Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null));
}
