import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { heldOf, notWritable, prepareAppend } from '../../../electron/threads/dsh/append-events.ts';
import { type ChangeSummary, noChangeLists } from '../../../electron/threads/dsh/change-lists.ts';
import { type DshLog, readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { dsh } from '../../../electron/threads/dsh/dsh-source.ts';
import { recallGate } from '../../../electron/threads/dsh/recall-gate.ts';
import { type RecallRange, rangeOfSpan, recallRange } from '../../../electron/threads/dsh/recall-range.ts';
import { spanOf, spanState } from '../../../electron/threads/dsh/recall-span.ts';
import { foldSurface, isRecall } from '../../../electron/threads/dsh/surface.ts';
import { openStep, tombstoneOf } from '../../../electron/threads/dsh/tombstone.ts';
import { validateLog } from '../../../electron/threads/dsh/validator.ts';
import { dshSession } from '../../scenarios/dsh-session.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';

type Event = Record<string, unknown> & { type: string };

const textOf = (version: number, events: readonly Event[]): string =>
  [
    { type: 'session', version, id: 's', createdAt: 1, delegationDepth: 0 },
    ...events.map((event, seq) => ({ seq, time: 1000 + seq, data: {}, ...event })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

function logOf(version: number, ...events: Event[]): DshLog {
  const log = readLog(Buffer.from(textOf(version, events)), false);
  if (log === null || log.stopped) throw new Error(log?.stopped?.why ?? 'no log');
  return log;
}

function rangeOf(log: DshLog, seq: number): RecallRange {
  const range = recallRange(log, seq);
  if ('code' in range) throw new Error(range.message);
  return range;
}

const own = { turn: 1, step: 1 };
const append = { surfaceOp: 'append' };
const begin: Event[] = [
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'step/start', data: own },
];
const prompt = (content: unknown): Event => ({
  type: 'user/message',
  data: { id: 'u', role: 'user', source: { kind: 'user' }, content },
  ...append,
});
const call = { type: 'tool-call', id: 'c', name: 'bash', arguments: '{"command":"make"}' };
const asked: Event = { type: 'assistant/message', data: { ...own, message: { id: 'a', content: [call] } }, ...append };
const started: Event = { type: 'tool/call', data: { ...own, callId: 'c', name: 'bash', arguments: '{"command":"make"}' } };

describe('a recall in a log of format 4', () => {
  test('answers the open call and hides the range in the words of that format', () => {
    const log = logOf(4, ...begin, prompt([{ type: 'text', text: 'go' }]), asked, started);
    const events = tombstoneOf(log, rangeOf(log, 2), 'x', 7);
    if ('code' in events) throw new Error(events.message);
    expect(events.map(({ line: _line, ...event }) => event)).toEqual([
      {
        type: 'tool/result',
        seq: 5,
        time: 7,
        data: {
          ...own,
          message: {
            id: 'interrupted-tool-result-c-5',
            role: 'tool',
            source: { kind: 'tool', callId: 'c' },
            toolCallId: 'c',
            isError: true,
            content: [{ type: 'text', text: '[The call was interrupted; whether it took effect is not known.]' }],
          },
          error: { name: 'ToolOutcomeUnknownError', code: 'TOOL_OUTCOME_UNKNOWN' },
        },
        sourceEventSeqs: [4],
        surfaceOp: 'append',
      },
      {
        type: 'system/message',
        seq: 6,
        time: 7,
        data: { ...own, message: { id: 'recall:x', role: 'system', source: { kind: 'system-prompt' }, content: [] } },
        sourceEventSeqs: [2, 3, 5],
        surfaceOp: { op: 'replace', startSeq: 2, endSeq: 5 },
      },
    ]);
    // A first prompt has no head before it, which the format does not allow: with one it is whole.
    const head: Event = {
      type: 'system/message',
      data: { ...own, message: { id: 'h', role: 'system', source: { kind: 'system-prompt' }, content: [] } },
      ...append,
    };
    const headed = logOf(4, ...begin, head, prompt([]), asked, started);
    const lid = tombstoneOf(headed, rangeOf(headed, 3), 'x', 7);
    if ('code' in lid) throw new Error(lid.message);
    expect(validateLog(headed.header, [...headed.events, ...lid])).toBeNull();
    expect(foldSurface([...headed.events, ...lid]).nodes).toEqual([2, 7]);
  });
});

describe('odd logs', () => {
  const odd = logOf(
    3,
    { type: 'turn/start', data: { turn: 1 } },
    { type: 'turn/start', data: { turn: 'x' } },
    { type: 'step/start', data: {} },
    prompt([{ type: 'text', text: 'one' }, { type: 'image' }, { type: 'text' }, { type: 'text', text: 'two' }]),
    { type: 'tool/call', data: { turn: 1 } },
    { type: 'tool/call', data: { callId: 'd', name: 'edit', arguments: '{"file_path":"a"}' } },
    { type: 'tool/result', data: { message: { content: [{}] } }, ...append },
    { type: 'tool/result', data: { message: { content: [{ toolCallId: 'd', isError: true }] } }, ...append },
    { type: 'tool/result', data: { message: { content: [{ toolCallId: 'nobody' }] } }, ...append },
  );

  test('give the range that can be read from them, its calls with what is known', () => {
    const range = rangeOf(odd, 3);
    expect(range.text).toBe('one\n\ntwo');
    expect(range.calls).toEqual([
      { seq: 4, turn: 1, name: 'tool', arguments: '', file: false, done: 6, unknown: false },
      { seq: 5, turn: 1, name: 'edit', arguments: '{"file_path":"a"}', file: true, done: null, unknown: false },
    ]);
    expect(range.turns).toEqual([]);
    expect(openStep(odd)).toMatchObject({ turn: 0, step: 0 });
    expect(odd.events.some(isRecall)).toBe(false);
  });

  test('have no prompt in a place that is none', () => {
    expect(recallRange(odd, 99)).toMatchObject({ code: 'NOT_A_PROMPT' });
    const span = spanOf(odd, rangeOf(odd, 3));
    expect(() => rangeOfSpan(odd, { ...span, targetSeq: 99 })).toThrow(expect.objectContaining({ code: 'STALE_PENDING' }));
    const state = (more: object) => spanState(odd, foldSurface(odd.events), { ...span, ...more });
    expect([state({}), state({ targetSeq: 99 }), state({ logLength: 10 }), state({ targetMessageId: 'v' })]).toEqual([
      'ready',
      'stale',
      'stale',
      'stale',
    ]);
  });
});

describe('the gate', () => {
  const wrote: Event[] = [
    { type: 'tool/call', data: { ...own, callId: 'c', name: 'write', arguments: '{"file_path":"a"}' } },
    { type: 'tool/result', data: { ...own, error: { code: 'X' }, message: { content: [{ toolCallId: 'c' }] } }, ...append },
  ];

  test('lets a write that failed pass, and asks for no list of it', async () => {
    const log = logOf(3, ...begin, prompt([]), ...wrote);
    expect(await recallGate(rangeOf(log, 2), 's', noChangeLists)).toEqual({ refusal: null, lists: [], sideEffects: [], held: false });
  });

  test('knows an empty list for one that is held, and leaves it out', async () => {
    const log = logOf(3, ...begin, prompt([]), ...wrote, { type: 'workspace/changes', data: { turn: 1 } });
    const summary = async (_id: string, seq: number): Promise<ChangeSummary> => ({ turn: seq === 5 ? 1 : 0, files: [], total: 0 });
    expect(await recallGate(rangeOf(log, 2), 's', { ...noChangeLists, summary })).toMatchObject({ refusal: null, lists: [], held: true });
  });
});

describe('adding to a log', () => {
  const nothing = () => {
    throw new Error('asked');
  };

  test('is refused for one without a header, one that stops, one that is broken, before anything is asked', async () => {
    const file = path.join(await tempFolder(), 'session.v3.jsonl');
    const generation = { file, version: 3, zstd: false };
    const whole = textOf(3, begin);
    for (const [text, code, words] of [
      ['{}\n', 'LOG_INVALID', 'it has no header'],
      [`${whole}{"type":"vendor/thing","seq":2,"time":1,"data":{}}\n`, 'LOG_STOPPED', 'unknown event type'],
      [`${whole}{"type":"turn/end","seq":2,"time":1,"data":{"turn":1}}\n`, 'LOG_INVALID', 'crosses an open step'],
    ] as const) {
      await writeFile(file, text);
      await expect(prepareAppend(generation, nothing)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
      expect(await readFile(file, 'utf8')).toBe(text);
    }
    // What would break it is no better.
    await writeFile(file, whole);
    const end = { type: 'turn/end', seq: 2, time: 1, data: { turn: 1 }, line: 0 };
    await expect(prepareAppend(generation, () => [end])).rejects.toMatchObject({ code: 'LOG_INVALID' });
    expect(await readFile(file, 'utf8')).toBe(whole);
  });

  test('what stands in the place of a batch is told from it', () => {
    const batch = { length: 2, bytes: Buffer.from('abc') };
    const held = ['x', 'xx', 'xxab', 'xxaX', 'xxabc', 'xxabcd', 'xxabX'].map((text) => heldOf(Buffer.from(text), batch));
    expect(held).toEqual(['other', 'none', 'part', 'other', 'all', 'all', 'other']);
  });

  test('a file that is not there may not be written to', async () => {
    const folder = await tempFolder();
    expect(await notWritable(path.join(folder, 'none'))).toContain('ENOENT');
    expect(await notWritable(folder)).toBeNull();
  });

  test('a log that stops, or grew since it was read, is not added to', async () => {
    const session = await dshSession('session-sample-b-open');
    await session.append({ type: 'vendor/thing', data: {} });
    const stopped = (await session.context()).thread.reader.recall;
    expect(await stopped?.refusal()).toMatchObject({ code: 'LOG_STOPPED', message: expect.stringContaining('vendor/thing') });

    const grown = await dshSession('session-sample-b-open');
    const { recall } = (await grown.context()).thread.reader;
    const offer = await recall?.offer(8);
    if (!recall || !offer || 'code' in offer) throw new Error('no offer');
    expect(await recall.offer(99)).toMatchObject({ code: 'NOTHING_AFTER' });
    await grown.append({ type: 'session/title', data: { title: 't' } });
    const bytes = await grown.bytes();
    await expect(recall.prepare(offer.span, 'late', 1)).rejects.toMatchObject({ code: 'LOG_MOVED' });
    expect((await grown.bytes()).equals(bytes)).toBe(true);
  });
});

describe('finding sessions', () => {
  test('passes over empty folders, names what is no file, and looks no deeper than a home', async () => {
    const home = await tempFolder();
    const sessions = path.join(home, '.dsh/sessions');
    const log = textOf(3, begin);
    await writeFiles(sessions, { 'project/one/session.v3.jsonl': log, 'project/deep/er/session.v3.jsonl': log, 'project/file': '' });
    await mkdir(path.join(sessions, 'project/empty'));
    await mkdir(path.join(sessions, 'project/odd/session.v3.jsonl'), { recursive: true });
    const places = { home, env: {} };
    const { threads, problems } = await dsh.list(places);
    expect(threads.map((head) => head.log)).toEqual([path.join(sessions, 'project/one/session.v3.jsonl')]);
    expect(problems).toEqual([{ path: path.join(sessions, 'project/odd'), message: expect.stringContaining('it is not a file') }]);
    expect((await dsh.locate(path.join(home, '.dsh'), places)).map((head) => head.log)).toEqual(threads.map((head) => head.log));
    expect(await dsh.locate(home, places)).toEqual([]);
    expect(await dsh.list({ home: '/nonexistent', env: {} })).toEqual({ threads: [], problems: [] });
  });

  test('a word is looked for in plain logs by their bytes alone', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { 'session.jsonl': textOf(0, [prompt([{ type: 'text', text: 'needle' }])]) });
    const log = path.join(folder, 'session.jsonl');
    await utimes(log, 1, 1);
    expect(await dsh.mayHold?.(log, ['needle'])).toBe(true);
    expect(await dsh.mayHold?.(log, ['haystack'])).toBe(false);
    // The bytes of frames say nothing.
    expect(await dsh.mayHold?.(`${log}.zstd`, ['haystack'])).toBe(true);
  });
});
