import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { isRefusal, type Reason, reason, TurnbackError } from '../../../shared/errors.ts';
import type { RecallBatch, RecallChange, Recaller, RecallList, RecallOffer, RecallSpan } from '../source.ts';
import { appendPrepared, heldOf, notWritable, prepareAppend, withdrawPart } from './append-events.ts';
import type { ChangeLists } from './change-lists.ts';
import type { DshFold } from './dsh-fold.ts';
import type { Generation } from './dsh-layout.ts';
import type { DshLog } from './dsh-log.ts';
import { idOf } from './dsh-messages.ts';
import { cannotTellHolder, lockHolder } from './liveness.ts';
import { effectsIn, type RecallGate, recallGate } from './recall-gate.ts';
import { type RecallRange, rangeOfSpan, recallRange } from './recall-range.ts';
import { spanOf, spanState } from './recall-span.ts';
import { forwardHunks, notRestorable, reverseHunks } from './reverse-hunks.ts';
import { isRecall } from './surface.ts';
import { openStep, tombstoneOf } from './tombstone.ts';

/** What a recaller needs to know of its session, as of the last read. */
export interface RecallerView {
  readonly generation: Generation;
  readonly lists: ChangeLists;
  log(): DshLog;
  fold(): DshFold;
  /** Bytes of the log. */
  length(): number;
}

const UNKNOWN_HOLDER = 'this system does not tell whether somebody holds session.lock';

type GatedList = RecallGate['lists'][number];

/** Recall for one DSH session (formats/dsh.md 6 and 7). */
export class DshRecaller implements Recaller {
  readonly #view: RecallerView;

  constructor(view: RecallerView) {
    this.#view = view;
  }

  get #lock(): string {
    return path.join(path.dirname(this.#view.generation.file), 'session.lock');
  }

  position(): string {
    return `${this.#view.log().length}:${this.#view.length()}`;
  }

  async refusal(): Promise<Reason | null> {
    const { generation } = this.#view;
    const log = this.#view.log();
    const { version } = log.header;
    if (version !== 3 && version !== 4) return reason('UNSUPPORTED_FORMAT', { version });
    if (log.stopped) return reason('LOG_STOPPED', { line: log.stopped.line, cause: log.stopped.why });
    if (log.tornBytes > 0) return reason('LOG_TORN', { bytes: log.tornBytes });
    const broken = this.#view.fold().thread.notices.find((notice) => notice.code === 'LOG_INVALID');
    if (broken) return broken;
    if (this.stepIsOpen() && (await cannotTellHolder(this.#lock))) return reason('LOG_LIVE', { sign: UNKNOWN_HOLDER });
    const cause = await notWritable(generation.file);
    return cause === null ? null : reason('LOG_READ_ONLY', { path: generation.file, cause });
  }

  stepIsOpen(): boolean {
    return openStep(this.#view.log()) !== null;
  }

  async offer(stop: number): Promise<RecallOffer | Reason> {
    const log = this.#view.log();
    const { thread, seqs } = this.#view.fold();
    const at = thread.messages.findIndex((message) => message.stop === stop + 1);
    const [target, seq] = [thread.messages[at], seqs[at]];
    if (target === undefined || seq === undefined) return reason('NOTHING_AFTER');
    if (target.role !== 'user') return reason('STOP_NOT_BEFORE_PROMPT');
    const range = recallRange(log, seq);
    if ('code' in range) return range;
    try {
      const { refusal, lists, sideEffects, held } = await recallGate(range, log.header.id, this.#view.lists);
      // A host gives the lists of sessions that it holds in its memory, and such a one numbers its events itself (formats/dsh.md 5.3, 7).
      const live = held ? 'its DSH host still holds the change lists, so it has the session open' : null;
      return { ...this.#offerOf(range), sideEffects, lists: lists.map((one) => this.#listOf(one)).reverse(), refusal, live };
    } catch (thrown) {
      // A host that was named and does not answer stands in the way like a lost list, but has another way out.
      if (!isRefusal(thrown, 'HOST_UNREACHABLE')) throw thrown;
      return { ...this.#offerOf(range), sideEffects: effectsIn(range), lists: [], refusal: thrown.reason, live: null };
    }
  }

  again(span: RecallSpan): RecallOffer {
    const range = rangeOfSpan(this.#view.log(), span);
    return { ...this.#offerOf(range), span, sideEffects: effectsIn(range), lists: [], refusal: null, live: null };
  }

  #offerOf(range: RecallRange): Pick<RecallOffer, 'span' | 'stop' | 'text' | 'turns' | 'rows'> {
    const { thread, seqs } = this.#view.fold();
    const nodes = new Set(range.nodes);
    const rows = seqs.flatMap((seq, at) => (nodes.has(seq) && thread.messages[at]?.hidden === null ? [at] : []));
    const stop = (thread.messages[seqs.indexOf(range.startSeq)]?.stop ?? 1) - 1;
    return { span: spanOf(this.#view.log(), range), stop, text: range.text, turns: range.turns, rows };
  }

  stateOf(span: RecallSpan): 'waits' | 'ready' | 'done' | 'stale' {
    return spanState(this.#view.log(), this.#view.fold().surface, span);
  }

  async change(list: RecallList, index: number): Promise<RecallChange | Reason> {
    const file = list.files[index]?.path ?? '';
    const diff = await this.#view.lists.diff(this.#view.log().header.id, list.seq, index);
    const no = notRestorable(diff, file);
    if (no !== null) return no;
    if (diff?.kind !== 'text' || diff.path !== file)
      return reason('NOT_RESTORABLE', { path: file, cause: 'the host gave the change of another file' });
    return { takeOut: (now) => reverseHunks(diff, now), putIn: (before) => forwardHunks(diff, before) };
  }

  async prepare(span: RecallSpan, id: string, at: number): Promise<RecallBatch> {
    const batch = await prepareAppend(this.#view.generation, (log) => {
      const events = tombstoneOf(log, span, id, at);
      if ('code' in events) throw TurnbackError.of(events);
      return events;
    });
    if (batch.length !== this.#view.length()) throw new TurnbackError('LOG_MOVED');
    return batch;
  }

  has(id: string): boolean {
    return this.#view.log().events.some((event) => isRecall(event) && idOf(event) === `recall:${id}`);
  }

  async holds(batch: RecallBatch): Promise<'none' | 'part' | 'all' | 'other'> {
    return heldOf(await readFile(this.#view.generation.file), batch);
  }

  async append(batch: RecallBatch): Promise<void> {
    const holder = await lockHolder(this.#lock);
    if (holder !== null) throw new TurnbackError('LOG_LIVE', { sign: `process ${holder} holds session.lock` });
    if (await cannotTellHolder(this.#lock)) throw new TurnbackError('LOG_LIVE', { sign: UNKNOWN_HOLDER });
    await appendPrepared(this.#view.generation, batch);
  }

  withdraw(batch: RecallBatch): Promise<void> {
    return withdrawPart(this.#view.generation, batch);
  }

  #listOf({ turn, seq, summary }: GatedList): RecallList {
    const files = summary.files.map(({ path: file, added, deleted, binary }) => ({
      path: file,
      added,
      removed: deleted,
      binary: binary === true,
    }));
    const recalled = this.#view.fold().thread.turns.find((one) => one.index === turn)?.hidden?.reason === 'recalled';
    return { turn, seq, recalled, total: summary.total, files };
  }
}
