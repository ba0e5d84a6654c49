import path from 'node:path';
import { expect, test } from 'vitest';
import { dsh } from '../../electron/threads/dsh/dsh-source.ts';
import { hitOf, searchThread } from '../../electron/threads/search-thread.ts';
import type { Source, ThreadReader } from '../../electron/threads/source.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { foldCase, type Hit } from '../../shared/search.ts';
import { copyDshSample } from '../scenarios/dsh.ts';
import { unpackOpencodeSample } from '../scenarios/opencode.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { openSample } from './opencode/open-sample.ts';
import { answer, call, handLog, input, say, settled, transcript, user } from './tanstack/hand-log.ts';

/** Every message looked at, one by one: what a search must find. */
async function slowly(reader: ThreadReader, words: string[]): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const message of reader.thread().messages) {
    const hit = hitOf(message, await reader.body(message.id), words.map(foldCase));
    if (hit !== null) hits.push(hit);
  }
  return hits;
}

async function found(reader: ThreadReader, words: string[]): Promise<Hit[]> {
  const hits: Hit[] = [];
  for await (const hit of searchThread(reader, reader.thread().messages, words)) hits.push(hit);
  return hits;
}

/** Pieces of the texts of a thread, of every message and part. */
async function piecesOf(reader: ThreadReader): Promise<string[]> {
  const pieces = new Set<string>();
  for (const message of reader.thread().messages) {
    for (const part of (await reader.body(message.id)).parts) {
      const text = part.kind === 'call' ? part.input : part.kind === 'raw' ? part.json : part.kind === 'image' ? '' : part.text;
      for (const at of [0, 0.3, 0.7]) {
        const from = Math.floor(text.length * at);
        const piece = text.slice(from, from + 9);
        if (piece.trim() !== '' && piece.isWellFormed()) pieces.add(piece.toUpperCase());
      }
    }
  }
  return [...pieces];
}

/** The search finds what looking at every message finds: each piece of its texts, and nothing for words that are not there. */
async function expectSame(reader: ThreadReader): Promise<number> {
  const byId = (hits: Hit[]): Hit[] => hits.toSorted((a, b) => (a.message < b.message ? -1 : 1));
  const pieces = await piecesOf(reader);
  for (const piece of pieces) expect(byId(await found(reader, [piece]))).toEqual(byId(await slowly(reader, [piece])));
  expect(await found(reader, ['no such words at all'])).toEqual([]);
  return pieces.length;
}

async function openOne(source: Source, log: string, folder: string): Promise<ThreadReader> {
  const places = { home: folder, env: {} };
  const [head] = await source.locate(log, places);
  if (!head) throw new Error(`no thread at ${log}`);
  const reader = await source.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  await reader.read();
  return reader;
}

test('a session of OpenCode', async () => {
  const { reader } = await openSample('before_revert');
  expect(await expectSame(reader)).toBeGreaterThan(30);
});

test('a session of DSH in which messages were taken back: they are found, and said to be taken back', async () => {
  const folder = await tempFolder();
  const reader = await openOne(dsh, await copyDshSample(folder, 'session-sample-a-recalled', 'v3-zstd'), folder);
  expect(await expectSame(reader)).toBeGreaterThan(20);
  const recalled = reader.thread().messages.find(({ hidden, role }) => hidden?.reason === 'recalled' && role === 'user');
  const hits = await found(reader, [recalled?.excerpt.slice(0, 20) ?? '']);
  expect(hits.find(({ message }) => message === recalled?.id)).toMatchObject({ hidden: { reason: 'recalled' }, stop: null });
  await reader.close();
});

test('a log of the harness: dropped messages, records that are not known, text in parts, outputs that failed', async () => {
  const log = await handLog();
  await log.batch(
    input('a'),
    transcript(
      0,
      user('u1', [
        { type: 'text', content: 'part ONE' },
        { type: 'text', text: 'part "two"' },
      ]),
    ),
  );
  await log.batch(transcript(1, call('c', ['k', 'write_file', { path: 'a.ts', content: 'let x = "\\n";\nnext line' }])));
  await log.batch(transcript(2, answer('k', 'Permission\tdenied', { error: 'EACCES' })), settled('a'));
  await log.batch({ type: 'app.todo', items: ['buy milk', { deep: 'größer' }] });
  await log.batch(transcript(3, say('a1', 'dropped words')), transcript(3, say('a2', { odd: 'shape' })));
  const reader = await log.open();
  expect(await expectSame(reader)).toBeGreaterThan(6);
  const places = async (word: string) => (await found(reader, [word])).map(({ place, hidden }) => [place, hidden?.reason ?? null]);
  expect(await places('DROPPED')).toEqual([['text', 'dropped']]);
  expect(await places('Größer')).toEqual([['raw', null]]);
  expect(await places('permission\tdenied')).toEqual([['output', null]]);
});

test('what cannot be in a store is told by its bytes alone, thread by thread where a database has several', async () => {
  const folder = await tempFolder();
  const log = await handLog();
  await log.batch(transcript(0, user('u1', 'Die Größe')));
  expect(await tanstack.mayHold?.(log.file, ['grösse'])).toBe(false);
  expect(await tanstack.mayHold?.(log.file, ['die', 'GRÖSSE'.replace('SS', 'ß')])).toBe(true);
  const zstd = await copyDshSample(folder, 'session-sample-a', 'v3-zstd');
  expect(await dsh.mayHold?.(zstd, ['whatever'])).toBe(true);
  const { opencode } = await import('../../electron/threads/opencode/opencode-source.ts');
  const sample = await unpackOpencodeSample(path.join(folder, 'oc'), 'before_revert');
  const [head] = (await opencode.list({ home: sample.home, env: {} })).threads;
  expect(await opencode.mayHold?.(head?.log ?? '', ['no such words'])).toEqual(new Set());
  const first =
    head &&
    (await opencode.open(head, { root: null, data: null, places: { home: sample.home, env: {} }, ownData: path.join(folder, 'o') }));
  await first?.read();
  const word = first?.thread().messages[0]?.excerpt.slice(0, 8) ?? '';
  expect(await opencode.mayHold?.(head?.log ?? '', [word])).toContain(head?.threadId);
  await first?.close();
});
