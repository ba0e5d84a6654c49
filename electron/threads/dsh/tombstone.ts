import { type Reason, reason } from '../../../shared/errors.ts';
import { type DshEvent, fields, integer, list, text } from './dsh-event.ts';
import type { DshLog } from './dsh-log.ts';
import type { RecallRange } from './recall-range.ts';
import { foldSurface, messageOf } from './surface.ts';
import { ToolLedger } from './tool-ledger.ts';

/** The step that is open at the end of a log, with its calls; null between steps. */
export function openStep(log: DshLog): { turn: number; step: number; tools: ToolLedger } | null {
  let open: { turn: number; step: number; tools: ToolLedger } | null = null;
  for (const event of log.events) {
    const data = fields(event.data);
    if (event.type === 'step/start') open = { turn: integer(data['turn']) ?? 0, step: integer(data['step']) ?? 0, tools: new ToolLedger() };
    else if (event.type === 'step/end') open = null;
    else if (open && event.type === 'assistant/message') open.tools.advertise(list(messageOf(event)['content']));
    else if (open && event.type === 'tool/call')
      open.tools.start(event.seq, text(data['callId']), text(data['name']), text(data['arguments']));
    else if (open && event.type === 'tool/result' && event.surfaceOp === 'append') open.tools.settle(event, log.header.version);
  }
  return open;
}

/**
 * The events of a recall: answers for calls that have none, then the empty system message that hides the range and those answers
 * (formats/dsh.md, what an outside viewer may do). Refused at a turn boundary, where it would make the log unreadable, and for a call
 * that never started: the exact text that DSH demands for it is the vendor's. A range that was planned before and that newer nodes
 * follow stays as it was: the calls of the open step are not its own, and DSH closes them.
 */
export function tombstoneOf(
  log: DshLog,
  range: Pick<RecallRange, 'startSeq' | 'endSeq' | 'nodes'>,
  id: string,
  time: number,
): DshEvent[] | Reason {
  const open = openStep(log);
  if (open === null) return reason('COLD_AT_TURN_BOUNDARY');
  const events: DshEvent[] = [];
  let seq = log.events.length;
  const toTheEnd = foldSurface(log.events).nodes.at(-1) === range.endSeq;
  for (const call of toTheEnd ? open.tools.open() : []) {
    if (call.started === null) return reason('CALL_NOT_STARTED', { call: call.id });
    events.push(closingResult(log.header.version, open, { id: call.id, started: call.started, seq, time }));
    seq += 1;
  }
  const nodes = [...range.nodes, ...events.map((event) => event.seq)];
  const endSeq = events.at(-1)?.seq ?? range.endSeq;
  const source = log.header.version >= 4 ? { kind: 'system-prompt' } : { kind: 'plugin', plugin: 'dsh-recall' };
  events.push({
    type: 'system/message',
    seq,
    time,
    data: { turn: open.turn, step: open.step, message: { id: `recall:${id}`, role: 'system', source, content: [] } },
    sourceEventSeqs: nodes,
    surfaceOp: { op: 'replace', startSeq: range.startSeq, endSeq },
    line: 0,
  });
  return events;
}

const OUTCOME = '[The call was interrupted; whether it took effect is not known.]';

function closingResult(
  version: number,
  open: { turn: number; step: number },
  call: { id: string; started: number; seq: number; time: number },
): DshEvent {
  const content = [{ type: 'text', text: OUTCOME }];
  const id = `interrupted-tool-result-${call.id}-${call.seq}`;
  const source = { kind: 'tool', callId: call.id };
  const message =
    version >= 4
      ? { id, role: 'tool', source, toolCallId: call.id, isError: true, content }
      : { id, role: 'user', source, content: [{ type: 'tool-result', toolCallId: call.id, isError: true, content }] };
  const error = { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' };
  return {
    type: 'tool/result',
    seq: call.seq,
    time: call.time,
    data: { turn: open.turn, step: open.step, message, error },
    sourceEventSeqs: [call.started],
    surfaceOp: 'append',
    line: 0,
  };
}
