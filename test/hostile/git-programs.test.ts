import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { record } from '../figures.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { Session } from './session.ts';
import { provoke, Traps } from './traps.ts';

const PLACES = ['store', 'workspace', 'nested', 'home', 'xdg', 'system'] as const;

let folder = '';
let made: TanstackScenario;
let traps: Traps;
let env: Record<string, string> = {};
let before: Record<string, string | undefined> = {};
/** After the first prompt: the harness cannot hide that one. */
const STOP = 1;

const git = (cwd: string, own: Readonly<Record<string, string>>, ...args: string[]): string => {
  try {
    return execFileSync('git', args, { cwd, env: { ...own }, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
  } catch {
    // Whatever git thinks of the traps: that they spring is what counts.
    return '';
  }
};

/** Everything that is not ours to change, with all times. */
const around = async (): Promise<string[]> =>
  manifest(folder, { mtimes: true, skip: ['own-data', 'traps', 'workspace', 'save/sessions', 'provoked'] });
const foreign = async (): Promise<string[]> => [
  ...(await manifest(path.join(made.root, '.git'), { mtimes: true })),
  ...(await manifest(path.join(made.root, 'nested'), { mtimes: true })),
];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-traps-')));
  made = await tanstackScenario(folder, { events: false });
  traps = new Traps(folder);
  const plain = { ...made.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@x', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@x' };
  await writeFiles(made.root, {
    'a.txt': '1\n2\n3\n4\n5\n',
    'b.proc': 'b\n',
    'sub/c.md': 'c\n',
    'nested/n.txt': 'n\n',
    '.gitignore': 'out/\n',
  });
  for (const repository of [made.root, path.join(made.root, 'nested')]) {
    git(repository, plain, 'init', '-q', '.');
    git(repository, plain, 'add', '-A');
    git(repository, plain, 'commit', '-qm', 'one');
  }
  await made.turn('edit', [
    { tool: 'edit_file', edit: (root) => writeFiles(root, { 'a.txt': '1\n2\nthree\n4\n5\n', 'b.proc': 'B\n' }) },
    {
      tool: 'write_file',
      edit: (root) => writeFiles(root, { 'made.txt': 'm\n', '.gitattributes': '*.txt filter=x diff=x merge=x\n*.proc filter=p\n' }),
    },
  ]);
  await made.turn('edit more', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { 'sub/c.md': 'C\n' }) }]);
  // Drift, so that a revert merges.
  await writeFiles(made.root, {
    'a.txt': 'mine\n2\nthree\n4\n5\n',
    '.gitmodules': '[submodule "nested"]\n\tpath = nested\n\turl = ext::x\n',
  });
  for (const [place, gitDir] of [
    ['store', made.gitDir],
    ['workspace', path.join(made.root, '.git')],
    ['nested', path.join(made.root, 'nested/.git')],
  ] as const) {
    const file = path.join(gitDir, 'config');
    writeFileSync(
      file,
      `${readFileSync(file, 'utf8').replace('repositoryformatversion = 0', 'repositoryformatversion = 1')}${traps.config(place)}`,
    );
    traps.hooks(path.join(gitDir, 'hooks'), place);
    mkdirSync(path.join(gitDir, 'info'), { recursive: true });
    writeFileSync(
      path.join(gitDir, 'info', 'attributes'),
      place === 'store' ? '* -text -ident -filter\n*.txt filter=x diff=x merge=x\n' : '*.txt filter=x diff=x merge=x\n',
    );
  }
  const home = path.join(folder, 'home');
  mkdirSync(path.join(home, '.config/git'), { recursive: true });
  writeFileSync(path.join(home, '.gitconfig'), traps.config('home'));
  writeFileSync(path.join(home, '.config/git/config'), traps.config('xdg'));
  writeFileSync(path.join(home, '.config/git/attributes'), '* filter=x diff=x merge=x text eol=crlf\n');
  writeFileSync(path.join(home, '.config/git/ignore'), '*.txt\n');
  writeFileSync(path.join(folder, 'system'), traps.config('system'));
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, '.config'),
    GIT_CONFIG_SYSTEM: path.join(folder, 'system'),
    TURNBACK_DATA: path.join(folder, 'own-data'),
    LC_ALL: 'de_DE.UTF-8',
    LANGUAGE: 'de',
  };
  traps.sprung();
  // The whole process has this environment, as the app does when a user starts it.
  before = Object.fromEntries([...Object.keys(env), 'GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_GLOBAL'].map((name) => [name, process.env[name]]));
  for (const name of ['GIT_CONFIG_NOSYSTEM', 'GIT_CONFIG_GLOBAL']) delete process.env[name];
  Object.assign(process.env, env);
});

afterAll(async () => {
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

test('the traps work: a person who runs git springs them, in every place and of most kinds', () => {
  const away = path.join(folder, 'provoked');
  mkdirSync(away);
  const plain = { PATH: env['PATH'] ?? '', HOME: away, LC_ALL: 'C' };
  provoke(away, plain, traps.config('proof'), (hooks) => traps.hooks(hooks, 'proof'));
  const kinds = traps.sprung();
  expect(kinds.length).toBeGreaterThanOrEqual(40);
  record('hostile input', 'ways of git to run a program, planted and proven with plain git', kinds.length);
  record(
    'hostile input',
    'the same planted in store, workspace, nested repository, home, XDG and system config',
    Traps.count * PLACES.length,
  );
  const copy = path.join(away, 'copy');
  cpSync(made.root, copy, { recursive: true });
  const quiet = { ...plain, GIT_CONFIG_NOSYSTEM: '1' };
  git(copy, quiet, 'status');
  git(path.join(copy, 'nested'), quiet, 'status');
  const store = path.join(away, 'store.git');
  cpSync(made.gitDir, store, { recursive: true });
  git(copy, quiet, `--git-dir=${store}`, `--work-tree=${copy}`, 'status');
  const empty = path.join(away, 'empty');
  mkdirSync(empty);
  git(empty, plain, 'init', '-q', '.');
  traps.sprung();
  git(copy, quiet, 'status');
  git(path.join(copy, 'nested'), quiet, 'status');
  git(copy, quiet, `--git-dir=${store}`, `--work-tree=${copy}`, 'status');
  for (const config of ['.gitconfig', '.config/git/config'])
    git(empty, { ...plain, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: path.join(env['HOME'] ?? '', config) }, 'status');
  git(empty, { ...plain, GIT_CONFIG_SYSTEM: env['GIT_CONFIG_SYSTEM'] ?? '' }, 'status');
  const where = new Set(traps.sprung().map((mark) => mark.split('.')[0]));
  expect([...where].sort()).toEqual([...PLACES].sort());
  rmSync(away, { recursive: true, force: true });
});

test('no act of the engine springs one, and nothing is other than it should be', async () => {
  const [outside, repositories] = [await around(), await foreign()];
  const session = new Session(env);
  try {
    await session.open(made.log, made.root);
    const { steps, patch } = await session.look();
    const changed = steps.map((step) => (step.files ?? []).map((file) => `${file.path} ${file.added}/${file.removed}`));
    expect(changed.filter((files) => files.length > 0)).toEqual([
      ['a.txt 1/1', 'b.proc 1/1'],
      ['.gitattributes 2/0', 'made.txt 1/0'],
      ['sub/c.md 1/1'],
    ]);
    expect(session.failures).toEqual([]);
    expect(patch).toContain('+three\n');
    expect(await around()).toEqual(outside);
    const reverted = await session.files(session.travel('revert', { stop: STOP }));
    expect(reverted.sort()).toEqual(['.gitattributes deleted', 'a.txt merged', 'b.proc written', 'made.txt deleted', 'sub/c.md written']);
    expect(await readFile(path.join(made.root, 'a.txt'), 'utf8')).toBe('mine\n2\n3\n4\n5\n');
    expect(await readFile(path.join(made.root, 'b.proc'), 'utf8')).toBe('b\n');
    await session.value('travel.history');
    await session.files(session.travel('unrevert'));
    expect(await readFile(path.join(made.root, 'a.txt'), 'utf8')).toBe('mine\n2\nthree\n4\n5\n');
    await session.travel('undo');
    await session.travel('redo');
    await session.look();
    await session.ask('clean.preview');
    await session.ask('forget.preview');
    await session.ask('threads.list');
    await session.ask('app.info');
    expect(session.failures.filter((failure) => !/NOT_AVAILABLE_HERE|NOTHING_TO/.test(failure))).toEqual([]);
  } finally {
    await session.dispose();
  }
  expect(traps.sprung()).toEqual([]);
  expect(await foreign()).toEqual(repositories);
  expect((await around()).filter((line) => !outside.includes(line) && !line.startsWith('save/snapshots'))).toEqual([]);
});

test('no command of the command line springs one', async () => {
  const repositories = await foreign();
  const flags = ['--root', made.root, '--json'];
  const runs = [
    ['show', made.log, ...flags],
    ['diff', made.log, '1', '--to', 'now', ...flags],
    ['patch', made.log, '1..3', '-o', path.join(folder, 'own-data', 'out.patch'), '--root', made.root],
    ['preview', made.log, `stop:${STOP}`, ...flags],
    ['doctor', made.log, ...flags],
    ['threads', '--json'],
    ['history', made.log, ...flags],
  ];
  for (const args of runs) {
    const { exit, stderr } = await runCli(args, env, { cwd: made.root });
    expect([args[0], exit, stderr]).toEqual([args[0], 0, expect.not.stringContaining('INTERNAL')]);
  }
  expect(traps.sprung()).toEqual([]);
  expect(await foreign()).toEqual(repositories);
});
