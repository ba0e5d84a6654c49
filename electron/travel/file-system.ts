import type { Stats } from 'node:fs';
import * as sync from 'node:fs';
import * as node from 'node:fs/promises';

/** An open file or folder, as far as a travel needs one. */
export interface OpenFile {
  readonly fd: number;
  write(bytes: Uint8Array): Promise<void>;
  chmod(mode: number): Promise<void>;
  sync(): Promise<void>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}

/** Every call that a travel makes on files that it writes. One small layer, so that a test can make each call fail or kill the process at it. */
export interface FileSystem {
  open(path: Buffer, flags: number, mode?: number): Promise<OpenFile>;
  lstat(path: Buffer): Promise<Stats>;
  readFile(path: Buffer): Promise<Buffer>;
  readdir(path: Buffer): Promise<Buffer[]>;
  mkdir(path: Buffer, mode: number): Promise<void>;
  rmdir(path: Buffer): Promise<void>;
  symlink(target: Buffer, path: Buffer): Promise<void>;
  link(from: Buffer, to: Buffer): Promise<void>;
  rename(from: Buffer, to: Buffer): Promise<void>;
  unlink(path: Buffer): Promise<void>;
  /** Bytes that may still be written on the disk that holds the path. */
  free(path: Buffer): Promise<number>;
}

/** Bytes that are written without a thread's help; more would hold up everything else. */
const AT_ONCE = 64 * 1024;

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += sync.writeSync(fd, bytes, at);
}

/**
 * Calls that only look at or change names take a few microseconds, and handing each to another thread several times that: they are
 * made right away. Reading, large writes and making durable, which wait for the disk, go to the threads.
 */
async function openFile(path: Buffer, flags: number, mode?: number): Promise<OpenFile> {
  const fd = sync.openSync(path, flags, mode);
  return {
    fd,
    async write(bytes) {
      if (bytes.length <= AT_ONCE) return writeAll(fd, bytes);
      for (let at = 0; at < bytes.length; ) {
        at += await new Promise<number>((resolve, reject) => {
          sync.write(fd, bytes, at, bytes.length - at, null, (error, written) => (error ? reject(error) : resolve(written)));
        });
      }
    },
    chmod: async (bits) => sync.fchmodSync(fd, bits),
    sync: () => new Promise((resolve, reject) => sync.fsync(fd, (error) => (error ? reject(error) : resolve()))),
    stat: async () => sync.fstatSync(fd),
    close: async () => sync.closeSync(fd),
  };
}

/** The machine's own files. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  lstat: async (path) => sync.lstatSync(path),
  readFile: (path) => node.readFile(path),
  readdir: (path) => node.readdir(path, { encoding: 'buffer' }),
  mkdir: async (path, mode) => void sync.mkdirSync(path, { mode }),
  rmdir: async (path) => sync.rmdirSync(path),
  symlink: async (target, path) => sync.symlinkSync(target, path),
  link: async (from, to) => sync.linkSync(from, to),
  rename: async (from, to) => sync.renameSync(from, to),
  unlink: async (path) => sync.unlinkSync(path),
  async free(path) {
    const { bavail, bsize } = await node.statfs(path);
    return bavail * bsize;
  },
};
