import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.ttf': 'font/ttf',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** What a host answers to a request for a part of the page. `bytes` is null when there is nothing to give. */
export interface PageAnswer {
  status: 200 | 400 | 403 | 404;
  type: string;
  bytes: Buffer | null;
}

/** The files of the built page, as a map that is fixed when it is made. */
export interface PageFiles {
  /** The answer for a request target such as `/`, `/assets/index.js` or `/index.html?x`. Never throws for a missing file. */
  answer(target: string): Promise<PageAnswer>;
}

const nothing = (status: 400 | 403 | 404): PageAnswer => ({ status, type: 'text/plain; charset=utf-8', bytes: null });

async function filesBelow(folder: string, prefix: string, found: Map<string, string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await filesBelow(full, `${prefix}${entry.name}/`, found);
    else if (entry.isFile() && path.extname(entry.name) in TYPES) found.set(prefix + entry.name, full);
  }
}

/** The pathname of a request target, percent-decoded once; null when it cannot be read. */
function pathnameOf(target: string): string | null {
  const raw = target.split(/[?#]/, 1)[0] ?? '';
  try {
    return decodeURIComponent(raw);
  } catch {
    return null;
  }
}

/**
 * Lists `folder` once and serves those files only, so that no request can name another one. Links and files of unknown
 * types are left out.
 */
export async function pageFiles(folder: string): Promise<PageFiles> {
  const files = new Map<string, string>();
  await filesBelow(folder, '/', files);
  return {
    async answer(target) {
      const name = pathnameOf(target);
      if (name === null || !name.startsWith('/')) return nothing(400);
      if (name.includes('\0') || name.includes('\\') || name.split('/').includes('..')) return nothing(403);
      const file = files.get(name === '/' ? '/index.html' : name);
      if (file === undefined) return nothing(404);
      return { status: 200, type: TYPES[path.extname(file)] ?? 'application/octet-stream', bytes: await readFile(file) };
    },
  };
}
