import type { BadRecord } from '../../../shared/model.ts';
import { INPUT_TYPES, Inputs } from './inputs.ts';
import { type JsonObject, type RecordAt, textField } from './record.ts';
import { isUnknownHarnessType, ThreadFold } from './thread-fold.ts';

const MOST_BAD = 1000;

/** A log of one thread, or of several that share it: each record goes to the thread it names (`formats/tanstack.md`, shared logs). */
export class LogFold {
  readonly thread: ThreadFold;
  readonly threadId: string;
  readonly logId: string;
  /** Unknown types of the harness with how often they came. */
  readonly unknown = new Map<string, number>();
  /** Inputs of the other threads of this log. */
  readonly others = new Map<string, Inputs>();
  /** The first position that the log still has; null while it is empty. */
  first: number | null = null;
  /** The last position. */
  seq = 0;
  readonly #bad: BadRecord[] = [];
  #moreBad = { lines: 0, bytes: 0, line: 0 };

  constructor(options: { threadId: string; logId: string; root: string | null }) {
    this.threadId = options.threadId;
    this.logId = options.logId;
    this.thread = new ThreadFold(options.root);
  }

  apply(record: JsonObject, at: RecordAt): void {
    this.count(at.seq, 1);
    const type = textField(record, 'type') ?? '';
    if (isUnknownHarnessType(type)) this.unknown.set(type, (this.unknown.get(type) ?? 0) + 1);
    const thread = textField(record, 'thread') ?? this.logId;
    if (thread === this.threadId) this.thread.apply(record, at);
    else if (INPUT_TYPES.has(type)) this.#inputsOf(thread).apply(type, record);
  }

  /** Records were there but change nothing. `seq` is the position of the first of them. */
  count(seq: number, records: number): void {
    this.first ??= seq;
    this.seq = seq + records - 1;
  }

  /** Something that could not be read: a visible row. After the first thousand only their number is kept. */
  addBad(bad: BadRecord): void {
    if (this.#bad.length < MOST_BAD) this.#bad.push(bad);
    else this.#moreBad = { lines: this.#moreBad.lines + 1, bytes: this.#moreBad.bytes + bad.bytes, line: bad.line };
  }

  get bad(): BadRecord[] {
    const { lines, bytes, line } = this.#moreBad;
    return lines === 0 ? [...this.#bad] : [...this.#bad, { line, bytes, why: `${lines} more lines cannot be read` }];
  }

  #inputsOf(thread: string): Inputs {
    const known = this.others.get(thread) ?? new Inputs();
    this.others.set(thread, known);
    return known;
  }
}
