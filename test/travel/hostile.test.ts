import { execFile } from 'node:child_process';
import { existsSync, lstatSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { type FileSystem, nodeFileSystem } from '../../electron/travel/file-system.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { type Mixed, mixedScenario } from './mixed-scenario.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, openScenario, revertTo, stopOf } from './tanstack-travelling.ts';

const run = promisify(execFile);
const ALL = size(0, 1) === 1;
const SPREAD = 19;

/** The machine's files, where somebody does something at once right before the k-th call. */
class Meanwhile {
  readonly calls: string[] = [];
  readonly fs: FileSystem;
  /** Calls that had begun and not ended when it happened, the k-th itself included. */
  during: string[] = [];

  constructor(k: number, work: () => void) {
    const open = new Set<string>();
    this.fs = new Proxy(nodeFileSystem, {
      get:
        (real, name: keyof FileSystem) =>
        async (...given: never[]) => {
          const call = `${name} ${given.join(' ')}`;
          this.calls.push(call);
          open.add(call);
          if (this.calls.length === k) {
            this.during = [...open];
            work();
          }
          try {
            return await (real[name] as (...args: never[]) => Promise<unknown>)(...given);
          } finally {
            open.delete(call);
          }
        },
    });
  }
}

async function revertWhile(mixed: Mixed, { fs }: Meanwhile): Promise<string> {
  const thread = await openScenario(mixed.t);
  try {
    const context = { thread, ownData: path.join(mixed.t.folder, 'own-data'), git: createGit(), now: Date.now, fs };
    await thread.fill();
    return await runTravel(context, revertTo(stopOf(context, mixed.answer)), DEFAULTS).then(
      () => 'done',
      (thrown: Error) => thrown.message,
    );
  } finally {
    await thread.close();
  }
}

const points = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1).filter((k) => ALL || k % SPREAD === 0);

test('a folder that becomes a link at any moment never leads a write out of the workspace', { timeout: 900_000 }, async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const outside = path.join(mixed.t.folder, 'outside');
  await writeFiles(outside, { 'deep/new.txt': 'precious\n', 'two.txt': 'precious\n', 'a.ini': 'precious\n', 'only.txt': 'precious\n' });
  const before = await manifest(outside, { mtimes: true });
  const counted = new Meanwhile(0, () => undefined);
  await revertWhile(mixed, counted);
  await mixed.reset();
  for (const folder of ['made', 'conf', 'gone']) {
    for (const k of points(counted.calls.length)) {
      const at = path.join(mixed.t.root, folder);
      const swap = new Meanwhile(k, () => {
        if (existsSync(at) && !lstatSync(at).isSymbolicLink()) renameSync(at, `${at}.moved`);
        if (!existsSync(at)) symlinkSync(outside, at);
      });
      await revertWhile(mixed, swap);
      expect([folder, k, await manifest(outside, { mtimes: true })]).toEqual([folder, k, before]);
      await mixed.reset();
    }
  }
});

test('what you save at any moment is on disk afterwards, whatever becomes of the travel', { timeout: 900_000 }, async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const counted = new Meanwhile(0, () => undefined);
  await revertWhile(mixed, counted);
  await mixed.reset();
  const file = path.join(mixed.t.root, 'edited.txt');
  for (const k of points(counted.calls.length)) {
    const moment = new Meanwhile(k, () => writeFileSync(file, 'saved just now\n'));
    const ended = await revertWhile(mixed, moment);
    const at = `call ${k}: ${moment.calls[k - 1]} (${ended})`;
    // While the rename itself is under way, after the last look, no system gives a way to look again.
    const during = moment.during.some((call) => /^rename .*edited\.txt$/.test(call));
    if (!during) expect([at, await readFile(file, 'utf8')]).toEqual([at, 'saved just now\n']);
    await mixed.reset();
  }
});

/** A tree object with names that git itself would not make. */
async function rawTree(gitDir: string, entries: readonly { mode: string; name: string; oid: string }[]): Promise<string> {
  const bytes = entries.flatMap(({ mode, name, oid }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);
  const file = path.join(gitDir, 'tree-to-write');
  await writeFile(file, Buffer.concat(bytes));
  const { stdout } = await run('git', ['--git-dir', gitDir, 'hash-object', '-t', 'tree', '-w', '--literally', file]);
  return stdout.trim();
}

test('names and links that lead out of the workspace are skipped, each with its reason', async () => {
  const n = await neutral();
  await writeFiles(n.root, { good: 'g\n' });
  await n.base();
  const blob = async (text: string): Promise<string> => {
    const file = path.join(n.folder, 'blob');
    await writeFile(file, text);
    return (await n.git('hash-object', '-w', file)).trim();
  };
  const [evil, good] = [await blob('evil\n'), await blob('g\n')];
  const names = [
    '../evil',
    '..',
    '.',
    '.git',
    '.GIT',
    '.git /x',
    'git~1',
    '/etc/evil',
    'a//b',
    'a/./b',
    '.git\\x',
    '.g\xe2\x80\x8cit/x',
    '.gitmodules/../../x',
  ];
  const links = { absolute: '/etc/passwd', upward: '../../outside/p', intoGit: '.git/config', fine: 'good' };
  const entries = names.map((name) => ({ mode: '100644', name, oid: evil }));
  for (const [name, target] of Object.entries(links)) entries.push({ mode: '120000', name, oid: await blob(target) });
  entries.push({ mode: '160000', name: 'module', oid: evil });
  const before = await rawTree(n.gitDir, [...entries, { mode: '100644', name: 'good', oid: good }]);
  await n.user('take all away');
  await n.stepRaw(before, n.tree, 'rm', null);
  const outside = await manifest(n.folder, { skip: ['own-data', 'ws', 'snap.git'] });
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map((file) => file.path)).toEqual(['fine']);
  const why = new Map(plan.skipped.map((one) => [one.path, one.why]));
  expect([why.get('absolute'), why.get('upward')]).toEqual(Array(2).fill('The link leads out of the workspace.'));
  expect(why.get('intoGit')).toBe("The link leads into a repository's own folder.");
  expect(why.get('module')).toBe('It is a submodule; its content is not in the snapshots.');
  expect(plan.skipped.length).toBe(names.length + 4);
  const result = await runTravel(context, revertTo(0), DEFAULTS);
  expect(result.files.filter((one) => one.outcome !== 'skipped')).toEqual([{ path: 'fine', outcome: 'written', why: null }]);
  expect((await manifest(n.root)).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['fine L', 'good F']);
  expect(await manifest(n.folder, { skip: ['own-data', 'ws', 'snap.git'] })).toEqual(outside);
});

test('a pipe, a repository of its own and a folder of yours in a file’s place are left alone', async () => {
  const n = await neutral();
  await writeFiles(n.root, { pipe: 'p\n', 'sub/file': 's\n', place: 'f\n', ok: '1\n' });
  await n.base();
  await n.user('edit');
  await writeFiles(n.root, { pipe: 'P\n', 'sub/file': 'S\n', place: 'F\n', ok: '2\n' });
  await n.step('edit');
  await rm(path.join(n.root, 'pipe'));
  await run('mkfifo', [path.join(n.root, 'pipe')]);
  await mkdir(path.join(n.root, 'sub', '.git'));
  await rm(path.join(n.root, 'place'));
  await writeFiles(n.root, { 'place/mine': 'm\n' });
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.skipped).toEqual([
    { path: 'pipe', why: 'It is a pipe now.' },
    { path: 'sub/file', why: 'sub is a repository of its own.' },
  ]);
  expect(plan.files.map(({ path: name, choice, choices, why }) => ({ name, choice, choices, why }))).toEqual([
    { name: 'ok', choice: 'write', choices: ['write', 'keep'], why: null },
    {
      name: 'place',
      choice: 'keep',
      choices: ['keep'],
      why: 'The folder place holds a file of yours (place/mine), so no file can take its place.',
    },
  ]);
  await runTravel(context, revertTo(0), { ...DEFAULTS, drift: 'overwrite' });
  expect(await readFile(path.join(n.root, 'ok'), 'utf8')).toBe('1\n');
  expect(await readFile(path.join(n.root, 'place', 'mine'), 'utf8')).toBe('m\n');
  expect(await readFile(path.join(n.root, 'sub', 'file'), 'utf8')).toBe('S\n');
});
