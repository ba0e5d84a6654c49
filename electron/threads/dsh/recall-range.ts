import { type Reason, reason, TurnbackError } from '../../../shared/errors.ts';
import type { RecallSpan } from '../source.ts';
import { type DshEvent, fields, integer, list, text } from './dsh-event.ts';
import type { DshLog } from './dsh-log.ts';
import { isPrompt } from './dsh-messages.ts';
import { inputOf, isFileTool } from './dsh-tools.ts';
import { foldSurface, messageOf } from './surface.ts';
import { resultCallId } from './tool-ledger.ts';

/** One tool call inside a recalled range. */
export interface RangeCall {
  seq: number;
  turn: number;
  name: string;
  arguments: string;
  /** It writes a file that it names; everything else cannot be taken back. */
  file: boolean;
  /** Sequence number of its result when that was no error; null otherwise. */
  done: number | null;
  /** Nobody knows whether it took effect: it was started and never answered, or answered so by the repair after a crash. */
  unknown: boolean;
}

/** What a recall of one prompt covers: from it to the end of the conversation. */
export interface RecallRange {
  target: DshEvent;
  /** The prompt's own text, to put back where the user can edit it. */
  text: string;
  startSeq: number;
  endSeq: number;
  /** Every surface node that goes, in surface order. */
  nodes: number[];
  turns: number[];
  calls: RangeCall[];
  /** File tool calls of all covered turns, also those before a prompt that was sent in mid-turn: its turn's list is one. */
  writes: RangeCall[];
  /** The newest `workspace/changes` event of each covered turn that has one. */
  changes: { turn: number; seq: number }[];
}

/** The range of a recall that starts at the prompt `targetSeq` (formats/dsh.md, recall steps 1 to 6), or why there is none. */
export function recallRange(log: DshLog, targetSeq: number): RecallRange | Reason {
  const { version } = log.header;
  if (version !== 3 && version !== 4) return reason('UNSUPPORTED_FORMAT', { version });
  const target = log.events[targetSeq];
  if (!target || !isPrompt(target)) return reason('NOT_A_PROMPT', { id: `event ${targetSeq}` });
  const { nodes } = foldSurface(log.events);
  const at = nodes.indexOf(targetSeq);
  const endSeq = nodes.at(-1);
  if (at < 0 || endSeq === undefined) return reason('NOT_ON_SURFACE');
  return rangeFrom(log, target, { nodes: nodes.slice(at), endSeq, until: log.events.length });
}

/** The range that was planned before, with its words, turns and calls; what came after it is not part of it. */
export function rangeOfSpan(log: DshLog, span: RecallSpan): RecallRange {
  const target = log.events[span.targetSeq];
  if (target === undefined) throw new TurnbackError('STALE_PENDING');
  return rangeFrom(log, target, { nodes: span.nodes, endSeq: span.endSeq, until: span.logLength });
}

function rangeFrom(log: DshLog, target: DshEvent, to: { nodes: number[]; endSeq: number; until: number }): RecallRange {
  const events = log.events.slice(0, to.until);
  const turns = coveredTurns(events, target.seq);
  const calls = callsIn(events, log.header.version);
  return {
    target,
    text: list(messageOf(target)['content'])
      .map(fields)
      .flatMap((block) => (block['type'] === 'text' ? [text(block['text']) ?? ''] : []))
      .join('\n'),
    startSeq: target.seq,
    endSeq: to.endSeq,
    nodes: to.nodes,
    turns,
    calls: calls.filter((call) => call.seq >= target.seq),
    writes: calls.filter((call) => call.file && turns.includes(call.turn)),
    changes: turns.flatMap((turn) => {
      const own = events.filter((event) => event.type === 'workspace/changes' && integer(fields(event.data)['turn']) === turn);
      const newest = own.at(-1);
      return newest ? [{ turn, seq: newest.seq }] : [];
    }),
  };
}

/** Turns that own any event from the target on: the one that is open there, and every later one. */
function coveredTurns(events: readonly DshEvent[], from: number): number[] {
  const turns = new Set<number>();
  let open: number | null = null;
  for (const event of events) {
    if (event.type === 'turn/start') open = integer(fields(event.data)['turn']);
    if (event.seq >= from && open !== null) turns.add(open);
    if (event.type === 'turn/end') open = null;
  }
  return [...turns];
}

/** Every call, each with what its own answer says; ids are unique within a step only. */
function callsIn(events: readonly DshEvent[], version: number): RangeCall[] {
  const calls: RangeCall[] = [];
  const open = new Map<string, RangeCall>();
  let turn = 0;
  for (const event of events) {
    const data = fields(event.data);
    if (event.type === 'turn/start') turn = integer(data['turn']) ?? turn;
    if (event.type === 'tool/call' || event.type === 'tool/ptc-dispatch') {
      const [name, json] = [text(data['name']) ?? 'tool', text(data['arguments']) ?? ''];
      const file = isFileTool(name, inputOf(json));
      const call = { seq: event.seq, turn, name, arguments: json, file, done: null, unknown: true };
      calls.push(call);
      open.set(text(data['callId']) ?? '', call);
    }
    const call = event.type === 'tool/result' ? open.get(resultCallId(event, version) ?? '') : undefined;
    if (call === undefined || event.surfaceOp !== 'append') continue;
    call.done = isError(event) ? null : event.seq;
    call.unknown = fields(data['error'])['code'] === 'TOOL_OUTCOME_UNKNOWN';
  }
  return calls;
}

function isError(event: DshEvent): boolean {
  const message = messageOf(event);
  return (
    message['isError'] === true || fields(list(message['content'])[0])['isError'] === true || fields(event.data)['error'] !== undefined
  );
}
