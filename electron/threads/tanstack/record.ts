/** A JSON object from a log. Only own, checked fields are used: keys such as `__proto__` are data. */
export type JsonObject = { readonly [key: string]: unknown };

/** Where a record can be read again. */
export type RecordRef = { kind: 'line'; offset: number; length: number; index: number } | { kind: 'row'; seq: number };

/** A record's position in the log (1-based, over all threads of the log) and where it lies. */
export interface RecordAt {
  seq: number;
  ref: RecordRef;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The field when it is an own string of the object, else null. */
export function textField(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'string' ? value : null;
}

export function numberField(object: JsonObject, key: string): number | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function objectField(object: JsonObject, key: string): JsonObject | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return isObject(value) ? value : null;
}

/** The field's elements; empty when it is no list. */
export function listField(object: JsonObject, key: string): readonly unknown[] {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** The field when it is a list of strings and nothing else, else null. */
export function textsField(object: JsonObject, key: string): string[] | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null;
}

/** Epoch milliseconds of a field that may be a number or an ISO time, else null (`formats/tanstack.md`, tolerant reader). */
export function timeField(object: JsonObject, key: string): number | null {
  const value = Object.hasOwn(object, key) ? object[key] : undefined;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string') return null;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : time;
}

/**
 * A copy of a short text that shares no memory with a long one. V8 keeps the whole text alive for a part cut out of it;
 * a log of 100 MB would stay in memory for the first words of its messages.
 */
export function ownText(text: string): string {
  // By way of UTF-8 most texts take one byte a character; half a pair only survives UTF-16.
  return text.isWellFormed() ? Buffer.from(text).toString() : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** The first `length` UTF-16 units, never half a pair, as a copy of its own. */
export function firstOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return ownText(text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length));
}
