import { reason } from '../../../shared/errors.ts';
import type { Message, Thread, ThreadHead, Turn } from '../../../shared/model.ts';
import { placeBehind } from '../log-lines.ts';
import { JsonlLog } from './jsonl-log.ts';
import { LogFold } from './log-fold.ts';
import type { Entry } from './message-entry.ts';
import { type JsonObject, numberField, type RecordAt, textField } from './record.ts';
import { type ThreadModel, threadModel } from './thread-model.ts';

/** Smaller logs are read as a whole just as soon. */
const LARGE = 6 << 20;
/** The end is read in pieces of growing size until it has enough messages. */
const FIRST_PIECE = 1 << 20;
const LAST_PIECE = 16 << 20;
const ENOUGH = 50;

const STOP_READING = reason('LOG_READING');

/**
 * A fold of the last records only. The harness counts messages from the start (`formats/tanstack.md`, transcript and fold), so
 * the first record of the transcript says how many came before; positions are taken from there.
 */
class TailFold extends LogFold {
  /** How many messages come before the first one here; null before that is known. */
  base: number | null = null;
  /** Something that speaks about messages before the end, so that its meaning is not known. */
  unsure = false;

  override apply(record: JsonObject, at: RecordAt): void {
    const type = textField(record, 'type');
    const own = (textField(record, 'thread') ?? this.logId) === this.threadId;
    if (own && type === 'tanstack.compaction') this.unsure = true;
    const keep = own && type === 'harness.transcript' ? numberField(record, 'keep') : null;
    if (keep === null) {
      super.apply(record, at);
      return;
    }
    this.base = Math.min(this.base ?? keep, keep);
    super.apply({ ...record, keep: keep - this.base }, at);
  }

  /** A standing revert whose message lies before the end. */
  get hidesMore(): boolean {
    const { revert, transcript } = this.thread;
    return revert !== null && !transcript.live.some((entry) => entry.content.id === revert.messageId);
  }
}

/** The last messages of a log with the ways back to where they lie. */
export interface TailModel extends ThreadModel {
  from: number;
  size: number;
}

/** Turns and steps are counted from the start of the log, so here they have names of their own. */
const tailStep = (id: string): string => `tail:${id}`;

function shifted(model: ThreadModel, base: number): { thread: Thread; rows: Map<string, Entry> } {
  const { thread } = model;
  const by = (stop: number | null): number | null => (stop === null ? null : stop + base);
  const rows = new Map<string, Entry>();
  const named = (id: string): string => (id.startsWith('#') ? `tail${id}` : id);
  for (const [id, entry] of model.rows) rows.set(named(id), entry);
  const messages = thread.messages.map((message): Message => {
    const step = message.step === null ? null : tailStep(message.step);
    return { ...message, id: named(message.id), stop: by(message.stop), step, canStand: message.canStand === true ? true : STOP_READING };
  });
  const turns = thread.turns.map(
    (turn): Turn => ({ ...turn, steps: turn.steps.map(tailStep), firstStop: by(turn.firstStop), lastStop: by(turn.lastStop) }),
  );
  const steps = thread.steps.map((step) => ({ ...step, id: tailStep(step.id), stop: by(step.stop) }));
  const standing = thread.standing && { ...thread.standing, stop: thread.standing.stop + base };
  return { thread: { ...thread, messages, turns, steps, standing, gaps: [], bad: [] }, rows };
}

async function foldFrom(file: string, offset: number, ids: { threadId: string; logId: string }, signal?: AbortSignal) {
  const place = await placeBehind(file, offset);
  if (place === null) return null;
  const log = new JsonlLog(file);
  log.place = place;
  let restarted = false;
  const fold = new TailFold({ ...ids, root: null });
  await log.read(
    {
      fold,
      restart: () => {
        restarted = true;
      },
    },
    signal,
  );
  return restarted || log.size === null ? null : { fold, from: place.offset, size: log.size };
}

/**
 * The last messages of a large log, at least fifty where they are there. Null when the log is small, or when its end does not
 * tell what it means: then everything has to be read. Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED.
 */
export async function tailModel(
  file: string,
  options: { head: ThreadHead; logId: string; size: number; signal?: AbortSignal | undefined },
): Promise<TailModel | null> {
  const { head, logId, size, signal } = options;
  if (size < LARGE) return null;
  for (let piece = FIRST_PIECE; piece <= LAST_PIECE && piece < size / 2; piece *= 4) {
    const end = await foldFrom(file, size - piece, { threadId: head.threadId, logId }, signal);
    if (end === null || end.fold.unsure) return null;
    const { fold } = end;
    if (fold.thread.transcript.live.length < ENOUGH && piece < LAST_PIECE) continue;
    if (fold.base === null || fold.hidesMore || fold.thread.transcript.live.length === 0) return null;
    const model = await threadModel(fold, { head, status: 'unknown', notices: [], interrupts: fold.thread.events.interrupts });
    return { ...shifted(model, fold.base), calls: model.calls, from: end.from, size: end.size };
  }
  return null;
}
