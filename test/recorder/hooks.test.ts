import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { hookSettings } from '../../electron/recorder/hooks.ts';
import { CLI, runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { MadeLog } from '../threads/claude-code/made-log.ts';

const OLD = new Date('2001-01-01T00:00:00Z');

interface Recording {
  made: MadeLog;
  env: Record<string, string>;
  /** Calls the command as Claude Code calls a hook. */
  hook(event: string, more?: Record<string, unknown>): Promise<{ exit: number; stdout: string; stderr: string }>;
  turnback(...args: string[]): ReturnType<typeof runCli>;
}

function callHook(input: string, env: Record<string, string>): Promise<{ exit: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [CLI, 'record', 'claude-code'], { env, cwd: '/' }, (error, stdout, stderr) => {
      resolve({ exit: error ? Number(error.code) : 0, stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

async function recording(files: Record<string, string>): Promise<Recording> {
  const folder = await tempFolder();
  const made = new MadeLog(folder);
  await mkdir(made.root, { recursive: true });
  await writeFiles(made.root, files);
  const env = { ...cleanEnv(folder), HOME: made.home, CLAUDE_PROJECT_DIR: made.root };
  return {
    made,
    env,
    hook: (event, more = {}) =>
      callHook(JSON.stringify({ hook_event_name: event, session_id: made.sessionId, cwd: made.root, ...more }), env),
    turnback: async (...args) => {
      await utimes(made.log, OLD, OLD);
      return runCli([...args, '--json'], env);
    },
  };
}

/** A shell step between its two hooks. */
async function shell(r: Recording, step: string, command: string, work: () => Promise<void>): Promise<void> {
  const call = { tool_name: 'Bash', tool_use_id: `call-${step}` };
  expect(await r.hook('PreToolUse', call)).toEqual({ exit: 0, stdout: '', stderr: '' });
  await work();
  expect(await r.hook('PostToolUse', call)).toEqual({ exit: 0, stdout: '', stderr: '' });
  r.made.step(step, 'Bash', { command }, { stdout: '', stderr: '' });
}

test('what a shell command did is seen, leaves as a patch, and goes back: renamed, deleted, made, changed', async () => {
  const r = await recording({
    'src/util.js': 'util\n',
    'notes.txt': 'notes\n',
    'README.md': 'read\n',
    '.gitignore': 'out/\n',
    '.env': 'KEY=1\n',
    'out/x': 'x\n',
  });
  const { made } = r;
  const before = await manifest(made.root);
  made.prompt('Move things.');
  await r.hook('UserPromptSubmit', { prompt: 'Move things.' });
  await shell(r, 'm1', 'mv src/util.js src/helpers.js && rm notes.txt', async () => {
    await rename(made.file('src/util.js'), made.file('src/helpers.js'));
    await rm(made.file('notes.txt'));
    await writeFile(made.file('.env'), 'KEY=2\n');
    await writeFile(made.file('out/x'), 'y\n');
  });
  await appendFile(made.file('README.md'), 'mine\n');
  await shell(r, 'm2', 'printf x > assets.bin', () => writeFile(made.file('assets.bin'), Buffer.from([0, 1, 2, 255])));
  await r.hook('Stop');
  made.says('m3', 'Done.');
  await made.write();

  const shown = (await r.turnback('show', made.log)).json<{
    steps: { id: string; files: { path: string; change: string }[]; captured: unknown }[];
    thread: { id: string };
  }>();
  expect(shown.steps.map((step) => [step.id, step.captured, step.files.map((file) => `${file.change} ${file.path}`)])).toEqual([
    ['m1', true, ['deleted notes.txt', 'created src/helpers.js', 'deleted src/util.js']],
    ['m2', true, ['created assets.bin']],
    ['m3', true, []],
  ]);
  const reverted = (await r.turnback('revert', made.log, 'stop:0')).json<{ files: { path: string; outcome: string }[] }>();
  expect(reverted.files.map((file) => `${file.outcome} ${file.path}`)).toEqual([
    'deleted assets.bin',
    'written notes.txt',
    'deleted src/helpers.js',
    'written src/util.js',
  ]);
  // Your line stays, and what no snapshot holds is as it was left.
  const now = await manifest(made.root);
  const kept = ['README.md', '.env', 'out/x'];
  const rest = (lines: string[]): string[] => lines.filter((line) => !kept.some((name) => line.startsWith(`${name} `)));
  expect(rest(now)).toEqual(rest(before));
  expect(await readFile(made.file('README.md'), 'utf8')).toBe('read\nmine\n');
});

test('a file tool is believed: what you save while it runs is not its own', async () => {
  const r = await recording({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const { made } = r;
  made.prompt('Edit.');
  const call = { tool_name: 'Edit', tool_use_id: 'call-m1' };
  await r.hook('PreToolUse', call);
  await writeFile(made.file('a.txt'), 'A\n');
  await writeFile(made.file('b.txt'), 'mine\n');
  await r.hook('PostToolUse', call);
  made.edit('m1', 'a.txt', 'a\n', 'a', 'A');
  await made.write();
  const { steps } = (await r.turnback('show', made.log)).json<{ steps: { files: { path: string }[] }[] }>();
  expect(steps.map((step) => step.files.map((file) => file.path))).toEqual([['a.txt']]);
});

test('an interrupted command has no hook after it: its step ends where the next moment begins', async () => {
  const r = await recording({ 'a.txt': 'a\n' });
  const { made } = r;
  made.prompt('Run.');
  await r.hook('PreToolUse', { tool_name: 'Bash', tool_use_id: 'call-m1' });
  await writeFile(made.file('half.txt'), 'half\n');
  made.step('m1', 'Bash', { command: 'long' }, 'User rejected tool use', true);
  made.prompt('Again.');
  await r.hook('UserPromptSubmit');
  made.says('m2', 'Yes.');
  await made.write();
  const { steps } = (await r.turnback('show', made.log)).json<{ steps: { files: { path: string }[] }[] }>();
  expect(steps.map((step) => step.files.map((file) => file.path))).toEqual([['half.txt'], []]);
});

test('a workspace that could not be captured is named, and nothing is called captured', async () => {
  const r = await recording({ 'a.txt': 'a\n' });
  const { made } = r;
  made.prompt('Run.');
  await shell(r, 'm1', 'true', async () => undefined);
  r.env['PATH'] = '/nowhere';
  const failed = await r.hook('PreToolUse', { tool_name: 'Bash', tool_use_id: 'call-m2' });
  expect([failed.exit, failed.stdout]).toEqual([0, '']);
  expect(failed.stderr).toMatch(/\[NO_GIT\]\n$/);
  r.env['PATH'] = process.env['PATH'] ?? '';
  await r.hook('PostToolUse', { tool_name: 'Bash', tool_use_id: 'call-m2' });
  made.step('m2', 'Bash', { command: 'true' }, { stdout: '' });
  await made.write();
  const { steps } = (await r.turnback('show', made.log)).json<{ steps: { captured: true | { code: string } }[] }>();
  expect(steps.map((step) => (step.captured === true ? true : step.captured.code))).toEqual([true, 'NO_GIT']);
});

describe('a hook', () => {
  test('keeps nothing of calls that only look, of a sub-agent’s own calls, and of events that are no moment', async () => {
    const r = await recording({ 'a.txt': 'a\n' });
    for (const [event, more] of [
      ['PreToolUse', { tool_name: 'Read', tool_use_id: 'x' }],
      ['PostToolUse', { tool_name: 'Bash', tool_use_id: 'x', agent_id: 'a1' }],
      ['SessionStart', {}],
      ['PreCompact', {}],
      ['constructor', {}],
    ] as const)
      expect([event, await r.hook(event, more)]).toEqual([event, { exit: 0, stdout: '', stderr: '' }]);
    await expect(stat(path.join(r.env['TURNBACK_DATA'] ?? '', 'recorded'))).rejects.toThrow('ENOENT');
  });

  test('never ends with the code that forbids the agent its act, and never writes outside our data folder', async () => {
    const r = await recording({ 'a.txt': 'a\n' });
    const outside = await manifest(path.dirname(r.made.home), { mtimes: true, skip: ['own-data'] });
    for (const input of ['', 'no json', '[]', '{}', JSON.stringify({ hook_event_name: 'Stop', session_id: '../../x', cwd: '/' })]) {
      const { exit, stdout, stderr } = await callHook(input, r.env);
      expect([input, exit, stdout, stderr.includes('[USAGE]')]).toEqual([input, 1, '', true]);
    }
    expect(await manifest(path.dirname(r.made.home), { mtimes: true, skip: ['own-data'] })).toEqual(outside);
  });

  test('is asked for by settings that name every event and this very command', async () => {
    const r = await recording({});
    const settings = JSON.parse((await runCli(['record', 'claude-code', '--settings'], r.env)).stdout) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    expect(Object.keys(settings.hooks)).toEqual([
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
      'SessionEnd',
    ]);
    const command = settings.hooks['Stop']?.[0]?.hooks[0]?.command ?? '';
    expect(command).toBe(`${process.execPath} ${CLI} record claude-code`);
    expect(settings).toEqual(hookSettings(command));
  });

  test('writes files that only their owner reads', async () => {
    const r = await recording({ 'a.txt': 'a\n' });
    await r.hook('UserPromptSubmit');
    const recorded = path.join(r.env['TURNBACK_DATA'] ?? '', 'recorded');
    const mode = async (file: string): Promise<number> => (await stat(file)).mode & 0o777;
    expect(await mode(path.join(recorded, 'sessions'))).toBe(0o700);
    expect(await mode(path.join(recorded, 'sessions', `${r.made.sessionId}.jsonl`))).toBe(0o600);
  });
});

describe('what was recorded', () => {
  /** A recorded session of which one file held these words for a while, in a workspace of its own or of another one. */
  async function session(words: string, folder: string, id: string): Promise<{ made: MadeLog; env: Record<string, string> }> {
    const made = new MadeLog(folder, id);
    await mkdir(made.root, { recursive: true });
    const env = { ...cleanEnv(folder), HOME: made.home };
    const hook = (event: string, more = {}) =>
      callHook(JSON.stringify({ hook_event_name: event, session_id: id, cwd: made.root, tool_name: 'Bash', ...more }), env);
    made.prompt('Run.');
    await hook('PreToolUse', { tool_use_id: 'call-m1' });
    await writeFile(made.file('words.txt'), `${words}\n`);
    await hook('PostToolUse', { tool_use_id: 'call-m1' });
    await rm(made.file('words.txt'));
    made.step('m1', 'Bash', { command: 'x' }, { stdout: '' });
    made.create('m2', 'told.txt', `${words} told\n`);
    await made.write();
    await utimes(made.log, OLD, OLD);
    return { made, env };
  }

  /** Which of the words any object or file of our data folder holds. */
  async function held(env: Record<string, string>, words: string[]): Promise<string[]> {
    const ownData = env['TURNBACK_DATA'] ?? '';
    const texts: string[] = [];
    for (const entry of await readdir(ownData, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const bytes = await readFile(path.join(entry.parentPath, entry.name));
      texts.push(bytes.toString('latin1'));
      for (let at = bytes.indexOf(0x78); at >= 0; at = bytes.indexOf(0x78, at + 1)) {
        try {
          texts.push(inflateSync(bytes.subarray(at)).toString('latin1'));
        } catch {
          // No stream begins here.
        }
      }
    }
    return words.filter((word) => texts.some((text) => text.includes(word)));
  }

  const ONE = 'aaaaaaaa-0000-4000-8000-000000000001';
  const TWO = 'aaaaaaaa-0000-4000-8000-000000000002';

  test('goes with the thread that is forgotten, and nothing of another session in the same folder', async () => {
    const folder = await tempFolder();
    const { made, env } = await session('first secret', folder, ONE);
    const two = await session('second secret', folder, TWO);
    expect((await runCli(['show', made.log, '--json'], env)).exit).toBe(0);
    const words = ['first secret', 'second secret', 'first secret told', ONE];
    expect(await held(env, words)).toEqual(words);
    expect((await runCli(['forget', made.log, '--yes'], env)).exit).toBe(0);
    expect(await held(env, words)).toEqual(['second secret']);
    const { steps } = (await runCli(['show', two.made.log, '--json'], env)).json<{
      steps: { captured: unknown; files: { path: string }[] }[];
    }>();
    expect(steps.map((step) => [step.captured, step.files.map((file) => file.path)])).toEqual([
      [true, ['words.txt']],
      [true, ['told.txt']],
    ]);
    expect((await runCli(['forget', two.made.log, '--yes'], env)).exit).toBe(0);
    expect(await held(env, words)).toEqual([]);
  });

  test('goes when it is older than the limits, not before', async () => {
    const folder = await tempFolder();
    const { env } = await session('old secret', folder, ONE);
    await session('new secret', folder, TWO);
    const words = ['old secret', 'new secret'];
    expect((await runCli(['clean'], env)).exit).toBe(0);
    expect(await held(env, words)).toEqual(words);
    const moments = path.join(env['TURNBACK_DATA'] ?? '', 'recorded', 'sessions', `${ONE}.jsonl`);
    await utimes(moments, OLD, OLD);
    // Objects are kept a while longer, for a hook that is at work: let them be old too.
    await makeOld(path.join(env['TURNBACK_DATA'] ?? '', 'recorded'));
    expect((await runCli(['clean'], env)).exit).toBe(0);
    expect(await held(env, words)).toEqual(['new secret']);
    await expect(stat(moments)).rejects.toThrow('ENOENT');
  });

  async function makeOld(folder: string): Promise<void> {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile() && /^[0-9a-f]{38}$|^pack-/.test(entry.name)) await utimes(path.join(entry.parentPath, entry.name), OLD, OLD);
    }
  }
});
