import type { Stats } from 'node:fs';
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

async function openFile(path: Buffer, flags: number, mode?: number): Promise<OpenFile> {
  const handle = await node.open(path, flags, mode);
  return {
    fd: handle.fd,
    write: (bytes) => handle.writeFile(bytes),
    chmod: (bits) => handle.chmod(bits),
    sync: () => handle.sync(),
    stat: () => handle.stat(),
    close: () => handle.close(),
  };
}

/** The machine's own files. */
export const nodeFileSystem: FileSystem = {
  open: openFile,
  lstat: (path) => node.lstat(path),
  readFile: (path) => node.readFile(path),
  readdir: (path) => node.readdir(path, { encoding: 'buffer' }),
  mkdir: (path, mode) => node.mkdir(path, { mode }).then(() => undefined),
  rmdir: (path) => node.rmdir(path),
  symlink: (target, path) => node.symlink(target, path),
  link: (from, to) => node.link(from, to),
  rename: (from, to) => node.rename(from, to),
  unlink: (path) => node.unlink(path),
  async free(path) {
    const { bavail, bsize } = await node.statfs(path);
    return bavail * bsize;
  },
};
