import { readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import type { Desk } from '../../electron/host/desk.ts';
import { dispatch } from '../../electron/host/dispatch.ts';
import { createEmitter } from '../../electron/host/emitter.ts';
import { createHandlers, type HandlerParts } from '../../electron/host/handlers.ts';
import type { HostPort } from '../../electron/host/host-port.ts';
import { Operations } from '../../electron/host/operations.ts';
import { SettingsFile } from '../../electron/host/settings.ts';
import { Upkeep } from '../../electron/host/upkeep.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

interface Made {
  ask(call: string, input: unknown): Promise<unknown>;
  pushed: unknown[];
  folder: string;
}

/** The real handlers over a desk of which only the given members exist. */
async function made(desk: Partial<Record<keyof Desk, unknown>>, changes: Partial<HandlerParts> = {}): Promise<Made> {
  const folder = await tempFolder();
  const pushed: unknown[] = [];
  const git = createGit();
  const settings = new SettingsFile(path.join(folder, 'own'));
  const retention = async () => (await settings.get()).retention;
  const upkeep = new Upkeep({ ownData: path.join(folder, 'own'), git, retention, report: () => undefined });
  onTestFinished(() => upkeep.dispose());
  const parts: HandlerParts = {
    desk: desk as unknown as Desk,
    git,
    settings,
    upkeep,
    operations: new Operations(),
    lookups: new Operations(),
    port: browserPort,
    emit: createEmitter((event, payload) => pushed.push([event, payload])),
    version: '1.2.3',
    home: folder,
    open: null,
    ...changes,
  };
  const handlers = createHandlers(parts);
  return { folder, pushed, ask: (call, input) => dispatch(handlers, call, input, () => {}) };
}

const refused = (code: string): unknown => ({ ok: false, error: { code, message: expect.any(String) } });
const range = { kind: 'step', step: 's' };
const patch = (text: string | Buffer) => async () => ({
  bytes: Buffer.from(text as string),
  name: 'turnback-s.patch',
  files: 1,
  secrets: [],
});

function port(changes: Partial<HostPort> = {}): { port: HostPort; did: unknown[] } {
  const did: unknown[] = [];
  return {
    did,
    port: {
      host: 'electron',
      chooseOpen: async (what) => `/chosen/${what}`,
      chooseSave: async () => null,
      writeClipboard: async (text) => void did.push(['clipboard', text]),
      reveal: async (file) => void did.push(['reveal', file]),
      edit: async (file) => void did.push(['edit', file]),
      openLink: async (url) => void did.push(['link', url]),
      ...changes,
    },
  };
}

test('app.info names host, version, git and what to open', async () => {
  const { ask, folder } = await made({}, { open: '/a/log.jsonl' });
  expect(await ask('app.info', {})).toEqual({
    ok: true,
    value: {
      host: 'browser',
      version: '1.2.3',
      platform: process.platform,
      home: folder,
      git: { version: expect.stringMatching(/^\d+\.\d+/) },
      open: '/a/log.jsonl',
    },
  });
});

test('app.info without git still answers, with the reason', async () => {
  const { ask } = await made({}, { git: createGit({ command: ['/nowhere/git'] }) });
  expect(await ask('app.info', {})).toMatchObject({ ok: true, value: { git: { code: 'NO_GIT' } } });
});

test('thread.open opens with the folders named and shows the thread under the id it was opened as', async () => {
  const seen: unknown[] = [];
  const { ask } = await made({
    open: async (...given: unknown[]) => {
      seen.push(given);
      return { head: { id: 'tanstack:t' } };
    },
    view: async (id: string) => {
      seen.push(id);
      throw new TurnbackError('LOG_EMPTY', { path: '/l' });
    },
  });
  expect(await ask('thread.open', { thread: '/l', root: '/r', data: null })).toEqual(refused('LOG_EMPTY'));
  expect(seen).toEqual([['/l', { root: '/r', data: null }, {}], 'tanstack:t']);
});

test('a travel reports progress under its operation, can be cancelled by it, and its id is free again afterwards', async () => {
  const operations = new Operations();
  const input = {
    thread: 't',
    operation: 'op-1',
    kind: 'revert',
    stop: 3,
    entry: null,
    scope: 'both',
    drift: 'merge',
    choices: { 'a.txt': 'keep' },
    fingerprint: 'f',
  };
  let seen: unknown[] = [];
  const { ask, pushed } = await made(
    {
      run: (
        thread: string,
        request: unknown,
        { signal, onProgress, ...rest }: { signal: AbortSignal; onProgress: (done: number, total: number, label: string) => void },
      ) =>
        new Promise((_, reject) => {
          seen = [thread, request, rest];
          onProgress(1, 6, 'a.txt');
          signal.addEventListener('abort', () => reject(new TurnbackError('CANCELLED')));
        }),
    },
    { operations },
  );
  const running = ask('travel.run', input);
  await expect.poll(() => operations.count).toBe(1);
  expect(await ask('travel.run', input)).toEqual(refused('BAD_REQUEST'));
  expect(await ask('cancel', { operation: 'another' })).toEqual({ ok: true, value: {} });
  const idle = operations.idle();
  expect(await ask('cancel', { operation: 'op-1' })).toEqual({ ok: true, value: {} });
  expect(await running).toEqual(refused('CANCELLED'));
  await idle;
  expect(operations.count).toBe(0);
  expect(seen).toEqual([
    't',
    { kind: 'revert', stop: 3, entry: null, scope: 'both', piece: null },
    { drift: 'merge', choices: { 'a.txt': 'keep' }, fingerprint: 'f' },
  ]);
  expect(pushed).toEqual([['progress', { operation: 'op-1', done: 1, total: 6, label: 'a.txt' }]]);
});

test('patch.text gives the text exactly, a byte order mark included, and refuses bytes that are none', async () => {
  const good = await made({ patch: patch('\ufeffdiff --git a/a b/a\r\n') });
  expect(await good.ask('patch.text', { thread: 't', range })).toEqual({
    ok: true,
    value: { text: '\ufeffdiff --git a/a b/a\r\n', name: 'turnback-s.patch', files: 1, secrets: [] },
  });
  const bad = await made({ patch: patch(Buffer.from([0x2b, 0xff, 0x0a])) });
  expect(await bad.ask('patch.text', { thread: 't', range })).toEqual(refused('PATCH_NOT_TEXT'));
});

test('patch.save writes the exact bytes where the user said, and replaces nothing in the browser host', async () => {
  const bytes = Buffer.from([0x2b, 0xff, 0x00, 0x0a]);
  const { ask, folder } = await made({ patch: patch(bytes) });
  const file = path.join(folder, 'out.patch');
  expect(await ask('patch.save', { thread: 't', range, path: file })).toEqual({ ok: true, value: { path: file, secrets: [] } });
  expect(await readFile(file)).toEqual(bytes);
  await writeFile(file, 'mine');
  expect(await ask('patch.save', { thread: 't', range, path: file })).toEqual(refused('FILE_EXISTS'));
  expect(await readFile(file, 'utf8')).toBe('mine');
  await symlink(path.join(folder, 'elsewhere'), path.join(folder, 'link.patch'));
  expect(await ask('patch.save', { thread: 't', range, path: path.join(folder, 'link.patch') })).toEqual(refused('FILE_EXISTS'));
  expect(await ask('patch.save', { thread: 't', range, path: 'out.patch' })).toEqual(refused('SAVE_FAILED'));
  expect(await ask('patch.save', { thread: 't', range, path: path.join(folder, 'no/such/out.patch') })).toEqual(refused('SAVE_FAILED'));
  expect(await ask('patch.save', { thread: 't', range, path: null })).toEqual(refused('NOT_AVAILABLE_HERE'));
});

test('patch.save with a dialog takes its path, never the page’s, and replaces what the user agreed to replace', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'chosen.patch');
  await writeFile(file, 'old');
  const asked: unknown[] = [];
  const { port: dialog } = port({
    chooseSave: async (name, typed) => {
      asked.push([name, typed]);
      return { path: file, replace: true };
    },
  });
  const { ask } = await made({ patch: patch('new') }, { port: dialog });
  expect(await ask('patch.save', { thread: 't', range, path: null })).toEqual({ ok: true, value: { path: file, secrets: [] } });
  expect(await readFile(file, 'utf8')).toBe('new');
  expect(asked).toEqual([['turnback-s.patch', null]]);
});

test('patch.save cancelled in the dialog is null', async () => {
  const { ask } = await made({ patch: patch('new') }, { port: port().port });
  expect(await ask('patch.save', { thread: 't', range, path: null })).toEqual({ ok: true, value: null });
});

test('folder.list shows folders first, links to folders as folders, and the way up', async () => {
  const { ask, folder } = await made({});
  await writeFiles(folder, { 'b.txt': '', '.agent/log.jsonl': '', 'a/x': '', zlink: { link: 'a' }, broken: { link: 'nowhere' } });
  expect(await ask('folder.list', { path: null })).toEqual({
    ok: true,
    value: {
      path: folder,
      parent: path.dirname(folder),
      entries: [
        { name: '.agent', folder: true },
        { name: 'a', folder: true },
        { name: 'zlink', folder: true },
        { name: 'b.txt', folder: false },
        { name: 'broken', folder: false },
      ],
    },
  });
  expect(await ask('folder.list', { path: '/' })).toMatchObject({ ok: true, value: { path: '/', parent: null } });
  for (const path of [`${folder}/none`, `${folder}/b.txt`, 'a', ''])
    expect(await ask('folder.list', { path })).toEqual(refused('NOT_FOUND'));
});

test('the browser host has no native dialog, clipboard, file manager or browser of its own', async () => {
  const { ask, folder } = await made({ open: async () => ({ root: '/w', head: { root: '/w' } }) });
  expect(folder).not.toBe('');
  expect(await ask('dialog.open', { what: 'log' })).toEqual(refused('NOT_AVAILABLE_HERE'));
  expect(await ask('clipboard.write', { text: 'x' })).toEqual(refused('NOT_AVAILABLE_HERE'));
  expect(await ask('shell.reveal', { thread: 't', path: 'a' })).toEqual(refused('NOT_AVAILABLE_HERE'));
  expect(await ask('shell.edit', { thread: 't', path: 'a' })).toEqual(refused('NOT_AVAILABLE_HERE'));
  expect(await ask('shell.link', { url: 'https://example.org' })).toEqual(refused('NOT_AVAILABLE_HERE'));
});

test('a native place opens text files of the workspace, and nothing that it might run', async () => {
  const root = await tempFolder();
  await writeFiles(root, { 'a.ts': 'a', 'a.desktop': 'a' });
  const { port: native, did } = port();
  const { ask } = await made({ open: async () => ({ root, head: { root } }) }, { port: native });
  expect(await ask('shell.edit', { thread: 't', path: 'a.ts' })).toEqual({ ok: true, value: {} });
  expect(await ask('shell.edit', { thread: 't', path: 'a.desktop' })).toEqual(refused('EDIT_REFUSED'));
  expect(await ask('shell.edit', { thread: 't', path: '../a.ts' })).toEqual(refused('EDIT_REFUSED'));
  expect(did).toEqual([['edit', path.join(root, 'a.ts')]]);
});

test('a native place opens dialogs, writes the clipboard and reveals files of the workspace only', async () => {
  const { port: native, did } = port();
  const { ask } = await made({ open: async () => ({ root: '/w', head: { root: '/w' } }) }, { port: native });
  expect(await ask('dialog.open', { what: 'folder' })).toEqual({ ok: true, value: '/chosen/folder' });
  await ask('clipboard.write', { text: 'x' });
  await ask('shell.reveal', { thread: 't', path: 'src/a.ts' });
  for (const file of ['../etc/passwd', '/etc/passwd', 'a/../../w2/x', '']) {
    expect(await ask('shell.reveal', { thread: 't', path: file })).toEqual(refused('BAD_REQUEST'));
  }
  expect(did).toEqual([
    ['clipboard', 'x'],
    ['reveal', '/w/src/a.ts'],
  ]);
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'app://ui/',
  'vscode://x',
  ' ',
  'example.org',
  'mailto:a@b.c',
  '\\\\server\\share',
])('the link %s is not opened', async (url) => {
  const { port: native, did } = port();
  const { ask } = await made({}, { port: native });
  expect(await ask('shell.link', { url })).toEqual(refused('LINK_REFUSED'));
  expect(did).toEqual([]);
});

test('a web link is opened as the URL parser writes it', async () => {
  const { port: native, did } = port();
  const { ask } = await made({}, { port: native });
  await ask('shell.link', { url: 'HTTPS://Example.org/a b' });
  expect(did).toEqual([['link', 'https://example.org/a%20b']]);
});
