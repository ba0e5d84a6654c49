import { stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { BadRecord } from '../../../shared/model.ts';
import type { Loose } from '../loose.ts';
import { messageRow, withParts } from './message-rows.ts';
import { Pace } from './pace.ts';
import { type PartFacts, partFacts } from './part-facts.ts';
import { inOrder, latest, type MessageRow, type RawPart, type SessionData, type SessionStore } from './rows.ts';
import { few, namesIn, readRecord, storedSession, storedSessions } from './storage-files.ts';

/** Parts of the newest message that are watched one by one. */
const NEWEST_PARTS = 50;

interface KnownFile<T> {
  mark: string;
  value: T;
  bad: BadRecord | null;
}

/** A session in the JSON tree of versions before 1.2 (formats/opencode 1.4). Files that did not change are not read again. */
export class StorageStore implements SessionStore {
  readonly #file: string;
  readonly #storage: string;
  readonly #id: string;
  #messages = new Map<string, KnownFile<MessageRow>>();
  #parts = new Map<string, KnownFile<PartFacts>>();
  #mark: string | null = null;

  constructor(options: { file: string; id: string }) {
    this.#file = options.file;
    this.#storage = path.dirname(path.dirname(path.dirname(options.file)));
    this.#id = options.id;
  }

  async read(signal?: AbortSignal): Promise<SessionData | null> {
    const pace = new Pace(signal);
    const messageFiles = (await namesIn(this.#messageFolder, '.json')).map((name) => path.join(this.#messageFolder, name));
    // Parts without a message file are what a revert left behind: they belong to nothing (formats/opencode 1.4).
    const partFiles = (await few(messageFiles, (file) => this.#partFiles(idOf(file)))).flat();
    const marks = new Map(await few([this.#file, ...messageFiles, ...partFiles], async (file) => [file, await markOf(file)] as const));
    const mark = [...marks].flat().join(' ');
    if (mark === this.#mark) return null;
    const session = await storedSession(this.#storage, this.#file);
    if (session === null) throw new TurnbackError('LOG_UNREADABLE', { path: this.#file, cause: 'it holds no session' });
    this.#messages = await again(this.#messages, messageFiles, marks, pace, (record, file) => messageRow(idOf(file), null, record));
    this.#parts = await again(this.#parts, partFiles, marks, pace, (record) => partFacts(record));
    const byMessage = Map.groupBy(this.#parts, ([file]) => path.basename(path.dirname(file)));
    const rows = [...this.#messages.values()].map(({ value }) =>
      withParts(
        value,
        (byMessage.get(value.id) ?? []).map(([, part]) => part.value),
      ),
    );
    const { sessions } = await storedSessions(this.#storage);
    this.#mark = mark;
    return {
      session,
      messages: inOrder(rows),
      children: new Set(sessions.filter((other) => other.session.parentId === this.#id).map((other) => other.session.id)),
      updatedAt: latest(session.updatedAt, ...[...marks.values()].map((one) => timeOf(one))),
      bad: [...this.#messages.values(), ...this.#parts.values()].flatMap(({ bad }) => bad ?? []),
    };
  }

  async parts(messageId: string): Promise<RawPart[]> {
    if (!this.#messages.has(path.join(this.#messageFolder, `${messageId}.json`))) return [];
    return few(await this.#partFiles(messageId), async (file) => {
      const read = await readRecord(file);
      return { id: idOf(file), json: 'text' in read ? read.text : '' };
    });
  }

  /** The newest message's parts, too: a running call is rewritten in place, which no folder shows. */
  watch(): string[] {
    const newest = [...this.#messages.keys()].at(-1);
    if (newest === undefined) return [this.#file, this.#messageFolder];
    const folder = path.join(this.#storage, 'part', idOf(newest));
    const parts = [...this.#parts.keys()].filter((file) => path.dirname(file) === folder).slice(-NEWEST_PARTS);
    return [this.#file, this.#messageFolder, newest, folder, ...parts];
  }

  async close(): Promise<void> {
    this.#messages.clear();
    this.#parts.clear();
  }

  get #messageFolder(): string {
    return path.join(this.#storage, 'message', path.basename(this.#id));
  }

  async #partFiles(messageId: string): Promise<string[]> {
    const folder = path.join(this.#storage, 'part', messageId);
    return (await namesIn(folder, '.json')).map((name) => path.join(folder, name));
  }
}

const idOf = (file: string): string => path.basename(file, '.json');

async function markOf(file: string): Promise<string> {
  try {
    const found = await stat(file, { bigint: true });
    return `${found.size}.${found.mtimeNs}`;
  } catch {
    // Removed between the listing and now: a change, told apart from every real mark.
    return 'gone';
  }
}

/** Milliseconds of a mark. */
const timeOf = (mark: string): number | null => (mark === 'gone' ? null : Number(BigInt(mark.split('.')[1] ?? '0') / 1_000_000n));

async function again<T>(
  before: ReadonlyMap<string, KnownFile<T>>,
  files: readonly string[],
  marks: ReadonlyMap<string, string>,
  pace: Pace,
  make: (record: Loose, file: string) => T,
): Promise<Map<string, KnownFile<T>>> {
  const read = await few(files, async (file): Promise<[string, KnownFile<T>]> => {
    const mark = marks.get(file) ?? 'gone';
    const known = before.get(file);
    if (known?.mark === mark) return [file, known];
    if (pace.due) await pace.rest();
    const answer = await readRecord(file);
    if ('record' in answer) return [file, { mark, value: make(answer.record, file), bad: null }];
    return [
      file,
      { mark, value: make({}, file), bad: { line: files.indexOf(file) + 1, bytes: answer.bytes, why: `${file}: ${answer.why}` } },
    ];
  });
  return new Map(read);
}
