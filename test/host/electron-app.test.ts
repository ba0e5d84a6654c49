import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Bridge } from '../../renderer/transport.ts';
import { createElectronDouble, type DoubleOptions, type ElectronDouble } from '../electron-double/double.ts';
import { loadMain } from '../electron-double/load-main.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

// The bundles of `npm run build`, as they ship, under the double.
const MAIN = path.resolve('out/app/main.cjs');

declare const window: { turnback: Bridge; seen: unknown[]; open: (url: string) => void };

interface App {
  double: ElectronDouble;
  folder: string;
  close(): Promise<void>;
}

/** Runs the bundle in a folder of its own. It reads this process' environment, which is put back at the end. */
function launch(folder: string, options: DoubleOptions & { argv?: string[] } = {}): App {
  const before = { env: process.env, argv: process.argv };
  process.env = { ...cleanEnv(folder) };
  process.argv = ['electron', path.resolve('.'), ...(options.argv ?? [])];
  const double = createElectronDouble(options);
  const unload = loadMain(double, MAIN);
  return {
    double,
    folder,
    async close() {
      unload();
      await double.close();
      Object.assign(process, before);
    },
  };
}

async function start(options: Parameters<typeof launch>[1] & { folder?: string } = {}): Promise<App> {
  const app = launch(options.folder ?? (await tempFolder()), options);
  onTestFinished(() => app.close());
  return app;
}

// One app for the tests that leave it as it is.
let double: ElectronDouble;
let page: Page;
let shared: App;

beforeAll(async () => {
  if (!existsSync(MAIN)) throw new Error('Run npm run build first.');
  shared = launch(await mkdtemp(path.join(os.tmpdir(), 'turnback-app-')));
  double = shared.double;
  page = await double.firstPage();
});

afterAll(async () => {
  await shared.close();
  await rm(shared.folder, { recursive: true });
});

const call = (page: Page, name: string, input: unknown = {}): Promise<unknown> =>
  page.evaluate(([called, given]) => window.turnback.invoke(called as string, given), [name, input]);

test('the page runs without an error on its console', async () => {
  await call(page, 'app.info');
  const bad = double.log.filter(({ kind, type }) => kind === 'page-error' || (kind === 'console' && type === 'error'));
  expect(bad).toEqual([]);
});

test('the app starts, shows its window once drawn, and answers through the bridge', async () => {
  const [shown] = double.windows;
  const { folder } = shared;
  expect([page.url().startsWith('https://ui.app.'), shown?.isVisible(), double.app.sandboxed]).toEqual([true, true, true]);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(await call(page, 'app.info')).toEqual({
    ok: true,
    value: {
      host: 'electron',
      version,
      platform: process.platform,
      home: path.join(folder, 'home'),
      git: { version: expect.stringMatching(/^\d/) },
      open: null,
    },
  });
  expect(await call(page, 'threads.list')).toEqual({ ok: true, value: { threads: [], problems: [] } });
});

test('a path on the command line is what to open, whatever Chromium adds', async () => {
  const { double: named } = await start({ argv: ['--enable-features=x', 'some/log.jsonl'] });
  expect(await call(await named.firstPage(), 'app.info')).toMatchObject({ value: { open: path.resolve('some/log.jsonl') } });
});

test('a call that is not of the contract, or of another form, is refused in words', async () => {
  expect(await call(page, 'shell.run', { command: 'id' })).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
  expect(await call(page, 'thread.open', { thread: 7 })).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
});

test('a call from a page that took the place of ours is refused', async () => {
  const { double: taken } = await start();
  await taken.firstPage();
  const [shown] = taken.windows;
  if (shown === undefined) throw new Error('no window');
  // Electron would not let it come to this: the page's frame shows another address now.
  Object.defineProperty(shown.contents.mainFrame, 'url', { value: 'https://evil.example/' });
  expect(await call(shown.contents.page, 'threads.list')).toMatchObject({ ok: false, error: { code: 'BAD_SENDER' } });
});

test('navigation, new windows and the network are closed', async () => {
  await page.evaluate(() => {
    window.open('https://example.org/');
    location.href = 'https://evil.example/';
  });
  await expect.poll(() => double.log).toContainEqual({ kind: 'blocked-navigation', url: 'https://evil.example/' });
  expect(double.log).toContainEqual({ kind: 'window-open', url: 'https://example.org/', action: 'deny' });
  expect(double.log.filter(({ kind }) => kind === 'open-external')).toEqual([]);
  expect(await page.evaluate(() => fetch('https://evil.example/x').catch(() => 'refused'))).toBe('refused');
  expect(double.log.filter(({ kind }) => kind === 'network')).toEqual([]);
  expect(await page.evaluate(() => fetch('app.asar').then((answer) => answer.status))).toBe(404);
});

test('permissions are refused, asked or checked', async () => {
  let answer: unknown;
  (double.permissions.request as (...args: unknown[]) => void)({}, 'media', (given: unknown) => {
    answer = given;
  });
  expect([answer, (double.permissions.check as () => unknown)(), (double.permissions.device as () => unknown)()]).toEqual([
    false,
    false,
    false,
  ]);
});

test('links, clipboard and dialogs go through their calls', async () => {
  double.answers.push({ canceled: false, filePaths: ['/a/log.jsonl'] });
  expect(await call(page, 'dialog.open', { what: 'log' })).toEqual({ ok: true, value: '/a/log.jsonl' });
  expect(await call(page, 'dialog.open', { what: 'folder' })).toEqual({ ok: true, value: null });
  await call(page, 'clipboard.write', { text: 'copied' });
  await call(page, 'shell.link', { url: 'https://example.org/' });
  expect(await call(page, 'shell.link', { url: 'file:///etc/passwd' })).toMatchObject({ ok: false, error: { code: 'LINK_REFUSED' } });
  expect(double.clipboard()).toBe('copied');
  expect(double.log.filter(({ kind }) => kind === 'open-external')).toEqual([{ kind: 'open-external', url: 'https://example.org/' }]);
});

test('menu items and second starts arrive as commands', async () => {
  const [shown] = double.windows;
  shown?.minimize();
  await page.evaluate(() => {
    window.seen = [];
    window.turnback.subscribe((event, payload) => window.seen.push([event, payload]));
  });
  double.click('palette');
  double.secondInstance({ open: '/a/log.jsonl' });
  double.secondInstance({ open: null });
  double.secondInstance('nonsense');
  await expect
    .poll(() => page.evaluate(() => window.seen))
    .toEqual([
      ['command', { command: 'palette', argument: null }],
      ['command', { command: 'open-log', argument: '/a/log.jsonl' }],
    ]);
  expect(shown?.isMinimized()).toBe(false);
});

test('the native menu has the commands of the page under their titles, and follows the keys that the user chose', async () => {
  await expect.poll(() => double.menu()?.getMenuItemById('settings')?.label).toBe('Settings…');
  expect(double.menu()?.getMenuItemById('settings')).toMatchObject({ accelerator: 'CmdOrCtrl+,', registerAccelerator: false });
  const { double: own } = await start();
  const first = await own.firstPage();
  await expect.poll(() => own.menu()?.getMenuItemById('history')?.label).toBe('History of travels');
  await first.keyboard.press('Control+,');
  await first.getByRole('tab', { name: 'Keys' }).click();
  await first.getByRole('button', { name: 'Add key: History of travels' }).click();
  await first.keyboard.press('Control+Alt+h');
  await first.getByRole('button', { name: 'Use it' }).click();
  await first.getByRole('button', { name: 'Remove H from: History of travels' }).click();
  await expect.poll(() => own.menu()?.getMenuItemById('history')?.['accelerator']).toBe('CmdOrCtrl+Alt+H');
});

test('a second start with the id of a thread opens that thread in the first window; the system is told of its log', async () => {
  const { double: own } = await start();
  const first = await own.firstPage();
  const made = (await call(first, 'sample.make')) as { value: { id: string; log: string } };
  const { id, log } = made.value;
  own.app.emit('second-instance', {}, [], '/', { open: id });
  await expect
    .poll(() => first.evaluate(() => document.querySelector('.title-switch')?.textContent ?? ''), { timeout: 30_000 })
    .not.toBe('');
  await expect.poll(() => own.app.recentDocuments).toEqual([log]);
  expect(own.windows.size).toBe(1);
  expect(await call(first, 'forget.run', { thread: id, evenStanding: false })).toMatchObject({ ok: true });
  expect(own.app.recentDocuments).toEqual([]);
});

test('another instance holds the lock: it is told what to open, and this one ends', async () => {
  const { double: second } = await start({ lock: false, argv: ['/a/log.jsonl'] });
  await second.ended;
  expect([second.app.lockData, second.windows.size]).toEqual([{ open: '/a/log.jsonl' }, 0]);
});

test('the window comes back where it was, and everything the app wrote is in its own folder', async () => {
  const { double: moved, folder } = await start();
  await moved.firstPage();
  const [shown] = moved.windows;
  shown?.setBounds({ x: 30, y: 40, width: 1000, height: 700 });
  shown?.close();
  await moved.ended;
  expect(JSON.parse(await readFile(path.join(folder, 'own-data/window.json'), 'utf8'))).toEqual({
    version: 1,
    bounds: { x: 30, y: 40, width: 1000, height: 700 },
    maximized: false,
  });
  expect(moved.app.getPath('userData')).toBe(path.join(folder, 'own-data/electron'));
  expect(await readdir(folder)).toEqual(['own-data']);
  const again = await start({ folder });
  await again.double.firstPage();
  expect([...again.double.windows][0]?.options).toMatchObject({ x: 30, y: 40, width: 1000, height: 700 });
});
