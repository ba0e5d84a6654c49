import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { openQuarantine } from '../../electron/snapshots/store.ts';
import { fileLines } from '../../electron/threads/file-lines.ts';
import { LineComparer } from '../../electron/threads/line-changes.ts';
import { OwnedLines } from '../../electron/threads/owned-lines.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';
import { stepFiles } from '../../electron/threads/step-files.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { stepsBetween, treeAtStop } from '../../electron/threads/tree-at-stop.ts';
import { reason } from '../../shared/errors.ts';
import type { Message, Step, Thread, ToolCall } from '../../shared/model.ts';
import { GitTree } from '../scenarios/git-tree.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const call = (id: string, wrote: string[] | null, status: ToolCall['status'] = 'done'): ToolCall => ({
  ...{ id, name: 'tool', summary: '', status, sideEffect: null, wrote, durationMs: null, outputBytes: null, child: null },
});

const message = (stop: number, tools: ToolCall[]): Message => ({
  ...{ stop, id: `m${stop}`, role: 'assistant', turn: 1, step: `s${stop}`, at: null, excerpt: '', bytes: 0, images: 0, thinking: false },
  ...{ tools, hidden: null, divider: null, canStand: true },
});

function step(index: number, from: string | null, to: string | null, more: Partial<Step> = {}): Step {
  return {
    ...{ id: `s${index}`, index, turn: 1, stop: index, from, to, toolCallIds: [], tools: [], listed: null, files: null, captured: null },
    ...{ at: null, durationMs: null, sideEffects: 0, hidden: null },
    ...more,
  };
}

const threadOf = (steps: Step[], messages: Message[] = []): Thread => ({
  head: { id: 't', source: 'opencode', title: null, root: null, log: '', threadId: 't', parent: null, updatedAt: null, size: null },
  ...{ status: 'idle', standing: null, turns: [], steps, messages, gaps: [], bad: [], notices: [], keeps: 'overlay' },
});

/** Trees by real git, and a reader on them. */
async function trees() {
  const folder = await tempFolder();
  const work = path.join(folder, 'work');
  const git = await GitTree.open(work, []);
  const store = await openQuarantine({
    git: createGit(),
    ownData: path.join(folder, 'own'),
    objectFolders: [path.join(work, '.git', 'objects')],
    format: 'sha1',
  });
  const make = async (files: Parameters<typeof writeFiles>[1]): Promise<string> => {
    for (const name of await readdir(work)) if (name !== '.git') await rm(path.join(work, name), { recursive: true });
    await writeFiles(work, files);
    return git.tree();
  };
  return { folder, store, objects: new ObjectReader(store), make, git };
}

const many = (count: number, name: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 'x\n']));

describe('what the snapshots say about steps', () => {
  test('is checked against what the tools say that they wrote', async () => {
    const { store, objects, make } = await trees();
    const [empty, one, full] = [await make({ a: '1\n' }), await make({ a: '2\n' }), await make({ ...many(12, 'f'), a: '2\n' })];
    const steps = [
      step(1, empty, one, { toolCallIds: ['c1', 'nobody'], listed: ['a'] }),
      step(2, one, one, { toolCallIds: ['c2'] }),
      step(3, one, one, { toolCallIds: ['c3', 'c4'] }),
      step(4, full, one, { toolCallIds: ['c5'] }),
      step(5, full, one, { toolCallIds: ['c6'] }),
      step(6, '0'.repeat(40), one, { toolCallIds: ['c5'], listed: ['gone'] }),
    ];
    const calls = [
      call('c1', ['a']),
      call('c2', ['a']),
      call('c3', ['a'], 'failed'),
      call('c4', ['a'], 'requested'),
      call('c5', ['a']),
      call('c6', null),
    ];
    const found = await stepFiles(threadOf(steps, [message(1, calls)]), store, objects, null);
    const told = steps.map(({ id }) => {
      const one = found.get(id);
      return [id, one?.files.length, one?.captured === true ? true : (one?.captured?.code ?? null)];
    });
    expect(told).toEqual([
      ['s1', 1, true],
      ['s2', 0, 'TREES_EQUAL'],
      ['s3', 0, true],
      ['s4', 12, 'TREE_SHRUNK'],
      ['s5', 12, true],
      ['s6', 1, 'TREE_MISSING'],
    ]);
    const unread = await stepFiles(threadOf(steps.slice(3, 4), [message(1, calls)]), store, null, null);
    expect(unread.get('s4')?.captured).toBe(true);
    await objects.close();
  });

  test('needs no trees where the step itself says it, and says why there are none', async () => {
    const gone = reason('NO_STORE', { path: '/x' });
    const file = { path: 'a', change: 'created', added: 1, removed: 0, binary: false } as const;
    const steps = [
      step(1, null, null, { captured: gone, listed: ['a'] }),
      step(2, null, null, { captured: gone, files: [file] }),
      step(3, null, null, { captured: true, files: [file] }),
      step(4, null, 'x', { toolCallIds: ['c1'], listed: ['a'] }),
      step(5, 'x', null),
      step(6, 'x', 'y', { listed: ['a'] }),
    ];
    const found = async (why: typeof gone | null) => {
      const told = await stepFiles(threadOf(steps, [message(1, [call('c1', ['a'])])]), null, null, why);
      return steps.map(({ id }) => {
        const one = told.get(id);
        return [
          one?.files.map(({ path: name, change }) => `${name} ${change}`).join(),
          one?.captured === true ? true : one?.captured?.code,
        ];
      });
    };
    const early = [
      ['a modified', 'NO_STORE'],
      ['a created', 'NO_STORE'],
      ['a created', true],
      ['a modified', 'TREE_EMPTY'],
      ['', true],
    ];
    expect(await found(gone)).toEqual([...early, ['a modified', 'NO_STORE']]);
    expect(await found(null)).toEqual([...early, ['a modified', 'NO_SNAPSHOTS']]);
    expect((await stepFiles(threadOf([]), null, null, null)).size).toBe(0);
  });
});

test('the tree of a stop is that of the last step before it, or what the first step found', () => {
  const hidden = { hidden: { reason: 'dropped' as const } };
  const thread = threadOf(
    [
      step(1, null, null, { ...hidden, from: 'z' }),
      step(2, null, null, { stop: null, from: 'y' }),
      step(3, null, null),
      step(4, 'a', 'b'),
      step(5, 'b', null),
    ],
    [message(5, [])],
  );
  expect([0, 3, 4, 5].map((stop) => treeAtStop(thread, stop))).toEqual(['a', 'a', 'b', 'b']);
  expect(stepsBetween(thread, 4, 3).map((one) => one.id)).toEqual(['s4']);
  expect(stepsBetween(thread, 3, null).map((one) => one.id)).toEqual(['s4', 's5']);
  for (const stop of [-1, 6, 0.5]) expect(() => treeAtStop(thread, stop)).toThrow(expect.objectContaining({ code: 'UNKNOWN_MESSAGE' }));
  const lost = threadOf([step(1, null, null, { captured: reason('TREE_EMPTY') })], [message(1, [])]);
  for (const stop of [0, 1]) expect(() => treeAtStop(lost, stop)).toThrow(expect.objectContaining({ code: 'NOT_CAPTURED' }));
  expect(treeAtStop(threadOf([step(1, null, null)], [message(1, [])]), 1)).toBeNull();
});

describe('the lines of a file', () => {
  const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');

  test('are unknown where a step that was not captured may have changed it, and only there', async () => {
    const { objects, make } = await trees();
    const [a, b] = [await make({ f: text('one', 'two') }), await make({ f: text('one', 'TWO') })];
    const lost = reason('TREE_EMPTY');
    const end = { mode: '100644', bytes: Buffer.from(text('one', 'TWO', 'three')) };
    const owners = async (steps: Step[], calls: ToolCall[] = []): Promise<string> => {
      const { runs } = await fileLines({ thread: threadOf(steps, [message(1, calls)]), steps, objects, path: 'f', end });
      return runs.map(({ who, step: of, count }) => `${who}${of ?? ''}*${count}`).join(' ');
    };
    const changed = { files: [{ path: 'f', change: 'modified', added: 1, removed: 1, binary: false } as const], captured: true as const };
    expect(await owners([step(1, a, b, changed)])).toBe('before*1 steps1*1 you*1');
    expect(await owners([step(1, a, b, changed), step(2, b, null, { captured: lost, listed: ['f'] })])).toBe(
      'before*1 steps1*1 unknowns2*1',
    );
    expect(await owners([step(1, a, b, changed), step(2, b, null, { captured: lost, listed: ['g'] })])).toBe('before*1 steps1*1 you*1');
    const lostWith = (ids: string[]) => [step(1, a, b, changed), step(2, b, null, { captured: lost, toolCallIds: ids })];
    const calls = [call('shell', null), call('f', ['f']), call('g', ['g'])];
    expect(await owners(lostWith([]), calls)).toBe('before*1 steps1*1 unknowns2*1');
    expect(await owners(lostWith(['shell']), calls)).toBe('before*1 steps1*1 unknowns2*1');
    expect(await owners(lostWith(['f']), calls)).toBe('before*1 steps1*1 unknowns2*1');
    expect(await owners(lostWith(['g']), calls)).toBe('before*1 steps1*1 you*1');
    expect(await owners([step(1, '0'.repeat(40), b, { captured: null, files: [] })])).toBe('unknown*3');
    expect(await owners([step(1, a, a, { captured: true, files: [] })])).toBe('before*1 you*2');
    await objects.close();
  });

  test('are none in a link, a submodule, a binary, a too large file, and in no file', async () => {
    const { objects, make, folder } = await trees();
    const why = async (end: Parameters<typeof fileLines>[0]['end']): Promise<string> =>
      fileLines({ thread: threadOf([]), steps: [], objects, path: 'f', end }).then(
        ({ text: lines }) => `${lines.length} lines`,
        (error: Error) => error.message,
      );
    const bytes = (content: string) => ({ mode: '100644', bytes: Buffer.from(content) });
    expect(await why({ mode: '120000', bytes: Buffer.from('x') })).toContain('a link');
    expect(await why({ mode: '160000', bytes: Buffer.alloc(0) })).toContain('a submodule');
    expect(await why(bytes('\0\x01\x02'))).toContain('binary');
    expect(await why(null)).toContain('not there');
    expect(await why(bytes('\n'.repeat(2_000_000)))).toMatch(/more than \d+ lines|larger than/);
    expect(await why({ mode: '100644', bytes: Buffer.alloc(64 << 20, 0x61) })).toContain('larger than');
    expect([await why(bytes('')), await why(bytes('a\r\nb'))]).toEqual(['0 lines', '2 lines']);
    const [linked, plain] = [await make({ f: { link: 'there' } }), await make({ f: 'x\n' })];
    await mkdir(path.join(folder, 'none'));
    const steps = [
      step(1, linked, plain, { captured: true, files: [{ path: 'f', change: 'modified', added: 1, removed: 1, binary: false }] }),
    ];
    const found = await fileLines({ thread: threadOf(steps), steps, objects, path: 'f', end: bytes('x\n') });
    expect(found.runs).toEqual([{ from: 1, count: 1, who: 'step', step: 's1', turn: 1 }]);
    const stopped = fileLines({ thread: threadOf(steps), steps, objects, path: 'f', end: bytes('x\n'), signal: AbortSignal.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
    await objects.close();
  });

  test('keep their owner from state to state', () => {
    const owned = new OwnedLines(new LineComparer());
    const by = (step: string) => ({ who: 'step' as const, step, turn: 1 });
    owned.become(['a', 'b', 'c'], by('s1'));
    owned.become(['a', 'B', 'c', 'd'], by('s2'));
    expect(owned.runs().map(({ from, count, step: of }) => [from, count, of])).toEqual([
      [1, 1, 's1'],
      [2, 1, 's2'],
      [3, 1, 's1'],
      [4, 1, 's2'],
    ]);
    owned.become([], by('s3'));
    expect([owned.runs(), owned.lines]).toEqual([[], []]);
  });
});

describe('an opened thread', () => {
  const opened = async (thread: Thread, folders: string[], command?: string[]) => {
    const reader = {
      thread: () => thread,
      objectFolders: () => folders,
      read: async () => true,
      close: async () => {},
    } as unknown as ThreadReader;
    const git = createGit(command === undefined ? {} : { command });
    return OpenThread.open({ reader, git, ownData: path.join(await tempFolder(), 'own') });
  };
  const why = async (...of: Parameters<typeof opened>) => {
    const open = await opened(...of);
    await open.fill();
    const codes = [
      open.storeReason?.code,
      open
        .thread()
        .notices.map((one) => one.code)
        .join(),
      open.store === null,
    ];
    await open.close();
    return codes;
  };
  const of = (source: Thread['head']['source'], thread: Thread): Thread => ({ ...thread, head: { ...thread.head, source } });

  test('without a store says why: there never was one, its kind has none, the log says it, or it is gone', async () => {
    expect(await why(threadOf([step(1, null, null)]), [])).toEqual(['NO_SNAPSHOTS', 'UNKNOWN_WORKSPACE,NO_SNAPSHOTS', true]);
    expect(await why(threadOf([step(1, 'a', 'b')]), [])).toEqual(['NO_STORE', 'UNKNOWN_WORKSPACE,NO_STORE', true]);
    expect(await why(of('dsh', threadOf([])), [])).toEqual(['NO_SNAPSHOTS_DSH', 'UNKNOWN_WORKSPACE,NO_SNAPSHOTS_DSH', true]);
    const said = { ...threadOf([step(1, 'a', 'b')]), notices: [reason('NO_SNAPSHOTS')] };
    expect(await why(said, [])).toEqual(['NO_SNAPSHOTS', 'NO_SNAPSHOTS,UNKNOWN_WORKSPACE', true]);
  });

  test('cannot read its store without git, nor one that is nowhere; steps that did not change are not asked again', async () => {
    const { make, folder } = await trees();
    const tree = await make({ a: '1\n' });
    const objects = path.join(folder, 'work', '.git', 'objects');
    const thread = threadOf([step(1, tree, tree), step(2, tree, null)]);
    expect((await why(thread, [objects], [path.join(folder, 'no-git')]))[0]).toBe('NO_GIT');
    const long = threadOf([step(1, 'a'.repeat(64), 'b'.repeat(64))]);
    expect((await why(long, [objects], ['/bin/false']))[0]).toBe('GIT_FAILED');
    // Where our own folder cannot be made, it is the store that cannot be read.
    const taken = path.join(folder, 'taken');
    await writeFile(taken, '');
    const reader = { thread: () => thread, objectFolders: () => [objects], read: async () => true, close: async () => {} };
    const stuck = await OpenThread.open({ reader: reader as unknown as ThreadReader, git: createGit(), ownData: taken });
    expect(stuck.storeReason).toMatchObject({ code: 'NO_STORE', message: expect.stringContaining(objects) });
    await stuck.close();
    const open = await opened(thread, [objects]);
    expect([open.storeReason, open.root]).toEqual([null, null]);
    await open.fill();
    expect(open.thread().steps.map((one) => one.captured)).toEqual([true, true]);
    expect(open.thread()).toBe(open.thread());
    expect(await open.refresh()).toBe(true);
    await open.fill();
    await open.close();
  });
});
