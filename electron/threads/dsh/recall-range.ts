import { type Reason, reason } from '../../../shared/errors.ts';
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
  const turns = coveredTurns(log.events, targetSeq);
  return {
    target,
    text: list(messageOf(target)['content'])
      .map(fields)
      .flatMap((block) => (block['type'] === 'text' ? [text(block['text']) ?? ''] : []))
      .join('\n'),
    startSeq: targetSeq,
    endSeq,
    nodes: nodes.slice(at),
    turns,
    calls: callsFrom(log, targetSeq),
    changes: turns.flatMap((turn) => {
      const own = log.events.filter((event) => event.type === 'workspace/changes' && integer(fields(event.data)['turn']) === turn);
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

function callsFrom(log: DshLog, from: number): RangeCall[] {
  const done = new Map<string, number>();
  for (const event of log.events) {
    const id = event.type === 'tool/result' ? resultCallId(event, log.header.version) : null;
    if (id !== null && !isError(event)) done.set(id, event.seq);
  }
  return log.events.flatMap((event) => {
    if (event.seq < from || (event.type !== 'tool/call' && event.type !== 'tool/ptc-dispatch')) return [];
    const data = fields(event.data);
    const [name, json] = [text(data['name']) ?? 'tool', text(data['arguments']) ?? ''];
    const result = done.get(text(data['callId']) ?? '') ?? null;
    return [
      { seq: event.seq, turn: integer(data['turn']) ?? 0, name, arguments: json, file: isFileTool(name, inputOf(json)), done: result },
    ];
  });
}

function isError(event: DshEvent): boolean {
  const message = messageOf(event);
  return (
    message['isError'] === true || fields(list(message['content'])[0])['isError'] === true || fields(event.data)['error'] !== undefined
  );
}
