import type { ThreadStatus } from '../../../shared/model.ts';
import { MOVING_MS } from '../last-write.ts';
import { revertMarker } from './revert-marker.ts';
import type { MessageRow, SessionData } from './rows.ts';

/** An answer that has not ended and was touched this recently is being written; a model or a command can be silent for minutes. */
const SILENT_MS = 10 * 60_000;
/** A prompt without an answer waits for its first one only this long. */
const UNANSWERED_MS = 60_000;

/** The last prompt or answer of the conversation. */
function lastOf(data: SessionData): MessageRow | undefined {
  return data.messages.findLast((message) => message.gone === null && message.role !== 'system');
}

/** True when the last answer has no end: it is being written, or a crash cut it off. */
export function endsOpen(data: SessionData): boolean {
  const last = lastOf(data);
  return last?.role === 'assistant' && last.completedAt === null && last.error === null;
}

/**
 * Whether the agent works on a session. The store has no mark for it: an answer without an end is a running one, or what a crash
 * left behind, and only time tells which. `lastWrite` is when the store itself was last written.
 */
export function sessionStatus(data: SessionData, lastWrite: number | null, now: number): ThreadStatus {
  const last = lastOf(data);
  if (!last || revertMarker(data.session.revert) !== null) return 'idle';
  const within = (time: number | null, span: number): boolean => time !== null && Math.abs(now - time) < span;
  if (last.role === 'user') return within(data.updatedAt, UNANSWERED_MS) ? 'running' : 'idle';
  if (!endsOpen(data)) {
    // A step that called tools is followed by another one: in between, nothing is open.
    return last.error === null && last.finish === 'tool-calls' && within(last.completedAt, MOVING_MS) ? 'running' : 'idle';
  }
  if (!within(data.updatedAt, SILENT_MS) && !within(lastWrite, MOVING_MS)) return 'idle';
  return last.parts.some((part) => part.kind === 'tool' && part.call.asks && part.call.status === 'running') ? 'waiting' : 'running';
}
