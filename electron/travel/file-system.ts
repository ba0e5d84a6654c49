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

/**
 * Looking at a file takes a few microseconds, and handing the question to another thread several times that: looks are made right
 * away. So are the calls that put a name in place or take one away, so that nothing comes between the last look and the act.
 * Whatever else changes the disk may wait for it and goes to the threads, several at a time.
 */
async function openFile(path: Buffer, flags: number, mode?: number): Promise<OpenFile> {
  const makes = (flags & sync.constants.O_CREAT) !== 0;
  const fd = makes ? await opened(path, flags, mode) : sync.openSync(path, flags, mode);
  return {
    fd,
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += await written(fd, bytes, at);
    },
    chmod: (bits) => settled((done) => sync.fchmod(fd, bits, done)),
    sync: () => settled((done) => sync.fsync(fd, done)),
    stat: async () => sync.fstatSync(fd),
    close: async () => sync.closeSync(fd),
  };
}

function settled(start: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => start((error) => (error ? reject(error) : resolve())));
}

function opened(path: Buffer, flags: number, mode?: number): Promise<number> {
  return new Promise((resolve, reject) => sync.open(path, flags, mode, (error, fd) => (error ? reject(error) : resolve(fd))));
}

function written(fd: number, bytes: Uint8Array, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    sync.write(fd, bytes, at, bytes.length - at, null, (error, count) => (error ? reject(error) : resolve(count)));
  });
}

/** The machine's own files. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  lstat: async (path) => sync.lstatSync(path),
  readFile: (path) => node.readFile(path),
  readdir: (path) => node.readdir(path, { encoding: 'buffer' }),
  mkdir: (path, mode) => node.mkdir(path, { mode }).then(() => undefined),
  rmdir: (path) => node.rmdir(path),
  symlink: (target, path) => node.symlink(target, path),
  link: async (from, to) => sync.linkSync(from, to),
  rename: async (from, to) => sync.renameSync(from, to),
  unlink: async (path) => sync.unlinkSync(path),
  async free(path) {
    const { bavail, bsize } = await node.statfs(path);
    return bavail * bsize;
  },
};
