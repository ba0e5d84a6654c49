import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** The subprotocol that the server answers with; the client offers it together with `token.<token>`. */
export const PROTOCOL = 'turnback.v1';

/** Where the WebSocket listens. */
export const IPC_PATH = '/ipc';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Is the Host header exactly a loopback name, with any port? Any port, because `ssh -L` may forward another one; no other
 * name, because a page of a rebound DNS name would be same-origin with us.
 */
export function hostAllowed(host: string | undefined): boolean {
  const match = /^(\[[0-9a-f:]+\]|[^:]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return match !== null && LOOPBACK.has((match[1] ?? '').toLowerCase());
}

/** May this request for a part of the page be answered? The status to refuse it with, or null. */
export function pageRefusal(method: string | undefined, headers: IncomingHttpHeaders, target: string): 403 | 405 | 421 | null {
  if (!hostAllowed(headers.host)) return 421;
  if (method !== 'GET' && method !== 'HEAD') return 405;
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return null;
  // A link to the viewer, followed in a window of its own, shows a page that has no token; all else from other sites is refused.
  const followed = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return followed && (target === '/' || target === '/index.html') ? null : 403;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Does this upgrade come from our own page and carry the token? Compares in constant time. */
export function upgradeAllowed(headers: IncomingHttpHeaders, target: string | undefined, token: string): boolean {
  const { host, origin } = headers;
  if (!hostAllowed(host) || target !== IPC_PATH || origin !== `http://${host}`) return false;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const given = offered.find((name) => name.startsWith('token.'));
  return offered.includes(PROTOCOL) && given !== undefined && timingSafeEqual(digest(given.slice('token.'.length)), digest(token));
}
