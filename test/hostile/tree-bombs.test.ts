import path from 'node:path';
import { expect, test } from 'vitest';
import { filesOfRange, patchOfRange } from '../../electron/host/changes.ts';
import { healthOf } from '../../electron/host/health.ts';
import { changesOf, rawChanges } from '../../electron/snapshots/diff.ts';
import { createGit, type Git, type GitCall, type GitResult } from '../../electron/snapshots/git.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import { openQuarantine, type SnapshotStore } from '../../electron/snapshots/store.ts';
import { previewTravel } from '../../electron/travel/travel.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { collect, makeLab } from '../snapshots/lab.ts';
import { neutral } from '../travel/neutral.ts';
import { revertTo } from '../travel/tanstack-travelling.ts';
import { type RawLine, RawObjects } from './raw-objects.ts';

/** Folders in folders, each naming the same one below as often as its width says. */
function folders(objects: RawObjects, leaf: RawLine, widths: readonly number[]): string {
  const wide = (width: number, oid: string): RawLine[] =>
    Array.from({ length: width }, (_, at) => ({ mode: '40000', name: `d${String(at).padStart(3, '0')}`, oid }));
  return widths.reduce((oid, width) => objects.tree(wide(width, oid)), objects.tree([leaf]));
}

const file = (objects: RawObjects, text: string): RawLine => ({ mode: '100644', name: 'f', oid: objects.blob(text) });
const TEN = Array.from({ length: 10 }, () => 30);

/** Pairs of trees of a few objects that git would be busy with for days, or that fill its memory or its stack. */
const BOMBS: Record<string, (objects: RawObjects) => { from: string; to: string }> = {
  '10 folders deep, 30 wide, other on each side': (o) => ({ from: folders(o, file(o, 'x'), TEN), to: folders(o, file(o, 'y'), TEN) }),
  'where there was nothing': (o) => ({ from: o.tree([]), to: folders(o, file(o, 'x'), TEN) }),
  'that goes away, in one folder of many': (o) => {
    const [bomb, plain] = [folders(o, file(o, 'x'), TEN), o.tree([file(o, 'x')])];
    const rest = Array.from({ length: 40 }, (_, at) => ({ mode: '40000', name: `e${at + 10}`, oid: plain }));
    return { from: o.tree([{ mode: '40000', name: 'a', oid: bomb }, ...rest]), to: o.tree(rest) };
  },
  'one file more than git is asked to compare': (o) => ({
    from: o.tree([]),
    to: o.tree([
      { mode: '40000', name: 'd', oid: folders(o, file(o, 'x'), [20, 100, 100]) },
      { mode: '100644', name: 'e', oid: o.blob('e') },
    ]),
  }),
  'equal on both sides, but for the order of two folders': (o) => {
    const [a, b] = ['a', 'b'].map((name) => ({ mode: '40000', name, oid: folders(o, file(o, 'x'), TEN) }));
    const line = (one: RawLine | undefined): RawLine[] => (one ? [one] : []);
    return { from: o.tree([...line(a), ...line(b)]), to: o.tree([...line(b), ...line(a)]) };
  },
  'of few files with names that fill a gigabyte': (o) => {
    const long = Array.from({ length: 1000 }).reduce<string>(
      (oid) => o.tree([{ mode: '40000', name: 'n'.repeat(250), oid }]),
      folders(o, file(o, 'x'), [60, 70]),
    );
    return { from: o.tree([]), to: long };
  },
  'deeper than any path': (o) => ({
    from: o.tree([]),
    to: folders(
      o,
      file(o, 'x'),
      Array.from({ length: 2050 }, () => 1),
    ),
  }),
  'that meets itself crosswise': (o) => {
    const side = (text: string): string =>
      Array.from({ length: 11 }).reduce<string[]>(
        (below) =>
          below.map((_, turn) =>
            o.tree(below.map((_, at) => ({ mode: '40000', name: `d${at}`, oid: below[(at * (turn + 1)) % below.length] ?? '' }))),
          ),
        Array.from({ length: 7 }, (_, at) => o.tree([file(o, `${text}${at}`)])),
      )[0] ?? '';
    return { from: side('x'), to: side('y') };
  },
};

test('trees of a few objects that stand for a million million files are refused, each for its own step, before git compares them', async () => {
  const n = await neutral();
  await writeFiles(n.root, { a: '1\n' });
  await n.base();
  await n.user('make trees');
  const objects = new RawObjects(n.gitDir);
  await writeFiles(n.root, { a: '2\n' });
  await n.step('first', ['a']);
  for (const [what, bomb] of Object.entries(BOMBS)) {
    const { from, to } = bomb(objects);
    await n.stepRaw(from, to, what, ['a']);
  }
  await writeFiles(n.root, { a: '2\n', b: 'new\n' });
  await n.step('last', ['b']);

  const context = await n.context();
  await context.thread.fill();
  const { steps } = context.thread.thread();
  const told = steps.map(({ captured, files }) => (captured === true ? files : captured?.code));
  expect(told).toEqual([
    [{ path: 'a', change: 'modified', added: 1, removed: 1, binary: false }],
    ...Object.keys(BOMBS).map(() => 'TREE_TOO_LARGE'),
    [{ path: 'b', change: 'created', added: 1, removed: 0, binary: false }],
  ]);
  const [first, bomb, last] = [steps[0]?.id ?? '', steps[1]?.id ?? '', steps.at(-1)?.id ?? ''];
  expect((await patchOfRange(context, { kind: 'step', step: last }, null)).bytes.toString()).toContain('+new\n');
  for (const range of [{ kind: 'steps', from: first, to: last } as const, { kind: 'since', step: bomb } as const])
    await expect(filesOfRange(context, range)).rejects.toMatchObject({
      code: 'NOT_CAPTURED',
      message: expect.stringContaining('differ in more than 200000 files'),
    });

  const health = await healthOf(context.thread, { entries: 0, undoable: 0, bytes: 0 });
  expect([health.trees.missing, health.trees.broken, health.stepsNotCaptured]).toEqual([[], [], Object.keys(BOMBS).length]);
  const plan = await previewTravel(context, revertTo(1));
  const why = expect.stringContaining('differ in more than 200000 files');
  expect([plan.files.map(({ path }) => path), plan.refusal, plan.skipped]).toEqual([['b'], null, [{ path: 'a', why }]]);
});

/** A git that notes the names of the commands that it was asked for. */
function noting(git: Git): { git: Git; asked: string[] } {
  const asked: string[] = [];
  const note = <T>(name: string, run: () => T): T => {
    asked.push(name);
    return run();
  };
  return {
    asked,
    git: { ...git, run: (call) => note(call.name, () => git.run(call)), start: (call) => note(call.name, () => git.start(call)) },
  };
}

async function bombStore(): Promise<{ store: SnapshotStore; from: string; to: string; asked: string[] }> {
  const { git, asked } = noting(createGit());
  const lab = await makeLab({ git });
  const objects = new RawObjects(lab.foreign);
  const store = await openQuarantine({ git, ownData: lab.ownData, objectFolders: [`${lab.foreign}/objects`], format: 'sha1' });
  return { store, asked, from: objects.tree([]), to: folders(objects, file(objects, 'x'), TEN) };
}

test('a comparison, a recorded change and a patch of such trees end with their reason, and git with them', async () => {
  const { store, from, to, asked } = await bombStore();
  const [answer] = await changesOf(store, [{ from, to, only: ['a'] }]);
  expect(answer).toMatchObject({
    code: 'TREE_TOO_LARGE',
    message: `The snapshots ${from} and ${to} differ in more than 200000 files, so they are not compared. Check the store they come from.`,
  });
  // Git had its moment, and was ended.
  expect(asked).toEqual(['diff-tree', 'cat-file']);
  await expect(rawChanges(store, from, to)).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
  await expect(collect(patchOf(store, { from, to, only: null }))).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
  const one = await collect(patchOf(store, { from, to, only: [`${TEN.map(() => 'd007').join('/')}/f`] }));
  expect(one.toString()).toContain('new file mode 100644');
});

test('a log that names the same large pair again and again is listed only so far', async () => {
  const { store, from } = await bombStore();
  const objects = new RawObjects(path.dirname(store.objectFolders[0] ?? ''));
  const to = folders(objects, file(objects, 'x'), [20, 100, 100]);
  // What git would name is of no matter here, only that it is asked.
  let calls = 0;
  const run = async (call: GitCall): Promise<GitResult> => {
    if (call.name !== 'diff-tree') return store.git.run(call);
    calls += 1;
    // So many files take longer than a moment.
    if (calls === 1) throw new TurnbackError('CANCELLED');
    return { exit: 0, stdout: Buffer.from(`${from} ${to}\n`), stderr: '' };
  };
  const pair = { from, to, only: null };
  const pairs = [{ ...pair, only: ['d000/d000/d000/f'] }, ...Array.from({ length: 11 }, () => pair)];
  const answers = await changesOf({ ...store, git: { ...store.git, run } }, pairs);
  expect(answers.map((answer) => (Array.isArray(answer) ? answer : answer.code))).toEqual([
    ...Array.from({ length: 10 }, () => []),
    'TREE_TOO_LARGE',
    'TREE_TOO_LARGE',
  ]);
  expect(answers[10]).toMatchObject({ message: expect.stringContaining('change more than 2000000 files together') });
});

test('files whose lines take too long to count are named without counts, and the others with theirs', async () => {
  const { store, from } = await bombStore();
  const objects = new RawObjects(path.dirname(store.objectFolders[0] ?? ''));
  const [quick, slow] = ['quick', 'slow'].map((text) => objects.tree([file(objects, `${text}\n`)]));
  const run = (call: GitCall): Promise<GitResult> => {
    const counting = call.args.includes('--numstat') && Buffer.from(call.stdin ?? []).includes(slow ?? '');
    if (!counting) return store.git.run(call);
    return new Promise((_, reject) => call.signal?.addEventListener('abort', () => reject(new TurnbackError('CANCELLED'))));
  };
  const hanging = { ...store, git: { ...store.git, run } };
  const pairs = [quick, slow].map((to) => ({ from, to: to ?? '', only: null }));
  expect(await changesOf(hanging, pairs, undefined, 3_000)).toEqual([
    [{ path: 'f', change: 'created', added: 1, removed: 0, binary: false }],
    [{ path: 'f', change: 'created', added: null, removed: null, binary: false }],
  ]);
  await expect(changesOf(hanging, pairs, AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'CANCELLED' });
});
