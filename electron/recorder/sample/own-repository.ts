import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { TurnbackError } from '../../../shared/errors.ts';
import { findGitProgram } from '../../snapshots/git-program.ts';

/** Makes the folder a git repository with one commit of everything, as the user's own: the same commit each time. Throws NO_GIT. */
export async function commitAll(root: string, o: { message: string; at: number }): Promise<void> {
  const program = findGitProgram(process.env);
  if (program === null) throw new TurnbackError('NO_GIT');
  const nowhere = process.platform === 'win32' ? 'NUL' : '/dev/null';
  const date = `${Math.floor(o.at / 1000)} +0000`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    ...(process.platform === 'win32' && { SystemRoot: process.env['SystemRoot'] ?? '' }),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_DATE: date,
  };
  const git = (...args: string[]): Promise<unknown> => promisify(execFile)(program, ['-C', root, ...args], { env, windowsHide: true });
  await git('-c', 'init.defaultBranch=main', 'init', '-q', '--template=');
  await git('config', 'user.name', 'Ada');
  await git('config', 'user.email', 'ada@lumen.example');
  // The project's secrets stay out of its history as they stay out of the snapshots.
  await git('-c', 'core.autocrlf=false', 'add', '-A', '--', '.', ':(exclude).env');
  await git('-c', 'core.autocrlf=false', '-c', 'commit.gpgSign=false', 'commit', '-q', '-m', o.message);
}
