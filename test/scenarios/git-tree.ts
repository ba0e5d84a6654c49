import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A plain git of the tests' own: no configuration of the machine, objects borrowed from `objects` folders. */
export class GitTree {
  readonly #folder: string;
  readonly #env: Record<string, string>;

  private constructor(folder: string, objects: readonly string[]) {
    this.#folder = folder;
    this.#env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.join(':'),
    };
  }

  static async open(folder: string, objects: readonly string[]): Promise<GitTree> {
    await mkdir(folder, { recursive: true });
    const git = new GitTree(folder, objects);
    await git.run(['init', '-q', '.']);
    await git.run(['config', 'core.autocrlf', 'false']);
    return git;
  }

  async run(args: readonly string[]): Promise<string> {
    return (await run('git', [...args], { cwd: this.#folder, env: this.#env, maxBuffer: 64 * 1024 * 1024 })).stdout;
  }

  /** Puts a tree into the folder, and nothing else. */
  async checkout(tree: string): Promise<void> {
    await this.run(['read-tree', '--reset', '-u', tree]);
    await this.run(['clean', '-fdqx']);
  }

  /** The tree of the files in the folder, ignored ones included. */
  async tree(): Promise<string> {
    await this.run(['add', '-A', '-f', '.']);
    return (await this.run(['write-tree'])).trim();
  }

  /** Applies a patch after `--check`; both must succeed. */
  async apply(patch: string, reverse = false): Promise<void> {
    const back = reverse ? ['-R'] : [];
    await this.run(['apply', '--check', '--whitespace=nowarn', ...back, path.resolve(patch)]);
    await this.run(['apply', '--whitespace=nowarn', ...back, path.resolve(patch)]);
  }
}
