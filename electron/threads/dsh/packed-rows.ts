import { fields, integer, list } from './dsh-event.ts';

const PACKED = new Map([
  ['text-chunks', { items: 'texts', delta: 'text-delta', key: 'text' }],
  ['reasoning-chunks', { items: 'texts', delta: 'reasoning-delta', key: 'text' }],
  ['tool-call-chunks', { items: 'args', delta: 'tool-call-delta', key: 'argumentsDelta' }],
]);

/** Is this the type of a row that packs several `assistant/chunk` events? They exist in format 0 only. */
export const isPacked = (type: unknown): boolean => typeof type === 'string' && PACKED.has(type);

/**
 * The events that one packed row stands for: member k has seq `seq0 + k` and the running sum of `dt` as its time
 * (formats/dsh.md, event envelope). Null when the row is not whole.
 */
export function unpackRow(row: Readonly<Record<string, unknown>>): Record<string, unknown>[] | null {
  const form = PACKED.get(String(row['type']));
  const data = fields(row['data']);
  const seq0 = integer(row['seq0']);
  const time0 = integer(row['time0']);
  if (!form || seq0 === null || time0 === null) return null;
  const items = list(data[form.items]);
  const dt = list(data['dt']);
  const { [form.items]: _items, dt: _dt, turn, step, ...rest } = data;
  let time = time0;
  return items.map((item, k) => {
    if (k > 0) time += integer(dt[k - 1]) ?? 0;
    return { type: 'assistant/chunk', seq: seq0 + k, time, data: { turn, step, chunk: { type: form.delta, ...rest, [form.key]: item } } };
  });
}
