import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClaudeSample, claudeSample, trueFiles } from '../scenarios/claude-code.ts';
import { type CliRun, runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest, tempFolder } from '../scenarios/temp.ts';

const THREAD = 'claude-code:dd634337-4c1e-4e05-b25e-17544c2c384d';
/** The stop just before the prompt of T2. */
const BEFORE_T2 = 'stop:5';
const OLD = new Date('2001-01-01T00:00:00Z');

interface Travelling extends ClaudeSample {
  turnback(...args: string[]): Promise<CliRun>;
  text(name: string): Promise<string>;
}

/** A moment of the real session with its log at rest; at the end, nothing of Claude Code may have been touched. */
async function travelling(state: string): Promise<Travelling> {
  const folder = await tempFolder();
  const sample = await claudeSample(folder, 'interactive', state);
  await utimes(sample.log, OLD, OLD);
  for (const name of (await trueFiles('interactive', state)).keys()) await utimes(path.join(sample.root, name), OLD, OLD);
  const claude = () => manifest(path.join(sample.home, '.claude'), { mtimes: true });
  const before = await claude();
  onTestFinished(async () => expect(await claude()).toEqual(before));
  const env = { ...cleanEnv(folder), HOME: sample.home };
  return {
    ...sample,
    turnback: (...args) => runCli([...args, '--root', sample.root, '--json'], env),
    text: (name) => readFile(path.join(sample.root, name), 'utf8'),
  };
}

test('a revert takes the file tools’ changes out and names the commands; unrevert is the identity', async () => {
  const t = await travelling('int_t4');
  const [before, content] = [await manifest(t.root, { mtimes: true }), await manifest(t.root)];
  const plan = (await t.turnback('preview', THREAD, BEFORE_T2)).json<{
    files: { path: string; verb: string; choice: string }[];
    sideEffects: { summary: string }[];
  }>();
  expect(plan.files.map((file) => `${file.verb} ${file.path} ${file.choice}`)).toEqual([
    'delete docs/guide.md write',
    'restore src/app.js write',
    'restore src/greet.js write',
  ]);
  expect(plan.sideEffects.map((effect) => effect.summary)).toEqual([
    'mv src/util.js src/helpers.js && ls src',
    'rm docs/notes.txt && echo "See docs/guide.md" >> README.md',
    "printf '\\000\\001\\002\\377' > assets.bin && wc -c assets.bin",
    'ls no-such-dir; exit 3',
  ]);
  expect(await manifest(t.root, { mtimes: true })).toEqual(before);

  const reverted = (await t.turnback('revert', THREAD, BEFORE_T2)).json<{ log: string; files: { path: string; outcome: string }[] }>();
  expect(reverted.log).toBe('overlay');
  expect(reverted.files.map((file) => `${file.outcome} ${file.path}`)).toEqual([
    'deleted docs/guide.md',
    'written src/app.js',
    'written src/greet.js',
  ]);
  const truth = await trueFiles('interactive', 'int_t1');
  for (const name of ['src/app.js', 'src/greet.js']) expect([name, await t.text(name)]).toEqual([name, truth.get(name)?.toString('utf8')]);
  const shown = (await t.turnback('show', THREAD)).json<{ thread: { standing: { hidden: number } }; messages: { hidden: unknown }[] }>();
  expect(shown.thread.standing.hidden).toBe(16);

  await t.turnback('unrevert', THREAD);
  expect(await manifest(t.root)).toEqual(content);
});

describe('what a person did meanwhile', () => {
  test('stays: a line of yours in the same file is kept, the agent’s go', async () => {
    const t = await travelling('int_t4');
    await writeFile(path.join(t.root, 'src/greet.js'), `// mine\n${await t.text('src/greet.js')}`);
    const done = (await t.turnback('revert', THREAD, BEFORE_T2)).json<{ files: { path: string; outcome: string }[] }>();
    expect(done.files.find((file) => file.path === 'src/greet.js')?.outcome).toBe('merged');
    const truth = (await trueFiles('interactive', 'int_t1')).get('src/greet.js')?.toString('utf8');
    expect(await t.text('src/greet.js')).toBe(`// mine\n${truth}`);
  });

  test('a file that is gone stays gone unless it is asked for', async () => {
    const t = await travelling('int_t4');
    await rm(path.join(t.root, 'src/greet.js'));
    const plan = (await t.turnback('preview', THREAD, BEFORE_T2)).json<{ files: { path: string; drift: boolean; choice: string }[] }>();
    expect(plan.files.find((file) => file.path === 'src/greet.js')).toMatchObject({ drift: true, choice: 'keep' });
  });
});

test('a sub-agent’s file goes with the turn that asked for it; a patch of that step applies', async () => {
  const t = await travelling('int_t9');
  const done = (await t.turnback('revert', THREAD, 'stop:8')).json<{ files: { path: string; outcome: string }[] }>();
  expect(done.files.map((file) => `${file.outcome} ${file.path}`)).toEqual(['deleted half.txt', 'deleted sub.txt', 'deleted tmp.txt']);
  expect((await runPatch(t, 'msg_mock000069')).split('\n').slice(0, 2)).toEqual(['diff --git a/sub.txt b/sub.txt', 'new file mode 100644']);
});

async function runPatch(t: Travelling, step: string): Promise<string> {
  const file = path.join(t.home, 'step.patch');
  const run = await t.turnback('patch', THREAD, step, '-o', file);
  expect([run.exit, run.stderr]).toEqual([0, expect.any(String)]);
  const text = await readFile(file, 'utf8');
  await rm(file);
  return text;
}

test('undo and redo belong to agents that have them: refused with the reason', async () => {
  const t = await travelling('int_t4');
  const { thread } = (await t.turnback('show', THREAD)).json<{ thread: { can: Record<string, true | { code: string }> } }>();
  expect([thread.can['revert'], thread.can['patch']]).toEqual([true, true]);
  for (const act of ['undo', 'redo']) expect((await t.turnback(act, THREAD)).exit).toBe(1);
});
