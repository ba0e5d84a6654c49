import { readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { cutRecords, KEPT_STEPS } from '../../electron/recorder/cut-log.ts';
import { ThreadFold } from '../../electron/recorder/fold.ts';
import { jsonlLog } from '../../electron/recorder/log.ts';
import type { LogRecord } from '../../electron/recorder/records.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { messageId, Recording, said } from './recording.ts';

const places = { home: '/nowhere', env: {} };

function folded(records: readonly LogRecord[]): ThreadFold {
  const fold = new ThreadFold('t');
  for (const record of records) fold.add(record);
  return fold;
}

/** A log of turns with one step each, as the recorder writes them. */
function thread(turns: number): LogRecord[] {
  const records: LogRecord[] = [{ type: 'turnback/workspace', root: '/w', dataDir: '/d', repository: 'r' }];
  for (let n = 0; n < turns; n++) {
    const call = { id: `c${n}`, type: 'function', function: { name: 'edit_file', arguments: '{}' } };
    records.push(
      { type: 'harness.input', inputId: `in${n}`, input: { op: 'prompt', message: `p${n}` }, at: n },
      { type: 'harness.event', operationId: 'session', event: { type: 'CUSTOM', name: 'harness.input.accepted', value: {} } },
      { type: 'harness.input.applied', inputId: `in${n}`, operationId: `op${n}`, attempt: 1 },
      { type: 'harness.transcript', keep: n * 3, add: [{ id: `u${n}`, role: 'user', content: `p${n}` }] },
      { type: 'harness.transcript', keep: n * 3 + 1, add: [{ id: `a${n}`, role: 'assistant', content: null, toolCalls: [call] }] },
      { type: 'harness.tool.started', toolCallId: call.id, name: 'edit_file', replay: 'never' },
      { type: 'harness.tool.result', toolCallId: call.id, message: { role: 'tool', toolCallId: call.id, content: 'ok' } },
      { type: 'tanstack/snapshots:step', from: 'a'.repeat(40), to: 'b'.repeat(40), files: [`f${n}`], toolCallIds: [call.id] },
      { type: 'harness.transcript', keep: n * 3 + 2, add: [{ role: 'tool', toolCallId: call.id, content: 'ok' }] },
      { type: 'turnback/undo-point', state: 'done', keep: n * 3, from: null, to: null, files: [] },
      { type: 'harness.input.settled', inputId: `in${n}`, operationId: `op${n}`, outcome: 'completed' },
    );
  }
  return records;
}

describe('what is left of a log that is cut', () => {
  test('the same messages, revert and undo point, and at least the last 500 steps', () => {
    const all = [...thread(700), { type: 'harness.revert', revert: { messageId: 'u650' } }];
    const cut = cutRecords('t', all, 5) ?? [];
    const [before, after] = [folded(all), folded(cut)];
    expect(after.messages).toEqual(before.messages);
    expect(after.revert).toEqual(before.revert);
    expect(after.undoPoint).toEqual(before.undoPoint);
    expect(after.visible()).toEqual(before.visible());
    expect(after.steps).toEqual(before.steps.slice(-KEPT_STEPS));
    expect(cut[0]).toBe(all[0]);
    expect(cut[1]).toEqual({ type: 'turnback/cut', dropped: all.length - (cut.length - 1), at: 5 });
    expect(after.openTurns()).toEqual([]);
  });

  test('a log with fewer steps loses only its feed; cutting again changes nothing', () => {
    const all = thread(20);
    const cut = cutRecords('t', all, 5) ?? [];
    expect(cut.filter(({ type }) => type !== 'turnback/cut')).toEqual(all.filter(({ type }) => !/event|tool\./.test(type)));
    expect(cutRecords('t', cut, 6)).toBe(null);
    const again = cutRecords('t', [...cut, { type: 'harness.usage' }], 7) ?? [];
    expect(again[1]).toEqual({ type: 'turnback/cut', dropped: 20 * 3 + 1, at: 7 });
  });

  test('a log that is not idle, or holds records of others, is not cut', () => {
    expect(cutRecords('t', [...thread(2), { type: 'harness.input', inputId: 'x', input: { op: 'prompt', message: 'm' } }], 1)).toBe(null);
    expect(cutRecords('t', [...thread(2), { type: 'tanstack.compaction', head: [] }], 1)).toBe(null);
    expect(cutRecords('t', [...thread(2), { type: 'harness.transcript', thread: 'child', keep: 0, add: [] }], 1)).toBe(null);
  });

  test('a prompt that waited while an older turn ran keeps its input', () => {
    const all = thread(520);
    const at = all.findIndex(({ type, inputId }) => type === 'harness.input' && inputId === 'in100');
    const [input] = all.splice(at, 1);
    const moved = [...all.slice(0, 5), ...(input ? [input] : []), ...all.slice(5)];
    const cut = cutRecords('t', moved, 5) ?? [];
    expect([folded(cut).inputs.get('in100')?.status, folded(cut).inputs.get('in5')]).toEqual(['settled', undefined]);
    expect(folded(cut).messages).toEqual(folded(moved).messages);
  });
});

test("with keepLogRecords 'since-snapshot', undo, revert and unrevert work after the cut, and the viewer reads the same thread", async () => {
  const r = await Recording.make({ 'a.txt': 'one\n' });
  const log = jsonlLog({ folder: r.save, keepLogRecords: 'since-snapshot', cutAbove: 20 });
  const session = await r.open({ log });
  await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
  await r.turn(session, 'Second', { edit: { 'b.txt': 'b\n' } });
  const before = await session.transcript();
  const size = (await stat(session.log)).size;
  const target = await messageId(session, 'user', 1);
  const read = async () => {
    const [head] = await tanstack.locate(session.log, places);
    if (!head) throw new Error('no thread');
    const reader = await tanstack.open(head, { root: null, data: null, places, ownData: r.folder });
    await reader.read();
    const { messages, turns, steps, standing, status } = reader.thread();
    const seen = {
      messages: messages.map(({ id, excerpt, stop }) => [id, excerpt, stop]),
      turns: turns.map(({ prompt, status }) => [prompt, status]),
      steps: steps.map(({ from, to, listed }) => [from, to, listed]),
      standing,
      status,
    };
    await reader.close();
    return seen;
  };
  const viewed = await read();
  await session.close();
  expect((await stat(session.log)).size).toBeLessThan(size / 2);
  expect((await readFile(session.log, 'utf8')).split('\n').length).toBe(2);
  expect((await stat(session.log)).mode & 0o777).toBe(0o600);
  expect(await read()).toEqual(viewed);
  const again = await r.again().open({ log });
  expect(await again.transcript()).toEqual(before);
  expect(await again.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
  await again.runCommand({ name: 'redo' });
  await again.revert({ messageId: target });
  expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', null]);
  await again.close();
  const third = await r.again().open({ log });
  expect(await said(third)).toEqual(['user: First']);
  await third.unrevert();
  expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'b\n']);
});
