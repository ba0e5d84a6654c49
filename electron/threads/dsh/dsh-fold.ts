import { type Reason, reason } from '../../../shared/errors.ts';
import type { FileChange, Message, Step, Thread, ThreadHead, Turn } from '../../../shared/model.ts';
import { asideRow, isAside } from './dsh-asides.ts';
import { type DshEvent, fields, integer, list, text } from './dsh-event.ts';
import type { DshLog } from './dsh-log.ts';
import { type CallFacts, isPrompt, rowOf } from './dsh-messages.ts';
import { foldSurface, isSurface, messageOf, type Surface } from './surface.ts';
import { resultCallId } from './tool-ledger.ts';
import { validateLog } from './validator.ts';

/** The fold of a log: the thread, and which event each message row stands for. */
export interface DshFold {
  thread: Thread;
  surface: Surface;
  eventOf: Map<string, DshEvent>;
  /** The events of each row that stands for no message. */
  asides: Map<string, DshEvent[]>;
  /** The sequence number of each message's event, in the order of the messages. */
  seqs: number[];
}

/** Folds a log into the thread that people see: every message ever shown, with those that left the surface marked. */
export function foldDsh(log: DshLog, head: ThreadHead): DshFold {
  const surface = foldSurface(log.events);
  const calls = callFacts(log);
  // Tools name paths below the folder that the session ran in, wherever its workspace lies by now.
  const cwd = log.header.cwd ?? head.root;
  const messages: Message[] = [];
  const eventOf = new Map<string, DshEvent>();
  const asides = new Map<string, DshEvent[]>();
  const seqs: number[] = [];
  let turn: number | null = null;
  let run: DshEvent[] = [];
  const endRun = (): void => {
    const first = run[0];
    if (first !== undefined) {
      const row = asideRow(first, run, turn);
      messages.push(row);
      asides.set(row.id, run);
      seqs.push(first.seq);
    }
    run = [];
  };
  for (const event of log.events) {
    if (event.type === 'turn/start' || event.type === 'turn/end') endRun();
    if (event.type === 'turn/start') turn = integer(fields(event.data)['turn']);
    const row = isSurface(event) ? rowOf(event, surface, calls, cwd) : null;
    if (row !== null) {
      endRun();
      row.turn ??= turn;
      messages.push(row);
      eventOf.set(row.id, event);
      seqs.push(event.seq);
    } else if (!isSurface(event) && isAside(event)) run.push(event);
    if (event.type === 'turn/end') turn = null;
  }
  endRun();
  numberStops(messages, eventOf);
  const steps = stepsOf(log, messages);
  const thread: Thread = {
    head,
    status: 'idle',
    standing: null,
    turns: turnsOf(log, messages, steps),
    steps,
    messages,
    gaps: [],
    bad: log.bad,
    notices: noticesOf(log, head),
    keeps: 'log',
  };
  return { thread, surface, eventOf, asides, seqs };
}

function callFacts(log: DshLog): Map<string, CallFacts> {
  const calls = new Map<string, CallFacts>();
  const of = (id: string | null): CallFacts => {
    const known = calls.get(id ?? '') ?? { started: null, result: null };
    calls.set(id ?? '', known);
    return known;
  };
  for (const event of log.events) {
    if (event.type === 'tool/call') of(text(fields(event.data)['callId'])).started = event;
    if (event.type === 'tool/result') of(resultCallId(event, log.header.version)).result = event;
  }
  return calls;
}

/** Stops count what is still on the surface. A recall goes from a prompt to the end, so only the stops before one can be stood at. */
function numberStops(messages: readonly Message[], eventOf: ReadonlyMap<string, DshEvent>): void {
  const standing = messages.filter((message) => message.hidden === null && eventOf.has(message.id));
  for (const [at, message] of standing.entries()) {
    message.stop = at + 1;
    const next = standing[at + 1];
    if (next === undefined || next.role === 'user') message.canStand = true;
  }
  for (const message of messages) if (message.hidden !== null) message.canStand = reason('STOP_DROPPED');
}

function stepsOf(log: DshLog, messages: readonly Message[]): Step[] {
  const steps: Step[] = [];
  const ends = new Map<string, number>();
  const key = (event: DshEvent): string => `${integer(fields(event.data)['turn'])}.${integer(fields(event.data)['step'])}`;
  for (const event of log.events) if (event.type === 'step/end') ends.set(key(event), event.time);
  const ofStep = Map.groupBy(messages, (message) => message.step);
  for (const event of log.events) {
    if (event.type !== 'step/start') continue;
    const id = key(event);
    const own = ofStep.get(id) ?? [];
    const tools = own.flatMap((message) => message.tools);
    const owner = own.find((message) => message.role === 'assistant');
    const wrote = [...new Set(tools.filter((call) => call.status === 'done').flatMap((call) => call.wrote ?? []))];
    const shell = tools.some((call) => call.wrote === null);
    const end = ends.get(id);
    steps.push({
      id,
      index: steps.length + 1,
      turn: integer(fields(event.data)['turn']),
      stop: owner?.stop ?? null,
      from: null,
      to: null,
      toolCallIds: tools.map((call) => call.id),
      tools: tools.map((call) => call.name),
      listed: null,
      files: wrote.map(uncounted),
      captured: wrote.length > 0 || shell ? reason('CHANGES_NOT_KEPT') : true,
      at: event.time,
      durationMs: end === undefined ? null : Math.max(0, end - event.time),
      sideEffects: tools.filter((call) => call.sideEffect !== null).length,
      hidden: owner?.hidden ?? null,
    });
  }
  return steps;
}

const uncounted = (path: string): FileChange => ({ path, change: 'modified', added: null, removed: null, binary: false });

const STATUS = new Map<unknown, Turn['status']>([
  ['completed', 'completed'],
  ['forked', 'completed'],
  ['aborted', 'aborted'],
  ['interrupted', 'interrupted'],
  ['blocked', 'failed'],
  ['error', 'failed'],
  ['max-tokens', 'failed'],
]);

function turnsOf(log: DshLog, messages: readonly Message[], steps: readonly Step[]): Turn[] {
  const ends = new Map<number | null, Turn['status']>();
  for (const event of log.events) {
    if (event.type !== 'turn/end') continue;
    const data = fields(event.data);
    ends.set(integer(data['turn']), STATUS.get(fields(data['reason'])['kind']) ?? 'unknown');
  }
  const ofTurn = Map.groupBy(messages, (message) => message.turn);
  const stepsIn = Map.groupBy(steps, (step) => step.turn);
  return log.events
    .filter((event) => event.type === 'turn/start')
    .map((event, at) => {
      const turn = integer(fields(event.data)['turn']) ?? at + 1;
      const own = ofTurn.get(turn) ?? [];
      const prompt = own.find((message) => message.role === 'user');
      const stops = own.flatMap((message) => message.stop ?? []);
      return {
        index: turn,
        id: `turn-${turn}`,
        prompt: prompt?.excerpt ?? '',
        startedAt: event.time,
        status: ends.get(turn) ?? 'unknown',
        steps: (stepsIn.get(turn) ?? []).map((step) => step.id),
        firstStop: stops.length > 0 ? Math.min(...stops) - 1 : null,
        lastStop: stops.length > 0 ? Math.max(...stops) : null,
        hidden: prompt?.hidden ?? null,
      };
    });
}

function noticesOf(log: DshLog, head: ThreadHead): Reason[] {
  const notices: Reason[] = [];
  const { version } = log.header;
  if (version > 4) notices.push(reason('LOG_NEWER', { path: head.log, version }));
  if (log.stopped) notices.push(reason('LOG_STOPPED', { line: log.stopped.line, cause: log.stopped.why }));
  if (log.tornBytes > 0) notices.push(reason('LOG_TORN', { bytes: log.tornBytes }));
  const broken = version === 3 || version === 4 ? validateLog(log.header, log.events) : null;
  if (broken) notices.push(reason('LOG_INVALID', { seq: broken.seq, cause: broken.message }));
  return notices;
}

/** The title that DSH gave the session, else the first words of the first prompt; null for a log without either. */
export function titleOf(events: readonly DshEvent[]): string | null {
  const titled = events.filter((event) => event.type === 'session/title').at(-1);
  const title = titled ? text(fields(titled.data)['title']) : null;
  if (title !== null) return title;
  const prompt = events.find(isPrompt);
  const blocks = prompt ? list(messageOf(prompt)['content']).map(fields) : [];
  return blocks.flatMap((block) => text(block['text'])?.slice(0, 120) ?? [])[0] ?? null;
}
