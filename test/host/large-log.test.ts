import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk } from '../../electron/host/desk.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { Catalog } from '../../electron/threads/catalog.ts';
import type { Preview } from '../../electron/threads/source.ts';
import type { Hit } from '../../shared/search.ts';
import { writeLog } from '../bench/long-log.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { applied, call, HandLog, input, plainTurn, revert, say, settled, transcript, user } from '../threads/tanstack/hand-log.ts';

const SIZE = 14 << 20;

let home: string;
let desk: Desk;
let messages: number;

const sessions = (): string => path.join(home, '.tanstack-harness-app', 'sessions');

beforeAll(async () => {
  home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-')));
  await mkdir(sessions(), { recursive: true });
  messages = await writeLog(path.join(sessions(), 'big.jsonl'), SIZE);
  desk = new Desk({ places: { home, env: {} }, ownData: path.join(home, 'own'), git: createGit(), emit: () => undefined });
});

afterAll(async () => {
  await desk.dispose();
  await rm(home, { recursive: true, force: true });
});

async function opened(id: string): Promise<{ preview: Preview | null; bytes: [number, number][] }> {
  let preview: Preview | null = null;
  const bytes: [number, number][] = [];
  await desk.open(
    id,
    {},
    {
      onPreview: (seen) => {
        preview = seen;
      },
      onBytes: (done, total) => bytes.push([done, total]),
    },
  );
  return { preview, bytes };
}

async function hitsOf(id: string, words: string[]): Promise<Hit[]> {
  const hits: Hit[] = [];
  await desk.search(id, words, { onHits: (some) => hits.push(...some) });
  return hits;
}

test('the end of a large log comes first, with the stops and ids of the whole thread, and bytes are told up to its size', async () => {
  const { preview, bytes } = await opened('tanstack:big');
  const whole = (await desk.view('tanstack:big')).messages;
  expect(whole.length).toBe(messages);
  const end = preview?.thread.messages ?? [];
  expect(end.length).toBeGreaterThanOrEqual(50);
  const facts = (list: typeof whole) =>
    list.map(({ id, stop, role, excerpt, tools }) => [id.replace(/^(tail)?#.*/, '#'), stop, role, excerpt, tools]);
  expect(facts(end)).toEqual(facts(whole.slice(-end.length)));
  const size = preview?.size ?? 0;
  expect(bytes.at(-1)).toEqual([size, size]);
  expect(bytes.map(([done]) => done)).toEqual([...bytes.map(([done]) => done)].sort((a, b) => a - b));
  await desk.close('tanstack:big');
});

test('a message of the end can be read before the rest is there; names of the end name nothing in the whole thread', async () => {
  let early: Promise<unknown> | null = null;
  await desk.open(
    'tanstack:big',
    {},
    {
      onPreview: ({ thread }) => {
        const last = thread.messages.at(-1);
        const tool = thread.messages.findLast((message) => message.role === 'tool');
        early = Promise.all([desk.body('tanstack:big', last?.id ?? ''), desk.body('tanstack:big', tool?.id ?? '')]);
      },
    },
  );
  expect(await early).toMatchObject([{ parts: [{ kind: 'text' }] }, { parts: [{ kind: 'output' }] }]);
  await expect(desk.body('tanstack:big', 'tail#1')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  await desk.close('tanstack:big');
});

test('an opening that is given up ends as cancelled and is forgotten; another one that waits for it gets the thread', async () => {
  const given = new AbortController();
  const alone = desk.open('tanstack:big', {}, { signal: given.signal, onPreview: () => given.abort() });
  await expect(alone).rejects.toMatchObject({ code: 'CANCELLED' });
  const one = new AbortController();
  let other: Promise<unknown> | null = null;
  const first = desk.open(
    'tanstack:big',
    {},
    {
      signal: one.signal,
      onPreview: () => {
        other = desk.open('tanstack:big');
        setTimeout(() => one.abort(), 0);
      },
    },
  );
  await expect(first).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await other).toMatchObject({ head: { id: 'tanstack:big' } });
  await desk.close('tanstack:big');
});

test('no preview of a small log, nor where the end alone does not tell what it means', async () => {
  const small = new HandLog(home, path.join(sessions(), 'small.jsonl'));
  await plainTurn(small, 1, 0);
  expect((await opened('tanstack:small')).preview).toBeNull();
  const compacted = new HandLog(home, path.join(sessions(), 'compacted.jsonl'));
  await writeLog(compacted.file, 7 << 20);
  await compacted.batch({ type: 'tanstack.compaction', head: [user('h', 'summary')], from: 3 });
  expect((await opened('tanstack:compacted')).preview).toBeNull();
  const reverted = new HandLog(home, path.join(sessions(), 'reverted.jsonl'));
  await writeLog(reverted.file, 7 << 20);
  await reverted.batch(revert('u1'));
  expect((await opened('tanstack:reverted')).preview).toBeNull();
  expect((await desk.view('tanstack:reverted')).standing?.stop).toBe(7);
});

test('a revert that stands in the end is there with its true stop, and so is what it hides', async () => {
  const log = new HandLog(home, path.join(sessions(), 'standing.jsonl'));
  const count = await writeLog(log.file, 7 << 20);
  await log.batch(input('inX'), applied('inX'), transcript(count, user('ux'), say('ax')), settled('inX'));
  await log.batch(revert('ux'));
  const { preview } = await opened('tanstack:standing');
  expect(preview?.thread.standing).toMatchObject({ messageId: 'ux', stop: count + 1, hidden: 1 });
  expect(preview?.thread.messages.at(-1)).toMatchObject({ id: 'ax', stop: count + 2, hidden: { reason: 'reverted' } });
});

test('words are found in texts, arguments and outputs of a large log, whatever their case, and nowhere else', async () => {
  const log = new HandLog(home, path.join(sessions(), 'words.jsonl'));
  const count = await writeLog(log.file, 3 << 20);
  const far = 'x'.repeat(5000);
  await log.batch(
    input('w'),
    applied('w'),
    transcript(count, user('w1', `${far} Die GRÖSSE „stimmt“`), call('w2', ['c9', 'bash', { command: 'echo "Zebra\\Crossing"' }])),
  );
  await log.bytes(
    `[{"type":"harness.transcript","keep":${count + 2},"add":[{"role":"tool","toolCallId":"c9","content":"\\u007aEBRA \\u6f22\\u5b57 a\\/b \\u212aelvin"}]}]\n`,
  );
  await log.batch({ type: 'harness.event', operationId: 'o', event: { type: 'TEXT_MESSAGE_CONTENT', delta: 'zebra' } }, settled('w'));
  const found = async (...words: string[]) =>
    (await hitsOf('tanstack:words', words)).map(({ stop, place, words: held, times }) => [stop, place, held, times]);
  expect(await found('größe')).toEqual([]);
  expect(await found('grösse')).toEqual([[count + 1, 'text', [0], 1]]);
  expect(await found('zebra')).toEqual([
    [count + 2, 'arguments', [0], 1],
    [count + 3, 'output', [0], 1],
  ]);
  expect(await found('漢字')).toEqual([[count + 3, 'output', [0], 1]]);
  expect(await found('A/B', 'kelvin')).toEqual([[count + 3, 'output', [0, 1], 2]]);
  expect(await found('crossing', 'stimmt')).toEqual([
    [count + 1, 'text', [1], 1],
    [count + 2, 'arguments', [0], 1],
  ]);
  const [hit] = await hitsOf('tanstack:words', ['Stimmt']);
  expect(hit?.excerpt.slice(hit.at, hit.at + hit.length)).toBe('stimmt');
  expect(hit?.excerpt.length).toBeLessThan(220);
});

test('a search that is given up ends as cancelled', async () => {
  const given = new AbortController();
  const searching = desk.search('tanstack:big', ['lazy'], { signal: given.signal, onHits: () => given.abort() });
  await expect(searching).rejects.toMatchObject({ code: 'CANCELLED' });
});

test('over all threads those with every word in one message are found, and a log that cannot be read hides no other', async () => {
  await writeFile(path.join(sessions(), 'broken.jsonl'), '[{"type":"harness.input"\n');
  const found: [string, number][] = [];
  const done: number[] = [];
  const result = await desk.searchAll(['stimmt', 'GRÖSSE'], {
    onFound: ({ head, found: many }) => found.push([head.id, many]),
    onThreads: (many) => done.push(many),
  });
  expect(found).toEqual([['tanstack:words', 1]]);
  expect([result.found, done.at(-1)]).toEqual([1, result.threads]);
  // Nobody opened these threads: they are not remembered as opened.
  const catalog = new Catalog({ places: { home: await tempFolder(), env: {} }, ownData: path.join(home, 'own') });
  expect((await catalog.list()).threads.map(({ threadId }) => threadId)).not.toContain('broken');
});

test('only what changed crosses the boundary: an append is its own few messages, and an unknown version is answered whole', async () => {
  const log = new HandLog(home, path.join(sessions(), 'grows.jsonl'));
  const count = await writeLog(log.file, 3 << 20);
  await desk.open('tanstack:grows');
  const first = await desk.stamped(await desk.view('tanstack:grows'));
  const version = first.version ?? 0;
  expect(await desk.changes('tanstack:grows', version, false)).toEqual({ kind: 'same' });
  await log.batch(input('n'), applied('n'), transcript(count, user('n1'), say('n2')), settled('n'));
  const changes = await desk.changes('tanstack:grows', version, false);
  expect(changes).toMatchObject({ kind: 'patch', patch: { messages: { head: count, tail: 0, set: [], before: count } } });
  expect(changes.kind === 'patch' && changes.patch.messages.add.map(({ id }) => id)).toEqual(['n1', 'n2']);
  expect(JSON.stringify(changes).length).toBeLessThan(JSON.stringify(first).length / 50);
  expect(await desk.changes('tanstack:grows', 7, false)).toMatchObject({ kind: 'whole', view: { messages: { length: count + 2 } } });
});
