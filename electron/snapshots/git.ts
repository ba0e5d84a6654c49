import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { endGroup } from './end-group.ts';
import { forcedOptions, neutralEnvironment } from './git-neutral.ts';
import { findGitProgram } from './git-program.ts';

/** One run of git. */
export interface GitCall {
  /** The words for it in an error: `diff-tree`, `write-tree`. */
  name: string;
  /** Command and arguments; data from outside never stands here as an option. */
  args: readonly string[];
  /** Absolute git dir: one of ours, or a path where nothing is for commands that need no repository. */
  gitDir: string;
  /** Absolute; overrides a `core.worktree`. Always give it for a git dir whose config is not ours. */
  workTree?: string;
  /** Where git runs; default the work tree. */
  cwd?: string;
  /** Only GIT_INDEX_FILE, GIT_OBJECT_DIRECTORY, GIT_ALTERNATE_OBJECT_DIRECTORIES and GIT_LITERAL_PATHSPECS pass. */
  env?: Readonly<Record<string, string>>;
  stdin?: Uint8Array;
  /** Exit codes that are answers; default only 0. */
  okExits?: readonly number[];
  /** Most bytes of output; default 256 MiB. */
  maxBytes?: number;
  /** Milliseconds; default ten minutes. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

export interface GitResult {
  exit: number;
  stdout: Buffer;
  stderr: string;
}

/** A git process that is talked to. */
export interface GitProcess {
  write(bytes: Uint8Array): void;
  stdout: AsyncIterable<Buffer>;
  /** Hands over its output piece by piece, faster than by `stdout`; resolves at the end, rejects with what `take` threw. */
  each(take: (piece: Buffer) => void): Promise<void>;
  /** Closes its stdin. */
  end(): void;
  /** Its exit code; -1 when a signal ended it. Rejects when it could not start. */
  done: Promise<number>;
  /** Ends the process and what it started. */
  kill(): void;
  /** What it has said so far, for an error. */
  stderr(): string;
}

/** The one way to run git. */
export interface Git {
  /** Runs to the end. Throws NO_GIT, CANCELLED, or GIT_FAILED for an exit code that was not expected, a timeout or too much output. */
  run(call: GitCall): Promise<GitResult>;
  start(call: GitCall): GitProcess;
  /** Throws NO_GIT or GIT_TOO_OLD (before 2.26). */
  version(): Promise<{ text: string; major: number; minor: number }>;
}

const MAX_BYTES = 256 * 1024 * 1024;
const MAX_STDERR = 64 * 1024;
const TIMEOUT = 10 * 60_000;

/** The first line of what git said, made safe to show. */
function firstLine(stderr: string): string {
  const line = stderr.split('\n').find((text) => text.trim() !== '') ?? 'it said nothing';
  return line
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .replace(/\.$/, '')
    .slice(0, 300);
}

/** The error for a run that did not end as expected. The exit code and git's own words are facts for people; no code reads them. */
export function gitFailed(name: string, exit: number, stderr: string): TurnbackError {
  return new TurnbackError('GIT_FAILED', { command: name, exit, cause: firstLine(stderr) });
}

/**
 * The one place that starts git. `command` is a prefix that runs git elsewhere, its last word being git itself
 * (`['docker', 'exec', '-i', 'box', 'git']`); it must hand arguments on unchanged, as a shell would not, and has `env`.
 * `chosen` gives the program that the user chose, asked before each run; null for the one on PATH.
 */
export function createGit(options: { command?: readonly string[]; env?: NodeJS.ProcessEnv; chosen?: () => string | null } = {}): Git {
  const inherited = options.env ?? process.env;
  let program: string | null | undefined;

  const commandLine = (call: GitCall): { file: string; args: string[]; env: Record<string, string> } => {
    const folder = call.cwd ?? call.workTree;
    const args = [
      ...(folder === undefined ? [] : ['-C', folder]),
      ...forcedOptions,
      `--git-dir=${call.gitDir}`,
      ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
      ...call.args,
    ];
    const env = neutralEnvironment(inherited, call.env);
    const [first, ...rest] = options.command ?? [];
    if (first !== undefined && rest.length > 0) {
      // The environment of the prefix is not that of git: it travels as arguments, and the prefix itself keeps its own.
      const own: Record<string, string> = {};
      for (const [name, value] of Object.entries(inherited)) if (value !== undefined && !name.startsWith('GIT_')) own[name] = value;
      const settings = Object.entries(env).flatMap(([name, value]) => (name === 'PATH' ? [] : [`${name}=${value}`]));
      const remotePath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
      return { file: first, args: [...rest.slice(0, -1), 'env', '-i', remotePath, ...settings, ...rest.slice(-1), ...args], env: own };
    }
    if (first !== undefined) return { file: first, args, env };
    const chosen = options.chosen?.() ?? null;
    if (chosen !== null) return { file: chosen, args, env };
    program ??= findGitProgram(inherited);
    if (program === null) throw new TurnbackError('NO_GIT');
    return { file: program, args, env };
  };

  const launch = (call: GitCall): ChildProcessWithoutNullStreams => {
    const { file, args, env } = commandLine(call);
    // The root always exists; git goes to its own folder by -C, which also works behind a prefix.
    return spawn(file, args, {
      cwd: path.parse(process.cwd()).root,
      env,
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  };

  const notStarted = (call: GitCall, error: Error): TurnbackError => {
    const file = options.command?.[0] ?? options.chosen?.() ?? program;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !(file != null && path.isAbsolute(file) && existsSync(file))) {
      program = undefined;
      return new TurnbackError('NO_GIT', {}, { cause: error });
    }
    return new TurnbackError('GIT_FAILED', { command: call.name, exit: -1, cause: error.message }, { cause: error });
  };

  const run = (call: GitCall): Promise<GitResult> =>
    new Promise((resolve, reject) => {
      if (call.signal?.aborted) throw new TurnbackError('CANCELLED');
      const child = launch(call);
      const chunks: Buffer[] = [];
      let size = 0;
      let stderr = '';
      let stopped: TurnbackError | null = null;
      const stop = (why: TurnbackError): void => {
        if (stopped !== null) return;
        stopped = why;
        endGroup(child);
      };
      const fail = (cause: string) => new TurnbackError('GIT_FAILED', { command: call.name, exit: -1, cause });
      const onAbort = (): void => stop(new TurnbackError('CANCELLED'));
      const limit = call.timeoutMs ?? TIMEOUT;
      const timer = setTimeout(() => stop(fail(`it took longer than ${limit} ms`)), limit);
      call.signal?.addEventListener('abort', onAbort, { once: true });
      const settle = (): void => {
        clearTimeout(timer);
        call.signal?.removeEventListener('abort', onAbort);
      };
      const most = call.maxBytes ?? MAX_BYTES;
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > most) stop(fail(`it gave more than ${most} bytes`));
        else chunks.push(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
      });
      // A git that ends before it has read everything closes the pipe; its exit code says what happened.
      child.stdin.on('error', () => undefined);
      child.on('error', (error) => {
        settle();
        reject(notStarted(call, error));
      });
      child.on('close', (code) => {
        settle();
        if (stopped !== null) reject(stopped);
        else if (code !== null && (call.okExits ?? [0]).includes(code))
          resolve({ exit: code, stdout: Buffer.concat(chunks, size), stderr });
        else reject(gitFailed(call.name, code ?? -1, stderr));
      });
      child.stdin.end(call.stdin ?? new Uint8Array(0));
    });

  const start = (call: GitCall): GitProcess => {
    if (call.signal?.aborted) throw new TurnbackError('CANCELLED');
    const child = launch(call);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8');
    });
    child.stdin.on('error', () => undefined);
    const onAbort = (): void => endGroup(child);
    call.signal?.addEventListener('abort', onAbort, { once: true });
    const done = new Promise<number>((resolve, reject) => {
      child.on('error', (error) => reject(notStarted(call, error)));
      child.on('close', (code) => resolve(code ?? -1));
    }).finally(() => call.signal?.removeEventListener('abort', onAbort));
    // Whoever waits for `done` gets the rejection; when nobody does, it must not end our process.
    done.catch(() => undefined);
    return {
      write: (bytes) => void child.stdin.write(bytes),
      stdout: child.stdout,
      each: (take) =>
        new Promise((resolve, reject) => {
          child.stdout.on('data', (piece: Buffer) => {
            try {
              take(piece);
            } catch (error) {
              child.stdout.removeAllListeners('data').resume();
              reject(error);
            }
          });
          child.stdout.on('error', reject);
          child.stdout.on('close', resolve);
        }),
      end: () => void child.stdin.end(),
      done,
      kill: () => endGroup(child),
      stderr: () => stderr,
    };
  };

  let known: Promise<{ text: string; major: number; minor: number }> | undefined;
  let knownOf: string | null = null;
  const askVersion = async (): Promise<{ text: string; major: number; minor: number }> => {
    const { stdout } = await run({ name: 'version', args: ['version'], gitDir: '/dev/null', timeoutMs: 20_000, maxBytes: 65_536 });
    const text = stdout
      .toString('utf8')
      .trim()
      .replace(/^git version /, '');
    const [, major, minor] = /^(\d+)\.(\d+)/.exec(text) ?? [];
    if (major === undefined || minor === undefined) throw gitFailed('version', 0, text);
    const version = { text, major: Number(major), minor: Number(minor) };
    if (version.major < 2 || (version.major === 2 && version.minor < 26)) throw new TurnbackError('GIT_TOO_OLD', { version: text });
    return version;
  };
  const version = (): Promise<{ text: string; major: number; minor: number }> => {
    const of = options.chosen?.() ?? null;
    if (of !== knownOf) known = undefined;
    knownOf = of;
    known ??= askVersion().catch((error: unknown) => {
      // Git may be installed while we run: ask again next time.
      known = undefined;
      throw error;
    });
    return known;
  };

  return { run, start, version };
}
