import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { simpleGit } from 'simple-git';
import { TurnbackError } from '../../shared/errors.ts';
import { type Git, gitFailed } from './git.ts';
import { wholePath } from './git-neutral.ts';
import { findGitProgram } from './git-program.ts';

/** Where the user's own repository stands. `branch` is null when HEAD is detached, `commit` when there is none yet. */
export interface RepoHead {
  branch: string | null;
  commit: string | null;
}

const NOT_THERE: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR']);

async function isThere(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (NOT_THERE.has((error as NodeJS.ErrnoException).code)) return false;
    throw error;
  }
}

/** The folder of the repository that `folder` lies in, null when it lies in none. */
async function repositoryAbove(folder: string): Promise<string | null> {
  for (let at = path.resolve(folder); ; at = path.dirname(at)) {
    if (await isThere(path.join(at, '.git'))) return at;
    if (at === path.dirname(at)) return null;
  }
}

/**
 * Branch and commit of the repository that the workspace lies in; null when it lies in none. Only asks for names of refs:
 * that reads no index, runs no hook, monitor, filter or pager, and takes no lock, whatever the repository's config says.
 * Throws GIT_FAILED when git will not read it, NO_GIT without git.
 */
export async function headOf(root: string): Promise<RepoHead | null> {
  const top = await repositoryAbove(root);
  if (top === null) return null;
  const program = findGitProgram(process.env);
  if (program === null) throw new TurnbackError('NO_GIT');
  // Guards stay on: the environment is ours alone, and only these three of git's variables may be in it.
  const quiet = { GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  const git = simpleGit({
    baseDir: top,
    binary: program,
    // The path is ours, and on Windows it holds a space.
    unsafe: { allowUnsafeCustomBinary: true },
    timeout: { block: 10_000 },
    allowEnvironment: Object.keys(quiet),
  }).env({
    ...quiet,
    PATH: wholePath(process.env),
    HOME: '/dev/null',
    XDG_CONFIG_HOME: '/dev/null',
    LC_ALL: 'C',
  });
  try {
    // With `-q` git says nothing when there is no such ref, which simple-git hands on as an empty answer; anything git says is a failure.
    const head = (await git.raw('symbolic-ref', '-q', 'HEAD')).trim();
    const commit = (await git.raw('rev-parse', '-q', '--verify', 'HEAD')).trim();
    return { branch: head.replace(/^refs\/heads\//, '') || null, commit: commit || null };
  } catch (error) {
    throw gitFailed('rev-parse', 128, (error as Error).message);
  }
}

/**
 * Would `git apply` take this patch in the workspace? True, or git's own words. By our own runner, not simple-git, and
 * outside any repository: inside one, `apply` runs the clean filters that its config names.
 */
export async function applyCheck(git: Git, root: string, patchFile: string): Promise<true | string> {
  const { exit, stderr } = await git.run({
    name: 'apply --check',
    args: ['apply', '--check', '--whitespace=nowarn', '--', path.resolve(patchFile)],
    gitDir: path.join(path.dirname(path.resolve(patchFile)), 'no-repository'),
    cwd: root,
    okExits: [0, 1, 128],
  });
  return exit === 0 ? true : stderr.trim();
}
