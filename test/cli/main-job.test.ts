import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { GitTree } from '../scenarios/git-tree.ts';
import { unpackOpencodeSample } from '../scenarios/opencode.ts';
import { CLI, runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest, tempFolder } from '../scenarios/temp.ts';

interface Shown {
  thread: {
    id: string;
    source: string;
    status: string;
    root: string;
    standing: null | { messageId: string; hidden: number };
    can: Record<string, unknown>;
  };
  turns: { index: number; id: string; prompt: string; startedAt: number | null; status: string; steps: string[] }[];
  steps: {
    id: string;
    turn: number;
    from: string | null;
    to: string | null;
    toolCallIds: string[];
    files: { path: string; change: string }[];
    captured: unknown;
  }[];
  messages: { stop: number | null; id: string; role: string; text: string; hidden: null | { reason: string } }[];
}
interface Travelled {
  entry: string;
  message: string;
  log: string;
  files: { path: string; outcome: string; why: string | null }[];
}

async function sample() {
  const folder = await tempFolder();
  const env = cleanEnv(folder);
  const made = (await runCli(['sample', path.join(folder, 'demo'), '--json'], env)).json<{
    thread: string;
    root: string;
    data: string;
    log: string;
  }>();
  const cli = (...args: string[]) => runCli([...args, '--json'], env);
  const show = async () => (await cli('show', made.log)).json<Shown>();
  return { folder, env, made, cli, show };
}

describe('the sample', () => {
  test('is a thread of at least 5 turns and 12 steps, with the shapes of the command line', async () => {
    const { made, show, cli } = await sample();
    const shown = await show();
    expect(shown.thread).toMatchObject({ id: made.thread, source: 'tanstack', root: made.root, status: 'idle', standing: null });
    expect(Object.keys(shown.thread.can)).toEqual(['revert', 'unrevert', 'undo', 'redo', 'patch']);
    expect(shown.turns.length).toBeGreaterThanOrEqual(5);
    expect(shown.steps.filter((step) => step.files.length > 0).length).toBeGreaterThanOrEqual(12);
    expect(new Set(shown.steps.flatMap((step) => step.files.map((file) => file.change)))).toEqual(
      new Set(['created', 'modified', 'deleted', 'mode']),
    );
    expect(shown.steps.flatMap((step) => step.files.map((file) => file.path))).not.toContain('.env');
    for (const turn of shown.turns) for (const id of turn.steps) expect(shown.steps.map((step) => step.id)).toContain(id);
    const listed = (await cli('threads')).json<{ threads: { id: string; log: string }[] }>().threads;
    expect(listed.map((thread) => [thread.id, thread.log])).toContainEqual([made.thread, made.log]);
  });

  test('preview, plan and result are one list; unrevert brings back every byte and mode; looking writes nothing', async () => {
    const { made, cli, show, folder } = await sample();
    const shown = await show();
    const before = await manifest(made.root, { mtimes: true });
    const stop = shown.messages.filter((message) => message.role === 'user').at(-2)?.stop ?? 0;
    const plan = (await cli('preview', made.thread, `stop:${stop - 1}`)).json<{
      files: { path: string; choice: string }[];
      refusal: unknown;
    }>();
    expect(plan.refusal).toBeNull();
    expect(await manifest(made.root, { mtimes: true })).toEqual(before);
    const log = await readFile(made.log);
    const done = await cli('revert', made.thread, `stop:${stop - 1}`);
    const result = done.json<Travelled>();
    expect(result.log).toBe('appended');
    expect(result.files.map((file) => file.path).sort()).toEqual(plan.files.map((file) => file.path).sort());
    expect(done.exit).toBe(result.files.some((file) => file.outcome === 'kept' || file.outcome === 'skipped') ? 3 : 0);
    const after = await readFile(made.log);
    expect(after.subarray(0, log.length).equals(log)).toBe(true);
    expect(after.subarray(log.length).toString().trimEnd().split('\n').length).toBe(1);
    const listed = new Set(result.files.map((file) => file.path));
    const rest = (lines: string[]) => lines.filter((line) => line.includes(' F ') && !listed.has(line.split(' ')[0] ?? ''));
    expect(rest(await manifest(made.root, { mtimes: true }))).toEqual(rest(before));
    const standing = await show();
    expect(standing.thread.standing?.hidden).toBe(standing.messages.filter((message) => message.hidden?.reason === 'reverted').length);
    expect(standing.thread.can['undo']).toMatchObject({
      code: 'REVERT_STANDS',
      message: 'A revert stands. Run unrevert, or send a prompt, first.',
    });
    expect((await cli('undo', made.thread)).json()).toEqual({
      error: { code: 'REVERT_STANDS', message: 'A revert stands. Run unrevert, or send a prompt, first.' },
    });
    expect((await cli('unrevert', made.thread)).exit).toBe(0);
    const plain = await manifest(made.root);
    const strip = (lines: string[]) => lines.map((line) => (line.includes(' F ') ? line.split(' ').slice(0, -1).join(' ') : line)).sort();
    expect(plain).toEqual(strip(before));
    expect((await cli('history', made.thread)).json<{ entries: unknown[] }>().entries.length).toBe(2);
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['demo', 'own-data']));
  });

  test('undo and redo say the exact words', async () => {
    const { made, cli } = await sample();
    const undone = (await cli('undo', made.thread)).json<Travelled>();
    expect(undone.message).toMatch(/^Undid the last turn\. Files restored: \d+\.$/);
    expect((await cli('undo', made.thread)).json()).toEqual({ error: { code: 'NOTHING_TO_UNDO', message: 'Nothing to undo.' } });
    expect((await cli('redo', made.thread)).json<Travelled>().message).toBe('Redid the last turn.');
    expect((await cli('redo', made.thread)).json()).toEqual({ error: { code: 'NOTHING_TO_REDO', message: 'Nothing to redo.' } });
  });

  test('the patch of every step, and of every range from the first, applies to its before tree and gives its after tree', async () => {
    const { folder, made, cli, show } = await sample();
    const { steps } = await show();
    const repositories = await readdir(made.data);
    const git = await GitTree.open(
      path.join(folder, 'apply'),
      repositories.map((name) => path.join(made.data, name, 'objects')),
    );
    const changing = steps.filter((step) => step.files.length > 0);
    for (const step of changing) {
      const file = path.join(folder, 'step.patch');
      expect((await cli('patch', made.thread, step.id, '-o', file)).exit).toBe(0);
      await git.checkout(step.from ?? '');
      await git.apply(file);
      expect([step.id, await git.tree()]).toEqual([step.id, step.to]);
      await git.apply(file, true);
      expect([step.id, await git.tree()]).toEqual([step.id, step.from]);
    }
    const [first, third] = [changing[0], changing[2]];
    const file = path.join(folder, 'range.patch');
    expect((await cli('patch', made.thread, `${first?.id}..${third?.id}`, '-o', file)).exit).toBe(0);
    await git.checkout(first?.from ?? '');
    await git.apply(file);
    // What the user did to other files in between is not the agent's, so it is not in the patch.
    const paths = [...new Set(changing.slice(0, 3).flatMap((step) => step.files.map((one) => one.path)))];
    expect(await git.run(['diff', '--name-only', await git.tree(), third?.to ?? '', '--', ...paths])).toBe('');
    expect(await git.run(['diff', '--name-only', first?.from ?? '', await git.tree()])).toBe(`${paths.sort().join('\n')}\n`);
  });

  test('take-back goes to just before the prompt and gives its text back', async () => {
    const { made, cli, show } = await sample();
    const prompt = (await show()).messages.filter((message) => message.role === 'user').at(-1);
    const back = (await cli('take-back', made.thread, prompt?.id ?? '')).json<Travelled & { text: string }>();
    expect(back.text).toBe(prompt?.text);
    expect((await show()).messages.filter((message) => message.hidden?.reason === 'reverted').map((message) => message.id)).toContain(
      prompt?.id,
    );
  });
});

describe('a real OpenCode thread', () => {
  test('is shown, goes back to before T2 and comes back, by id and with the workspace named once', async () => {
    const folder = await tempFolder();
    const made = await unpackOpencodeSample(folder, 'before_revert');
    const env = { ...cleanEnv(folder), HOME: made.home, XDG_DATA_HOME: path.join(made.home, '.local', 'share') };
    const store = await manifest(made.dataDir, { mtimes: true });
    const before = await manifest(made.root, { mtimes: true });
    const id = `opencode:${made.sessionId}`;
    const shown = (await runCli(['show', id, '--root', made.root, '--json'], env)).json<Shown>();
    expect(shown.turns.map((turn) => [turn.index, turn.steps.length])).toEqual([
      [1, 4],
      [2, 4],
      [3, 3],
      [4, 6],
    ]);
    const stop = (shown.messages.find((message) => message.text.includes('[T2]'))?.stop ?? 0) - 1;
    const reverted = await runCli(['revert', id, `stop:${stop}`, '--json'], env);
    expect(reverted).toMatchObject({ exit: 0 });
    expect(reverted.json<Travelled>().log).toBe('overlay');
    const files = new Map(
      (await manifest(made.root, { skip: ['.git'] })).flatMap((line) => (line.includes(' F ') ? [[line.split(' F ')[0] ?? '', line]] : [])),
    );
    expect([...files.keys()].sort()).toEqual(
      [
        '.gitignore',
        'README.md',
        'docs/notes.txt',
        'ignored/cache.txt',
        'package.json',
        'src/app.js',
        'src/greet.js',
        'src/util.js',
        'untracked.txt',
      ].sort(),
    );
    expect(await readFile(path.join(made.root, 'untracked.txt'), 'utf8')).toBe('dirty\nuser edit between turns\n');
    const touched = new Set(reverted.json<Travelled>().files.map((file) => file.path));
    const rest = (lines: string[]) => lines.filter((line) => line.includes(' F ') && !touched.has(line.split(' F ')[0] ?? ''));
    expect(rest(await manifest(made.root, { mtimes: true }))).toEqual(rest(before));
    expect((await runCli(['unrevert', id, '--json'], env)).exit).toBe(0);
    const bare = (lines: string[]) => lines.map((line) => (line.includes(' F ') ? line.split(' ').slice(0, -1).join(' ') : line)).sort();
    expect(await manifest(made.root)).toEqual(bare(before));
    expect(await manifest(made.dataDir, { mtimes: true })).toEqual(store);
  });

  test('opens also when the command is run by a Node without SQLite', async () => {
    const folder = await tempFolder();
    const made = await unpackOpencodeSample(folder, 't1');
    // Whatever `node` the machine has: an old one hands over to the one that npm ci brought.
    const outside = (process.env['PATH'] ?? '').split(path.delimiter).filter((one) => !one.includes('node_modules'));
    const env = { ...cleanEnv(folder), HOME: made.home, PATH: outside.join(path.delimiter) };
    const node = outside.map((one) => path.join(one, 'node'));
    const { existsSync } = await import('node:fs');
    const found = node.find((one) => existsSync(one));
    const run = await runCli(['show', made.db, '--json'], env, { node: found ?? process.execPath });
    expect(run.json<Shown>().turns.length).toBe(1);
    expect(path.isAbsolute(CLI)).toBe(true);
  });
});
