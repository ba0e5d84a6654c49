import path from 'node:path';
import { z } from 'zod';
import { reason } from '../../shared/errors.ts';
import type { HiddenReason, Message, Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { FileSystem } from './file-system.ts';
import { keyOf, readOwn, removeOwn, writeOwn } from './own-files.ts';
import { readKept } from './read-kept.ts';

const rangeSchema = z.object({
  /** The message that stays, null for none; what comes after it, up to and with `lastMessageId`, is hidden. */
  messageId: z.string().nullable(),
  lastMessageId: z.string(),
});
type Range = z.infer<typeof rangeSchema>;

/**
 * What Turnback hides of a thread whose agent has no such thing: a revert that stands, and those that a later prompt made final.
 * It is our view alone; the agent's memory is what it was.
 */
const overlaySchema = z.object({
  version: z.literal(1),
  thread: z.string(),
  standing: rangeSchema.extend({ stop: z.number(), entry: z.string(), at: z.number() }).nullable(),
  final: z.array(rangeSchema),
});
export type Overlay = z.infer<typeof overlaySchema>;

const fileOf = (ownData: string, thread: string): string => path.join(ownData, 'overlay', `${keyOf(thread)}.json`);

/** The overlay of a thread of which nothing is hidden. */
export const emptyOverlay = (thread: string): Overlay => ({ version: 1, thread, standing: null, final: [] });

/** The overlay's file as it is, for putting it back; null when there is none. */
export function readOverlayText(fs: FileSystem, ownData: string, thread: string): Promise<string | null> {
  return readOwn(fs, fileOf(ownData, thread));
}

/** The overlay of a thread. Throws HISTORY_UNREADABLE. */
export async function readOverlay(fs: FileSystem, ownData: string, thread: string): Promise<Overlay> {
  return (await readKept(fs, fileOf(ownData, thread), overlaySchema)) ?? emptyOverlay(thread);
}

/** Puts an overlay in place whole; null removes it. */
export async function writeOverlay(fs: FileSystem, ownData: string, thread: string, text: string | null): Promise<void> {
  if (text === null) await removeOwn(fs, fileOf(ownData, thread));
  else await writeOwn(fs, fileOf(ownData, thread), text);
}

function indexesOf(messages: readonly Message[], range: Range): { after: number; last: number } | null {
  const after = range.messageId === null ? -1 : messages.findIndex((message) => message.id === range.messageId);
  const last = messages.findLastIndex((message) => message.id === range.lastMessageId);
  return (range.messageId !== null && after < 0) || last < after ? null : { after, last };
}

/** A revert that stood becomes final with the first prompt after the messages that it knew. */
export function settledOverlay(overlay: Overlay, messages: readonly Message[]): Overlay {
  const { standing } = overlay;
  if (standing === null) return overlay;
  const at = indexesOf(messages, standing);
  const prompt = at !== null && messages.some((message, index) => index > at.last && message.role === 'user');
  if (at !== null && !prompt) return overlay;
  const { messageId, lastMessageId } = standing;
  return { ...overlay, standing: null, final: at === null ? overlay.final : [...overlay.final, { messageId, lastMessageId }] };
}

/** The thread as our overlay shows it. `files`: the paths that the standing revert's travels wrote. */
export function withOverlay(thread: Thread, overlay: Overlay, files: readonly TreePath[] | null): Thread {
  const { standing, final } = settledOverlay(overlay, thread.messages);
  if (standing === null && final.length === 0) return thread;
  const hidden = new Map<number, HiddenReason>();
  const hide = (range: Range, why: HiddenReason): void => {
    const at = indexesOf(thread.messages, range);
    if (at === null) return;
    for (let index = at.after + 1; index <= at.last; index++) hidden.set(index, why);
  };
  for (const range of final) hide(range, 'dropped');
  if (standing !== null) hide({ ...standing, lastMessageId: thread.messages.at(-1)?.id ?? standing.lastMessageId }, 'reverted');
  const messages = thread.messages.map((message, index) => {
    const why = hidden.get(index);
    if (why === undefined || message.hidden !== null) return message;
    const canStand = why === 'dropped' ? reason('STOP_DROPPED') : message.canStand;
    return { ...message, hidden: { reason: why }, canStand };
  });
  const byStop = new Map(messages.flatMap((message) => (message.stop === null ? [] : [[message.stop, message.hidden] as const])));
  const steps = thread.steps.map((step) => {
    const why = step.stop === null || step.hidden !== null ? null : byStop.get(step.stop);
    return why ? { ...step, hidden: why } : step;
  });
  const turns = thread.turns.map((turn) => {
    const own = messages.filter((message) => message.turn === turn.index);
    const first = own[0]?.hidden ?? null;
    return turn.hidden === null && first !== null && own.every((message) => message.hidden !== null) ? { ...turn, hidden: first } : turn;
  });
  const count = messages.filter((message) => message.hidden?.reason === 'reverted').length;
  const shown = standing && {
    messageId: standing.messageId ?? '',
    stop: standing.stop,
    hidden: count,
    files: files && [...files],
    now: null,
  };
  return { ...thread, messages, steps, turns, standing: shown };
}
