import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Reason, TurnbackError } from '../../../shared/errors.ts';
import type { ThreadHead } from '../../../shared/model.ts';
import { logError } from '../log-lines.ts';
import { logIdOfFile, readMetadata } from './jsonl-store.ts';
import { parentOf } from './log-head.ts';
import type { LogInput, LogSink } from './log-input.ts';
import { metadataLookup, NO_METADATA, type ThreadMetadata, threadMetadata } from './metadata.ts';
import { type JsonObject, objectField } from './record.ts';
import type { TanstackStore } from './store.ts';

const STEPS = 'plugin:tanstack/snapshots';

/** A `metadata.json` read as the only thing that is left of a thread. */
class MetadataInput implements LogInput {
  readonly path: string;
  readonly torn = 0;
  size: number | null = null;
  modifiedMs: number | null = null;
  #mark = '';

  constructor(file: string) {
    this.path = file;
  }

  async read(sink: LogSink): Promise<boolean> {
    try {
      const { size, mtimeMs, ino } = await stat(this.path);
      const mark = `${ino}:${size}:${mtimeMs}`;
      if (mark === this.#mark) return false;
      this.#mark = mark;
      this.size = size;
      this.modifiedMs = mtimeMs;
    } catch (error) {
      throw logError(this.path, error);
    }
    sink.restart();
    return true;
  }

  async record(): Promise<JsonObject | null> {
    return null;
  }
}

/**
 * A thread of a host that keeps no log: its steps, and a revert that stands, lie in the metadata; its messages are in a store
 * of the app (`formats/tanstack.md`, tolerant reader). It can be looked at, step by step.
 */
export class MetadataStore implements TanstackStore {
  readonly input: MetadataInput;
  readonly writable = false;
  metadata: ThreadMetadata = NO_METADATA;
  readonly root = null;
  readonly interrupts = null;
  readonly leased = false;
  readonly #threadId: string;

  constructor(file: string, threadId: string) {
    this.input = new MetadataInput(file);
    this.#threadId = threadId;
  }

  get snapshotFolders(): string[] {
    const save = path.dirname(this.input.path);
    return [path.join(save, 'snapshots'), path.join(path.dirname(save), 'snapshots')];
  }

  async prepare(): Promise<void> {
    this.metadata = threadMetadata(this.#threadId, metadataLookup(await readMetadata(path.dirname(this.input.path))));
  }

  watch(): string[] {
    return [this.input.path];
  }

  async liveSign(): Promise<string | null> {
    return null;
  }

  async refusals(): Promise<Reason[]> {
    return [];
  }

  position(): string {
    return '';
  }

  async unmoved(): Promise<boolean> {
    return true;
  }

  async append(): Promise<void> {
    throw new TurnbackError('NOT_SUPPORTED', { what: 'Writing to a thread without a log' });
  }

  /** Nothing is ever appended here. */
  async withdraw(): Promise<void> {
    return undefined;
  }
}

async function namesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const wrapped = logError(folder, error);
    if (wrapped.code === 'NOT_FOUND') return [];
    throw wrapped;
  }
}

/** The threads whose steps are in the metadata of a save folder and that have no log in it. */
export async function loglessThreads(save: string): Promise<ThreadHead[]> {
  const file = path.join(save, 'metadata.json');
  const metadata = await readMetadata(save);
  const value = metadataLookup(metadata);
  const logs = new Set((await namesOf(path.join(save, 'sessions'))).map(logIdOfFile));
  const ids = Object.keys(objectField(metadata, STEPS) ?? {}).filter((id) => !logs.has(id) && threadMetadata(id, value).steps.length > 0);
  if (ids.length === 0) return [];
  const { mtimeMs } = await stat(file);
  return ids.map((id) => ({
    id: `tanstack:${id}`,
    source: 'tanstack',
    title: null,
    root: threadMetadata(id, value).root,
    log: file,
    threadId: id,
    parent: parentOf(id),
    updatedAt: mtimeMs,
    size: null,
  }));
}
