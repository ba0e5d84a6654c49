import { spawn } from 'node:child_process';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';

/**
 * Words that hand their arguments to a shell, as `ssh HOST` does, made into words that hand them on unchanged: a shell on this machine
 * quotes each argument first. The quoting is done on data only; nothing of an argument is ever read as code.
 */
export function quoted(prefix: readonly string[]): string[] {
  return ['sh', '-c', QUOTE, 'turnback', String(prefix.length), ...prefix];
}

/** `$1` is how many words the prefix has, then come these, then the words that are quoted into one. */
const QUOTE = `n=$1; shift; line=; k=0
for word do
  k=$((k + 1)); shift
  if [ "$k" -le "$n" ]; then set -- "$@" "$word"; continue; fi
  rest=$word; out=
  while :; do
    case $rest in *\\'*) out="$out\${rest%%\\'*}'\\\\''"; rest=\${rest#*\\'};; *) break;; esac
  done
  line="$line '$out$rest'"
done
exec "$@" "$line"`;

export interface ExecResult {
  exit: number;
  stdout: Buffer;
  stderr: string;
}

/** Runs a POSIX shell script behind a prefix. Data travels as its arguments and its stdin, never in its text. */
export type RunScript = (script: string, args: readonly string[], stdin?: Uint8Array) => Promise<ExecResult>;

const TIMEOUT = 10 * 60_000;

/** The whole environment of a script: nothing of ours reaches it, so no GIT_ variable does. */
const SIDE = ['env', '-i', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C', 'sh', '-c'];

/**
 * {@link RunScript} behind a command; the command must hand arguments on unchanged. Throws BACKEND_FAILED when it cannot start, or has not
 * ended after `timeout` milliseconds.
 */
export function scriptsBehind(prefix: readonly string[], timeout = TIMEOUT): RunScript {
  const [file, ...words] = prefix;
  if (file === undefined) throw new TurnbackError('BAD_OPTION', { name: 'prefix', cause: 'it names no command' });
  return (script, args, stdin = new Uint8Array(0)) =>
    new Promise((resolve, reject) => {
      const child = spawn(file, [...words, ...SIDE, script, 'turnback', ...args], {
        cwd: path.parse(process.cwd()).root,
        stdio: ['pipe', 'pipe', 'pipe'],
        windowsHide: true,
      });
      const chunks: Buffer[] = [];
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => {
        if (stderr.length < 65_536) stderr += chunk.toString('utf8');
      });
      // A script that ends before it has read everything closes the pipe; its exit code says what happened.
      child.stdin.on('error', () => undefined);
      // What the command started may live on and hold the pipes, so they are let go of too.
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
        reject(new TurnbackError('BACKEND_FAILED', { what: file, cause: `it has not answered within ${timeout / 1000} s` }));
      }, timeout);
      child.on('error', (error) => {
        clearTimeout(timer);
        reject(new TurnbackError('BACKEND_FAILED', { what: file, cause: error.message }, { cause: error }));
      });
      child.on('close', (code) => {
        clearTimeout(timer);
        resolve({ exit: code ?? -1, stdout: Buffer.concat(chunks), stderr });
      });
      child.stdin.end(stdin);
    });
}
