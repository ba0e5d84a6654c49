import type { Git } from '../../electron/snapshots/git.ts';
import { type FileSystem, nodeFileSystem, type OpenFile } from '../../electron/travel/file-system.ts';

/** What happens at the k-th call: an error once, or the end of the process, after which no call gets through. */
export class Faults {
  /** Every call so far, as words. */
  readonly calls: string[] = [];
  #at = Number.POSITIVE_INFINITY;
  #how: (() => never) | null = null;
  #forever = false;

  /** From 1. `forever`: this call and all later ones fail, as if the process had died. */
  failAt(k: number, how: () => never, forever = false): void {
    this.#at = k;
    this.#how = how;
    this.#forever = forever;
  }

  hit(call: string): void {
    this.calls.push(call);
    const now = this.calls.length;
    if (this.#how && (now === this.#at || (this.#forever && now > this.#at))) this.#how();
  }
}

/** An error as the system gives it. */
export function systemError(code: string): () => never {
  return () => {
    throw Object.assign(new Error(`${code}: injected`), { code });
  };
}

/** The machine's files, every call counted and open to a fault. */
export function faultyFileSystem(faults: Faults): FileSystem {
  const real = nodeFileSystem;
  const guard = async <T>(call: string, work: () => Promise<T>): Promise<T> => {
    faults.hit(call);
    return work();
  };
  const opened = (handle: OpenFile, path: Buffer): OpenFile => ({
    fd: handle.fd,
    write: (bytes) => guard(`write ${path}`, () => handle.write(bytes)),
    chmod: (mode) => guard(`chmod ${path}`, () => handle.chmod(mode)),
    sync: () => guard(`sync ${path}`, () => handle.sync()),
    stat: () => guard(`fstat ${path}`, () => handle.stat()),
    // A close that is not made would only leak in this process; that it fails is told all the same.
    close: async () => {
      await handle.close();
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

/** Git, every start counted and open to a fault. */
export function faultyGit(git: Git, faults: Faults): Git {
  return {
    async run(call) {
      faults.hit(`git ${call.name}`);
      return git.run(call);
    },
    start(call) {
      faults.hit(`git ${call.name}`);
      return git.start(call);
    },
    version: () => git.version(),
  };
}
