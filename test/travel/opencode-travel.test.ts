import { appendFile, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { opencode } from '../../electron/threads/opencode/opencode-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { previewTravel, type RunOptions, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import type { Plan } from '../../shared/plan.ts';
import { type OpencodeSample, type OpencodeState, unpackOpencodeSample } from '../scenarios/opencode.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';

const OPTIONS: RunOptions = { drift: 'merge', choices: {}, fingerprint: null };
const revertTo = (stop: number, scope: TravelRequest['scope'] = 'both'): TravelRequest => ({ kind: 'revert', stop, entry: null, scope });
const UNREVERT: TravelRequest = { kind: 'unrevert', stop: null, entry: null, scope: 'both' };

/** The stop just before the prompt of T2. */
const BEFORE_T2 = 5;

interface Travelling {
  sample: OpencodeSample;
  folder: string;
  context: TravelContext;
  /** The workspace without the user's repository, one line a file. */
  workspace(mtimes?: boolean): Promise<string[]>;
  /** Every file's content by tree path. */
  contents(): Promise<Record<string, string>>;
}

async function openThread(sample: OpencodeSample, ownData: string): Promise<OpenThread> {
  const places = { home: sample.home, env: {} };
  const [head] = (await opencode.list(places)).threads;
  if (!head) throw new Error('no thread');
  const reader = await opencode.open(head, { root: sample.root, data: null, places, ownData });
  await reader.read();
  const thread = await OpenThread.open({ reader, git: createGit(), ownData, id: head.id });
  onTestFinished(() => thread.close());
  await thread.fill();
  return thread;
}

/** A state opened for travelling. When the test ends, OpenCode's data and the user's repository must be as they were, with all times. */
async function travelling(state: OpencodeState): Promise<Travelling> {
  const folder = await tempFolder();
  const sample = await unpackOpencodeSample(folder, state);
  const ownData = path.join(folder, 'own');
  const precious = async () => [
    await manifest(sample.dataDir, { mtimes: true }),
    await manifest(path.join(sample.root, '.git'), { mtimes: true }),
  ];
  const before = await precious();
  onTestFinished(async () => expect(await precious()).toEqual(before));
  // All files look old, so that a touched one shows.
  const old = new Date('2001-01-01T00:00:00Z');
  for (const name of sample.files.keys()) await utimes(path.join(sample.root, name), old, old);
  const context: TravelContext = { thread: await openThread(sample, ownData), ownData, git: createGit(), now: Date.now };
  return {
    sample,
    folder,
    context,
    workspace: (mtimes = false) => manifest(sample.root, { mtimes, skip: ['.git'] }),
    contents: async () => {
      const lines = await manifest(sample.root, { skip: ['.git'] });
      const names = lines
        .filter((line) => / F \d+ \d+ [0-9a-f]{64}$/.test(line))
        .map((line) => line.replace(/ F \d+ \d+ [0-9a-f]{64}$/, ''));
      return Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, (await readFile(path.join(sample.root, name))).toString('latin1')])),
      );
    },
  };
}

/** The files of T1's end as they were recorded, with the user's later line in untracked.txt. */
async function rightAfterT1(folder: string, sample: OpencodeSample): Promise<Record<string, string>> {
  const t1 = (await unpackOpencodeSample(path.join(folder, 't1'), 't1')).files;
  const files = new Map([...t1, ['untracked.txt', sample.files.get('untracked.txt') ?? Buffer.alloc(0)]]);
  return Object.fromEntries([...files].map(([name, bytes]) => [name, bytes.toString('latin1')]));
}

/** src/greet.js as the agent wrote it, with the words before and after the name. */
const greeting = (before: string, after: string): string => `export function greet(name) {\n  return \`${before}\${name}${after}\`;\n}\n`;

const planLines = (plan: Plan): string[] =>
  plan.files.map((file) => `${file.verb} ${file.path} ${file.choice}${file.drift ? ' drift' : ''}`).sort();

describe('a revert to the stop before T2', () => {
  test('gives the files of T1 and keeps what the user wrote; unrevert brings everything back', async () => {
    const { sample, folder, context, workspace, contents } = await travelling('before_revert');
    const before = await workspace();
    const withTimes = await workspace(true);

    const plan = await previewTravel(context, revertTo(BEFORE_T2));
    expect(plan.refusal).toBeNull();
    expect(planLines(plan)).toEqual([
      'delete assets.bin write',
      'delete docs/guide.md write',
      'delete src/helpers.js write',
      'recreate docs/notes.txt write',
      'recreate src/util.js write',
      'restore README.md write',
      'restore src/app.js write',
      'restore src/greet.js write',
    ]);
    expect(plan.turns).toEqual([2, 3, 4]);
    expect(plan.messages).toBe(16);
    expect(plan.sideEffects).toEqual([
      { turn: 2, tool: 'bash', summary: 'mv src/util.js src/helpers.js && ls src' },
      { turn: 3, tool: 'bash', summary: 'rm docs/notes.txt && echo "See docs/guide.md" >> README.md' },
      { turn: 3, tool: 'bash', summary: "printf '\\000\\001\\002\\377' > assets.bin && wc -c assets.bin" },
      { turn: 4, tool: 'bash', summary: 'ls no-such-dir; exit 3' },
    ]);
    expect(await workspace(true)).toEqual(withTimes);

    const result = await runTravel(context, revertTo(BEFORE_T2), { ...OPTIONS, fingerprint: plan.fingerprint });
    expect(result.log).toBe('overlay');
    expect(result.files.map((file) => `${file.outcome} ${file.path}`).sort()).toEqual([
      'deleted assets.bin',
      'deleted docs/guide.md',
      'deleted src/helpers.js',
      'written README.md',
      'written docs/notes.txt',
      'written src/app.js',
      'written src/greet.js',
      'written src/util.js',
    ]);
    expect(await contents()).toEqual(await rightAfterT1(folder, sample));
    const untouched = ['.gitignore', 'ignored/cache.txt', 'package.json', 'untracked.txt'];
    const after = await workspace(true);
    for (const name of untouched)
      expect(after.find((line) => line.startsWith(`${name} `))).toBe(withTimes.find((line) => line.startsWith(`${name} `)));

    const view = await viewOf(context);
    expect(view.standing).toMatchObject({ stop: BEFORE_T2, hidden: 16, messageId: view.messages[4]?.id });
    expect(view.messages.map((message) => message.hidden?.reason ?? null)).toEqual([...Array(5).fill(null), ...Array(16).fill('reverted')]);
    expect(view.can.unrevert).toBe(true);

    await runTravel(context, UNREVERT, OPTIONS);
    expect(await workspace()).toEqual(before);
    const back = await workspace(true);
    for (const name of untouched)
      expect(back.find((line) => line.startsWith(`${name} `))).toBe(withTimes.find((line) => line.startsWith(`${name} `)));
    expect((await viewOf(context)).standing).toBeNull();
  });

  test('survives a restart: the overlay stands, and unrevert still brings everything back', async () => {
    const { sample, context, workspace } = await travelling('before_revert');
    const before = await workspace();
    await runTravel(context, revertTo(BEFORE_T2), OPTIONS);
    const again: TravelContext = { ...context, thread: await openThread(sample, context.ownData) };
    expect((await viewOf(again)).standing).toMatchObject({ stop: BEFORE_T2, hidden: 16 });
    await runTravel(again, UNREVERT, OPTIONS);
    expect(await workspace()).toEqual(before);
  });

  test('keeps a line of the user in a file that a later turn changed; unrevert gives exactly what was there', async () => {
    const { sample, context, workspace, contents } = await travelling('before_revert');
    const app = path.join(sample.root, 'src/app.js');
    await appendFile(app, '// mine\n');
    await rm(path.join(sample.root, 'docs/guide.md'));
    const before = await workspace();
    const plan = await previewTravel(context, revertTo(BEFORE_T2));
    expect(planLines(plan)).toContain('restore src/app.js merge drift');
    await runTravel(context, revertTo(BEFORE_T2), OPTIONS);
    expect((await contents())['src/app.js']).toBe(
      "import { add } from './util.js';\nimport { greet } from './greet.js';\n\nconsole.log(add(1, 2));\nconsole.log(greet('world'));\n// mine\n",
    );
    await runTravel(context, UNREVERT, OPTIONS);
    expect(await workspace()).toEqual(before);
  });

  test('edits made while it stands are kept by unrevert, where the tool itself drops them', async () => {
    const { sample, context, contents } = await travelling('before_revert');
    await runTravel(context, revertTo(BEFORE_T2), OPTIONS);
    await appendFile(path.join(sample.root, 'src/greet.js'), '// while reverted\n');
    await writeFile(path.join(sample.root, 'new.txt'), 'mine');
    await runTravel(context, UNREVERT, OPTIONS);
    const files = await contents();
    expect(files['src/greet.js']).toBe(`${greeting('Hi, ', '.')}// while reverted\n`);
    expect(files['new.txt']).toBe('mine');
    expect(files['src/util.js']).toBeUndefined();
    expect(files['docs/notes.txt']).toBeUndefined();
  });
});

test('the cursor moves back step by step and forward again, always to the recorded bytes', async () => {
  const { sample, folder, context, contents } = await travelling('before_revert');
  const now = Object.fromEntries([...sample.files].map(([name, bytes]) => [name, bytes.toString('latin1')]));
  const untracked = now['untracked.txt'] ?? '';
  const t2 = Object.fromEntries(
    [...(await unpackOpencodeSample(path.join(folder, 't2'), 't2')).files].map(([name, bytes]) => [name, bytes.toString('latin1')]),
  );
  await runTravel(context, revertTo(14), OPTIONS);
  expect(await contents()).toEqual({ ...now, 'src/greet.js': greeting('Hello, ', '!') });
  await runTravel(context, revertTo(10), OPTIONS);
  expect(await contents()).toEqual({ ...t2, 'untracked.txt': untracked });
  await runTravel(context, revertTo(0), OPTIONS);
  expect((await contents())['src/greet.js']).toBeUndefined();
  expect((await contents())['src/util.js']).toBe('export function add(a, b) {\n  return a + b;\n}\n');
  await runTravel(context, revertTo(10), OPTIONS);
  expect(await contents()).toEqual({ ...t2, 'untracked.txt': untracked });
  await runTravel(context, UNREVERT, OPTIONS);
  expect(await contents()).toEqual(now);
});

describe("OpenCode's own revert", () => {
  test('stands: only the agent can take it back, and nothing is written meanwhile', async () => {
    const { context, workspace } = await travelling('after_revert');
    const before = await workspace(true);
    const view = await viewOf(context);
    expect(view.standing).toMatchObject({ stop: 5, hidden: 16 });
    expect((await previewTravel(context, revertTo(2))).refusal).toMatchObject({ code: 'REVERT_STANDS' });
    await expect(runTravel(context, revertTo(2), OPTIONS)).rejects.toMatchObject({ code: 'REVERT_STANDS' });
    await expect(runTravel(context, UNREVERT, OPTIONS)).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    expect(await workspace(true)).toEqual(before);
  });

  test('made final by a prompt: the dropped turns are left alone, the new one goes', async () => {
    const { sample, context, contents } = await travelling('after_revert_prompt');
    const plan = await previewTravel(context, revertTo(10));
    expect(planLines(plan)).toEqual(['delete src/bye.js write']);
    await runTravel(context, revertTo(10), OPTIONS);
    const { 'src/bye.js': _, ...rest } = Object.fromEntries([...sample.files].map(([name, bytes]) => [name, bytes.toString('latin1')]));
    expect(await contents()).toEqual(rest);
  });

  test('left a file behind that a turn had deleted: taking the turn back does not lose it', async () => {
    const { context, contents } = await travelling('after_unrevert');
    const before = await contents();
    expect(before['docs/notes.txt']).toBe('Remember the milk.\n');
    await runTravel(context, revertTo(10), OPTIONS);
    expect((await contents())['docs/notes.txt']).toBe('Remember the milk.\n');
    await runTravel(context, UNREVERT, OPTIONS);
    expect(await contents()).toEqual(before);
  });
});
