import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createElectronDouble, type DoubleOptions, type ElectronDouble } from './double.ts';
import { loadMain } from './load-main.ts';
import { smallApp } from './small-app.ts';

interface Small {
  invoke(channel: string, value?: unknown): Promise<unknown>;
  say(text: string): void;
  subscribe(listener: (value: unknown) => void): () => void;
}
declare const window: { small: Small; seen: unknown[]; stop: () => void } & Record<string, unknown>;

async function start(options: DoubleOptions = {}): Promise<ElectronDouble> {
  const double = createElectronDouble(options);
  const unload = loadMain(double, main);
  onTestFinished(async () => {
    unload();
    await double.close();
  });
  return double;
}

let double: ElectronDouble;
let shown: Page;
let unload: () => void;
let folder = '';
let main = '';

// One app for the tests that leave it as it is.
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'small-app-'));
  main = await smallApp(folder);
  double = createElectronDouble();
  unload = loadMain(double, main);
  shown = await double.firstPage();
});

afterAll(async () => {
  unload();
  await double.close();
  await rm(folder, { recursive: true });
});

test('values cross both ways as structured clones, and the sender is the main frame of the page', async () => {
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
  const fail = (channel: string) => shown.evaluate((name) => window.small.invoke(name).catch((error: Error) => error.message), channel);
  expect(await fail('fail')).toBe("Error invoking remote method 'fail': TypeError: no");
  expect(await fail('nothing')).toBe("Error invoking remote method 'nothing': Error: No handler registered for 'nothing'");
});

test('the page sees the bridge alone, frozen; neither Node nor the pipe, and frames see not even that', async () => {
  expect(
    await shown.evaluate(() => [
      ...['require', 'process', 'module', 'codec', '__electronDoubleSend', '__electronDoubleDeliver'].map((name) => typeof window[name]),
      Object.isFrozen(window.small),
      typeof (document.querySelector('iframe')?.contentWindow as unknown as Record<string, unknown> | undefined)?.['small'],
    ]),
  ).toEqual([...Array(6).fill('undefined'), true, 'undefined']);
});

test('pushes, menu clicks and second starts reach a subscribed listener until it stops, also after a reload', async () => {
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
  const { electron } = double as unknown as { electron: Record<string, Record<string, unknown>> };
  expect(() => electron['powerMonitor']).toThrow('electron.powerMonitor is not implemented');
  expect(() => electron['app']?.['getGPUInfo']).toThrow('app.getGPUInfo is not implemented');
});

test('windows that would undo the isolation are refused, and so is what comes too early or too late', async () => {
  const fresh = await start();
  const { electron } = fresh as unknown as {
    electron: { BrowserWindow: new (options?: unknown) => object; protocol: { registerSchemesAsPrivileged(list: unknown[]): void } };
  };
  expect(() => new electron.BrowserWindow()).toThrow('before app is ready');
  await fresh.firstPage();
  for (const bad of [{ sandbox: false }, { contextIsolation: false }, { nodeIntegration: true }]) {
    expect(() => new electron.BrowserWindow({ webPreferences: bad })).toThrow('electron double refuses');
  }
  expect(() => electron.protocol.registerSchemesAsPrivileged([])).toThrow('before the app is ready');
});

test('closing the last window ends the app', async () => {
  const closing = await start();
  await closing.firstPage();
  for (const window of closing.windows) window.close();
  await closing.ended;
  expect([closing.app.exitCode, closing.windows.size]).toEqual([0, 0]);
});

test('a second instance gets no lock and opens nothing', async () => {
  const second = await start({ lock: false });
  await second.ended;
  expect([second.app.lockData, second.windows.size]).toEqual([{ open: '/x' }, 0]);
});

test('the electron command runs the double where ELECTRON_OVERRIDE_DIST_PATH names it', async () => {
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
