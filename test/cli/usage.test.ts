import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

interface Refused {
  error: { code: string; message: string };
}

describe('usage', () => {
  test('help and version are data on stdout', async () => {
    const env = cleanEnv(await tempFolder());
    const help = await runCli(['--help'], env);
    expect(help).toMatchObject({ exit: 0, stderr: '' });
    expect(help.stdout).toContain('turnback revert THREAD MESSAGE');
    expect((await runCli(['--version'], env)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  for (const [args, words] of [
    [['show'], 'turnback show needs 1 argument.'],
    [['show', 'a', 'b'], 'turnback show does not take b.'],
    [['threads', '--nonsense'], "Unknown option '--nonsense'"],
    [['revert', 'x', 'y', '--drift', 'sometimes'], '--drift takes merge, keep, overwrite, fail, not sometimes.'],
    [['revert', 'x', 'y', '--scope', 'all'], '--scope takes both, files, messages, not all.'],
    [['show', ''], 'turnback show was given an empty argument.'],
    [['revert', 'x', ''], 'turnback revert was given an empty argument.'],
    [['show', 'x', '--root', ''], '--root needs a value, and this one is empty.'],
    [['show', 'x', '--data='], '--data needs a value, and this one is empty.'],
    [['patch', 'x', '1', '--include', ''], '--include needs a value, and this one is empty.'],
    [['serve', '--port', '70000'], '--port takes 0 to 65535, not 70000.'],
  ] as const) {
    test(`${args.join(' ')}: exit 2 and one sentence`, async () => {
      const run = await runCli([...args, '--json'], cleanEnv(await tempFolder()));
      expect(run.exit).toBe(2);
      expect(run.stderr).toContain(words);
      expect(run.json<Refused>().error.code).toBe('USAGE');
    });
  }
});

describe('what cannot be opened says what is off in one sentence', () => {
  async function shown(make: (folder: string) => Promise<string>): Promise<Refused['error'] & { exit: number }> {
    const folder = await tempFolder();
    const run = await runCli(['show', await make(folder), '--json'], cleanEnv(folder));
    expect(run.stderr.trim().split('\n').length).toBe(1);
    return { exit: run.exit, ...run.json<Refused>().error };
  }
  const file = (name: string, content: string | Uint8Array) => async (folder: string) => {
    await writeFile(path.join(folder, name), content);
    return path.join(folder, name);
  };

  test('a path with nothing at it', async () => {
    expect(await shown(async (folder) => path.join(folder, 'nothing.jsonl'))).toMatchObject({ exit: 1, code: 'NOT_FOUND' });
  });
  test('an id that nobody has', async () => {
    expect(await shown(async () => 'tanstack:nobody')).toMatchObject({ exit: 1, code: 'UNKNOWN_THREAD' });
  });
  test('an empty file', async () => {
    expect(await shown(file('empty.jsonl', ''))).toMatchObject({ exit: 1, code: 'LOG_EMPTY' });
  });
  test('blank lines', async () => {
    expect((await shown(file('blank.jsonl', '\n\n'))).exit).toBe(1);
  });
  test('random bytes', async () => {
    const noise = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 2654435761) >>> 24);
    expect(await shown(file('noise.jsonl', noise))).toMatchObject({ exit: 1, code: 'NOT_A_LOG' });
    expect(await shown(file('noise.db', noise))).toMatchObject({ exit: 1, code: 'NOT_A_LOG' });
  });
  test('a JSONL file of somebody else', async () => {
    expect(await shown(file('other.jsonl', '{"hello":1}\n{"hello":2}\n'))).toMatchObject({ exit: 1, code: 'NOT_A_LOG' });
  });
  test('a folder without threads', async () => {
    expect(
      await shown(async (folder) => {
        await mkdir(path.join(folder, 'session.jsonl'));
        return path.join(folder, 'session.jsonl');
      }),
    ).toMatchObject({ exit: 1, code: 'NOT_A_LOG' });
  });
  test('a link to nowhere', async () => {
    expect(
      await shown(async (folder) => {
        await symlink('/nowhere', path.join(folder, 'l.jsonl'));
        return path.join(folder, 'l.jsonl');
      }),
    ).toMatchObject({ exit: 1, code: 'NOT_FOUND' });
  });
  test('no threads at all is an empty list, not an error', async () => {
    const run = await runCli(['threads', '--json'], cleanEnv(await tempFolder()));
    expect(run.exit).toBe(0);
    expect(run.json()).toEqual({ threads: [], problems: [] });
  });
  test('a store that may not be read is a problem beside the others', async () => {
    const folder = await tempFolder();
    const env = cleanEnv(folder);
    const store = path.join(env['XDG_DATA_HOME'] ?? '', 'opencode');
    await mkdir(store, { recursive: true });
    await writeFile(path.join(store, 'opencode.db'), 'not a database at all, but long enough to look at');
    await chmod(path.join(store, 'opencode.db'), 0o600);
    const run = await runCli(['threads', '--json'], env);
    expect(run.exit).toBe(0);
    expect(run.json<{ problems: { path: string }[] }>().problems.map((one) => one.path)).toEqual([path.join(store, 'opencode.db')]);
  });
});

test('a mistyped command or a path that leads nowhere ends at once, and says so', async () => {
  const folder = await tempFolder();
  for (const args of [['bogus'], ['nosuch/path.jsonl'], ['serve', 'nosuch.db#thread']]) {
    const run = await runCli(args, cleanEnv(folder), { cwd: folder });
    expect([run.exit, run.stdout, run.stderr.endsWith('[NOT_FOUND]\n')]).toEqual([1, '', true]);
  }
});
