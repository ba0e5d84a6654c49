import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { cleanEnv, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { pageClient } from './page-client.ts';

// A sample is recorded for real, which takes its time on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 120_000 });

// The built command line, as `npm start` and `turnback` run it.
const CLI = path.resolve('out/cli/turnback.cjs');
const URL_LINE = /http:\/\/127\.0\.0\.1:\d+\/#t=[\w-]{43}/;

interface Started {
  child: ChildProcess;
  out(): string;
  err(): string;
  /** The address, once it was printed on either stream. */
  url(): Promise<string>;
  exit: Promise<number | string>;
}

function start(
  env: Record<string, string>,
  args: readonly string[],
  program = process.execPath,
  before: readonly string[] = [CLI],
): Started {
  const child = spawn(program, [...before, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exit = new Promise<number | string>((resolve) => child.on('close', (code, signal) => resolve(code ?? signal ?? 'gone')));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return {
    child,
    exit,
    out: () => out,
    err: () => err,
    async url() {
      await expect.poll(() => out + err, { timeout: 90_000 }).toMatch(URL_LINE);
      return URL_LINE.exec(out + err)?.[0] ?? '';
    },
  };
}

async function place(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = await tempFolder();
  return { folder, env: cleanEnv(folder) };
}

/** A stand-in for the electron binary: writes its arguments down, then ends as told. */
async function fakeElectron(folder: string, exit: number): Promise<string> {
  const script = `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/arguments\nexit ${exit}\n`;
  await writeFiles(folder, { 'dist/electron': { content: script, mode: 0o755 } });
  return path.join(folder, 'dist');
}

async function infoAt(url: string): Promise<Record<string, unknown>> {
  const page = await pageClient(url);
  const { value } = (await page.call('app.info')) as { value: Record<string, unknown> };
  page.close();
  return value;
}

beforeAll(() => {
  if (!existsSync(CLI)) throw new Error('Run npm run build first.');
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'serve prints its address on stdout, answers a page, and ends cleanly on %s',
  async (signal) => {
    const { env } = await place();
    const served = start(env, ['serve']);
    const url = await served.url();
    expect(served.out()).toBe(`${url}\n`);
    expect(await infoAt(url)).toMatchObject({ host: 'browser', open: null });
    const page = await fetch(url);
    expect([page.status, await page.text()]).toEqual([200, await readFile('out/renderer/index.html', 'utf8')]);
    served.child.kill(signal);
    expect(await served.exit).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    expect(served.err().trimEnd().split('\n')).toHaveLength(1);
  },
);

test('serve takes a port and a path, which becomes absolute; a port in use is an error with its code', async () => {
  const { env } = await place();
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const refused = start(env, ['serve', '--port', String(port)]);
  expect(await refused.exit).toBe(1);
  expect(refused.err()).toBe(`Port ${port} is in use. Name another one with --port, or leave it out to get a free one. [PORT_TAKEN]\n`);
  await new Promise((resolve) => taken.close(resolve));
  const served = start(env, ['serve', 'package.json', '--port', String(port)]);
  const url = await served.url();
  expect(new URL(url).port).toBe(String(port));
  expect(await infoAt(url)).toMatchObject({ open: path.resolve('package.json') });
});

test('without Electron the same app opens in the browser, after exactly one line', async () => {
  const { env, folder } = await place();
  const opened = start(env, []);
  const url = await opened.url();
  expect(opened.err()).toBe(`Electron is not installed here and cannot be fetched; opening the same app in the browser at ${url}\n`);
  expect(await infoAt(url)).toMatchObject({ host: 'browser', open: null });
  opened.child.kill('SIGTERM');
  expect(await opened.exit).toBe(0);
  expect(opened.out()).toBe('');
  expect(existsSync(path.join(folder, 'own-data/tmp'))).toBe(false);
});

test('on a desktop its browser is shown the address, but no argument holds the token', async () => {
  const { env, folder } = await place();
  await writeFiles(folder, { 'bin/xdg-open': { content: `#!/bin/sh\nprintf '%s' "$*" > ${folder}/shown\n`, mode: 0o755 } });
  const opened = start({ ...env, DISPLAY: ':99', PATH: `${folder}/bin:${env['PATH']}` }, ['--sample']);
  const url = await opened.url();
  await expect.poll(() => existsSync(path.join(folder, 'shown'))).toBe(true);
  await expect.poll(() => readFile(path.join(folder, 'shown'), 'utf8')).not.toBe('');
  const shown = await readFile(path.join(folder, 'shown'), 'utf8');
  expect(path.dirname(shown)).toBe(path.join(folder, 'own-data/tmp'));
  expect(shown).not.toContain(new URL(url).hash.slice(3));
  expect(await readFile(shown, 'utf8')).toContain(`content="0;url=${url}"`);
  expect([(await stat(shown)).mode & 0o777, (await stat(path.dirname(shown))).mode & 0o777]).toEqual([0o600, 0o700]);
  opened.child.kill('SIGTERM');
  expect(await opened.exit).toBe(0);
  expect(await readdir(path.dirname(shown))).toEqual([]);
});

test('--sample makes a sample and opens its log', async () => {
  const { env, folder } = await place();
  const opened = start(env, ['--sample']);
  const page = await pageClient(await opened.url());
  const { value } = (await page.call('app.info')) as { value: { open: string } };
  expect(value.open.startsWith(path.join(folder, 'own-data/samples/'))).toBe(true);
  expect(await page.call('threads.locate', { path: value.open })).toMatchObject({ ok: true, value: { threads: [{ source: 'tanstack' }] } });
  page.close();
});

test('Electron, where it is, is started with the app and the path, and nothing is said', async () => {
  const { env, folder } = await place();
  const opened = start({ ...env, ELECTRON_OVERRIDE_DIST_PATH: await fakeElectron(folder, 0) }, ['package.json']);
  expect([await opened.exit, opened.out(), opened.err()]).toEqual([0, '', '']);
  expect(await readFile(path.join(folder, 'arguments'), 'utf8')).toBe(`${path.resolve('.')}\n${path.resolve('package.json')}\n`);
});

test('an Electron that does not come up gives way to the browser, in one line', async () => {
  const { env, folder } = await place();
  const opened = start({ ...env, ELECTRON_OVERRIDE_DIST_PATH: await fakeElectron(folder, 127) }, []);
  const url = await opened.url();
  expect(opened.err()).toBe(`Electron could not start (127); opening the same app in the browser at ${url}\n`);
});

test('the whole app starts under the double where that stands for Electron', async () => {
  const { env, folder } = await place();
  const dist = path.resolve('test/electron-double/dist');
  const opened = start({ ...env, PATH: `${path.resolve('node_modules/.bin')}:${env['PATH']}`, ELECTRON_OVERRIDE_DIST_PATH: dist }, []);
  await expect.poll(opened.out, { timeout: 90_000 }).toContain('the app runs in Chromium, not in Electron');
  opened.child.kill('SIGTERM');
  await opened.exit;
  expect(opened.err()).toBe('');
  expect(existsSync(path.join(folder, 'own-data'))).toBe(true);
});

test('without a build it says what to run', async () => {
  const { env, folder } = await place();
  await writeFiles(folder, { 'package.json': '{}', 'out/cli/turnback.cjs': await readFile(CLI) });
  for (const args of [[], ['serve']]) {
    const refused = start(env, args, process.execPath, [path.join(folder, 'out/cli/turnback.cjs')]);
    expect(await refused.exit).toBe(1);
    expect(refused.err()).toMatch(/^The viewer's page is missing at .*\. Run npm run build, then try again\. \[NOT_BUILT\]\n$/);
  }
});

test('a server that was relaunched ends when the process that did so is gone', async () => {
  const { env, folder } = await place();
  await writeFile(path.join(folder, 'parent.sh'), `${process.execPath} ${CLI} serve & wait\n`);
  const served = start({ ...env, TURNBACK_RELAUNCHED: '1' }, [], 'sh', [path.join(folder, 'parent.sh')]);
  const url = await served.url();
  served.child.kill('SIGKILL');
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => 'up',
          () => 'down',
        ),
      { timeout: 10_000 },
    )
    .toBe('down');
});
