import { expect, onTestFinished, test } from 'vitest';
import { changesOf } from '../../../electron/snapshots/diff.ts';
import { createGit } from '../../../electron/snapshots/git.ts';
import { OpenThread } from '../../../electron/threads/thread.ts';
import type { Thread } from '../../../shared/model.ts';
import type { OpencodeState } from '../../scenarios/opencode.ts';
import { openSample } from './open-sample.ts';

async function filled(state: OpencodeState): Promise<{ open: OpenThread; thread: Thread }> {
  const { reader, ownData } = await openSample(state);
  const open = await OpenThread.open({ reader, git: createGit(), ownData, id: reader.thread().head.id });
  onTestFinished(() => open.close());
  await open.fill();
  return { open, thread: open.thread() };
}

const SIGN = { created: '+', modified: '~', deleted: '-', mode: 'm', kind: 'k' };

/** One line a step that changed files: turn, then each path with what happened and its counts. */
const fileLines = (thread: Thread): string[] =>
  thread.steps
    .filter((step) => (step.files ?? []).length > 0)
    .map((step) => {
      const files = (step.files ?? []).map(
        (file) => `${SIGN[file.change]}${file.path} ${file.binary ? 'bin' : `${file.added}/${file.removed}`}`,
      );
      return `T${step.turn} [${step.tools.join(' ')}] ${files.join(', ')}`;
    });

const T1 = ['T1 [write] +src/greet.js 3/0', 'T1 [edit edit] ~src/app.js 2/0'];
const T2 = ['T2 [bash] +src/helpers.js 3/0, -src/util.js 0/3', 'T2 [edit] ~src/app.js 1/1'];
const T3 = ['T3 [bash] ~README.md 1/0, -docs/notes.txt 0/1', 'T3 [write bash] +assets.bin bin, +docs/guide.md 3/0'];
const T4 = ['T4 [edit] ~src/greet.js 1/1', 'T4 [edit] ~src/greet.js 1/1'];

test.each<[OpencodeState, string[]]>([
  ['t1', T1],
  ['t2', [...T1, ...T2]],
  ['before_revert', [...T1, ...T2, ...T3, ...T4]],
  ['after_revert', [...T1, ...T2, ...T3, ...T4]],
  ['after_unrevert', [...T1, ...T2, ...T3, ...T4]],
  ['after_revert_prompt', [...T1, ...T2, ...T3, ...T4, 'T5 [write] +src/bye.js 1/0']],
])('%s: the trees tell the files of each step, both names of a rename', async (state, lines) => {
  const { thread } = await filled(state);
  expect(fileLines(thread)).toEqual(lines);
  expect(thread.steps.every((step) => step.captured === true)).toBe(true);
});

test('what the user did between the turns is in no step', async () => {
  const { open, thread } = await filled('after_revert_prompt');
  if (!open.store) throw new Error('no store');
  const changes = await changesOf(
    open.store,
    thread.gaps.map(({ from, to }) => ({ from, to, only: null })),
  );
  expect(changes.map((files) => (Array.isArray(files) ? files.map((file) => `${SIGN[file.change]}${file.path}`) : files))).toEqual([
    ['~untracked.txt'],
    // After T2, the prompt T5: what stayed of the user's line.
    ['~untracked.txt'],
  ]);
});
