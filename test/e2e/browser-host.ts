import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { cleanEnv } from '../scenarios/temp.ts';
import { findChromium } from '../tools/find-chromium.mjs';
import type { ViewerHost } from './viewer-host.ts';

/**
 * `turnback serve`, or another program that prints an address, as a process of its own, and a browser that has only its address,
 * which further pages can be given too.
 */
export async function browserHost(
  folder: string,
  more: Readonly<Record<string, string>> = {},
  program: readonly string[] = [path.resolve('out/cli/turnback.cjs'), 'serve'],
): Promise<ViewerHost & { url: string; server: ChildProcess }> {
  const env = { ...cleanEnv(folder), ...more };
  const server = spawn(process.execPath, [...program], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const problems: string[] = [];
  // What the engine reports as its own failure.
  createInterface(server.stderr).on('line', (line) => {
    if (line.startsWith('turnback:')) problems.push(line);
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(server.stdout).once('line', resolve);
    server.once('exit', (code) => reject(new Error(`turnback serve ended with ${code}`)));
  });
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('There is no Chromium here.');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  const page = await browser.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).host !== new URL(url).host && !request.url().startsWith('data:')) problems.push(`network: ${request.url()}`);
  });
  await page.goto(url);
  return {
    name: 'browser',
    url,
    server,
    page,
    folder,
    env,
    async exportPatch(file, act) {
      await act();
      const dialog = page.getByRole('dialog', { name: 'Export patch' });
      await dialog.getByRole('textbox').fill(file);
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    },
    systemDialogs: () => [],
    clipboard: () => page.evaluate(() => navigator.clipboard.readText()),
    problems: () => problems,
    async close() {
      await browser.close();
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
    },
  };
}
