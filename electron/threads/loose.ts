/** A JSON object of a stranger: any key may be missing or of any type. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value as an object, or null when it is none (arrays are none). */
export function asRecord(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
}

/** The value as text, or null. */
export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The value as text that is not empty, or null. */
export function asName(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** The value as a finite number, or null. */
export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The value as a list; empty when it is none. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects in a list; whatever else it holds is passed over. */
export function asRecords(value: unknown): Loose[] {
  return asList(value)
    .map(asRecord)
    .filter((record) => record !== null);
}

/** The value as the id of a git tree (40 or 64 hex), or null: OpenCode also writes empty ones (formats/opencode 1.1). */
export function asTree(value: unknown): string | null {
  return typeof value === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(value) ? value : null;
}

/** The object that a JSON text holds, or why it holds none. Never throws. */
export function parseRecord(text: unknown): { record: Loose } | { why: string } {
  const json = text instanceof Uint8Array ? new TextDecoder().decode(text) : text;
  if (typeof json !== 'string') return { why: 'it holds no text' };
  try {
    const record = asRecord(JSON.parse(json));
    return record ? { record } : { why: 'it is not a JSON object' };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

/** The value as JSON, or null when it has none or is nested too deeply to print. */
export function jsonOf(value: unknown, indent = 0): string | null {
  try {
    return JSON.stringify(value, null, indent) ?? null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
