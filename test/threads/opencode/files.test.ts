import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changesOf } from '../../../electron/snapshots/diff.ts';
import { createGit } from '../../../electron/snapshots/git.ts';
import { OpenThread } from '../../../electron/threads/thread.ts';
import type { Thread } from '../../../shared/model.ts';
import { type OpencodeState, unpackOpencodeSample } from '../../scenarios/opencode.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { openSample, openSession } from './open-sample.ts';

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

test('a snapshot that was pruned is said for the steps that need it; the others are whole', async () => {
  const folder = await tempFolder();
  const sample = await unpackOpencodeSample(folder, 'before_revert');
  const objects = path.join(
    sample.dataDir,
    'snapshot/b9241510eaebac83980f9c7b61fad64ff79eb8ad/8ec921523f7338b1e198c46a2ad5402ed9180e1c/objects',
  );
  await rm(path.join(objects, '8e', '170643e38c802b7d9bfbd1691a274c514a9da0'));
  const reader = await openSession(sample.home, path.join(folder, 'own'), sample.sessionId, sample.root);
  const open = await OpenThread.open({ reader, git: createGit(), ownData: path.join(folder, 'own'), id: reader.thread().head.id });
  onTestFinished(() => open.close());
  await open.fill();
  const changing = open.thread().steps.filter((step) => step.from !== step.to);
  expect(changing.map((step) => `T${step.turn} ${step.captured === true ? 'yes' : step.captured?.code}`)).toEqual([
    'T1 yes',
    'T1 TREE_MISSING',
    'T2 TREE_MISSING',
    'T2 yes',
    'T3 yes',
    'T3 yes',
    'T4 yes',
    'T4 yes',
  ]);
  expect(open.thread().steps[2]?.captured).toMatchObject({ message: expect.stringContaining('8e170643e38c802b7d9bfbd1691a274c514a9da0') });
});

test('a snapshot folder that is gone is said with its place; the conversation opens', async () => {
  const folder = await tempFolder();
  const sample = await unpackOpencodeSample(folder, 't1');
  await rm(path.join(sample.dataDir, 'snapshot'), { recursive: true });
  const reader = await openSession(sample.home, path.join(folder, 'own'), sample.sessionId, sample.root);
  const open = await OpenThread.open({ reader, git: createGit(), ownData: path.join(folder, 'own'), id: reader.thread().head.id });
  onTestFinished(() => open.close());
  await open.fill();
  const place = path.join(sample.dataDir, 'snapshot/b9241510eaebac83980f9c7b61fad64ff79eb8ad/8ec921523f7338b1e198c46a2ad5402ed9180e1c');
  expect(open.thread().notices).toEqual([expect.objectContaining({ code: 'NO_STORE', message: expect.stringContaining(place) })]);
  expect(open.thread().steps.map((step) => (step.captured === true ? 'yes' : step.captured?.code))).toEqual([
    'yes',
    'NO_STORE',
    'NO_STORE',
    'yes',
  ]);
});
