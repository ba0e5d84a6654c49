import { TRANSCRIPT_HEAD, toolMessage } from './quick-message.ts';
import type { JsonObject } from './record.ts';

/**
 * Most bytes of a log change nothing in the fold: pieces of texts that arrive one by one and come whole in the transcript
 * later, and outputs of tools that are written three times over. Lines of these kinds are told from the others, and what
 * little is needed of them is taken, by a few of their bytes, without parsing them.
 */
const EVENT_HEAD = Buffer.from('[{"type":"harness.event","operationId":"');
const EVENT = Buffer.from('","event":{"type":"');
const EVENT_RECORD = EVENT_HEAD.subarray(1);
const RESULT_HEAD = Buffer.from('[{"type":"harness.tool.result","toolCallId":"');
const MESSAGE = Buffer.from('","message":{"role":"tool","toolCallId":"');
const CONTENT = Buffer.from('","content":"');
const CALL_RESULT = Buffer.from('TOOL_CALL_RESULT"');
const ERROR = Buffer.from('"error":');
/** States of a call that say more than success. */
const OUTPUT_STATE = Buffer.from('"output-');
const BRACE = 0x7b;
/** Shorter lines are parsed as fast as they are looked through. */
const LONG_LINE = 1500;
const WINDOW = 300;
/** The end of an event of a result: the rest of its output, and nothing behind it but the time. */
const PLAIN_END = /^(?:[^"\\]|\\.)*"(?:,"role":"tool")?,"timestamp":(\d{1,16})\}\}\]\r?$/;
const PLAIN_ID = /"toolCallId":"([^"\\]+)"/;
/** Between two records of a batch, and between two objects of any list. Inside a JSON text every quote is escaped. */
const BETWEEN = Buffer.from('},{"');
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LONGEST_ID = 200;

/** Types of events that nothing is taken from. */
const SKIPPED = [
  'TEXT_MESSAGE_CONTENT"',
  'TOOL_CALL_ARGS"',
  'REASONING_',
  'TEXT_MESSAGE_END"',
  'TOOL_CALL_START"',
  'THINKING_',
  'STATE_DELTA"',
  'STEP_STARTED"',
  'STEP_FINISHED"',
  'RUN_STARTED"',
].map((text) => Buffer.from(text));

function hasAt(bytes: Buffer, at: number, end: number, wanted: Buffer): boolean {
  const { length } = wanted;
  if (at + length > end) return false;
  for (let k = 0; k < length; k += 1) if (bytes[at + k] !== wanted[k]) return false;
  return true;
}

/** The same for many bytes: a look at the last one first. A call out of JavaScript costs more than comparing a hundred here. */
function isSame(bytes: Buffer, at: number, end: number, wanted: Buffer): boolean {
  const { length } = wanted;
  if (at + length > end || bytes[at + length - 1] !== wanted[length - 1] || bytes[at] !== wanted[0]) return false;
  return hasAt(bytes, at, end, wanted);
}

/** Where the plain text that begins at `at` ends; -1 when it is long or has escapes. */
function endOfId(bytes: Buffer, at: number, end: number): number {
  const limit = Math.min(end, at + LONGEST_ID);
  for (let k = at; k < limit; k += 1) {
    if (bytes[k] === QUOTE) return k;
    if (bytes[k] === BACKSLASH) return -1;
  }
  return -1;
}

/** Where the type of an event begins, in a record that begins at `at` with the words of `head`; -1 when it is none. */
function eventType(bytes: Buffer, at: number, end: number, head: Buffer): number {
  if (!hasAt(bytes, at, end, head)) return -1;
  const id = endOfId(bytes, at + head.length, end);
  return id >= 0 && hasAt(bytes, id, end, EVENT) ? id + EVENT.length : -1;
}

/** Where the type ends that begins at `type`, when events of it are passed over; -1 otherwise. */
function skippedType(bytes: Buffer, type: number, end: number): number {
  if (type < 0) return -1;
  for (const skipped of SKIPPED) if (hasAt(bytes, type, end, skipped)) return type + skipped.length;
  return -1;
}

/** The line ends like a whole batch whose last record ends with an object. */
function endsWhole(bytes: Buffer, end: number): boolean {
  const last = bytes[end - 1] === 0x0d ? end - 1 : end;
  return bytes[last - 1] === 0x5d && bytes[last - 2] === 0x7d && bytes[last - 3] === 0x7d;
}

/** The next place of some rare bytes. One search through a chunk serves all of its lines. */
export class NextOf {
  readonly #wanted: Buffer;
  #bytes: Buffer | null = null;
  #from = 0;
  #next = -1;

  constructor(wanted: Buffer) {
    this.#wanted = wanted;
  }

  /** The first place at or behind `start`; the chunk's end when there is none. */
  at(bytes: Buffer, start: number): number {
    if (bytes !== this.#bytes || start < this.#from || this.#next < start) {
      this.#bytes = bytes;
      const found = bytes.indexOf(this.#wanted, start);
      this.#next = found < 0 ? bytes.length : found;
    }
    this.#from = start;
    return this.#next;
  }
}

/** Reads the lines of a log that can be read quickly. */
export class QuickLines {
  readonly #between = new NextOf(BETWEEN);
  /** The start of the last line that was passed over, up to its type: the next one mostly begins the same. */
  #last: Buffer = EVENT_HEAD.subarray(0, 0);

  #begins(bytes: Buffer, start: number, end: number): boolean {
    if (this.#last.length > 0 && isSame(bytes, start, end, this.#last)) return true;
    const type = skippedType(bytes, eventType(bytes, start, end, EVENT_HEAD), end);
    if (type >= 0) this.#last = Buffer.from(bytes.subarray(start, type));
    return type >= 0;
  }

  /** How many records the line holds when all of them are events that the fold takes nothing from; 0 when it has to be read. */
  skipped(bytes: Buffer, start: number, end: number): number {
    if (!this.#begins(bytes, start, end) || !endsWhole(bytes, end)) return 0;
    let records = 1;
    for (let at = this.#between.at(bytes, start); at < end; at = this.#between.at(bytes, at + 1)) {
      if (skippedType(bytes, eventType(bytes, at + 2, end, EVENT_RECORD), end) < 0) return 0;
      records += 1;
    }
    return records;
  }

  /** A long line's one record, without the output that it holds: the plain result of a tool. Null when it has to be parsed. */
  result(bytes: Buffer, start: number, end: number): JsonObject | null {
    if (end - start < LONG_LINE || this.#between.at(bytes, start) < end || !endsWhole(bytes, end)) return null;
    if (hasAt(bytes, start, end, RESULT_HEAD)) return toolResult(bytes, start, end);
    if (hasAt(bytes, start, end, TRANSCRIPT_HEAD)) return toolMessage(bytes, start, end);
    const type = eventType(bytes, start, end, EVENT_HEAD);
    return type >= 0 && hasAt(bytes, type, end, CALL_RESULT) ? callResult(bytes, type, end) : null;
  }
}

/** A tool result that did not fail and whose output is plain text: a crash says in JSON that it lost a call. */
function toolResult(bytes: Buffer, start: number, end: number): JsonObject | null {
  const from = start + RESULT_HEAD.length;
  const id = endOfId(bytes, from, end);
  if (id < 0 || !hasAt(bytes, id, end, MESSAGE)) return null;
  const content = endOfId(bytes, id + MESSAGE.length, end);
  if (content < 0 || !hasAt(bytes, content, end, CONTENT) || bytes[content + CONTENT.length] === BRACE) return null;
  if (bytes.subarray(content, end).indexOf(ERROR) >= 0) return null;
  const toolCallId = bytes.toString('utf8', from, id);
  return { type: 'harness.tool.result', toolCallId, message: { role: 'tool', toolCallId } };
}

/** The event of a result with its time, when it has no field that says more than success. */
function callResult(bytes: Buffer, type: number, end: number): JsonObject | null {
  const [head, output] = bytes.toString('utf8', type, type + WINDOW).split('"content":"', 2);
  const timestamp = PLAIN_END.exec(bytes.toString('latin1', end - WINDOW, end))?.[1];
  const toolCallId = PLAIN_ID.exec(head ?? '')?.[1];
  if (output === undefined || timestamp === undefined || toolCallId === undefined) return null;
  if (/"(?:state|metadata|subagentRunId)":/.test(head ?? '') || bytes.subarray(type, end).indexOf(OUTPUT_STATE) >= 0) return null;
  return { type: 'harness.event', operationId: '', event: { type: 'TOOL_CALL_RESULT', toolCallId, timestamp: Number(timestamp) } };
}

/** True for one record as text, as databases keep them, that the fold takes nothing from. */
export function isSkippedRecord(text: string): boolean {
  if (!text.startsWith('{"type":"harness.event"') || !text.endsWith('}}')) return false;
  // The types come early; what follows them decides nothing as long as the record ends like one.
  const head = Buffer.from(text.slice(0, 512));
  return skippedType(head, eventType(head, 0, head.length, EVENT_RECORD), head.length) >= 0;
}
