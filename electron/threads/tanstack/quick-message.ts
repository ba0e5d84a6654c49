import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonObject } from './record.ts';

/** How a batch begins whose one record adds messages to the transcript. */
export const TRANSCRIPT_HEAD = Buffer.from('[{"type":"harness.transcript","keep":');
const ADD = Buffer.from(',"add":[{"role":"tool","toolCallId":"');
const CONTENT = Buffer.from('","content":"');
/** What is left of the line behind the output. */
const END = Buffer.from('"}]}]');
/** Units of an output from which it is looked through instead of parsed: what a crash says of a lost call is shorter. */
const LONG = 4096;
/** More bytes than the first words of a message can have, each letter an escape. */
const BEGINNING = 1600;
/** The first words are cut behind so many letters: the beginning has more. */
const EXCERPT = 240;
const LONGEST_ID = 200;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const UNICODE = 0x75;
const SHORT_ESCAPE = /^["\\/bfnrt]$/;
/** What no string of JSON may hold as it is. */
const CONTROL = /[^ -\uffff]/;

const shortened = new WeakMap<JsonObject, number>();

/** Bytes of the whole text of a message that is only known by its beginning; null for every other message. */
export function shortenedBytes(message: JsonObject): number | null {
  return shortened.get(message) ?? null;
}

const hasAt = (bytes: Buffer, at: number, wanted: Buffer): boolean =>
  bytes.length >= at + wanted.length && bytes.compare(wanted, 0, wanted.length, at, at + wanted.length) === 0;

/** UTF-8 bytes that the escape at `at` stands for, and its length; null when it is none, or half of a pair. */
function escapeAt(bytes: Buffer, at: number): { length: number; bytes: number } | null {
  if (bytes[at + 1] !== UNICODE) return SHORT_ESCAPE.test(String.fromCharCode(bytes[at + 1] ?? 0)) ? { length: 2, bytes: 1 } : null;
  const code = bytes.toString('latin1', at + 2, at + 6);
  if (!/^[0-9a-fA-F]{4}$/.test(code)) return null;
  const unit = Number.parseInt(code, 16);
  if (unit >= 0xd800 && unit < 0xe000) return null;
  return { length: 6, bytes: unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3 };
}

/** The UTF-8 bytes of the text that the inside of a JSON string stands for; null when it is not one whole, plain and long string. */
function textBytes(bytes: Buffer, from: number, to: number): number | null {
  const inside = bytes.subarray(from, to);
  if (!isUtf8(inside) || CONTROL.test(inside.toString('latin1'))) return null;
  let saved = 0;
  // One unit of a text takes up to three bytes.
  let most = isAscii(inside) ? 1 : 3;
  let quote = inside.indexOf(QUOTE);
  for (let at = inside.indexOf(BACKSLASH); at >= 0; ) {
    if (quote >= 0 && quote < at) return null;
    const code = escapeAt(inside, at);
    if (code === null || at + code.length > inside.length) return null;
    saved += code.length - code.bytes;
    if (code.length === 6) most = 3;
    if (quote === at + 1) quote = inside.indexOf(QUOTE, at + 2);
    at = inside.indexOf(BACKSLASH, at + code.length);
  }
  const length = inside.length - saved;
  return quote >= 0 || length / most < LONG ? null : length;
}

/** The beginning of the inside of a JSON string, cut where no letter is cut. */
function beginningOf(bytes: Buffer, from: number): string | null {
  let end = from + BEGINNING;
  // Neither in the middle of an escape nor of a letter.
  const last = bytes.lastIndexOf(BACKSLASH, end - 1);
  if (last > end - 6) {
    end = last;
    while (bytes[end - 1] === BACKSLASH) end -= 1;
  }
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  try {
    const text = JSON.parse(`"${bytes.toString('utf8', from, end)}"`) as string;
    return text.length > EXCERPT ? text : null;
  } catch {
    // Cut in an odd place: the line is parsed as a whole.
    return null;
  }
}

/**
 * The record of a line that adds one long, plain output of a tool to the transcript, with only the beginning of the output; null
 * when the line has to be parsed. What `shortenedBytes` says about the message is as true as after parsing.
 */
export function toolMessage(bytes: Buffer, start: number, end: number): JsonObject | null {
  const last = bytes[end - 1] === 0x0d ? end - 1 : end;
  const digits = start + TRANSCRIPT_HEAD.length;
  let at = digits;
  while ((bytes[at] ?? 0) >= 0x30 && (bytes[at] ?? 0) <= 0x39) at += 1;
  if (at === digits || at - digits > 9 || (bytes[digits] === 0x30 && at - digits > 1) || !hasAt(bytes, at, ADD)) return null;
  const id = at + ADD.length;
  const idEnd = bytes.indexOf(QUOTE, id);
  const from = idEnd + CONTENT.length;
  const to = last - END.length;
  if (idEnd < 0 || idEnd - id > LONGEST_ID || to - from < LONG || !hasAt(bytes, idEnd, CONTENT) || !hasAt(bytes, to, END)) return null;
  const toolCallId = bytes.toString('utf8', id, idEnd);
  const odd = toolCallId.includes('\\') || CONTROL.test(toolCallId);
  const length = odd ? null : textBytes(bytes, from, to);
  const content = length === null ? null : beginningOf(bytes, from);
  if (length === null || content === null) return null;
  const message = { role: 'tool', toolCallId, content };
  shortened.set(message, length);
  return { type: 'harness.transcript', keep: Number(bytes.toString('latin1', digits, at)), add: [message] };
}
