import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createElectronDouble, type DoubleOptions, type ElectronDouble } from './double.ts';
import { loadMain } from './load-main.ts';
import { smallApp } from './small-app.ts';

interface Small {
  invoke(channel: string, value?: unknown): Promise<unknown>;
  say(text: string): void;
  subscribe(listener: (value: unknown) => void): () => void;
}
declare const window: { small: Small; seen: unknown[]; stop: () => void } & Record<string, unknown>;

async function start(options: DoubleOptions = {}): Promise<{ double: ElectronDouble; main: string }> {
  const double = createElectronDouble(options);
  const main = await smallApp();
  const unload = loadMain(double, main);
  onTestFinished(async () => {
    unload();
    await double.close();
  });
  return { double, main };
}

async function page(options: DoubleOptions = {}): Promise<{ double: ElectronDouble; page: Page }> {
  const { double } = await start(options);
  return { double, page: await double.firstPage() };
}

test('values cross both ways as structured clones, and the sender is the main frame of the page', async () => {
  const { page: shown } = await page();
  const answer = await shown.evaluate(async () => {
    const sent = {
      date: new Date(5),
      bytes: new Uint8Array([1, 255]),
      map: new Map([[1, { a: undefined }]]),
      big: 7n,
      odd: 'a\udc80',
      not: Number.NaN,
    };
    const { value, ...rest } = (await window.small.invoke('echo', sent)) as { value: typeof sent };
    return [
      value.date.getTime(),
      [...value.bytes],
      value.map.get(1)?.a === undefined,
      String(value.big),
      value.odd,
      String(value.not),
      rest,
    ];
  });
  expect(answer).toEqual([5, [1, 255], true, '7', 'a\udc80', 'NaN', { url: 'app://ui/index.html', same: true }]);
});

test('a handler that throws and a value that cannot be cloned fail with the words of Electron', async () => {
  const { page: shown } = await page();
  const fail = (channel: string) => shown.evaluate((name) => window.small.invoke(name).catch((error: Error) => error.message), channel);
  expect(await fail('fail')).toBe("Error invoking remote method 'fail': TypeError: no");
  expect(await fail('nothing')).toBe("Error invoking remote method 'nothing': Error: No handler registered for 'nothing'");
});

test('the page sees the bridge alone, frozen; neither Node nor the pipe, and frames see not even that', async () => {
  const { page: shown } = await page();
  expect(
    await shown.evaluate(() => [
      ...['require', 'process', 'module', 'codec', '__electronDoubleSend', '__electronDoubleDeliver'].map((name) => typeof window[name]),
      Object.isFrozen(window.small),
      typeof (document.querySelector('iframe')?.contentWindow as unknown as Record<string, unknown> | undefined)?.['small'],
    ]),
  ).toEqual([...Array(6).fill('undefined'), true, 'undefined']);
});

test('pushes, menu clicks and second starts reach a subscribed listener until it stops, also after a reload', async () => {
  const { double, page: shown } = await page();
  await shown.reload();
  await shown.evaluate(() => {
    window.seen = [];
    window.stop = window.small.subscribe((value) => window.seen.push(value));
  });
  double.click('go');
  double.secondInstance({ open: '/y' });
  await expect.poll(() => shown.evaluate(() => window.seen)).toEqual(['go', { open: '/y' }]);
  await shown.evaluate(() => window.stop());
  double.click('go');
  expect(await shown.evaluate(() => window.small.invoke('echo', window.seen.length))).toMatchObject({ value: 2 });
  expect(() => double.click('gone')).toThrow('no menu item gone');
});

test('dialogs take the queued answers in turn, and are cancelled without one', async () => {
  const { double, page: shown } = await page();
  double.answers.push({ canceled: false, filePaths: ['/a'] });
  expect(await shown.evaluate(() => window.small.invoke('open'))).toEqual(['/a']);
  expect(await shown.evaluate(() => window.small.invoke('open'))).toEqual([]);
  expect(double.log.filter((entry) => entry.kind === 'dialog')).toEqual(
    Array(2).fill({ kind: 'dialog', dialog: 'open', options: { title: 'Pick' } }),
  );
  await shown.evaluate(() => window.small.invoke('copy', 'text'));
  expect(double.clipboard()).toBe('text');
});

test('new windows, navigation and the network are what the app allows, and each is in the log', async () => {
  const { double, page: shown } = await page();
  await shown.evaluate(() => {
    open('https://example.org/');
  });
  await expect.poll(() => double.log).toContainEqual({ kind: 'open-external', url: 'https://example.org/' });
  await shown.evaluate(() => {
    location.href = 'https://evil.example/';
  });
  await expect.poll(() => double.log).toContainEqual({ kind: 'blocked-navigation', url: 'https://evil.example/' });
  expect(await shown.evaluate(() => fetch('https://evil.example/x').catch(() => 'refused'))).toBe('refused');
  expect(double.log).toContainEqual({ kind: 'network', url: 'https://evil.example/x' });
  expect(await shown.title()).toBe('Small');
});

test('a member that the double does not have is an error, not undefined', async () => {
  const { double } = await start();
  const { electron } = double as unknown as { electron: Record<string, Record<string, unknown>> };
  await double.firstPage();
  expect(() => electron['powerMonitor']).toThrow('electron.powerMonitor is not implemented');
  expect(() => electron['app']?.['getGPUInfo']).toThrow('app.getGPUInfo is not implemented');
});

test('windows that would undo the isolation are refused, and so is what comes too early or too late', async () => {
  const { double } = await start();
  const { electron } = double as unknown as {
    electron: { BrowserWindow: new (options?: unknown) => object; protocol: { registerSchemesAsPrivileged(list: unknown[]): void } };
  };
  expect(() => new electron.BrowserWindow()).toThrow('before app is ready');
  await double.firstPage();
  for (const bad of [{ sandbox: false }, { contextIsolation: false }, { nodeIntegration: true }]) {
    expect(() => new electron.BrowserWindow({ webPreferences: bad })).toThrow('electron double refuses');
  }
  expect(() => electron.protocol.registerSchemesAsPrivileged([])).toThrow('before the app is ready');
});

test('closing the last window ends the app', async () => {
  const { double } = await page();
  for (const window of double.windows) window.close();
  await double.ended;
  expect([double.app.exitCode, double.windows.size]).toEqual([0, 0]);
});

test('a second instance gets no lock and opens nothing', async () => {
  const { double } = await start({ lock: false });
  await double.ended;
  expect([double.app.lockData, double.windows.size]).toEqual([{ open: '/x' }, 0]);
});

test('the electron command runs the double where ELECTRON_OVERRIDE_DIST_PATH names it', async () => {
  const main = await smallApp();
  const env = { ...process.env, ELECTRON_OVERRIDE_DIST_PATH: path.resolve('test/electron-double/dist') };
  const child = spawn(process.execPath, ['node_modules/electron/cli.js', path.dirname(main)], { env });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain('the app runs in Chromium, not in Electron');
  const ended = new Promise((resolve) => child.on('exit', resolve));
  child.kill('SIGTERM');
  await ended;
});
