import { type DshEvent, type DshHeader, fields, integer, list, sourcesOf, text } from './dsh-event.ts';
import { applyToSurface, isSurfaceType, messageOf, type Surface } from './surface.ts';
import { checkSystemMessage } from './system-message.ts';
import { ToolLedger } from './tool-ledger.ts';

/** What breaks a log: the event and the words of the released validator. */
export interface Violation {
  seq: number;
  message: string;
}

interface State {
  version: number;
  turn: number | null;
  step: number | null;
  lastTurn: number;
  lastStep: number;
  surface: Surface;
  tools: ToolLedger;
  types: Map<number, string>;
}

const NEEDS_STEP = new Set(['system/message', 'assistant/message', 'assistant/attempt', 'tool/call', 'llm/retry', 'developer/message']);
const NEEDS_TURN = new Set(['request/header', 'request/context', 'tool/ptc-dispatch-start', 'tool/ptc-dispatch']);

/**
 * The structural rules of formats 3 and 4 that decide whether a reader of DSH opens the log (formats/dsh.md, structural validator),
 * for the events of one `readLog`, which let through neither a gap in their numbers nor an unknown type. Null when the log is whole;
 * an unfinished tail (open turn, open step, unanswered call) is legal.
 */
export function validateLog(header: DshHeader, events: readonly DshEvent[]): Violation | null {
  const state: State = {
    version: header.version,
    turn: null,
    step: null,
    lastTurn: 0,
    lastStep: 0,
    surface: { nodes: [], shadowed: new Map() },
    tools: new ToolLedger(),
    types: new Map(),
  };
  for (const event of events) {
    const message = checkEvent(state, event);
    if (message !== null) return { seq: event.seq, message };
    state.types.set(event.seq, event.type);
  }
  return null;
}

function checkEvent(state: State, event: DshEvent): string | null {
  return checkBoundary(state, event) ?? checkOwner(state, event) ?? checkTools(state, event) ?? checkSurface(state, event);
}

function checkBoundary(state: State, event: DshEvent): string | null {
  const data = fields(event.data);
  const turn = integer(data['turn']);
  const step = integer(data['step']);
  if (event.type === 'turn/start') {
    if (state.turn !== null || turn !== state.lastTurn + 1) return `turn/start ${turn} does not open expected turn ${state.lastTurn + 1}`;
    Object.assign(state, { turn, lastTurn: turn, lastStep: 0 });
  } else if (event.type === 'turn/end') {
    if (state.turn === null || turn !== state.turn) return `turn/end ${turn} does not match the open turn`;
    if (state.step !== null) return `turn/end ${turn} crosses an open step`;
    state.turn = null;
  } else if (event.type === 'step/start') {
    if (state.turn === null || turn !== state.turn || state.step !== null || step !== state.lastStep + 1) {
      return 'step/start does not match the open turn and next step';
    }
    Object.assign(state, { step, lastStep: step });
  } else if (event.type === 'step/end') {
    if (state.step === null || turn !== state.turn || step !== state.step) return 'step/end does not match the open turn and step';
    const open = state.tools.unresolved();
    if (open !== null) return `step/end leaves unresolved tool call ${open}`;
    state.step = null;
    state.tools.endStep();
  }
  return null;
}

/** `turn` and `step` of an event must be those that are open (formats/dsh.md, ownership). */
function checkOwner(state: State, event: DshEvent): string | null {
  const data = fields(event.data);
  const replacement = typeof event.surfaceOp === 'object';
  const inStep = NEEDS_STEP.has(event.type) || (event.type === 'tool/result' && !replacement);
  if (inStep && (state.step === null || integer(data['turn']) !== state.turn || integer(data['step']) !== state.step)) {
    return `${event.type} does not match an open step`;
  }
  const inTurn = NEEDS_TURN.has(event.type) || (event.type === 'tool/result' && replacement);
  if (inTurn && state.turn === null) return `${event.type} does not match an open turn`;
  return event.type === 'system/message' ? checkSystemMessage(state.version, event) : null;
}

function checkTools(state: State, event: DshEvent): string | null {
  const data = fields(event.data);
  if (event.type === 'assistant/message') return state.tools.advertise(list(messageOf(event)['content']));
  if (event.type === 'tool/call') return state.tools.start(event.seq, text(data['callId']), text(data['name']), text(data['arguments']));
  if (event.type === 'tool/result' && event.surfaceOp === 'append') return state.tools.settle(event, state.version);
  return null;
}

function checkSurface(state: State, event: DshEvent): string | null {
  if (!isSurfaceType(event.type)) {
    return event.surfaceOp === undefined && event.sourceEventSeqs === undefined ? null : `${event.type} must not carry surface fields`;
  }
  if (event.surfaceOp === undefined) return `${event.type} requires a surfaceOp`;
  const named = event.sourceEventSeqs !== undefined;
  if (named && event.type === 'assistant/message') return 'assistant/message must not carry sourceEventSeqs';
  const sources = sourcesOf(event);
  if (
    sources === null ||
    (named && sources.length === 0) ||
    new Set(sources).size !== sources.length ||
    sources.some((seq) => seq >= event.seq)
  )
    return `${event.type} sourceEventSeqs must be unique earlier events`;
  const wrong = event.surfaceOp === 'append' ? checkAppend(state, event) : checkReplace(state, event, sources);
  if (wrong === null) applyToSurface(state.surface, event);
  return wrong;
}

function checkAppend({ surface }: State, event: DshEvent): string | null {
  // The head may be set once, before everything else; a later prompt replaces it.
  return event.type === 'system/message' && surface.nodes.length > 0 ? 'system/message requires a protected first surface head' : null;
}

function checkReplace(state: State, event: DshEvent, sources: readonly number[]): string | null {
  const op = fields(event.surfaceOp);
  const [start, end] = [integer(op['startSeq']), integer(op['endSeq'])];
  if (Object.keys(op).sort().join() !== 'endSeq,op,startSeq' || start === null || end === null || start >= event.seq || end >= event.seq) {
    return `${event.type} surfaceOp requires exact replace fields op/startSeq/endSeq`;
  }
  // The released validator words both of these for user messages, whatever the replacing event is.
  const { nodes } = state.surface;
  const [from, to] = [nodes.indexOf(start), nodes.indexOf(end)];
  if (from < 0 || to < from) return 'user/message replacement range is not on the current surface';
  const covered = nodes.slice(from, to + 1);
  const head = nodes[0] !== undefined && state.types.get(nodes[0]) === 'system/message';
  if (head && from === 0 && (event.type !== 'system/message' || covered.length > 1)) {
    return 'system/message must replace exactly the current system head';
  }
  if (event.type === 'system/message' && !head) return 'system/message requires a protected first surface head';
  if (event.type === 'tool/result' && (covered.length !== 1 || state.types.get(start) !== 'tool/result')) {
    return 'tool/result replacement must cover exactly one tool/result';
  }
  const named = new Set(sources);
  return covered.every((seq) => named.has(seq)) ? null : 'user/message replacement sourceEventSeqs omit a shadowed surface node';
}
