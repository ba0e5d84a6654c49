import { expect, test } from 'vitest';
import { jsonOf, parseRecord } from '../../electron/threads/loose.ts';
import { hitOf, searchThread } from '../../electron/threads/search-thread.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';
import type { Message, MessageBody, Part } from '../../shared/model.ts';

const message = (id: string): Message => ({
  ...{ stop: 1, id, role: 'assistant', turn: 1, step: null, at: null, excerpt: '', bytes: 0, images: 0, thinking: false },
  ...{ tools: [], hidden: null, divider: null, canStand: true },
});

const call = {
  id: 'c1',
  name: 'x',
  summary: '',
  status: 'done',
  sideEffect: null,
  wrote: null,
  durationMs: null,
  outputBytes: null,
  child: null,
} as const;

const hit = (parts: Part[], ...words: string[]) => {
  const found = hitOf(message('m'), { id: 'm', parts }, words);
  return (
    found && [found.place, found.call, found.excerpt, found.excerpt.slice(found.at, found.at + found.length), found.words, found.times]
  );
};

test('a hit is in the first part that holds a word: of a text, a thought, arguments, an output or a raw record, never a picture', () => {
  const parts: Part[] = [
    { kind: 'image', mediaType: 'image/png', data: 'needle' },
    { kind: 'text', text: 'one' },
    { kind: 'thinking', text: 'two' },
    { kind: 'call', call, input: 'three' },
    { kind: 'output', callId: 'c1', text: 'four', failed: false, exit: null },
    { kind: 'raw', type: 'x', json: 'five' },
  ];
  expect(hit(parts, 'needle')).toBeNull();
  expect(hit(parts, 'one')).toEqual(['text', null, 'one', 'one', [0], 1]);
  expect(hit(parts, 'two')).toEqual(['thinking', null, 'two', 'two', [0], 1]);
  expect(hit(parts, 'three')).toEqual(['arguments', 'c1', 'three', 'three', [0], 1]);
  expect(hit(parts, 'four')).toEqual(['output', 'c1', 'four', 'four', [0], 1]);
  expect(hit(parts, 'five', 'two')).toEqual(['thinking', null, 'two', 'two', [0, 1], 2]);
});

test('an excerpt begins before the first match, is cut between letters, and is one line', () => {
  const text = (of: string): Part[] => [{ kind: 'text', text: of }];
  expect(hit(text('a b\nc b'), 'c', 'b')).toEqual(['text', null, 'a b c b', 'b', [0, 1], 3]);
  const wide = hit(text(`${'😀'.repeat(40)}.needle${'😀'.repeat(200)}`), 'needle');
  expect(wide?.[3]).toBe('needle');
  expect(String(wide?.[2]).isWellFormed()).toBe(true);
  expect(String(wide?.[2]).startsWith('…😀') && String(wide?.[2]).endsWith('😀…')).toBe(true);
  const odd = hit(text(`${'😀'.repeat(40)}needle${'😀'.repeat(200)}`), 'needle');
  expect([odd?.[3], String(odd?.[2]).isWellFormed()]).toEqual(['needle', true]);
  expect(hit(text(`x${'y'.repeat(500)}`), `x${'y'.repeat(400)}`)?.[3]).toHaveLength(200);
});

test('without a store that finds words, every message is looked at; a search stops when it is cancelled', async () => {
  const slow = Array.from({ length: 6 }, (_, at) => `m${at}`);
  const body = async (id: string): Promise<MessageBody> => {
    const until = performance.now() + 6;
    while (performance.now() < until);
    return { id, parts: [{ kind: 'text', text: id === 'm3' ? 'a NEEDLE' : 'hay' }] };
  };
  const reader = { body } as unknown as ThreadReader;
  const found = async (of: ThreadReader, signal?: AbortSignal, seen: number[] = []): Promise<string[]> => {
    const hits: string[] = [];
    for await (const one of searchThread(of, slow.map(message), ['Needle'], { signal, onBytes: (at) => void seen.push(at) }))
      hits.push(one.message);
    return hits;
  };
  const seen: number[] = [];
  expect(await found(reader, undefined, seen)).toEqual(['m3']);
  expect(seen.length).toBeGreaterThan(0);
  await expect(found(reader, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  const named = {
    body,
    candidates: async function* () {
      yield 'm3';
      yield 'nobody';
    },
  } as unknown as ThreadReader;
  expect(await found(named)).toEqual(['m3']);
});

test('records of strangers are objects or say why not; what cannot be printed is null', () => {
  expect([parseRecord(7), parseRecord('[1]'), parseRecord(Buffer.from('{"a":1}'))]).toEqual([
    { why: 'it holds no text' },
    { why: 'it is not a JSON object' },
    { record: { a: 1 } },
  ]);
  const ring: Record<string, unknown> = {};
  ring['self'] = ring;
  expect(() => jsonOf(ring)).toThrow(TypeError);
  expect([jsonOf(undefined), jsonOf({ a: 1 }, 1)]).toEqual([null, '{\n "a": 1\n}']);
});
