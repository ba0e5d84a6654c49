import { execFile } from 'node:child_process';
import path from 'node:path';

export interface CliRun {
  exit: number;
  stdout: string;
  stderr: string;
  /** The one JSON value on stdout; throws when it is none. */
  json<T = Record<string, unknown>>(): T;
}

/** The built command line: `npm test` builds it first. */
export const CLI = path.resolve(import.meta.dirname, '../../out/cli/turnback.cjs');

/** Runs the built command line with exactly this environment. */
export function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { node?: string; cwd?: string } = {},
): Promise<CliRun> {
  return new Promise((resolve) => {
    execFile(
      options.node ?? process.execPath,
      [CLI, ...args],
      { env: { ...env }, cwd: options.cwd ?? '/', maxBuffer: 64 * 1024 * 1024, encoding: 'utf8' },
      (error, stdout, stderr) => {
        const exit = error ? (typeof error.code === 'number' ? error.code : 255) : 0;
        resolve({ exit, stdout, stderr, json: <T>() => JSON.parse(stdout) as T });
      },
    );
  });
}
