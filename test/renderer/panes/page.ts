import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { PAGE_HEADERS } from '../../../electron/host/csp.ts';
import { findChromium } from '../../tools/find-chromium.mjs';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.ttf': 'font/ttf',
  '.woff2': 'font/woff2',
};

/** The whole window over a fake host, built like the real one and served under the real policy. */
export interface PanesPage {
  /** A page of the scene; what it logged as an error is in `faults`. */
  open(scene: string, size?: { width: number; height: number }): Promise<Page>;
  readonly faults: string[];
  close(): Promise<void>;
}

function serve(root: string): Promise<Server> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://host').pathname;
    readFile(path.join(root, name === '/' ? 'index.html' : name)).then(
      (bytes) =>
        response.writeHead(200, { ...PAGE_HEADERS, 'content-type': TYPES[path.extname(name) || '.html'] ?? 'text/plain' }).end(bytes),
      () => response.writeHead(204).end(),
    );
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

export async function startPanes(): Promise<PanesPage> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium here: set CHROMIUM, or run test/tools/find-chromium.mjs.');
  const root = await mkdtemp(path.join(os.tmpdir(), 'turnback-panes-'));
  await build({
    configFile: path.join(import.meta.dirname, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: root, emptyOutDir: true },
  });
  const server = await serve(root);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const faults: string[] = [];
  return {
    faults,
    async open(scene, size = { width: 1280, height: 800 }) {
      const context = await browser.newContext({ viewport: size, reducedMotion: 'reduce' });
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(String(error)));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      await page.goto(`${url}?${scene}`);
      await page.locator('.file-section').first().waitFor();
      return page;
    },
    async close() {
      await browser.close();
      server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}
