import { constants } from 'node:fs';
import { chmod, copyFile, type FileHandle, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import { openRegular } from '../snapshots/regular-file.ts';

const TRIES = 16;
const PREFIX = 'sqlite-';
const STALE_MS = 10 * 60_000;
/** Bytes at the start of a write-ahead log whose salts change when the log starts over. */
const WAL_HEADER = 32;

/** The SQLite of this Node. Throws NO_SQLITE where it has none (before Node 22.13, or left out of a build). */
export async function loadSqlite(): Promise<typeof import('node:sqlite')> {
  try {
    return await import('node:sqlite');
  } catch (error) {
    throw new TurnbackError('NO_SQLITE', {}, { cause: error });
  }
}

interface Part {
  size: bigint;
  mtime: bigint;
  inode: bigint;
  head: string;
}

interface State {
  db: Part;
  wal: Part | null;
  journal: Part | null;
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function partOf(file: string): Promise<Part | null> {
  let handle: FileHandle;
  try {
    handle = await openRegular(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const { size, mtimeNs, ino } = await handle.stat({ bigint: true });
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(WAL_HEADER), 0, WAL_HEADER, 0);
    return { size, mtime: mtimeNs, inode: ino, head: buffer.toString('hex', 0, bytesRead) };
  } finally {
    await handle.close();
  }
}

async function stateOf(dbPath: string): Promise<State> {
  const db = await partOf(dbPath);
  if (db === null) throw new TurnbackError('NOT_FOUND', { path: dbPath });
  return { db, wal: await partOf(`${dbPath}-wal`), journal: await partOf(`${dbPath}-journal`) };
}

const same = (a: Part | null, b: Part | null): boolean =>
  a === null || b === null ? a === b : a.size === b.size && a.mtime === b.mtime && a.inode === b.inode && a.head === b.head;

/**
 * True when a copy made between the two states is whole. The write-ahead log may have grown meanwhile: SQLite takes its
 * frames up to the last complete commit. It must not have started over, and the main file must not have been written.
 */
function isWhole(before: State, after: State): boolean {
  if (!same(before.db, after.db) || !same(before.journal, after.journal)) return false;
  if (before.wal === null || after.wal === null) return before.wal === after.wal;
  return before.wal.inode === after.wal.inode && before.wal.head === after.wal.head && after.wal.size >= before.wal.size;
}

/**
 * Names the present content of a database: equal texts mean that nothing was committed in between.
 * Throws NOT_FOUND where there is no file, LOG_UNREADABLE where it cannot be read.
 */
export async function sqliteFingerprint(dbPath: string): Promise<string> {
  try {
    const { db, wal, journal } = await stateOf(await realpath(dbPath));
    return [db, wal, journal].map((part) => (part === null ? '-' : `${part.inode}.${part.size}.${part.mtime}.${part.head}`)).join(' ');
  } catch (error) {
    throw unreadable(dbPath, error);
  }
}

function unreadable(dbPath: string, error: unknown): TurnbackError {
  if (error instanceof TurnbackError) return error;
  if (isMissing(error)) return new TurnbackError('NOT_FOUND', { path: dbPath });
  return new TurnbackError(
    'LOG_UNREADABLE',
    { path: dbPath, cause: error instanceof Error ? error.message : String(error) },
    { cause: error },
  );
}

async function copyPart(from: string, to: string): Promise<void> {
  try {
    // Where the file system can share the blocks of two files, a copy costs nothing.
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, 0o600);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await rm(to, { force: true });
  }
}

/** The number of a process says little where two containers share the folder; a copy is only in use for seconds. */
async function isOld(folder: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(folder)).mtimeMs > STALE_MS;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Copies of a process that was killed hold conversations; they go away with the next read. */
async function sweep(tmpDir: string): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : Number.NaN;
    if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) continue;
    try {
      process.kill(pid, 0);
    } catch (error) {
      const gone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
      if (gone && (await isOld(path.join(tmpDir, name)))) await rm(path.join(tmpDir, name), { recursive: true, force: true });
    }
  }
}

/**
 * May the main file of an earlier copy be used again? Commits go to the write-ahead log and leave the main file alone until a
 * checkpoint. What was checkpointed into our copy meanwhile are frames that the owner's log still holds, or its main file would
 * be another one. With a rollback journal the main file says nothing by itself.
 */
const isKept = (kept: State | null, now: State): boolean =>
  kept !== null && same(kept.db, now.db) && kept.journal === null && now.journal === null;

/** Gives the state that was copied. */
async function takeCopy(source: string, copy: string, kept: State | null = null): Promise<State> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    if (attempt > 0) await sleep(25 * attempt);
    const before = await stateOf(source);
    // The main file first: pages that a checkpoint moves meanwhile are still in the write-ahead log that is copied next.
    if (!isKept(kept, before)) await copyPart(source, copy);
    for (const suffix of ['-wal', '-journal']) await copyPart(`${source}${suffix}`, `${copy}${suffix}`);
    if (isWhole(before, await stateOf(source))) return before;
    kept = null;
  }
  throw new TurnbackError('LOG_UNREADABLE', { path: source, cause: 'it changed each time it was copied' });
}

function openCopy(sqlite: typeof import('node:sqlite'), copy: string): DatabaseSync {
  const db = new sqlite.DatabaseSync(copy);
  // The schema is a stranger's: no function of it may run code, and a damaged cell is an error, not a crash.
  db.exec('pragma trusted_schema = off; pragma cell_size_check = on; pragma query_only = on;');
  return db;
}

/**
 * Runs `use` on a private copy of a database that another program may hold open: the main file, its write-ahead log and its
 * rollback journal, never the shared-memory file. The owner's files are only read, no lock is taken, nothing is
 * checkpointed. The copy lies in a folder of its own below `tmpDir` (made if missing, 0700) and is gone afterwards.
 *
 * Throws NO_SQLITE, NOT_FOUND, or LOG_UNREADABLE (not a database, damaged, or never still while it was copied).
 */
export async function withSqliteCopy<T>(dbPath: string, tmpDir: string, use: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
  const sqlite = await loadSqlite();
  await mkdir(tmpDir, { recursive: true, mode: 0o700 });
  await sweep(tmpDir);
  const folder = await mkdtemp(path.join(tmpDir, `${PREFIX}${process.pid}-`));
  let db: DatabaseSync | null = null;
  try {
    // SQLite keeps the log beside the file that a link leads to.
    const source = await realpath(dbPath);
    if (!(await stat(source)).isFile()) throw new TurnbackError('LOG_UNREADABLE', { path: dbPath, cause: 'it is not a file' });
    const copy = path.join(folder, 'copy.db');
    await takeCopy(source, copy);
    db = openCopy(sqlite, copy);
    return await use(db);
  } catch (error) {
    throw unreadable(dbPath, error);
  } finally {
    db?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A file that was written this lately may be written again within one tick of the clock, and its time would not tell. */
const RESTING_MS = 2000n;
const isResting = ({ db }: State): boolean => BigInt(Date.now()) - db.mtime / 1_000_000n > RESTING_MS;

/** Reading again rests this many times longer than copying took. */
const REST_TIMES = 10;
const LONGEST_REST = 60_000;
const SHORT_COPY = 100;

/**
 * A private copy of one database that is kept from one use to the next: while only its write-ahead log grew, only that is copied.
 * The rules are those of `withSqliteCopy`; uses come one after the other. `close` removes it.
 */
export class SqliteCopy {
  readonly #dbPath: string;
  readonly #tmpDir: string;
  #folder: string | null = null;
  #state: State | null = null;
  #using: Promise<unknown> = Promise.resolve();
  /** Milliseconds that the last copy of the main file took; 0 when it was not copied. */
  #took = 0;

  constructor(dbPath: string, tmpDir: string) {
    this.#dbPath = dbPath;
    this.#tmpDir = tmpDir;
  }

  /** How long to wait before the next use, so that copying takes a small part of the time. */
  get restMs(): number {
    return this.#took < SHORT_COPY ? 0 : Math.min(this.#took * REST_TIMES, LONGEST_REST);
  }

  /** Throws NO_SQLITE, NOT_FOUND, LOG_UNREADABLE. */
  use<T>(work: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
    const next = this.#using.then(() => this.#use(work));
    this.#using = next.catch(() => undefined);
    return next;
  }

  async #use<T>(work: (db: DatabaseSync) => T | Promise<T>): Promise<T> {
    const sqlite = await loadSqlite();
    let db: DatabaseSync | null = null;
    try {
      const source = await realpath(this.#dbPath);
      if (!(await stat(source)).isFile()) throw new TurnbackError('LOG_UNREADABLE', { path: this.#dbPath, cause: 'it is not a file' });
      const copy = await this.#copy();
      const begin = performance.now();
      const kept = this.#state;
      this.#state = null;
      const state = await takeCopy(source, copy, kept);
      this.#took = isKept(kept, state) ? 0 : performance.now() - begin;
      db = openCopy(sqlite, copy);
      const result = await work(db);
      this.#state = isResting(state) ? state : null;
      return result;
    } catch (error) {
      throw unreadable(this.#dbPath, error);
    } finally {
      db?.close();
    }
  }

  async #copy(): Promise<string> {
    if (this.#folder === null) {
      await mkdir(this.#tmpDir, { recursive: true, mode: 0o700 });
      await sweep(this.#tmpDir);
      this.#folder = await mkdtemp(path.join(this.#tmpDir, `${PREFIX}${process.pid}-`));
      this.#state = null;
    }
    return path.join(this.#folder, 'copy.db');
  }

  async close(): Promise<void> {
    await this.#using;
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    this.#folder = null;
    this.#state = null;
  }
}
