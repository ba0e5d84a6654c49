import { expect, test } from 'vitest';
import type { LogRecord, LogWriter, RedoPoint, UndoPoint } from '../../electron/threads/source.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { appendOnce, batchFor, inverseBatch, logSays, writerOf } from '../../electron/travel/agent-log.ts';
import type { TravelRecord } from '../../electron/travel/record.ts';
import { TurnbackError } from '../../shared/errors.ts';

interface FakeLog {
  position: string;
  standing: { messageId: string; now: string | null } | null;
  undo: UndoPoint | null;
  redo: RedoPoint | null;
  appended: LogRecord[][];
  /** What an append does; default: it lands and moves the log. */
  onAppend?: () => void;
}

/** A thread of which only the log is looked at. */
function fakeThread(log: FakeLog, writes = true): OpenThread {
  const record = (type: string, more: object = {}): LogRecord => ({ type, ...more });
  const writer: LogWriter = {
    objects: null,
    refusals: async () => [],
    unmoved: async () => true,
    withdraw: async () => undefined,
    position: () => log.position,
    append: async (batch) => {
      log.appended.push([...batch]);
      log.onAppend?.();
    },
    revert: (target) => [record('revert', target)],
    unrevert: (at) => [record('unrevert', { at })],
    undoPoint: () => log.undo,
    undo: (point, at) => [record('undo', { point, at })],
    redoPoint: () => log.redo,
    redo: (point, at) => [record('redo', { point, at })],
  };
  const thread = { refresh: async () => true, thread: () => ({ standing: log.standing }), reader: { writer: writes ? writer : null } };
  return thread as unknown as OpenThread;
}

const fresh = (): FakeLog => ({ position: '1', standing: null, undo: null, redo: null, appended: [] });
const BATCH: LogRecord[] = [{ type: 'x' }];
const STANDS = { standing: { messageId: 'm', now: null } };

test('a batch is appended where the log ended, once', async () => {
  const log = fresh();
  await appendOnce(fakeThread(log), { position: '1', batch: BATCH, expect: STANDS });
  expect(log.appended).toEqual([BATCH]);
});

test('one that got through before is not appended again', async () => {
  const log = { ...fresh(), position: '2', standing: STANDS.standing };
  await appendOnce(fakeThread(log), { position: '1', batch: BATCH, expect: STANDS });
  expect(log.appended).toEqual([]);
});

test('when somebody else appended, nothing is added', async () => {
  const log = { ...fresh(), position: '2', standing: { messageId: 'other', now: null } };
  await expect(appendOnce(fakeThread(log), { position: '1', batch: BATCH, expect: STANDS })).rejects.toMatchObject({ code: 'LOG_MOVED' });
  expect(log.appended).toEqual([]);
});

test('an append that failed and landed all the same counts; one that did not is told', async () => {
  const failing = (lands: boolean, error: Error): FakeLog => {
    const log = fresh();
    log.onAppend = () => {
      if (lands) Object.assign(log, { position: '2', standing: STANDS.standing });
      throw error;
    };
    return log;
  };
  await appendOnce(fakeThread(failing(true, new Error('EIO'))), { position: '1', batch: BATCH, expect: STANDS });
  await expect(appendOnce(fakeThread(failing(false, new Error('EIO'))), { position: '1', batch: BATCH, expect: STANDS })).rejects.toThrow(
    'EIO',
  );
  const moved = failing(true, new TurnbackError('LOG_MOVED'));
  await expect(appendOnce(fakeThread(moved), { position: '1', batch: BATCH, expect: STANDS })).rejects.toMatchObject({ code: 'LOG_MOVED' });
});

const UNDO_POINT: UndoPoint = { keep: 2, from: null, to: null, files: [], turn: 1 };
const REDO_POINT: RedoPoint = { keep: 2, messages: [], from: null, to: null, files: [] };

const record = (part: Partial<TravelRecord>): TravelRecord =>
  ({
    kind: 'revert',
    at: 7,
    target: { stop: 4, messageId: 'm', words: '' },
    now: { base: null, files: [{ path: 'a', content: { kind: 'absent' } }] },
    messages: { how: 'append', position: '1', batch: [], expect: STANDS, stood: null },
    ...part,
  }) as TravelRecord;

test('each kind has its batch, and what the log says after it', () => {
  const log = { ...fresh(), undo: UNDO_POINT, redo: REDO_POINT };
  const { writer } = fakeThread(log).reader;
  if (writer === null) throw new Error('no writer');
  expect(batchFor(writer, record({}), 'tree')).toEqual({
    batch: [{ type: 'revert', stop: 4, now: 'tree', files: ['a'], at: 7 }],
    expect: { standing: { messageId: 'm', now: 'tree' } },
  });
  expect(batchFor(writer, record({}), null).batch).toEqual([{ type: 'revert', stop: 4, now: null, files: null, at: 7 }]);
  expect(batchFor(writer, record({ kind: 'unrevert' }), null)).toEqual({
    batch: [{ type: 'unrevert', at: 7 }],
    expect: { standing: null },
  });
  expect(batchFor(writer, record({ kind: 'undo' }), null)).toEqual({
    batch: [{ type: 'undo', point: UNDO_POINT, at: 7 }],
    expect: { last: 'undone' },
  });
  expect(batchFor(writer, record({ kind: 'redo' }), null)).toEqual({
    batch: [{ type: 'redo', point: REDO_POINT, at: 7 }],
    expect: { last: 'done' },
  });
  const { writer: empty } = fakeThread(fresh()).reader;
  if (empty === null) throw new Error('no writer');
  expect(() => batchFor(empty, record({ kind: 'undo' }), null)).toThrow('Nothing to undo.');
  expect(() => batchFor(empty, record({ kind: 'redo' }), null)).toThrow('Nothing to redo.');
});

test('each batch has one that takes it back', () => {
  const log = { ...fresh(), undo: UNDO_POINT, redo: REDO_POINT };
  const { writer } = fakeThread(log).reader;
  if (writer === null) throw new Error('no writer');
  const stood = { stop: 2, messageId: 'before', now: 'old', files: ['b'] };
  const append = { how: 'append' as const, position: '1', batch: [], expect: STANDS };
  expect(inverseBatch(writer, record({}), null, 9)).toEqual({ batch: [{ type: 'unrevert', at: 9 }], expect: { standing: null } });
  expect(inverseBatch(writer, record({ messages: { ...append, stood } }), stood, 9)).toEqual({
    batch: [{ type: 'revert', stop: 2, now: 'old', files: ['b'], at: 9 }],
    expect: { standing: { messageId: 'before', now: 'old' } },
  });
  expect(inverseBatch(writer, record({ kind: 'undo' }), null, 9).batch).toEqual([{ type: 'redo', point: REDO_POINT, at: 9 }]);
  expect(inverseBatch(writer, record({ kind: 'redo' }), null, 9).batch).toEqual([{ type: 'undo', point: UNDO_POINT, at: 9 }]);
});

test('what the log says', () => {
  const says = (log: Partial<FakeLog>, expected: Parameters<typeof logSays>[1], writes = true): boolean =>
    logSays(fakeThread({ ...fresh(), ...log }, writes), expected);
  const stands = { messageId: 'm', now: 't' };
  expect(says({ standing: stands }, { standing: stands })).toBe(true);
  expect(says({ standing: stands }, { standing: { ...stands, now: null } })).toBe(false);
  expect(says({ standing: stands }, { standing: { ...stands, messageId: 'n' } })).toBe(false);
  expect(says({ standing: stands }, { standing: null })).toBe(false);
  expect(says({}, { standing: stands })).toBe(false);
  expect(says({}, { standing: null })).toBe(true);
  expect(says({ redo: REDO_POINT }, { last: 'undone' })).toBe(true);
  expect(says({ undo: UNDO_POINT }, { last: 'undone' })).toBe(false);
  expect(says({ undo: UNDO_POINT }, { last: 'done' })).toBe(true);
  expect(says({ undo: UNDO_POINT }, { last: 'done' }, false)).toBe(false);
  expect(() => writerOf(fakeThread(fresh(), false))).toThrow('Hiding messages is not possible');
});
