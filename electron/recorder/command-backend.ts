import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { bytesOfTreePath, showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { createGit, type Git } from '../snapshots/git.ts';
import type { Backend, PutBack, Skipped } from './backend.ts';
import { captureThrough } from './capture-through.ts';
import { type ExecResult, quoted, type RunScript, scriptsBehind } from './command-exec.ts';
import { NO, sideScripts } from './side-scripts.ts';

const WHY: Readonly<Record<string, string>> = {
  link: 'A folder above it is a link.',
  notfolder: 'Something above it is not a folder.',
  repository: 'A folder above it is a repository of its own.',
  folder: 'A folder of yours stands there.',
  unknown: 'A file of yours stands there that no snapshot holds.',
  special: 'Something that is no file stands there.',
  path: 'The path is not one of a file below the workspace.',
};

/** A path as printf's %b gives it back: plain letters as they are, every other byte as \\0ooo. */
function encoded(treePath: TreePath): string {
  let text = '';
  for (const byte of bytesOfTreePath(treePath)) {
    const char = String.fromCharCode(byte);
    text += /[A-Za-z0-9._/-]/.test(char) ? char : `\\0${byte.toString(8).padStart(3, '0')}`;
  }
  return text;
}

function lineOf({ path: treePath, entry, before }: PutBack): string {
  const kind = entry === null ? 'remove' : entry.mode === '120000' ? 'link' : entry.mode === '100755' ? 'exec' : 'file';
  return `${kind} ${entry?.oid ?? '-'} ${before === null ? 'no' : 'yes'} ${encoded(treePath)}\n`;
}

const random = (): string => randomBytes(6).toString('hex');

export interface CommandBackendOptions {
  /**
   * The command whose further arguments are run on the other side: `['docker', 'exec', '-i', 'box']`, `['ssh', 'HOST']`. That side needs
   * git and a POSIX shell with `env`, `cat`, `mv`, `ln`, `mkdir` and the like.
   */
  prefix: readonly string[];
  /** The command gives its arguments to a shell, joined by spaces; default true for ssh. */
  joins?: boolean;
  /** What to call that side in the log; default the prefix. */
  name?: string;
  /** Milliseconds after which a script there is ended; default ten minutes. */
  timeout?: number;
}

/** Git and files behind a command: in a container, a sandbox, on another machine (seed, "In a sandbox"). Paths are those of that side. */
export function commandBackend(options: CommandBackendOptions): Backend & { readonly git: Git } {
  const [first = ''] = options.prefix;
  const joins = options.joins ?? path.basename(first).replace(/\.exe$/i, '') === 'ssh';
  const prefix = joins ? quoted(options.prefix) : [...options.prefix];
  const git = createGit({ command: [...prefix, 'git'] });
  const run: RunScript = scriptsBehind(prefix, options.timeout);
  const name = options.name ?? options.prefix.join(' ');

  const failed = (what: string, { exit, stderr }: ExecResult): TurnbackError => {
    const cause = stderr.trim().split('\n').at(-1) || `exit code ${exit}`;
    return new TurnbackError('BACKEND_FAILED', { what: `${what} (${name})`, cause });
  };
  /** False for the answer NO. */
  const ask = async (
    what: string,
    script: string,
    args: readonly string[],
    stdin?: Uint8Array,
  ): Promise<{ yes: boolean; stdout: Buffer }> => {
    const result = await run(script, args, stdin);
    if (result.exit !== 0 && result.exit !== NO) throw failed(what, result);
    return { yes: result.exit === 0, stdout: result.stdout };
  };

  return {
    git,
    name,
    async readFile(file) {
      const { yes, stdout } = await ask(file, sideScripts.read, [file]);
      return yes ? stdout : null;
    },
    writeFile: async (file, bytes, { exclusive = false } = {}) =>
      (await ask(file, sideScripts.write, [file, random(), exclusive ? 'exclusive' : 'replace'], bytes)).yes,
    move: async (from, to) => (await ask(from, sideScripts.move, [from, to])).yes,
    async remove(file) {
      await ask(file, sideScripts.remove, [file]);
    },
    isFolder: async (folder) => (await ask(folder, sideScripts.isFolder, [folder])).yes,
    capture: (o) =>
      captureThrough({
        ...o,
        copyIndex: async (from, to) => void (await ask(to, sideScripts.copyIndex, [from, to])),
        move: async (from, to) => void (await ask(to, sideScripts.move, [from, to])),
        remove: async (file) => void (await ask(file, sideScripts.remove, [file])),
      }),
    async putBack({ store, root, files }) {
      if (files.length === 0) return [];
      const [entries, submodules] = [
        files.filter(({ entry }) => entry?.mode !== '160000'),
        files.filter(({ entry }) => entry?.mode === '160000'),
      ];
      // A file that becomes a folder again needs its place first.
      const ordered = [...entries.filter(({ entry }) => entry === null), ...entries.filter(({ entry }) => entry !== null)];
      const { stdout } = await ask(root, sideScripts.putBack, [root, store.gitDir, random()], Buffer.from(ordered.map(lineOf).join('')));
      const answers = stdout.toString('latin1').split('\n').slice(0, -1);
      const skipped: Skipped[] = submodules.map((file) => ({
        path: file.path,
        why: 'It is a repository of its own, which snapshots do not hold.',
      }));
      for (const [at, file] of ordered.entries()) {
        const answer = answers[at] ?? 'fail';
        if (answer.startsWith('skip:')) skipped.push({ path: file.path, why: WHY[answer.slice(5)] ?? answer });
        else if (answer !== 'ok')
          throw new TurnbackError('WRITE_FAILED', { path: showTreePath(file.path), cause: `that side (${name}) could not write it` });
      }
      return skipped;
    },
  };
}
