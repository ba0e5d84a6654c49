import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a git does instead of its work, by a word. */
export const MISDEEDS = [
  'exit 1',
  'exit 2',
  'exit 127',
  'exit 128',
  'exit 129',
  'exit 255',
  'kill -SEGV $$',
  'kill -KILL $$',
  'kill -ABRT $$',
  'kill -PIPE $$',
  'kill -TERM $$',
  'exit 0',
  'printf "fatal: \\033[31mkaputt\\033[0m\\n" >&2; exit 128',
  'printf "warning: noise\\n%.0s" 1 2 3 4 5 6 7 8 9 >&2; exec "$real" "$@"',
  'head -c 300000 /dev/urandom; exit 0',
  'head -c 300000 /dev/zero; exit 0',
  'printf "100644 blob nonsense\\0:::: x\\ty\\n\\0-1 -1"; exit 0',
  'printf "1111111111111111111111111111111111111111 blob 999999999999\\n"; exec sleep 0.2',
  'exec <&- >&-; exit 0',
  '"$real" "$@" | head -c 7; exit 0',
  '"$real" "$@" | tr "0-9a-f" "1-9a-f0"',
  'cat > /dev/null; exit 0',
] as const;

/** Ways of a git not to come to its end. Each notes its process. */
export const HANGS = {
  sleeps: 'exec sleep 600',
  'does not mind being asked to end': 'trap "" TERM INT HUP; while :; do sleep 0.1; done',
  'starts another that leaves its group and keeps its pipes': 'setsid sleep 600 & echo $! >> "$dir/pids"; exec sleep 600',
  'talks without end': 'exec yes 1111111111111111111111111111111111111111',
  'complains without end': 'exec yes fatal >&2',
  'reads nothing and says nothing': 'exec sleep 600 < /dev/null > /dev/null',
} as const;

/** Subcommands that the engine uses. */
export const COMMANDS = [
  'version',
  'cat-file',
  'diff-tree',
  'diff',
  'ls-files',
  'check-ignore',
  'merge-file',
  'update-ref',
  'for-each-ref',
  'rev-parse',
  'symbolic-ref',
  'add',
  'write-tree',
  'hash-object',
] as const;

/** A git in a folder of its own that misbehaves on demand and is the real one otherwise. */
export class BadGit {
  readonly folder: string;
  readonly program: string;

  constructor(folder: string) {
    this.folder = folder;
    this.program = path.join(folder, 'git');
    const real = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
    writeFileSync(
      this.program,
      `#!/bin/sh
dir='${folder}'; real='${real}'
[ -f "$dir/deed" ] || exec "$real" "$@"
for word do case $word in ${COMMANDS.join('|')}) break;; esac; done
case " $(cat "$dir/commands") " in *" $word "*|*" * "*) ;; *) exec "$real" "$@";; esac
echo "$word" >> "$dir/done"; echo $$ >> "$dir/pids"
. "$dir/deed"
`,
    );
    chmodSync(this.program, 0o755);
  }

  /** From now on; `commands`: `*` for all. */
  will(deed: string, ...commands: readonly string[]): void {
    this.forget();
    writeFileSync(path.join(this.folder, 'commands'), commands.join(' '));
    writeFileSync(path.join(this.folder, 'deed'), `${deed}\n`);
  }

  behave(): void {
    rmSync(path.join(this.folder, 'deed'), { force: true });
  }

  forget(): void {
    for (const name of ['done', 'pids']) rmSync(path.join(this.folder, name), { force: true });
  }

  #lines(name: string): string[] {
    const file = path.join(this.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  }

  /** The commands that it misbehaved at. */
  get done(): string[] {
    return this.#lines('done');
  }

  get pids(): number[] {
    return this.#lines('pids').map(Number);
  }
}

/** What the process table says of a process: its state, or null when there is none. */
export function stateOf(pid: number): string | null {
  try {
    return /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? null;
  } catch {
    return null;
  }
}

/** Children of this process that ended and were not taken leave of. */
export function zombies(): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return state === 'Z' && Number(parent) === process.pid;
    } catch {
      // It is gone by now.
      return false;
    }
  });
}
