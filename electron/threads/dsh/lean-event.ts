import { createHash } from 'node:crypto';
import type { TextPool } from '../text-pool.ts';
import { aboutBytes } from './dsh-asides.ts';
import { type Cut, type DshEvent, fields, type Spot } from './dsh-event.ts';
import { isPrompt, shownBytes } from './dsh-messages.ts';
import { inputOf } from './dsh-tools.ts';
import { isSurface } from './surface.ts';

/** A longer text is cut: rows show far less of it, and the body of a message is read again when it is looked at. */
const LONG = 512;
const KEPT = 256;
/** Paths are compared; no file system takes a longer one. */
const LONGEST_PATH = 8192;

const PIECE = 1 << 16;

/** A sign of a text, made piece by piece: one of many megabytes would be copied whole. */
function signOf(text: string): string {
  const hash = createHash('sha256');
  for (let at = 0; at < text.length; at += PIECE) hash.update(text.slice(at, at + PIECE), 'utf16le');
  return hash.digest('base64url').slice(0, 22);
}

/** The beginning of a text, in memory of its own, and a sign by which equal texts stay equal and others do not become so. */
const cut = (text: string): string => Buffer.from(`${text.slice(0, KEPT)}\u0001${signOf(text)}`).toString();

/** The arguments of a tool call, JSON within JSON: what they are and where they write stays as it is. */
function cutArguments(json: string): string {
  const input = inputOf(json);
  const short: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(input)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const most = name === 'path' || name === 'file_path' ? LONGEST_PATH : LONG;
    short[name] = text.length > most ? cut(text) : value;
  }
  const made = JSON.stringify({ ...short, '\u0001': signOf(json) });
  return Object.keys(input).length === 0 || made.length > json.length ? cut(json) : made;
}

/** Cuts every long text in a value that JSON gave; true when there was one. Without recursion: a log may be nested as deep as it likes. */
function cutAll(value: object, texts: TextPool): boolean {
  let any = false;
  const open: object[] = [value];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const members = one as Record<string, unknown>;
    for (const name of Object.keys(one)) {
      const member = members[name];
      if (typeof member === 'object' && member !== null) open.push(member);
      else if (typeof member === 'string' && member.length > LONG) {
        // A call says its arguments twice: where the model asks for it, and where it starts.
        members[name] = name === 'arguments' ? texts.same(cutArguments(member)) : cut(member);
        any = true;
      }
    }
  }
  return any;
}

const cutAt = ({ offset, length }: Spot, shown: number): Cut => ({ offset, length, shown });

/** The event in the form that takes the least memory: members that every event may have, and one text for its type. */
function compact(event: DshEvent, texts: TextPool, cut?: Cut): DshEvent {
  const type = texts.same(event.type);
  const { seq, time, data, ignorable, surfaceOp, sourceEventSeqs, line } = event;
  const lean = { type, seq, time, data, ignorable, surfaceOp, sourceEventSeqs, line, cut };
  return Object.keys(event).every((name) => Object.hasOwn(lean, name)) ? lean : { ...event, type, cut };
}

/**
 * What is kept of an event while its log is open: all of it but the rest of long texts, which `spot` finds again. A prompt is kept
 * whole, since a recall gives it back; a piece of an answer that is still being written is not kept: its message follows.
 */
export function leanEvent(event: DshEvent, bytes: number, spot: () => Spot, texts: TextPool): DshEvent | null {
  if (event.type === 'assistant/chunk' && event.surfaceOp === undefined && event.sourceEventSeqs === undefined) return null;
  if (bytes <= LONG || isPrompt(event)) return compact(event, texts);
  const shown = isSurface(event) ? shownBytes(event) : aboutBytes(event);
  return compact(event, texts, cutAll(event, texts) ? cutAt(spot(), shown) : undefined);
}

/** The same event as its line says it. Null when the bytes are another one's: the log was written anew. */
export function wholeEvent(event: DshEvent, line: Buffer): DshEvent | null {
  try {
    const found = fields(JSON.parse(line.toString('utf8')));
    const { cut: _cut, ...rest } = event;
    return found['type'] === event.type && found['seq'] === event.seq ? ({ ...rest, ...found, line: event.line } as DshEvent) : null;
  } catch {
    return null;
  }
}
