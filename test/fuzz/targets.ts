import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { makeSample } from '../../electron/recorder/sample.ts';
import { parseTree } from '../../electron/snapshots/tree-object.ts';
import { foldDsh } from '../../electron/threads/dsh/dsh-fold.ts';
import { DshIntake, readLog } from '../../electron/threads/dsh/dsh-log.ts';
import { bodyOf } from '../../electron/threads/dsh/dsh-messages.ts';
import { leanEvent } from '../../electron/threads/dsh/lean-event.ts';
import { recallRange } from '../../electron/threads/dsh/recall-range.ts';
import { parseRecord } from '../../electron/threads/loose.ts';
import { foldSession } from '../../electron/threads/opencode/fold-session.ts';
import { messageBody as opencodeBody } from '../../electron/threads/opencode/message-body.ts';
import { messageRow, withParts } from '../../electron/threads/opencode/message-rows.ts';
import { partFacts } from '../../electron/threads/opencode/part-facts.ts';
import { inOrder } from '../../electron/threads/opencode/rows.ts';
import { headOf } from '../../electron/threads/opencode/session-heads.ts';
import { batchOf } from '../../electron/threads/tanstack/jsonl-log.ts';
import { LogFold } from '../../electron/threads/tanstack/log-fold.ts';
import { messageBody } from '../../electron/threads/tanstack/message-body.ts';
import { metadataLookup, threadMetadata } from '../../electron/threads/tanstack/metadata.ts';
import { QuickLines } from '../../electron/threads/tanstack/quick-lines.ts';
import { isObject } from '../../electron/threads/tanstack/record.ts';
import { threadModel } from '../../electron/threads/tanstack/thread-model.ts';
import { redoPointOf, undoPointOf } from '../../electron/threads/tanstack/undo-points.ts';
import { TextPool } from '../../electron/threads/text-pool.ts';
import type { FileSystem } from '../../electron/travel/file-system.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { readHistory, readRecords } from '../../electron/travel/history-file.ts';
import { openJournals } from '../../electron/travel/journal.ts';
import { leaseHolder } from '../../electron/travel/lease.ts';
import { readOverlay, withOverlay } from '../../electron/travel/overlay.ts';
import { threadSchema } from '../../shared/model.ts';
import { writerLeaseSchema } from '../../shared/writer-lease.ts';
import { dshSampleLog } from '../scenarios/dsh.ts';
import { readOpencodeDump, SESSION_ROW } from '../scenarios/opencode.ts';
import * as hand from '../threads/tanstack/hand-log.ts';
import { claudeTarget } from './claude-target.ts';
import { fileOf, jsonOf, mutateBytes, mutateLines, mutateRecord, mutateValue } from './mutate.ts';
import type { Random } from './random.ts';

/** A reader of records that needs no file: reads one random input made from samples. */
export interface Target {
  name: string;
  /** Its part of all inputs. */
  share: number;
  one(random: Random, input: number): void | Promise<void>;
}

/** The schema of what readers give is asked for every so many inputs: it costs more than the reading. */
const CHECKED = 16;
const HEAD = {
  id: 'x:1',
  source: 'tanstack' as const,
  title: null,
  root: '/w',
  log: '/l',
  threadId: 't1',
  parent: null,
  updatedAt: null,
  size: null,
};

const linesOf = (bytes: Buffer): Buffer[] => {
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0x0a, at);
    lines.push(bytes.subarray(at, end < 0 ? bytes.length : end));
    if (end < 0) break;
    at = end + 1;
  }
  return lines;
};

/** A few lines of a log that follow each other. */
function some(random: Random, lines: readonly Buffer[], most: number): Buffer[] {
  const from = random.below(lines.length);
  return lines.slice(from, from + 1 + random.below(most));
}

const batch = (...records: unknown[]): Buffer => Buffer.from(JSON.stringify(records));

/** One batch of every kind that a harness log may hold and the sample does not. */
const RARE: readonly Buffer[] = [
  batch(hand.input('in1'), hand.applied('in1'), hand.transcript(0, hand.user('u1'))),
  batch(hand.transcript(1, hand.call('a1', ['c1', 'edit_file', { path: 'a' }], ['c2', 'bash', { command: 'x' }]))),
  batch({ type: 'harness.tool.started', toolCallId: 'c1', name: 'edit_file', replay: 'never' }),
  batch({ type: 'harness.tool.result', toolCallId: 'c1', message: hand.answer('c1') }),
  batch(hand.step('1', '2', ['a'], ['c1', 'c2'])),
  batch(hand.transcript(2, hand.answer('c1'), hand.answer('c2', 'no', { error: 'boom' }), hand.say('a2'))),
  batch(hand.event({ type: 'TOOL_CALL_RESULT', toolCallId: 'c1', content: 'y'.repeat(1600), role: 'tool', timestamp: 5 }, 'op-in1')),
  batch(hand.event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'a1', delta: 'x', timestamp: 3 }, 'op-in1')),
  batch(hand.settled('in1'), hand.custom('harness.operation.finished', { operationId: 'op-in1', status: 'completed' })),
  batch(hand.revert('u1', { now: hand.tree('2'), files: ['a'] }), hand.custom('harness.revert', { messageId: 'u1' })),
  batch(hand.revert(null)),
  batch({ type: 'tanstack.compaction', head: [hand.say('s', 'summary')], start: 'a1', keep: 1 }),
  batch({ type: 'harness.note', noteId: 'n', message: hand.say('n1') }),
  batch({ type: 'harness.interrupt', id: 'i', toolCallId: 'c2' }, hand.custom('harness.interrupted', { id: 'i' })),
  batch({
    type: 'turnback/undo-point',
    head: 2,
    from: hand.tree('1'),
    to: hand.tree('2'),
    files: ['a'],
    state: 'done',
    messages: [hand.user('u1')],
  }),
  batch({ type: 'turnback/workspace-elsewhere', root: '/r', dataDir: '/d', repository: 'x', backend: 'docker' }),
  batch({ type: 'acme/other', value: { deep: [1] } }, { ...hand.user('k'), thread: 'kid', type: 'harness.transcript', keep: 0, add: [] }),
];

async function tanstackTarget(folder: string): Promise<Target> {
  const sample = await makeSample(path.join(folder, 'sample'));
  const lines = [...linesOf(await readFile(sample.log)).filter((line) => line.length < 20_000), ...RARE];
  return {
    name: 'tanstack records',
    share: 0.28,
    async one(random, input) {
      const log = new LogFold({ threadId: 't1', logId: random.chance(0.9) ? 't1' : 'other', root: random.chance(0.5) ? '/w' : null });
      const quick = new QuickLines();
      let seq = 0;
      for (const line of mutateLines(random, random.chance(0.5) ? some(random, lines, 8) : some(random, RARE, RARE.length), lines)) {
        quick.skipped(line, 0, line.length);
        quick.result(line, 0, line.length);
        const records = batchOf(line);
        if (typeof records === 'string') log.addBad({ line: 1, bytes: line.length, why: records });
        else for (const record of records) log.apply(record, { seq: ++seq, ref: { kind: 'row', seq } });
      }
      const model = await threadModel(log, { head: HEAD, status: 'idle', notices: [], interrupts: new Map() });
      if (input % CHECKED === 0) threadSchema.parse(model.thread);
      for (const [id, entry] of [...model.rows].slice(0, 4)) {
        if (entry.message) messageBody(id, entry.message, model.calls.get(entry) ?? []);
      }
      undoPointOf(log.thread);
      redoPointOf(log.thread);
    },
  };
}

async function dshTarget(form: 'v0-plain' | 'v3-plain'): Promise<Target> {
  const samples = await Promise.all([
    readFile(dshSampleLog('session-sample-a', form)),
    readFile(dshSampleLog('session-sample-b-open', form)),
    ...(form === 'v3-plain' ? [readFile(dshSampleLog('session-sample-a-recalled', form))] : []),
  ]);
  const logs = samples.map((bytes) => linesOf(bytes).filter((line) => line.length < 8000));
  return {
    name: `dsh ${form}`,
    share: 0.13,
    one(random, input) {
      const whole = logs[random.below(logs.length)] ?? [];
      const lines = whole.slice(0, random.chance(0.9) ? 4 + random.below(16) : whole.length);
      const plain = fileOf(random, mutateLines(random, lines, whole));
      const packed = random.chance(0.05);
      const log = readLog(packed ? mutateBytes(random, zstdCompressSync(plain)) : plain, packed);
      if (!packed && random.chance(0.3)) leanly(plain);
      if (log === null) return;
      const fold = foldDsh(log, { ...HEAD, source: 'dsh' });
      if (input % CHECKED === 0) threadSchema.parse(fold.thread);
      for (const message of fold.thread.messages.slice(0, 3)) {
        const event = fold.eventOf.get(message.id);
        if (event) bodyOf(event, message, log.header.version);
      }
      recallRange(log, random.below(log.events.length));
    },
  };
}

/** As a log is read from its file: with long texts cut. */
function leanly(plain: Buffer): void {
  const texts = new TextPool();
  const intake = new DshIntake((event, line) => leanEvent(event, line.length, () => ({ offset: 0, length: line.length }), texts));
  for (const line of linesOf(plain)) intake.take(line);
  if (intake.log !== null) foldDsh(intake.log, { ...HEAD, source: 'dsh' });
}

async function opencodeTarget(folder: string): Promise<Target> {
  const dump = await readOpencodeDump(path.join(folder, 'dump'), 'before_revert');
  const rows = dump.messages.map((message) => ({
    id: message.id,
    data: Buffer.from(JSON.stringify(message.data)),
    parts: message.parts.map((part) => Buffer.from(JSON.stringify(part.data))).filter((part) => part.length < 8000),
  }));
  const odd = (random: Random, bytes: Buffer): Buffer =>
    random.chance(0.4) ? bytes : random.chance(0.85) ? mutateRecord(random, bytes) : mutateBytes(random, bytes);
  return {
    name: 'opencode rows and parts',
    share: 0.18,
    one(random, input) {
      const from = random.below(rows.length);
      const read = rows.slice(from, from + 1 + random.below(4)).map(({ id, data, parts }, at) => {
        const parsed = parseRecord(odd(random, data));
        const row = messageRow(random.chance(0.95) ? id : 'same', random.chance(0.9) ? at : null, 'record' in parsed ? parsed.record : {});
        const raw = parts.map((part, nth) => ({ id: `p${nth}`, json: odd(random, part).toString('utf8') }));
        const facts = raw.map(({ json }) => {
          const part = parseRecord(json);
          return 'record' in part ? partFacts(part.record) : ({ kind: 'other' } as const);
        });
        return { row: withParts({ ...row, gone: random.chance(0.1) ? at : null }, facts), raw };
      });
      const marker = parseRecord(
        odd(random, Buffer.from(JSON.stringify({ messageID: rows[0]?.id, snapshot: 'a'.repeat(40), diff: 'diff --git a/x b/x\n' }))),
      );
      const data = {
        session: { ...SESSION_ROW, revert: random.chance(0.5) && 'record' in marker ? marker.record : null },
        messages: inOrder(read.map(({ row }) => row)),
        children: new Set<string>(),
        updatedAt: null,
        bad: [],
      };
      const thread = foldSession(data, headOf(data.session, '/x.db', 1), 'idle');
      if (input % CHECKED === 0) threadSchema.parse(thread);
      for (const message of thread.messages) {
        const raw = read.find(({ row }) => row.id === message.id)?.raw ?? [];
        opencodeBody(message, raw, { byRun: random.chance(0.5), error: null });
      }
    },
  };
}

/** Our own files, in a file layer that holds one text. */
function ownTarget(): Target {
  const entry = 'm4x-0a1b2c';
  const file = {
    path: 'a.txt',
    before: { kind: 'absent' },
    after: { kind: 'file', oid: 'a'.repeat(40), executable: false, mode: 420 },
    outcome: 'written',
  };
  const travel = {
    version: 1,
    entry,
    thread: 't',
    root: '/w',
    format: 'sha1',
    kind: 'revert',
    scope: 'both',
    at: 1,
    target: { messageId: 'm', stop: 1, words: 'x' },
    piece: null,
    phase: 'saved',
    token: '0'.repeat(32),
    afterStep: 's',
    covers: ['s'],
    supersedes: null,
    ended: [],
    files: [file],
    left: [{ path: 'b', outcome: 'kept', why: null }],
    folders: [{ path: '', mode: 493 }],
    foldersAfter: [],
    logAt: '1:2',
    messages: { how: 'overlay', before: null, after: '{}' },
    now: null,
    safety: { tree: 'b'.repeat(40), bytes: 1 },
  };
  const history = { version: 1, thread: 't', entries: [{ id: entry, at: 1, kind: 'revert', target: 'x', files: 1, bytes: 2, tree: null }] };
  const overlay = {
    version: 1,
    thread: 't',
    standing: { messageId: 'm', lastMessageId: 'z', stop: 1, entry, at: 1 },
    final: [{ messageId: null, lastMessageId: 'm' }],
  };
  const lease = { version: 1, pid: 1, host: 'h', started: '1', boot: 'b', random: '0'.repeat(32), at: 1 };
  const texts = [travel, history, overlay, lease].map((value) => Buffer.from(JSON.stringify(value)));
  const thread = {
    head: HEAD,
    status: 'idle' as const,
    standing: null,
    turns: [],
    steps: [],
    messages: [],
    gaps: [],
    bad: [],
    notices: [],
    keeps: 'overlay' as const,
  };
  return {
    name: 'our own files',
    share: 0.04,
    async one(random) {
      const sample = random.pick(texts) ?? Buffer.alloc(0);
      const text = random.chance(0.7) ? mutateRecord(random, sample) : mutateBytes(random, sample);
      const layer: FileSystem = {
        ...nodeFileSystem,
        readFile: async (name) => (name.includes('entries') && random.chance(0.5) ? sample : text),
        readdir: async () => [Buffer.from(`${entry}.json`)],
      };
      const quiet = async (work: Promise<unknown>): Promise<void> => {
        await work.catch((thrown: { code?: string }) => {
          if (thrown.code !== 'HISTORY_UNREADABLE') throw thrown;
        });
      };
      await quiet(
        openJournals(
          {
            ...layer,
            readFile: async (name) => (name.includes('entries') ? Promise.reject(Object.assign(new Error(), { code: 'ENOENT' })) : text),
          },
          '/o',
        ),
      );
      await quiet(readHistory(layer, '/o', 't'));
      await quiet(readRecords(layer, `/o${random.below(1000)}`, 't'));
      await quiet(readOverlay(layer, '/o', 't').then((read) => withOverlay(thread, read, null)));
      await leaseHolder(layer, '/o', 'k');
    },
  };
}

/** Small texts and bytes that several readers share. */
function smallTarget(): Target {
  const metadata = {
    'harness:settings': { t1: { cwd: '/w' } },
    'harness:interrupted': { t1: { id: 1 } },
    'plugin:tanstack/snapshots': { t1: { steps: [hand.step('1', '2', ['a'], ['c'])] } },
    'harness:revert': { t1: { messageId: 'm', files: { now: hand.tree('1'), files: ['a'] } } },
  };
  const tree = Buffer.concat([Buffer.from('100644 a\0'), Buffer.alloc(20, 7), Buffer.from('40000 d\0'), Buffer.alloc(20, 9)]);
  const lease = { version: 1, pid: 4, hostName: 'h', host: 'h', startedAt: '1', nonce: 'n', heartbeatAt: 1, at: 1 };
  return {
    name: 'metadata, leases, trees',
    share: 0.09,
    one(random) {
      const raws: string[] = [];
      const value = structuredClone(random.chance(0.5) ? metadata : lease) as Record<string, unknown>;
      for (let times = 1 + random.below(3); times > 0; times--) mutateValue(random, value, raws);
      const parsed: unknown = JSON.parse(jsonOf(value, raws));
      if (isObject(parsed)) {
        const { steps, revert } = threadMetadata(random.pick(['t1', '__proto__', 'constructor']), metadataLookup(parsed));
        const log = new LogFold({ threadId: 't1', logId: 't1', root: null });
        log.thread.addEarlierSteps(steps);
        log.thread.setRevert(revert);
      }
      writerLeaseSchema.safeParse(parsed);
      parseTree(mutateBytes(random, tree), random.chance(0.8) ? 'sha1' : 'sha256');
    },
  };
}

/** Every reader of records; their shares add up to one. */
export async function targetsIn(folder: string): Promise<Target[]> {
  return [
    await tanstackTarget(folder),
    await dshTarget('v3-plain'),
    await dshTarget('v0-plain'),
    await opencodeTarget(folder),
    claudeTarget(folder, { ...HEAD, source: 'claude-code' }, CHECKED),
    ownTarget(),
    smallTarget(),
  ];
}
