import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LogWriter, ThreadReader } from '../../../electron/threads/source.ts';
import { tanstackScenario } from '../../scenarios/tanstack.ts';
import { harnessRedo, harnessRevert, harnessUndo, harnessUnrevert } from '../../scenarios/tanstack-harness.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { answer, applied, call, HandLog, handLog, input, plainTurn, say, settled, step, transcript, tree, user } from './hand-log.ts';

function writerOf(reader: ThreadReader): LogWriter {
  if (reader.writer === null) throw new Error('the thread has no writer');
  return reader.writer;
}

const rows = (reader: ThreadReader) => reader.thread().messages.map(({ id, stop, hidden }) => [id, stop, hidden?.reason ?? null]);

/** A turn with two files, one of them changed by a step that names no call. */
async function turnWithFiles(log: HandLog): Promise<void> {
  await plainTurn(log, 1, 0);
  await log.batch(input('in2'), applied('in2'), transcript(2, user('u2')), transcript(3, call('a2', ['c1', 'edit_file', { path: 'a' }])));
  await log.batch(step('1', '2', ['a', 'b'], ['c1']), transcript(4, answer('c1'), call('a3', ['c2', 'bash'])));
  await log.batch(step('2', '3', ['b', 'c'], ['c2']), transcript(6, answer('c2'), { ...say('a4'), extra: { kept: [1] } }), settled('in2'));
}

describe('what an undo would act on', () => {
  test('is the last turn: its messages from the last user message on, all files of its steps, the trees around them', async () => {
    const log = await handLog();
    await turnWithFiles(log);
    expect(writerOf(await log.open()).undoPoint()).toEqual({ keep: 2, from: tree('1'), to: tree('3'), files: ['a', 'b', 'c'], turn: 2 });
  });

  test('is a steer and what follows, with the files of the whole turn', async () => {
    const log = await handLog();
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1'), call('a1', ['c1', 'edit_file', { path: 'a' }])));
    await log.batch(step('1', '2', ['a'], ['c1']), input('in2', 'steer'), transcript(2, answer('c1'), user('u2')));
    await log.batch(
      { type: 'harness.input.joined', inputId: 'in2', into: 'in1' },
      transcript(4, say('a2')),
      settled('in1'),
      settled('in2'),
    );
    expect(writerOf(await log.open()).undoPoint()).toEqual({ keep: 3, from: tree('1'), to: tree('2'), files: ['a'], turn: 1 });
  });

  test('is only messages when the turn changed no file, and nothing in an empty thread', async () => {
    const log = await handLog();
    expect(writerOf(await log.open()).undoPoint()).toBeNull();
    await plainTurn(log, 1, 0);
    expect(writerOf(await log.open()).undoPoint()).toEqual({ keep: 0, from: null, to: null, files: [], turn: 1 });
  });
});

describe('our own undo and redo', () => {
  test('leave the truncation and our record; the redo writes the same messages; one level only', async () => {
    const log = await handLog();
    await turnWithFiles(log);
    const reader = await log.open();
    const writer = writerOf(reader);
    const point = writer.undoPoint();
    if (point === null) throw new Error('nothing to undo');
    const batch = writer.undo(point, 1);
    const removed = [user('u2'), call('a2', ['c1', 'edit_file', { path: 'a' }]), answer('c1'), call('a3', ['c2', 'bash']), answer('c2')];
    const messages = [...removed, { ...say('a4'), extra: { kept: [1] } }];
    expect(batch).toEqual([
      { type: 'harness.transcript', keep: 2, add: [] },
      { type: 'turnback/undo-point', state: 'undone', keep: 2, from: tree('1'), to: tree('3'), files: ['a', 'b', 'c'], messages },
    ]);
    await writer.append(batch);
    expect(await reader.read()).toBe(true);
    expect(rows(reader).map(([, stop, hidden]) => [stop, hidden])).toEqual([[1, null], [2, null], ...Array(6).fill([null, 'undone'])]);
    expect(reader.thread().turns[1]?.hidden).toEqual({ reason: 'undone' });
    expect(writer.undoPoint()).toBeNull();
    const back = writer.redoPoint();
    expect(back).toEqual({ keep: 2, from: tree('1'), to: tree('3'), files: ['a', 'b', 'c'], messages });
    if (back === null) throw new Error('nothing to redo');
    await writer.append(writer.redo(back, 2));
    await reader.read();
    expect(rows(reader).map(([, stop, hidden]) => [stop, hidden])).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((stop) => [stop, null]));
    expect(writer.redoPoint()).toBeNull();
    expect(writer.undoPoint()).toEqual(point);
    expect((await log.open()).thread().messages).toEqual(reader.thread().messages);
  });

  test('are over with a new turn', async () => {
    const log = await handLog();
    await turnWithFiles(log);
    const reader = await log.open();
    const writer = writerOf(reader);
    await writer.append(writer.undo(writer.undoPoint() ?? { keep: -1, from: null, to: null, files: [], turn: 0 }, 1));
    await plainTurn(log, 3, 2);
    await reader.read();
    expect(writer.redoPoint()).toBeNull();
    expect(writer.undoPoint()).toEqual({ keep: 2, from: null, to: null, files: [], turn: 3 });
    expect(rows(reader).filter(([, , hidden]) => hidden === 'undone')).toHaveLength(6);
  });

  test('do not fit a list that went on since', async () => {
    const log = await handLog();
    await turnWithFiles(log);
    const reader = await log.open();
    const writer = writerOf(reader);
    await writer.append(writer.undo(writer.undoPoint() ?? { keep: -1, from: null, to: null, files: [], turn: 0 }, 1));
    await log.batch(transcript(2, say('note')));
    await reader.read();
    expect(writer.redoPoint()).toBeNull();
    expect(() => writer.undo({ keep: 99, from: null, to: null, files: [], turn: 2 }, 1)).toThrow(
      expect.objectContaining({ code: 'NOTHING_TO_UNDO' }),
    );
  });

  test('of a turn that went on later have its messages from the log again', async () => {
    const log = await handLog();
    await plainTurn(log, 1, 0);
    await plainTurn(log, 2, 2);
    await log.batch(
      { type: 'harness.transcript', keep: 2, add: [] },
      input('in3', 'continue'),
      applied('in3'),
      transcript(2, say('a3')),
      settled('in3'),
    );
    const reader = await log.open();
    const writer = writerOf(reader);
    const point = writer.undoPoint();
    expect(point).toEqual({ keep: 0, from: null, to: null, files: [], turn: 1 });
    if (point === null) throw new Error('nothing to undo');
    expect(writer.undo(point, 1)[1]).toMatchObject({ messages: [user('u1'), say('a1'), say('a3')] });
  });
});

describe("the recorder's own point", () => {
  const point = { type: 'turnback/undo-point', state: 'done', keep: 0, from: tree('5'), to: tree('6'), files: ['z'] };

  test('counts before everything that the steps say', async () => {
    const log = await handLog();
    await log.batch({ type: 'turnback/workspace', root: '/w', dataDir: '/d', repository: 'r' });
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1'), say('a1')), point, settled('in1'));
    expect(writerOf(await log.open()).undoPoint()).toEqual({ keep: 0, from: tree('5'), to: tree('6'), files: ['z'], turn: 1 });
  });

  test('is missing when not all of the turn is in its steps: then there is nothing to undo', async () => {
    const log = await handLog();
    await log.batch({ type: 'turnback/workspace', root: '/w', dataDir: '/d', repository: 'r' });
    await plainTurn(log, 1, 0);
    expect(writerOf(await log.open()).undoPoint()).toBeNull();
  });

  test('of another shape counts as none', async () => {
    const log = await handLog();
    await log.batch({ type: 'turnback/workspace-elsewhere', root: '/w', dataDir: '/d', repository: 'r', backend: 'box' });
    await log.batch(input('in1'), applied('in1'), transcript(0, user('u1')), { ...point, from: 'HEAD' }, settled('in1'));
    const reader = await log.open();
    expect(writerOf(reader).undoPoint()).toBeNull();
    expect(reader.thread().head.root).toBeNull();
  });
});

describe("the harness's own undo and redo", () => {
  test('are read from the log: removed messages stay visible, and a redo can bring them back', async () => {
    const t = await tanstackScenario(await tempFolder());
    await writeFiles(t.root, { 'a.txt': 'one', 'gone.txt': 'x' });
    await t.turn('first', []);
    const start = await t.track();
    const turn = await t.turn('second', [
      { tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') },
      { tool: 'bash', edit: (root) => rm(path.join(root, 'gone.txt')) },
    ]);
    const end = await t.track();
    const reader = await new HandLog(t.folder, t.log).open();
    const writer = writerOf(reader);
    expect(writer.undoPoint()).toEqual({ keep: 2, from: start, to: end, files: ['a.txt', 'gone.txt'], turn: 2 });
    const { undone } = await harnessUndo(t, { start, end });
    await reader.read();
    expect(rows(reader).map(([, , hidden]) => hidden)).toEqual([null, null, ...Array(6).fill('undone')]);
    expect(writer.undoPoint()).toBeNull();
    expect(writer.redoPoint()).toEqual({ keep: 2, from: start, to: end, files: ['a.txt', 'gone.txt'], messages: undone.messages });
    expect((await reader.body(turn.answerId)).parts).toEqual([{ kind: 'text', text: 'Done.' }]);
    await harnessRedo(t, undone);
    await reader.read();
    expect(rows(reader).every(([, stop, hidden]) => stop !== null && hidden === null)).toBe(true);
    expect(writer.redoPoint()).toBeNull();
    expect(writer.undoPoint()).toMatchObject({ keep: 2, files: ['a.txt', 'gone.txt'] });
    expect(reader.thread().gaps).toEqual([]);
  });

  test('after a revert and its end act on the last turn as before', async () => {
    const t = await tanstackScenario(await tempFolder());
    await writeFiles(t.root, { 'a.txt': 'one' });
    const first = await t.turn('first', []);
    await t.turn('second', [{ tool: 'edit_file', edit: (root) => writeFile(path.join(root, 'a.txt'), 'two') }]);
    const reader = await new HandLog(t.folder, t.log).open();
    const before = writerOf(reader).undoPoint();
    await harnessRevert(t, first.answerId);
    await harnessUnrevert(t);
    await reader.read();
    expect(writerOf(reader).undoPoint()).toEqual(before);
  });
});
