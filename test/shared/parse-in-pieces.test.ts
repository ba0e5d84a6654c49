import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseAtOnce, parseInPieces } from '../../shared/parse-in-pieces.ts';

const schema = z.object({ name: z.string(), rows: z.array(z.object({ id: z.number(), mark: z.string().default('none') })) });
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, more: 'not in the schema' }));

async function both(value: unknown): Promise<{ parsed: unknown; pauses: number }> {
  let pauses = 0;
  const parsed = await parseInPieces(schema, value, async () => {
    pauses += 1;
  });
  expect(parsed).toEqual(parseAtOnce(schema, value));
  return { parsed, pauses };
}

test('a long list is checked with pauses, and gives what it gives at once: defaults filled in, unknown keys left out', async () => {
  const { parsed, pauses } = await both({ name: 'long', rows: rows(1001), also: 1 });
  expect(pauses).toBe(3);
  expect(parsed).toMatchObject({ ok: true, value: { name: 'long', rows: { length: 1001, 1000: { id: 1000, mark: 'none' } } } });
});

test('a short one is checked without', async () => {
  expect((await both({ name: 'short', rows: rows(400) })).pauses).toBe(0);
});

test('what does not fit is refused, wherever it is', async () => {
  const bad = { name: 'bad', rows: [...rows(800), { id: 'not a number' }] };
  expect((await both(bad)).parsed).toMatchObject({ ok: false });
  expect((await both({ name: 1, rows: rows(800) })).parsed).toMatchObject({ ok: false });
  expect((await both({ name: 'no list', rows: null })).parsed).toMatchObject({ ok: false });
  expect((await both(null)).parsed).toMatchObject({ ok: false });
});
