import type { BadRecord } from '../../../shared/model.ts';
import { asName, asNumber, asRecord, asText, type Loose, parseRecord } from '../loose.ts';
import type { PartFacts } from './part-facts.ts';
import type { MessageRow } from './rows.ts';

/** A message without its parts, as `message.data` has it (formats/opencode 1.3). */
export function messageRow(id: string, at: number | null, data: Loose): MessageRow {
  const role = data['role'] === 'user' || data['role'] === 'assistant' ? data['role'] : 'system';
  const time = asRecord(data['time']) ?? {};
  const place = asRecord(data['path']) ?? {};
  return {
    id,
    role,
    at: at ?? asNumber(time['created']),
    completedAt: asNumber(time['completed']),
    parentId: role === 'assistant' ? asName(data['parentID']) : null,
    finish: asName(data['finish']),
    error: errorOf(data['error']),
    root: asName(place['root']),
    cwd: asName(place['cwd']),
    parts: [],
    born: Number.MAX_VALUE,
    gone: null,
  };
}

function errorOf(value: unknown): MessageRow['error'] {
  const error = asRecord(value);
  if (error === null) return null;
  const message = asText(asRecord(error['data'])?.['message']) ?? asText(error['message']);
  return { name: asName(error['name']) ?? asName(error['type']) ?? 'error', message: message ?? '' };
}

/** A message from its stored text; one that cannot be read keeps its place and is noted as bad. */
export function messageFromJson(row: { id: string; at: number | null; json: unknown; nth: number }, bad: BadRecord[]): MessageRow {
  const parsed = parseRecord(row.json);
  if ('record' in parsed) return messageRow(row.id, row.at, parsed.record);
  bad.push({ line: row.nth, bytes: sizeOfCell(row.json), why: `message ${row.id}: ${parsed.why}` });
  return messageRow(row.id, row.at, {});
}

/** Bytes of a value as a database or file holds it. */
export function sizeOfCell(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 0;
}

/**
 * Gives a message its parts. What a message that cannot be read was, its parts may still tell: only answers have steps and tools.
 */
export function withParts(message: MessageRow, parts: PartFacts[], born = message.born): MessageRow {
  const isAnswer = parts.some((part) => part.kind === 'start' || part.kind === 'finish' || part.kind === 'tool');
  return { ...message, role: message.role === 'system' && isAnswer ? 'assistant' : message.role, parts, born };
}
