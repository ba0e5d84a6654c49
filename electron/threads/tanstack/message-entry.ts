import type { HiddenReason, Message } from '../../../shared/model.ts';
import { type ToolEffect, toolEffect } from '../tool-kinds.ts';
import { shortenedBytes } from './quick-message.ts';
import { firstOf, isObject, type JsonObject, listField, objectField, type RecordRef, textField, timeField } from './record.ts';
import type { TurnState } from './turn-state.ts';

const EXCERPT = 240;
/** Most messages make no call; they share one empty list. */
const NO_CALLS: EntryCall[] = [];

export interface EntryCall {
  id: string;
  name: string;
  effect: ToolEffect;
}

/** What a tool message says about its call. */
export interface ToolOutcome {
  state: 'done' | 'failed' | 'lost';
  /** UTF-8 bytes of the output; null when the record was looked at without it. */
  bytes: number | null;
}

/** What is kept of a message's JSON; its text stays in the log. */
export interface EntryContent {
  id: string | null;
  role: Message['role'];
  excerpt: string;
  bytes: number;
  images: number;
  thinking: boolean;
  at: number | null;
  calls: EntryCall[];
  toolCallId: string | null;
  outcome: ToolOutcome | null;
  /** A reset of the model's context: a divider, not a prompt. */
  reset: boolean;
}

/** One row of the thread: a message, dropped or not, or a run of records that Turnback does not know. */
export interface Entry {
  /** From 1, in order of first appearance; never given twice. */
  readonly ordinal: number;
  /** What makes a message that is written again the same message. */
  readonly key: string;
  /** Position of the record that first brought it. */
  readonly seq: number;
  content: EntryContent;
  /** Where its JSON lies: an element of a list of a record. */
  place: { ref: RecordRef; field: 'add' | 'head'; index: number };
  /** Its JSON, while its turn is the last one; null otherwise. */
  message: JsonObject | null;
  turn: TurnState | null;
  /** Why it is no longer part of the folded transcript. */
  gone: HiddenReason | null;
  /** Made by a compaction: it stands for messages before it and is no model step. */
  head: boolean;
  divider: Message['divider'];
  /** As of the last model: the id it is known by, and the stop after it. Kept here, since tables of all rows cost more than the rows. */
  shown: string;
  stop: number | null;
  /** Records that are shown raw instead of a message. */
  raw: { type: string; places: RecordRef[]; count: number } | null;
}

/** The text of a message: its string content, or its text parts one after the other. */
export function messageText(message: JsonObject): string {
  const content = textField(message, 'content');
  if (content !== null) return content;
  const texts = listField(message, 'content').flatMap((part) => {
    if (typeof part === 'string') return [part];
    if (!isObject(part) || textField(part, 'type') !== 'text') return [];
    return [textField(part, 'content') ?? textField(part, 'text') ?? ''];
  });
  return texts.join('\n');
}

/** True for a part that is a picture: of its type, or of its media type. */
export function isImagePart(part: unknown): boolean {
  if (!isObject(part)) return false;
  const source = objectField(part, 'source');
  const media = (source && (textField(source, 'mediaType') ?? textField(source, 'mimeType'))) ?? textField(part, 'mediaType') ?? '';
  return textField(part, 'type') === 'image' || media.startsWith('image/');
}

function roleOf(message: JsonObject): Message['role'] {
  const role = textField(message, 'role');
  return role === 'user' || role === 'assistant' || role === 'tool' ? role : 'system';
}

/** The tool calls of a message that have an id; the arguments are JSON text, in some hosts an object. */
export function callsOf(message: JsonObject): { id: string; name: string; input: string }[] {
  return listField(message, 'toolCalls').flatMap((call) => {
    if (!isObject(call)) return [];
    const id = textField(call, 'id');
    if (id === null) return [];
    const target = objectField(call, 'function') ?? call;
    return [{ id, name: textField(target, 'name') ?? 'unknown', input: argumentText(target) }];
  });
}

function argumentText(target: JsonObject): string {
  const text = textField(target, 'arguments');
  if (text !== null) return text;
  const value = objectField(target, 'arguments');
  if (value === null) return '{}';
  try {
    return JSON.stringify(value);
  } catch {
    // Nested too deep to be written out again; the call is shown without its arguments.
    return '{}';
  }
}

/** What a tool message says: `interrupted: true` in its content means that a crash lost the call. */
export function outcomeOf(message: JsonObject): ToolOutcome {
  const content = messageText(message);
  const shortened = shortenedBytes(message);
  // What was shortened is a long, plain output.
  if (shortened !== null) return { state: 'done', bytes: shortened };
  const bytes = Object.hasOwn(message, 'content') ? Buffer.byteLength(content) : null;
  if (content.length < 4096 && content.includes('"interrupted"')) {
    try {
      const parsed: unknown = JSON.parse(content);
      if (isObject(parsed) && parsed['interrupted'] === true) return { state: 'lost', bytes };
    } catch {
      // Output that only looks like JSON is output.
    }
  }
  const error = Object.hasOwn(message, 'error') ? message['error'] : undefined;
  return { state: error === undefined || error === null || error === false ? 'done' : 'failed', bytes };
}

function isReset(message: JsonObject): boolean {
  const metadata = objectField(message, 'metadata');
  const harness = metadata && objectField(metadata, 'harness');
  return harness !== null && Object.hasOwn(harness, 'reset');
}

/** What is kept of a message. `root` decides which paths of its calls lie in the workspace. */
export function entryContent(message: JsonObject, root: string | null): EntryContent {
  const text = messageText(message);
  const role = roleOf(message);
  const calls = callsOf(message);
  return {
    id: textField(message, 'id'),
    role,
    excerpt: firstOf(text, EXCERPT),
    bytes: shortenedBytes(message) ?? Buffer.byteLength(text),
    images: listField(message, 'content').filter(isImagePart).length,
    thinking: listField(message, 'thinking').length > 0,
    at: timeField(message, 'createdAt'),
    calls: calls.length === 0 ? NO_CALLS : calls.map(({ id, name, input }) => ({ id, name, effect: toolEffect(name, input, root) })),
    toolCallId: textField(message, 'toolCallId'),
    outcome: role === 'tool' ? outcomeOf(message) : null,
    reset: role === 'user' && isReset(message),
  };
}

/** What makes two messages the same: the id; without one the call that a tool message answers; else role, size and first words. */
export function entryKey(content: EntryContent): string {
  if (content.id !== null) return content.id;
  // No id of a log begins with a control character, so the three kinds never meet.
  if (content.role === 'tool' && content.toolCallId !== null) return `\u0001${content.toolCallId}`;
  return `\u0002${content.role} ${content.bytes} ${content.excerpt}`;
}
