import { setImmediate as breathe } from 'node:timers/promises';
import { TurnbackError } from '../../shared/errors.ts';
import type { Message, MessageBody, Part } from '../../shared/model.ts';
import { foldCase, type Hit, type HitPlace } from '../../shared/search.ts';
import type { OnBytes, ThreadReader } from './source.ts';

/** Characters of an excerpt before the match, and all of it. */
const BEFORE = 28;
const EXCERPT = 200;
/** Looking at messages one by one, other work gets its turn this often. */
const SLICE = 15;

interface SearchOptions {
  signal?: AbortSignal | undefined;
  onBytes?: OnBytes | undefined;
}

interface Piece {
  place: HitPlace;
  call: string | null;
  text: string;
}

function pieceOf(part: Part): Piece | null {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return { place: part.kind, call: null, text: part.text };
    case 'call':
      return { place: 'arguments', call: part.call.id, text: part.input };
    case 'output':
      return { place: 'output', call: part.callId, text: part.text };
    case 'raw':
      return { place: 'raw', call: null, text: part.json };
    case 'image':
      return null;
  }
}

/** One line around a match, never half a letter; where the match is in it. */
function excerptOf(text: string, at: number, length: number): { excerpt: string; at: number; length: number } {
  const isLow = (index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xdc00;
  let from = Math.max(0, at - BEFORE);
  if (isLow(from)) from += 1;
  let to = Math.min(text.length, from + EXCERPT, Math.max(at + length, from + EXCERPT));
  if (isLow(to)) to -= 1;
  const [lead, trail] = [from > 0 ? '…' : '', to < text.length ? '…' : ''];
  const line = text.slice(from, to).replace(/[\n\r\t]/g, ' ');
  const begin = lead.length + at - from;
  return { excerpt: lead + line + trail, at: begin, length: Math.min(length, lead.length + line.length - begin) };
}

/** What a message holds of the words, which are folded already; null for nothing. */
export function hitOf(message: Message, body: MessageBody, words: readonly string[]): Hit | null {
  const held = new Set<number>();
  let times = 0;
  let first: { piece: Piece; at: number; length: number } | null = null;
  for (const part of body.parts) {
    const piece = pieceOf(part);
    if (piece === null) continue;
    const text = foldCase(piece.text);
    let nearest = Number.POSITIVE_INFINITY;
    for (const [nth, word] of words.entries()) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        held.add(nth);
        times += 1;
        if (at >= nearest || (first !== null && first.piece !== piece)) continue;
        nearest = at;
        first = { piece, at, length: word.length };
      }
    }
  }
  if (first === null) return null;
  const { id, stop, role, turn, hidden } = message;
  const { place, call, text } = first.piece;
  return {
    message: id,
    stop,
    role,
    turn,
    hidden,
    place,
    call,
    ...excerptOf(text, first.at, first.length),
    words: [...held].sort((a, b) => a - b),
    times,
  };
}

async function* everyMessage(messages: readonly Message[], { signal, onBytes }: SearchOptions): AsyncGenerator<string> {
  let until = performance.now() + SLICE;
  for (const [at, { id }] of messages.entries()) {
    yield id;
    if (performance.now() <= until) continue;
    onBytes?.(at + 1, messages.length);
    await breathe();
    if (signal?.aborted) throw new TurnbackError('CANCELLED');
    until = performance.now() + SLICE;
  }
}

/**
 * The messages whose texts, tool arguments or outputs hold one of the words, whatever its case: found by the bytes where the
 * store allows that, and confirmed on the text. Hidden messages are searched too. Throws CANCELLED.
 */
export async function* searchThread(
  reader: ThreadReader,
  messages: readonly Message[],
  words: readonly string[],
  options: SearchOptions = {},
): AsyncGenerator<Hit> {
  const { signal, onBytes } = options;
  const folded = words.map(foldCase);
  const byId = new Map(messages.map((message) => [message.id, message]));
  for await (const id of reader.candidates?.(words, signal, onBytes) ?? everyMessage(messages, options)) {
    const message = byId.get(id);
    const hit = message ? hitOf(message, await reader.body(id), folded) : null;
    if (signal?.aborted) throw new TurnbackError('CANCELLED');
    if (hit !== null) yield hit;
  }
}
