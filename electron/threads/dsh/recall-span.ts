import type { RecallSpan } from '../source.ts';
import { fields } from './dsh-event.ts';
import type { DshLog } from './dsh-log.ts';
import { idOf } from './dsh-messages.ts';
import type { RecallRange } from './recall-range.ts';
import type { Surface } from './surface.ts';
import { openStep } from './tombstone.ts';

/** A range as plain data, so that it can be carried out later than it was made. */
export function spanOf(log: DshLog, range: RecallRange): RecallSpan {
  return {
    targetSeq: range.startSeq,
    targetMessageId: idOf(range.target),
    startSeq: range.startSeq,
    endSeq: range.endSeq,
    nodes: range.nodes,
    logLength: log.events.length,
  };
}

/**
 * What became of a planned span (formats/dsh.md, recall step 11). It fits as long as its nodes stand on the surface as they were and
 * nothing was answered since: at most one turn follows it, and that one is still open. A turn that ended without a step, because its
 * input was rejected, shows the model nothing and does not count.
 */
export function spanState(log: DshLog, surface: Surface, span: RecallSpan): 'waits' | 'ready' | 'done' | 'stale' {
  const target = log.events[span.targetSeq];
  if (target === undefined || log.events.length < span.logLength || idOf(target) !== span.targetMessageId) return 'stale';
  if (surface.shadowed.get(span.targetSeq)?.reason === 'recalled') return 'done';
  const [from, to] = [surface.nodes.indexOf(span.startSeq), surface.nodes.indexOf(span.endSeq)];
  const there = from < 0 ? [] : surface.nodes.slice(from, to + 1);
  if (there.length !== span.nodes.length || there.some((seq, at) => seq !== span.nodes[at])) return 'stale';
  if (answeredSince(log, span.logLength)) return 'stale';
  return openStep(log) === null ? 'waits' : 'ready';
}

/** Did a turn that had a step end after the log was this long? The step must have begun after it, too. */
function answeredSince(log: DshLog, length: number): boolean {
  const stepped = new Set<unknown>();
  for (const event of log.events.slice(length)) {
    const { turn } = fields(event.data);
    if (event.type === 'step/start') stepped.add(turn);
    if (event.type === 'turn/end' && stepped.has(turn)) return true;
  }
  return false;
}
