import { execFileSync } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { reasonOf } from '../../shared/errors.ts';
import { safePath } from '../../shared/safe-path.ts';
import { treePathOfBytes } from '../../shared/tree-path.ts';
import { record } from '../figures.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from '../travel/neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from '../travel/tanstack-travelling.ts';
import { ELSEWHERE, NAMES, type Named } from './hostile-trees.ts';
import { type RawLine, RawObjects } from './raw-objects.ts';

/** Where the worst of the names lead when somebody follows them. */
const OUTSIDE = ['/evil', '/etc/evil', '/tmp/evil', '/dev/shm/evil', '/etc/passwd.evil'];

const around = (n: Neutral): Promise<string[]> =>
  manifest(n.folder, { mtimes: true, skip: ['own-data', 'ws', 'snap.git', 'session-A.jsonl'] });
const pathOf = (name: string): string => treePathOfBytes(Buffer.from(name, 'latin1'));

/** A thread whose one step took these entries away: going back means to make them all. */
async function thatTookAway(lines: (objects: RawObjects, evil: string) => RawLine[]): Promise<Neutral> {
  const n = await neutral();
  await writeFiles(n.root, { good: 'g\n' });
  await writeFiles(n.outside, { precious: 'p\n' });
  await n.base();
  const objects = new RawObjects(n.gitDir);
  // In git's order, by which it compares.
  const key = ({ mode, name }: RawLine): string => (mode === '40000' ? `${name}/` : name);
  const all = [...lines(objects, objects.blob('evil\n')), { mode: '100644', name: 'good', oid: objects.blob('g\n') }];
  const before = objects.tree(all.sort((a, b) => (key(a) < key(b) ? -1 : 1)));
  await n.user('take all away');
  await n.stepRaw(before, n.tree, 'rm', null);
  return n;
}

/** Goes back and looks: each refused name is told with its reason, each other one is where it says, and nothing is anywhere else. */
async function goBack(n: Neutral, names: readonly Named[]): Promise<void> {
  const [outside, precious] = [await around(n), await manifest(n.outside, { mtimes: true })];
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.refusal).toBeNull();
  const skipped = new Map(plan.skipped.map((one) => [one.path, one.why]));
  for (const { name, why } of names) {
    const file = pathOf(name);
    if (why === null) expect([file, skipped.get(file), plan.files.some((one) => one.path === file)]).toEqual([file, undefined, true]);
    else expect([file, skipped.get(file)]).toEqual([file, expect.stringContaining(why)]);
  }
  const result = await runTravel(context, revertTo(0), DEFAULTS);
  expect(result.files.filter((one) => one.outcome === 'failed')).toEqual([]);
  const fine = names.filter(({ why }) => why === null).map(({ name }) => name);
  const made = (await manifest(n.root)).filter((line) => !line.endsWith(' D')).map((line) => line.replace(/ F 644 5 [0-9a-f]{64}$/s, ''));
  expect(made.filter((name) => !/^good F/.test(name)).sort()).toEqual([...fine].sort());
  expect([await around(n), await manifest(n.outside, { mtimes: true })]).toEqual([outside, precious]);
  expect(OUTSIDE.filter((file) => existsSync(file))).toEqual([]);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect((await manifest(n.root)).map((line) => line.split(' ')[0])).toEqual(['good']);
}

test(`${NAMES.length} names as single entries of a tree are refused with a reason, or written where they say`, async () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(120);
  expect(new Set(NAMES.map(({ name }) => name)).size).toBe(NAMES.length);
  await goBack(await thatTookAway((_, oid) => NAMES.map(({ name }) => ({ mode: '100644', name, oid }))), NAMES);
  record('hostile input', 'hostile names in trees, refused or safe; nothing outside changed', NAMES.length);
});

test('names with folders in them, as real folders of a tree', async () => {
  // Git itself gives up on a tree with an empty name; that is one of the trees below.
  const nested = NAMES.filter(({ name }) => name.includes('/') && !name.split('/').includes(''));
  expect(nested.length).toBeGreaterThan(15);
  // Each tree has one folder of a name: git takes the first of two.
  const trees: Named[][] = [];
  for (const one of nested) {
    const top = (name: string): string => name.split('/')[0] ?? '';
    const free = trees.find((names) => names.every(({ name }) => top(name) !== top(one.name)));
    if (free) free.push(one);
    else trees.push([{ name: 'fine', why: null }, one]);
  }
  for (const names of trees) {
    const n = await thatTookAway((objects, oid) => names.map(({ name }) => objects.nested(name, oid)));
    await goBack(n, names);
  }
});

test.each(ELSEWHERE)('%j elsewhere', (name, windows, mac) => {
  expect([safePath(name, 'win32') === true, safePath(name, 'darwin') === true]).toEqual([windows, mac]);
});

describe('a tree that is no tree', () => {
  const evil = (objects: RawObjects): string => objects.blob('evil\n');
  const TREES: Readonly<Record<string, (objects: RawObjects) => string>> = {
    'the same name twice': (o) =>
      o.tree([
        { mode: '100644', name: 'a', oid: evil(o) },
        { mode: '100644', name: 'a', oid: o.blob('other\n') },
      ]),
    'not in order': (o) => o.tree(['z', 'm', 'b', 'y', 'a'].map((name) => ({ mode: '100644', name, oid: evil(o) }))),
    'file and folder of one name': (o) =>
      o.tree([
        { mode: '100644', name: 'd', oid: evil(o) },
        { mode: '40000', name: 'd', oid: o.tree([{ mode: '100644', name: 'x', oid: evil(o) }]) },
      ]),
    'folder and link of one name': (o) =>
      o.tree([
        { mode: '120000', name: 'd', oid: o.blob('../outside') },
        { mode: '40000', name: 'd', oid: o.tree([{ mode: '100644', name: 'precious', oid: evil(o) }]) },
      ]),
    'an empty name': (o) => o.tree([{ mode: '100644', name: '', oid: evil(o) }]),
    'an empty folder': (o) => o.tree([{ mode: '40000', name: 'e', oid: o.tree([]) }]),
    'modes of no file': (o) =>
      o.tree(
        ['0', '777777', '100000', '100666', '40777', '060000', '020000', '140000'].map((mode, at) => ({
          mode,
          name: `m${at}`,
          oid: evil(o),
        })),
      ),
    'a mode that is none': (o) => o.tree([{ mode: 'rwxr-xr-x', name: 'a', oid: evil(o) }]),
    'a folder that is a file': (o) => o.tree([{ mode: '40000', name: 'a', oid: evil(o) }]),
    'a file that is a folder': (o) => o.tree([{ mode: '100644', name: 'a', oid: o.tree([{ mode: '100644', name: 'x', oid: evil(o) }]) }]),
    'a file that is not there': (o) => o.tree([{ mode: '100644', name: 'a', oid: '1'.repeat(40) }]),
    'a folder that is not there': (o) => o.tree([{ mode: '40000', name: 'a', oid: '2'.repeat(40) }]),
    'bytes of nothing': (o) => o.put('tree', Buffer.from('nonsense')),
    'a line cut short': (o) => o.put('tree', Buffer.from('100644 a\x0a3')),
    'a tree of another kind': (o) => o.put('blob', Buffer.from('no tree\n')),
    'a tag for a tree': (o) => o.put('tag', Buffer.from(`object ${o.tree([])}\ntype tree\ntag x\ntagger a <a@x> 1 +0000\n\nx\n`)),
    '10,000 folders deep': (o) => {
      let line: RawLine = { mode: '100644', name: 'x', oid: evil(o) };
      for (let depth = 0; depth < 10_000; depth++) line = { mode: '40000', name: 'd', oid: o.tree([line]) };
      return o.tree([line]);
    },
    'links in a ring': (o) =>
      o.tree([
        { mode: '120000', name: 'a', oid: o.blob('b') },
        { mode: '120000', name: 'b', oid: o.blob('a') },
      ]),
    'a link of a megabyte': (o) => o.tree([{ mode: '120000', name: 'a', oid: o.blob('x'.repeat(1 << 20)) }]),
    'a link with a zero byte': (o) => o.tree([{ mode: '120000', name: 'a', oid: o.put('blob', Buffer.from('a\0b')) }]),
  };

  test.each(Object.entries(TREES))(
    '%s: refused with a code or gone back to, and the other step still opens',
    { timeout: 120_000 },
    async (what, make) => {
      const n = await neutral();
      await writeFiles(n.root, { good: 'g\n' });
      await writeFiles(n.outside, { precious: 'p\n' });
      await n.base();
      const start = n.tree;
      await n.user('honest');
      await writeFiles(n.root, { good: 'G\n' });
      const honest = await n.step('honest');
      const odd = make(new RawObjects(n.gitDir));
      await n.user('odd');
      await n.stepRaw(odd, start, 'odd', null);
      const outside = await manifest(n.outside, { mtimes: true });
      const context = await n.context();
      await context.thread.fill();
      const steps = context.thread.thread().steps;
      expect(steps.find((step) => step.id === honest)?.files).toEqual([expect.objectContaining({ path: 'good', change: 'modified' })]);
      try {
        const plan = await previewTravel(context, revertTo(2));
        for (const { path: file } of plan.files) expect([file, safePath(file, 'linux')]).toEqual([file, true]);
        await runTravel(context, revertTo(2), DEFAULTS);
      } catch (thrown) {
        expect([what, reasonOf(thrown).code]).not.toEqual([what, 'INTERNAL']);
      }
      expect(await manifest(n.outside, { mtimes: true })).toEqual(outside);
      expect(OUTSIDE.filter((file) => existsSync(file))).toEqual([]);
    },
  );

  test('all of them are counted', () =>
    record('hostile input', 'trees that are no trees, each refused with a code or read', Object.keys(TREES).length));
});

test('what stands in a path’s place on disk is left alone when it is no file of the agent', async () => {
  const n = await neutral();
  const names = ['pipe', 'socket', 'device', 'outward', 'ring', 'below/x', 'file', 'folder'];
  await writeFiles(n.root, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
  await writeFiles(n.outside, { precious: 'p\n', x: 'p\n' });
  await n.base();
  await n.user('edit');
  await writeFiles(n.root, Object.fromEntries(names.map((name) => [name, `${name} edited\n`])));
  await n.step('edit');
  const at = (name: string): string => path.join(n.root, name);
  for (const name of names) if (name !== 'file') await rm(at(name));
  execFileSync('mkfifo', [at('pipe')]);
  const server = createServer().listen(at('socket'));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  await new Promise<void>((resolve) => server.once('listening', resolve));
  // Only root may make a device; a copy of a link to one does for others.
  if (process.getuid?.() === 0) execFileSync('mknod', [at('device'), 'c', '1', '3']);
  else symlinkSync('/dev/null', at('device'));
  symlinkSync(path.join(n.outside, 'precious'), at('outward'));
  symlinkSync('ring', at('ring'));
  await rm(at('below'), { recursive: true });
  symlinkSync(n.outside, at('below'));
  await mkdir(at('folder'));
  await writeFiles(n.root, { 'folder/mine': 'm\n' });
  const before = await manifest(n.outside, { mtimes: true });
  const context = await n.context();
  await runTravel(context, revertTo(0), { ...DEFAULTS, drift: 'overwrite' });
  expect(await manifest(n.outside, { mtimes: true })).toEqual(before);
  expect(await readFile(at('file'), 'utf8')).toBe('file\n');
  expect(await readFile(at('folder/mine'), 'utf8')).toBe('m\n');
  const kinds = execFileSync('find', ['.', '-maxdepth', '1', '-printf', '%f %y\n'], { cwd: n.root, encoding: 'utf8' }).split('\n');
  expect(kinds).toEqual(expect.arrayContaining(['pipe p', 'socket s', 'below l', 'folder d', 'file f']));
});
