import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { placeholderRuntime } from './placeholder-runtime.ts';
import { namesInZip } from './zip.ts';

const run = promisify(execFile);
const BIN = path.resolve('node_modules/.bin');

let folder = '';
let out = '';
let app = '';

/** Runs a tool of node_modules on the Node that this test runs on: Forge refuses older ones. */
async function tool(name: string, ...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${BIN}${path.delimiter}${process.env['PATH']}`,
    TURNBACK_FORGE_RUNTIME: path.join(folder, 'runtime'),
    TURNBACK_FORGE_OUT: out,
    NODE_OPTIONS: '',
    CI: '1',
  };
  try {
    return (await run(process.execPath, [await realpath(path.join(BIN, name)), ...args], { env, maxBuffer: 1 << 26 })).stdout;
  } catch (thrown) {
    const { stdout, stderr } = thrown as { stdout: string; stderr: string };
    throw new Error(`${name} ${args.join(' ')} failed:\n${stdout}\n${stderr}`);
  }
}

async function below(root: string): Promise<string[]> {
  return (await readdir(root, { recursive: true })).map((name) => name.replaceAll(path.sep, '/')).sort();
}

beforeAll(async () => {
  if (!existsSync('out/app/main.cjs') || !existsSync('out/renderer/index.html')) throw new Error('Run npm run build first.');
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-package-')));
  out = path.join(folder, 'made');
  app = path.join(out, 'Turnback-linux-x64');
  await mkdir(path.join(folder, 'runtime'));
  await placeholderRuntime(path.join(folder, 'runtime'));
  // `make` packages first, so one run covers both.
  await tool('electron-forge', 'make', '--platform=linux', '--arch=x64');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('package alone makes the same application', async () => {
  const before = await below(app);
  await rm(out, { recursive: true });
  await tool('electron-forge', 'package', '--platform=linux', '--arch=x64');
  expect(await below(app)).toEqual(before);
  await tool('electron-forge', 'make', '--platform=linux', '--arch=x64');
});

test('the application is one executable of our name with the app in an archive', async () => {
  expect((await stat(path.join(app, 'turnback'))).mode & 0o111).toBe(0o111);
  expect(await readdir(path.join(app, 'resources'))).toEqual(['app.asar']);
  expect(await readFile(path.join(app, 'version'), 'utf8')).toMatch(/^\d+\.\d+\.\d+$/);
});

describe('the archive', () => {
  let names: string[] = [];
  beforeAll(async () => {
    names = (await tool('asar', 'list', path.join(app, 'resources/app.asar'))).trimEnd().split('\n');
  });

  test('holds the manifest and what the build made', () => {
    for (const name of [
      '/package.json',
      '/out/app/main.cjs',
      '/out/app/preload.cjs',
      '/out/renderer/index.html',
      '/out/cli/turnback.cjs',
    ]) {
      expect(names).toContain(name);
    }
  });

  test('holds nothing else: no source, no test, no modules, no maps', () => {
    expect(names.filter((name) => name !== '/package.json' && !/^\/out(\/(app|cli|renderer)(\/|$)|$)/.test(name))).toEqual([]);
    expect(names.filter((name) => /\.(ts|tsx|map)$|node_modules|\.test\./.test(name))).toEqual([]);
  });

  test('holds every file of the built page', async () => {
    const built = (await below('out/renderer')).filter((name) => path.extname(name) !== '' && !name.endsWith('.map'));
    expect(names.filter((name) => name.startsWith('/out/renderer/') && path.extname(name) !== '').sort()).toEqual(
      built.map((name) => `/out/renderer/${name}`),
    );
  });

  test('holds main whole, and its entry is the one the manifest names', async () => {
    const { main } = JSON.parse(await readFile('package.json', 'utf8')) as { main: string };
    expect(names).toContain(`/${main}`);
    const taken = path.join(folder, 'taken');
    await tool('asar', 'extract', path.join(app, 'resources/app.asar'), taken);
    expect(await readFile(path.join(taken, main))).toEqual(await readFile(main));
  });
});

test('the fuses are set: no Node mode, no options, no inspector, cookies encrypted, the archive alone and checked', async () => {
  const said = await tool('electron-fuses', 'read', '--app', path.join(app, 'turnback'));
  const fuses = [...said.matchAll(/^\s*(\w+) is (Enabled|Disabled)/gm)].map(([, name, state]) => [name, state]);
  expect(Object.fromEntries(fuses)).toEqual({
    RunAsNode: 'Disabled',
    EnableCookieEncryption: 'Enabled',
    EnableNodeOptionsEnvironmentVariable: 'Disabled',
    EnableNodeCliInspectArguments: 'Disabled',
    EnableEmbeddedAsarIntegrityValidation: 'Enabled',
    OnlyLoadAppFromAsar: 'Enabled',
    LoadBrowserProcessSpecificV8Snapshot: 'Disabled',
    GrantFileProtocolExtraPrivileges: 'Disabled',
    WasmTrapHandlers: 'Enabled',
  });
});

test('the zip holds the application', async () => {
  const [name = ''] = await readdir(path.join(out, 'make/zip/linux/x64'));
  expect(name).toMatch(/^Turnback-linux-x64-\d+\.\d+\.\d+\.zip$/);
  const names = namesInZip(await readFile(path.join(out, 'make/zip/linux/x64', name)));
  expect(names.filter((entry) => !entry.endsWith('/'))).toEqual(
    expect.arrayContaining(['Turnback-linux-x64/turnback', 'Turnback-linux-x64/resources/app.asar']),
  );
});

test('the deb installs the application, a link on the path, an entry in the menu and an icon', async () => {
  const [name = ''] = (await readdir(path.join(out, 'make/deb/x64'))).filter((entry) => entry.endsWith('.deb'));
  const { stdout } = await run('dpkg', ['-c', path.join(out, 'make/deb/x64', name)]);
  for (const entry of [
    'usr/lib/turnback/turnback',
    'usr/lib/turnback/resources/app.asar',
    'usr/bin/turnback -> ../lib/turnback/turnback',
    'usr/share/applications/turnback.desktop',
    'usr/share/icons/hicolor/scalable/apps/turnback.svg',
  ]) {
    expect(stdout).toContain(`./${entry}`);
  }
  const { stdout: content } = await run('bash', [
    '-c',
    'dpkg --fsys-tarfile "$1" | tar -xO ./usr/share/applications/turnback.desktop',
    '-',
    path.join(out, 'make/deb/x64', name),
  ]);
  // A log that is opened from a file manager comes as an argument.
  expect(content).toMatch(/^Exec=turnback %[UFuf]$/m);
  expect(content).toMatch(/^MimeType=application\/jsonl;application\/x-ndjson;application\/vnd\.sqlite3;$/m);
  expect(stdout).toMatch(/-rwsr-xr-x root\/root .* \.\/usr\/lib\/turnback\/chrome-sandbox/);
  const { stdout: control } = await run('dpkg', ['-f', path.join(out, 'make/deb/x64', name), 'Package', 'Maintainer', 'Recommends']);
  expect(control).toMatch(/^Package: turnback$/m);
  expect(control).toMatch(/^Recommends: .*\bgit\b/m);
});
