import { whyNoStop } from '../../shared/can-stand.ts';
import { wordsOfDoing } from '../../shared/doing.ts';
import { type Reason, reason } from '../../shared/errors.ts';
import type { Thread } from '../../shared/model.ts';
import { leaseKeyOf } from './journal.ts';
import { leaseHolder } from './lease.ts';
import type { Situation } from './situation.ts';

/** The turn has to end first, whatever the travel. */
export function notIdle({ thread }: Situation): Reason | null {
  return thread.status === 'running' || thread.status === 'waiting' ? reason('NOT_IDLE') : null;
}

/** Something else than the thread's own state stands in the way of every travel: a program at work, a travel that a crash left open. */
export async function occupied({ context, fs, open, unread }: Situation): Promise<Reason | null> {
  if (unread !== null) return unread;
  for (const record of open) {
    const holder = await leaseHolder(fs, context.ownData, leaseKeyOf(record));
    // Not interrupted: another process is in the middle of it, for this thread in another folder.
    if (holder !== null && holder.pid !== process.pid)
      return reason('LEASE_HELD', { path: record.root ?? record.thread, pid: holder.pid, doing: wordsOfDoing(holder.doing) });
  }
  if (open.length > 0) return reason('INTERRUPTED');
  const sign = await context.thread.reader.liveSign();
  return sign === null ? null : reason('LOG_LIVE', { sign });
}

/** Why nothing may be added to the agent's log; null for a thread whose messages only we hide. */
export async function logRefusal({ context, thread }: Situation): Promise<Reason | null> {
  if (thread.keeps === 'overlay') return null;
  const { writer, recall } = context.thread.reader;
  if (recall !== undefined) return recall.refusal();
  if (writer === null) return reason('NOT_SUPPORTED', { what: 'Hiding messages' });
  return (await writer.refusals())[0] ?? null;
}

/** Why the conversation cannot stand at the stop; null when it can. */
export function standRefusal(thread: Thread, stop: number): Reason | null {
  if (stop === 0) return thread.keeps === 'log' ? reason('STOP_FIRST_MESSAGE') : null;
  const at = thread.messages.findIndex((one) => one.stop === stop);
  return at < 0 ? reason('STOP_DROPPED') : whyNoStop(thread.messages, at);
}

/** Why files cannot be written at all: no workspace. */
export function workspaceRefusal({ context }: Situation): Reason | null {
  return context.thread.root === null ? (context.thread.rootReason ?? reason('UNKNOWN_WORKSPACE')) : null;
}

/** Why a revert that stands cannot be taken back, or that there is none. */
export function standingRefusal({ standing, thread, records, context }: Situation): Reason | null {
  if (standing?.by === 'other') {
    return reason('NOT_SUPPORTED', { what: 'Taking back a revert that the agent made', cause: 'only the agent can write to its store' });
  }
  if (standing !== null && thread.standing !== null) return null;
  if (context.thread.reader.recall !== undefined) {
    const recalled = thread.messages.some((message) => message.hidden?.reason === 'recalled');
    return reason(recalled ? 'RECALL_FINAL' : 'NO_STANDING_REVERT');
  }
  const last = records.findLast((record) => record.messages.how !== 'none');
  return last?.kind === 'revert' ? reason('REVERT_FINAL') : reason('NO_STANDING_REVERT');
}

/** Why a planned recall cannot be dropped; the agent's log is not touched, so only files that come back ask whether somebody is at work. */
export async function dropRefusal(situation: Situation, withFiles: boolean): Promise<Reason | null> {
  if (situation.unread !== null) return situation.unread;
  if (situation.open.length > 0) return reason('INTERRUPTED');
  return withFiles ? ((await occupied(situation)) ?? workspaceRefusal(situation)) : null;
}
