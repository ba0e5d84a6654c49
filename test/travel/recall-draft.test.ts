import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { RecallChange, Recaller, RecallList } from '../../electron/threads/source.ts';
import { openBench } from '../../electron/travel/bench.ts';
import { diskWorld } from '../../electron/travel/disk-world.ts';
import { recallDraft } from '../../electron/travel/recall-files.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { World } from '../../electron/travel/world.ts';
import { type Reason, reason } from '../../shared/errors.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const git = createGit();

/** A list of one turn that wrote `now` over `old` in each of the paths. */
const listOf = (turn: number, ...paths: string[]): RecallList => ({
  ...{ turn, seq: turn, recalled: false, total: paths.length },
  files: paths.map((name) => ({ path: name, added: 1, removed: 1, binary: false })),
});
const written: RecallChange = {
  takeOut: (now) =>
    now?.toString() === 'now\n' ? { content: Buffer.from('old\n') } : { code: 'CONFLICT', message: 'It was changed later.' },
  putIn: () => ({ content: Buffer.from('now\n') }),
};

/** Plans over a real workspace; `meanwhile` is called with the path and how often it was looked at, right after each look. */
async function plan(
  lists: readonly RecallList[],
  o: { meanwhile?: (file: string, looks: number) => void; change?: Recaller['change']; format?: 'sha1' | 'sha256' } = {},
) {
  const folder = await tempFolder();
  const root = path.join(folder, 'ws');
  await writeFiles(root, { a: 'now\n', b: 'now\n' });
  execFileSync('mkfifo', [path.join(root, 'pipe')]);
  const ownData = path.join(folder, 'own-data');
  const bench = await openBench({ git, ownData, root, format: o.format ?? 'sha1', objects: null });
  onTestFinished(() => bench.close());
  const { blobs, tmp, safety } = bench;
  const real = diskWorld({ context: {} as TravelContext, git, root, blobs, gitDir: safety.gitDir, tmp });
  const looks = new Map<string, number>();
  const world: World = {
    ...real,
    async disk(file) {
      const state = await real.disk(file);
      looks.set(file, (looks.get(file) ?? 0) + 1);
      o.meanwhile?.(path.join(root, file), looks.get(file) ?? 0);
      return state;
    },
  };
  const recall = { change: o.change ?? (async () => written) } as unknown as Recaller;
  return recallDraft({ recall, lists, mayBeBack: new Set(), world, bench, signal: undefined });
}

test('every file goes back, in stores of either format', async () => {
  for (const format of ['sha1', 'sha256'] as const) {
    const { draft, refusal } = await plan([listOf(1, 'a', 'b')], { format });
    expect([refusal, draft.files.map(({ path: file, choice, choices }) => [file, choice, choices])]).toEqual([
      null,
      [
        ['a', 'write', ['write']],
        ['b', 'write', ['write']],
      ],
    ]);
  }
});

test('a file that changes while it is read stops the plan by its name', async () => {
  const meanwhile = (file: string, looks: number): void => {
    if (looks === 1 && file.endsWith('b')) appendFileSync(file, 'mine');
  };
  await expect(plan([listOf(1, 'a', 'b')], { meanwhile })).rejects.toMatchObject({
    code: 'FILE_BUSY',
    message: expect.stringMatching(/^b /),
  });
});

test('a file that changes between the two looks at it cannot be put back, and so nothing is', async () => {
  let seen = '';
  const meanwhile = (file: string): void => {
    seen = file;
  };
  // Its change is asked for once the file was read.
  const change = async (): Promise<RecallChange> => {
    appendFileSync(seen, 'mine');
    return written;
  };
  const { draft, refusal } = await plan([listOf(1, 'b')], { meanwhile, change });
  expect(refusal?.code).toBe('NOT_RESTORABLE');
  expect(draft.skipped.map((one) => one.path)).toEqual(['b']);
});

test('a path that cannot go is named once, however many turns changed it; another fault is told', async () => {
  const { draft, refusal } = await plan([listOf(2, 'pipe', 'a'), listOf(1, 'pipe')]);
  expect(draft.skipped).toEqual([{ path: 'pipe', why: 'It is a pipe now.' }]);
  expect(refusal?.message.match(/pipe cannot be put back/g)).toHaveLength(1);
  // What an older turn did to it is not known any more.
  const change = async (list: RecallList): Promise<RecallChange | Reason> => (list.turn === 1 ? reason('CHANGES_NOT_READY') : written);
  const older = await plan([listOf(2, 'a', 'b'), listOf(1, 'a')], { change });
  expect([older.refusal?.code, older.draft.skipped.map((one) => one.path), older.draft.files.map((file) => file.path)]).toEqual([
    'CHANGES_NOT_READY',
    ['a'],
    ['b'],
  ]);
  await expect(plan([listOf(1, 'a')], { change: () => Promise.reject(new Error('EIO: injected')) })).rejects.toThrow('EIO');
});

test('below a file of the user, what shall be gone is gone; what shall be there again says what is in its way', async () => {
  const gone: RecallChange = { takeOut: () => ({ content: null }), putIn: () => ({ content: null }) };
  const { draft, refusal } = await plan([listOf(1, 'a', 'b/x')], {
    change: async ({ files }, index) => (files[index]?.path === 'b/x' ? gone : written),
  });
  expect([refusal, draft.already, draft.files.map((one) => one.path), draft.skipped]).toEqual([null, ['b/x'], ['a'], []]);
  const comes: RecallChange = { takeOut: () => ({ content: Buffer.from('old\n') }), putIn: () => ({ content: null }) };
  for (const change of [comes, written]) {
    const stays = await plan([listOf(1, 'b/x')], { change: async () => change });
    expect([stays.refusal?.code, stays.draft.skipped]).toEqual(['NOT_RESTORABLE', [{ path: 'b/x', why: 'b is not a folder.' }]]);
  }
});
