import { access, constants, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Reason, reason, TurnbackError } from '../../../shared/errors.ts';
import { readRegular } from '../../snapshots/regular-file.ts';
import { grows } from '../growth.ts';
import { logError } from '../log-lines.ts';
import type { LogRecord } from '../source.ts';
import { appendLine, isUnmoved, withdrawPiece } from './jsonl-append.ts';
import { JsonlLog } from './jsonl-log.ts';
import { LogFold } from './log-fold.ts';
import { metadataLookup, NO_METADATA, type ThreadMetadata, threadMetadata } from './metadata.ts';
import { isObject, type JsonObject } from './record.ts';
import { recorderSign } from './recorder-lease.ts';
import type { TanstackStore } from './store.ts';

const MOST_METADATA = 64 << 20;
/** Logs that rest longer than this belong to no turn that runs. */
const RECENT_MS = 10 * 60_000;
const MOST_NEIGHBOURS = 50;

/** The folder that holds `sessions`, metadata and snapshots. */
export function saveFolder(log: string): string {
  const folder = path.dirname(log);
  return path.basename(folder) === 'sessions' ? path.dirname(folder) : folder;
}

/** The id of a log: its file name, decoded (`formats/tanstack.md`, JSONL layout). A name that was never encoded is taken as it is. */
export function logIdOfFile(file: string): string {
  const name = path.basename(file).replace(/\.jsonl$/i, '');
  try {
    return decodeURIComponent(name);
  } catch {
    // A stray percent sign: somebody renamed the file.
    return name;
  }
}

/** The two levels of `metadata.json` beside the sessions; empty when there is none. Throws LOG_UNREADABLE when it is damaged. */
export async function readMetadata(save: string): Promise<JsonObject> {
  const file = path.join(save, 'metadata.json');
  try {
    const parsed: unknown = JSON.parse((await readRegular(file, MOST_METADATA)).toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch (error) {
    const wrapped = logError(file, error);
    if (wrapped.code === 'NOT_FOUND') return {};
    throw wrapped;
  }
}

/** Names the present state of the metadata file, so that it is not parsed again for every line of the log. */
async function metadataMark(save: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path.join(save, 'metadata.json'));
    return `${ino}:${size}:${mtimeMs}`;
  } catch (error) {
    return `none: ${logError(save, error).code}`;
  }
}

/** A thread in a JSONL file. */
export class JsonlStore implements TanstackStore {
  readonly input: JsonlLog;
  readonly writable = true;
  metadata: ThreadMetadata = NO_METADATA;
  readonly root = null;
  readonly interrupts = null;
  readonly leased = false;
  /** The metadata file is there but cannot be read. */
  damaged: Reason | null = null;
  readonly #threadId: string;
  readonly #save: string;
  #mark: string | null = null;

  constructor(log: string, threadId: string) {
    this.input = new JsonlLog(log);
    this.#threadId = threadId;
    this.#save = saveFolder(log);
  }

  get snapshotFolders(): string[] {
    return [path.join(this.#save, 'snapshots'), path.join(path.dirname(this.#save), 'snapshots')];
  }

  async prepare(): Promise<void> {
    const mark = await metadataMark(this.#save);
    if (mark === this.#mark) return;
    this.#mark = mark;
    this.damaged = null;
    try {
      this.metadata = threadMetadata(this.#threadId, metadataLookup(await readMetadata(this.#save)));
    } catch (error) {
      if (!(error instanceof TurnbackError)) throw error;
      this.damaged = error.reason;
      this.metadata = NO_METADATA;
    }
  }

  watch(): string[] {
    return [this.input.path, path.join(this.#save, 'metadata.json')];
  }

  async liveSign(root: string | null): Promise<string | null> {
    const recorder = await recorderSign(this.input.path);
    if (recorder !== null) return recorder;
    if (await grows([this.input.path])) return 'the log grows';
    return this.#neighbourSign(root);
  }

  /** A turn that runs in another log of the same app and may work in the same folder. */
  async #neighbourSign(root: string | null): Promise<string | null> {
    const folder = path.dirname(this.input.path);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.jsonl') && path.join(folder, name) !== this.input.path);
    const values = this.damaged === null ? metadataLookup(await readMetadata(this.#save)) : () => undefined;
    let looked = 0;
    for (const name of names) {
      const file = path.join(folder, name);
      const { mtimeMs } = await stat(file);
      if (Math.abs(Date.now() - mtimeMs) > RECENT_MS || looked >= MOST_NEIGHBOURS) continue;
      looked += 1;
      const id = logIdOfFile(file);
      const sign = await workSign(file, id, threadMetadata(id, values).root, root);
      if (sign !== null) return sign;
    }
    return null;
  }

  async refusals(): Promise<Reason[]> {
    try {
      await access(this.input.path, constants.W_OK);
      return [];
    } catch (error) {
      return [reason('LOG_READ_ONLY', { path: this.input.path, cause: error instanceof Error ? error.message : String(error) })];
    }
  }

  position(): string {
    const { place } = this.input;
    return place === null ? '' : `${place.identity}:${place.offset}`;
  }

  async unmoved(): Promise<boolean> {
    const { place, path: file } = this.input;
    try {
      return place !== null && (await isUnmoved(file, place));
    } catch (error) {
      throw logError(file, error);
    }
  }

  async append(batch: readonly LogRecord[]): Promise<void> {
    const { place, path: file } = this.input;
    if (place === null) throw new TurnbackError('LOG_MOVED');
    await appendLine(file, place, batch);
  }

  async withdraw(position: string, batch: readonly LogRecord[]): Promise<void> {
    const colon = position.lastIndexOf(':');
    await withdrawPiece(this.input.path, { identity: position.slice(0, colon), offset: Number(position.slice(colon + 1)) }, batch);
  }
}

/** Work that has not ended in another log, when it is in the same workspace or may be. */
async function workSign(file: string, id: string, theirs: string | null, ours: string | null): Promise<string | null> {
  const log = new JsonlLog(file);
  const sink = { fold: new LogFold({ threadId: id, logId: id, root: theirs }), restart: () => undefined };
  await log.read(sink);
  const root = theirs ?? sink.fold.thread.workspace?.root ?? null;
  if (root !== null && ours !== null && path.resolve(root) !== path.resolve(ours)) return null;
  return sink.fold.thread.status === 'running' ? `a turn of the thread ${id} is running in this workspace` : null;
}
