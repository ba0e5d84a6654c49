import { PAGE_HEADERS } from './csp.ts';
import type { PageFiles } from './page-files.ts';

/** The scheme of the page in Electron: an origin of its own, where `file:` has none. */
export const PAGE_SCHEME = 'app';

/** The address of the page in Electron. */
export const PAGE_URL = `${PAGE_SCHEME}://ui/index.html`;

/** Is this an address of our own page? */
export function isPageUrl(url: string): boolean {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && parsed.protocol === `${PAGE_SCHEME}:` && parsed.host === 'ui' && parsed.username === '';
}

/** Answers requests of the page's scheme from the fixed files, always with the policy. */
export function pageProtocol(pages: PageFiles): (request: Request) => Promise<Response> {
  return async (request) => {
    if (!isPageUrl(request.url)) return new Response(null, { status: 404, headers: PAGE_HEADERS });
    if (request.method !== 'GET') return new Response(null, { status: 405, headers: PAGE_HEADERS });
    const { status, type, bytes } = await pages.answer(new URL(request.url).pathname);
    const body = bytes === null ? null : new Uint8Array(bytes);
    return new Response(body, { status, headers: { ...PAGE_HEADERS, 'content-type': type } });
  };
}
