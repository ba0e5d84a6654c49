import type { MessageBody, Part, ToolCall } from '../../../shared/model.ts';
import { callsOf, isImagePart, messageText, outcomeOf } from './message-entry.ts';
import { isObject, type JsonObject, listField, numberField, objectField, textField } from './record.ts';

/** JSON as text for people; what is nested too deep for that says so. */
function pretty(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return 'This value is nested too deep to be shown.';
  }
}

function imagePart(part: JsonObject): Part {
  const source = objectField(part, 'source') ?? part;
  const mediaType = textField(source, 'mediaType') ?? textField(source, 'mimeType') ?? textField(part, 'mediaType') ?? 'image';
  const data = textField(source, 'data') ?? textField(source, 'value');
  const inline = data !== null && !/^[a-z][a-z0-9+.-]*:(?!image\/)/i.test(data);
  return { kind: 'image', mediaType, data: inline ? data.replace(/^data:[^,]*,/, '') : null };
}

function contentPart(part: unknown): Part {
  if (typeof part === 'string') return { kind: 'text', text: part };
  if (!isObject(part)) return { kind: 'raw', type: typeof part, json: pretty(part) };
  const type = textField(part, 'type') ?? 'part';
  if (type === 'text') return { kind: 'text', text: textField(part, 'content') ?? textField(part, 'text') ?? '' };
  return isImagePart(part) ? imagePart(part) : { kind: 'raw', type, json: pretty(part) };
}

function thinkingPart(part: unknown): Part[] {
  if (!isObject(part)) return [];
  const text = textField(part, 'content') ?? '';
  return text === '' ? [] : [{ kind: 'thinking', text }];
}

/** The exit code that a shell tool put into its JSON output, where it did. */
function exitOf(text: string): number | null {
  if (!text.startsWith('{')) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return null;
    return numberField(parsed, 'exitCode') ?? numberField(parsed, 'exit_code') ?? numberField(parsed, 'exit');
  } catch {
    // Output that only begins like JSON has no exit code of its own.
    return null;
  }
}

function outputPart(message: JsonObject): Part {
  const text = messageText(message);
  const failed = outcomeOf(message).state !== 'done';
  const error = textField(message, 'error');
  const shown = text === '' && error !== null ? error : text;
  return { kind: 'output', callId: textField(message, 'toolCallId') ?? '', text: shown, failed, exit: exitOf(text) };
}

/** The whole content of a message. `calls`: its tool calls as the fold knows them. */
export function messageBody(id: string, message: JsonObject, calls: readonly ToolCall[]): MessageBody {
  if (textField(message, 'role') === 'tool') {
    // Texts, with a type or plain, are the output already.
    const extra = listField(message, 'content').filter(
      (part) => typeof part !== 'string' && !(isObject(part) && textField(part, 'type') === 'text'),
    );
    return { id, parts: [outputPart(message), ...extra.map(contentPart)] };
  }
  const inputs = new Map(callsOf(message).map((call) => [call.id, call.input]));
  const text = textField(message, 'content');
  return {
    id,
    parts: [
      ...listField(message, 'thinking').flatMap(thinkingPart),
      ...(text === null ? listField(message, 'content').map(contentPart) : text === '' ? [] : [contentPart(text)]),
      ...calls.map((call): Part => ({ kind: 'call', call, input: inputs.get(call.id) ?? '{}' })),
    ],
  };
}

/** Records that are no messages, as they are. */
export function rawBody(id: string, records: readonly { type: string; record: JsonObject }[]): MessageBody {
  return { id, parts: records.map(({ type, record }) => ({ kind: 'raw', type, json: pretty(record) })) };
}

/** A line that is no record, as text; the first megabyte of it. */
export function badLineBody(id: string, bytes: Buffer): MessageBody {
  return { id, parts: [{ kind: 'raw', type: 'unreadable line', json: bytes.toString('utf8') }] };
}
