import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import type { Thread } from '../../shared/model.ts';
import { record } from '../figures.ts';
import { tanstackDatabase } from '../scenarios/tanstack-sqlite.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { answer, applied, call, input, type Rec, revert, say, settled, transcript, user } from '../threads/tanstack/hand-log.ts';
import { compareFold } from './tanstack-compare.ts';
import { foldReference, metadataReference, recordsOf } from './tanstack-reference.ts';

const step = fc.record({
  files: fc.subarray(['a', 'd/b', 'ü c']),
  form: fc.constantFrom('whole', 'whole', 'whole', 'first-era', 'torn', 'none'),
});
const deed = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('turn' as const),
      steps: fc.array(step, { maxLength: 3 }),
      ends: fc.constantFrom('completed', 'failed', 'aborted'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), back: fc.nat({ max: 9 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), back: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'unrevert' as const }, { do: 'stranger' as const }) },
);
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

const tree = (n: number): string => n.toString(16).padStart(40, '0');

/** What the harness appends, batch by batch (formats/tanstack.md 3, 10 and 12). */
function batchesOf(deeds: readonly Deed[]): Rec[][] {
  const batches: Rec[][] = [];
  let messages: Rec[] = [];
  let standing: string | null = null;
  let count = 0;
  const next = (kind: string): string => `${kind}-${++count}`;
  const tail = (keep: number, ...add: Rec[]): Rec => {
    messages = [...messages.slice(0, keep), ...add];
    return transcript(keep, ...add);
  };
  for (const one of deeds) {
    if (one.do === 'turn') {
      const id = next('in');
      batches.push([input(id)]);
      if (standing !== null) batches.push([tail(messages.findIndex((message) => message['id'] === standing) + 1)], [revert(null)]);
      standing = null;
      batches.push([applied(id)], [tail(messages.length, user(next('u')))]);
      for (const { files, form } of one.steps) {
        const callId = next('call');
        batches.push([tail(messages.length, call(next('a'), [callId, 'bash', { command: 'make' }]))]);
        const made = { type: 'tanstack/snapshots:step', from: tree(count), to: tree(count + 1), files };
        if (form === 'whole') batches.push([{ ...made, toolCallIds: [callId] }]);
        else if (form === 'first-era') batches.push([made]);
        else if (form === 'torn') batches.push([{ ...made, from: null, toolCallIds: [callId] }]);
        batches.push([tail(messages.length, answer(callId))]);
      }
      batches.push([tail(messages.length, say(next('a')))], [settled(id, one.ends)]);
    } else if (one.do === 'revert') {
      const ids = messages.flatMap((message) => (typeof message['id'] === 'string' ? [message['id']] : []));
      standing = ids.at(-1 - (one.back % (ids.length || 1))) ?? null;
      if (standing !== null) batches.push([revert(standing, { now: tree(1), files: ['a'] })]);
    } else if (one.do === 'unrevert') {
      standing = null;
      batches.push([revert(null)]);
    } else if (one.do === 'cut' && standing === null) {
      const keep = messages.findLastIndex((message, at) => message['role'] === 'user' && at < messages.length - one.back);
      if (keep >= 0) batches.push([tail(keep)]);
    } else
      batches.push([
        { type: 'acme/x', value: 1 },
        { ...transcript(0, user('kid')), thread: 'kid' },
      ]);
  }
  return batches;
}

async function read(file: string, threadId: string, home: string): Promise<Thread> {
  const places = { home, env: {} };
  const head = (await tanstack.locate(file, places)).find((one) => one.threadId === threadId);
  if (!head) throw new Error(`no thread ${threadId} in ${file}`);
  const reader = await tanstack.open(head, { root: null, data: null, places, ownData: path.join(home, 'own') });
  try {
    await reader.read();
    return reader.thread();
  } finally {
    await reader.close();
  }
}

const RUNS = size(200, 2000);

test(`${RUNS} random logs as lines, in SQLite and without a log: each fold is that of the reference`, { timeout: 7_200_000 }, async () => {
  const folder = await tempFolder();
  const seed = seedOf();
  console.error(`random stores: TURNBACK_SEED=${seed}`);
  let logless = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 8 }), async (deeds) => {
      await rm(folder, { recursive: true, force: true });
      const batches = batchesOf(deeds);
      if (batches.length === 0) return;
      const file = path.join(folder, 'save', 'sessions', 't1.jsonl');
      await mkdir(path.dirname(file), { recursive: true });
      for (const batch of batches) await appendFile(file, `${JSON.stringify(batch)}\n`);
      // 6.2: a record of another thread is none of this one's.
      const records = recordsOf(await readFile(file, 'utf8')).filter((one) => (one['thread'] ?? 't1') === 't1');
      const fold = foldReference(records);
      compareFold(await read(file, 't1', folder), fold);

      const db = await tanstackDatabase(path.join(folder, 'sqlite'));
      for (const batch of batches) db.append('t1', ...batch);
      try {
        compareFold(await read(db.file, 't1', folder), fold);
      } finally {
        db.close();
      }

      const metadata = path.join(folder, 'no-log', 'metadata.json');
      const kept = records.filter((one) => one.type === 'tanstack/snapshots:step').map(({ type, ...rest }) => rest);
      const last = records.findLast((one) => one.type === 'harness.revert')?.['revert'] ?? null;
      await mkdir(path.dirname(metadata), { recursive: true });
      await writeFile(metadata, JSON.stringify({ 'plugin:tanstack/snapshots': { t1: kept }, 'harness:revert': { t1: last } }));
      const reference = metadataReference(await readFile(metadata, 'utf8'), 't1');
      if (reference.steps.length === 0) return;
      const thread = await read(metadata, 't1', folder);
      const steps = thread.steps.filter((one) => one.from !== null && one.to !== null);
      expect(steps.map(({ from, to, toolCallIds, listed: files }) => ({ from, to, files, toolCallIds }))).toEqual(reference.steps);
      expect([thread.messages, thread.turns, thread.standing?.messageId ?? null]).toEqual([[], [], reference.standing]);
      logless += 1;
    }),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
  record('differential', 'random logs as lines and in SQLite as by the reference', RUNS);
  record('differential', 'threads without a log as by the reference', logless);
});
