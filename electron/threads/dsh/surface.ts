import { type DshEvent, fields, list, replacedRange, text } from './dsh-event.ts';

const SURFACE_TYPES = new Set(['system/message', 'user/message', 'assistant/message', 'tool/result', 'developer/message']);

/** Do events of this type stand on the surface? */
export const isSurfaceType = (type: string): boolean => SURFACE_TYPES.has(type);

/** Is this event part of what the model sees? */
export const isSurface = (event: DshEvent): boolean => isSurfaceType(event.type) && event.surfaceOp !== undefined;

/** The message object of a surface event: `user/message` is the message itself, the others carry it. */
export function messageOf(event: DshEvent): Readonly<Record<string, unknown>> {
  const data = fields(event.data);
  return event.type === 'user/message' ? data : fields(data['message']);
}

/** A lid that took a message back: an empty system message whose id starts with `recall:` and that replaces a range. */
export function isRecall(event: DshEvent): boolean {
  const message = messageOf(event);
  return (
    event.type === 'system/message' &&
    (text(message['id']) ?? '').startsWith('recall:') &&
    list(message['content']).length === 0 &&
    replacedRange(event) !== null
  );
}

/** Why a node left the surface, and which event put it away. */
export interface Shadow {
  by: number;
  reason: 'recalled' | 'compacted';
}

/** What the model sees: sequence numbers in order, and what became of those that left. */
export interface Surface {
  nodes: number[];
  shadowed: Map<number, Shadow>;
}

/**
 * Folds the surface (formats/dsh.md, surface): append pushes, replace takes the range between its two ends (in list order) out and
 * stands in its place. A replacement whose ends are not on the surface changes nothing here; the validator names it.
 */
export function foldSurface(events: readonly DshEvent[]): Surface {
  const surface: Surface = { nodes: [], shadowed: new Map() };
  for (const event of events) if (isSurface(event)) applyToSurface(surface, event);
  return surface;
}

/** One step of the fold. */
export function applyToSurface(surface: Surface, event: DshEvent): void {
  const range = replacedRange(event);
  if (range === null) {
    surface.nodes.push(event.seq);
    return;
  }
  const [from, to] = [surface.nodes.indexOf(range.start), surface.nodes.indexOf(range.end)];
  if (from < 0 || to < from) return;
  const removed = surface.nodes.splice(from, to - from + 1, event.seq);
  const reason = isRecall(event) ? 'recalled' : 'compacted';
  for (const seq of removed) surface.shadowed.set(seq, { by: event.seq, reason });
}
