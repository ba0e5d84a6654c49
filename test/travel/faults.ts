import type { Git, GitProcess } from '../../electron/snapshots/git.ts';
import { type FileSystem, nodeFileSystem, type OpenFile } from '../../electron/travel/file-system.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { passing } from './broken-files.ts';

/** What a fault does: throws, or lets a write take only a part. */
export type How = (call: string) => 'short' | undefined;

/** What happens at the k-th call: an error once, or from then on, or the end of the process, after which no call gets through. */
export class Faults {
  /** Every call so far, as words. */
  readonly calls: string[] = [];
  #at = Number.POSITIVE_INFINITY;
  #how: How | null = null;
  #forever = false;

  /** From 1. `forever`: this call and all later ones fail, as if the process had died. */
  failAt(k: number, how: How, forever = false): void {
    this.#at = k;
    this.#how = how;
    this.#forever = forever;
  }

  /** All works again. */
  heal(): void {
    this.#how = null;
  }

  hit(call: string): 'short' | undefined {
    this.calls.push(call);
    const now = this.calls.length;
    const due = now === this.#at || (this.#forever && now > this.#at);
    return this.#how !== null && due ? this.#how(call) : undefined;
  }
}

/** An error as the system gives it. */
export function systemError(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
}

/** A process that is gone from the first call that fits on, or from the `nth` one. */
export class Death extends Faults {
  readonly at: RegExp;
  #left: number;

  constructor(at: RegExp, nth = 1) {
    super();
    this.at = at;
    this.#left = nth;
  }

  override hit(call: string): undefined {
    if (this.#left > 0 && this.at.test(call)) this.#left -= 1;
    if (this.#left === 0) systemError('EDEAD')();
  }
}

/** Calls that put something on the disk, and those among them that need room for it. */
const CHANGES =
  /^(?:fs )?(?:write|writeFile|appendFile|sync|datasync|truncate|copyFile|rename|rm|unlink|link|symlink|mkdir|mkdtemp|rmdir|chmod|utimes) |^git update-ref|^open .*(?:\.tmp|\.turnback-)|^fs open .*(?:\.tmp|tmp_obj|tmp_pack|\.jsonl|session\.v)/;
const NEEDS_ROOM =
  /^(?:fs )?(?:write|writeFile|appendFile|copyFile|symlink|link|mkdir|mkdtemp) |^git update-ref|^open .*(?:\.tmp|\.turnback-)|^fs open .*(?:tmp_obj|tmp_pack|\.tmp)/;
const OPENS = /^(?:fs )?(?:open|openSync|readFile|readdir|readdirSync|readFileSync|mkdtemp|copyFile) |^git /;

/** Troubles that last: the disk stays full, or turns read-only, or no file can be opened any more. What they do not concern works. */
export const LASTING: Readonly<Record<'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EMFILE', How>> = {
  ENOSPC: (call) => (NEEDS_ROOM.test(call) ? failing(call, 'ENOSPC') : undefined),
  EDQUOT: (call) => (NEEDS_ROOM.test(call) ? failing(call, 'EDQUOT') : undefined),
  EROFS: (call) => (CHANGES.test(call) ? failing(call, 'EROFS') : undefined),
  EMFILE: (call) => (OPENS.test(call) ? failing(call, 'EMFILE') : undefined),
};

/** A git that fails says so by its exit; one that cannot be started, by the system's error. */
function failing(call: string, code: string): never {
  if (call.startsWith('git ') && code !== 'EMFILE')
    throw new TurnbackError('GIT_FAILED', { command: call.slice(4), exit: 128, stderr: code });
  return systemError(code)();
}

/** One error of this kind, as whoever makes the call meets it. */
export const once =
  (code: string): How =>
  (call) =>
    failing(call, code);

/** The machine's files, every call counted and open to a fault. */
export function faultyFileSystem(faults: Faults, real: FileSystem = nodeFileSystem): FileSystem {
  const guard = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    if (faults.hit(call) === 'short') throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
    return passing(work);
  };
  const opened = (handle: OpenFile, path: Buffer): OpenFile => ({
    fd: handle.fd,
    async write(bytes) {
      const short = faults.hit(`write ${path}`) === 'short';
      await passing(() => handle.write(short ? bytes.subarray(0, bytes.length >> 1) : bytes));
      // The layer below goes on writing until nothing is taken any more.
      if (short) throw Object.assign(new Error('ENOSPC: injected'), { code: 'ENOSPC' });
    },
    chmod: (mode) => guard(`chmod ${path}`, () => handle.chmod(mode)),
    sync: () => guard(`sync ${path}`, () => handle.sync()),
    stat: () => guard(`fstat ${path}`, () => handle.stat()),
    // A close that is not made would only leak in this process; that it fails is told all the same.
    close: async () => {
      await passing(() => handle.close());
      faults.hit(`close ${path}`);
    },
  });
  return {
    open: (path, flags, mode) => guard(`open ${path}`, async () => opened(await real.open(path, flags, mode), path)),
    lstat: (path) => guard(`lstat ${path}`, () => real.lstat(path)),
    readFile: (path) => guard(`readFile ${path}`, () => real.readFile(path)),
    readdir: (path) => guard(`readdir ${path}`, () => real.readdir(path)),
    mkdir: (path, mode) => guard(`mkdir ${path}`, () => real.mkdir(path, mode)),
    rmdir: (path) => guard(`rmdir ${path}`, () => real.rmdir(path)),
    symlink: (target, path) => guard(`symlink ${path}`, () => real.symlink(target, path)),
    link: (from, to) => guard(`link ${from} ${to}`, () => real.link(from, to)),
    rename: (from, to) => guard(`rename ${from} ${to}`, () => real.rename(from, to)),
    unlink: (path) => guard(`unlink ${path}`, () => real.unlink(path)),
    free: (path) => guard(`free ${path}`, () => real.free(path)),
  };
}

/** Git, every start counted and open to a fault. A process that runs on is one that dies right after its start. */
export function faultyGit(git: Git, faults: Faults): Git {
  return {
    async run(call) {
      faults.hit(`git ${call.name}`);
      return passing(() => git.run(call));
    },
    start(call): GitProcess {
      const said = faults.hit(`git ${call.name}`);
      const started = passing(() => git.start(call));
      if (said === 'short') started.kill();
      return started;
    },
    version: () => git.version(),
  };
}
