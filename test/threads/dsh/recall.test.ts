import { writeFileSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendPrepared, heldOf, prepareAppend, withdrawPart } from '../../../electron/threads/dsh/append-events.ts';
import { type ChangeLists, changeDiffSchema, changeSummarySchema, noChangeLists } from '../../../electron/threads/dsh/change-lists.ts';
import { generationOf } from '../../../electron/threads/dsh/dsh-layout.ts';
import { type DshLog, readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { recallGate } from '../../../electron/threads/dsh/recall-gate.ts';
import { type RecallRange, recallRange } from '../../../electron/threads/dsh/recall-range.ts';
import { forwardHunks, notRestorable, reverseHunks } from '../../../electron/threads/dsh/reverse-hunks.ts';
import { foldSurface } from '../../../electron/threads/dsh/surface.ts';
import { tombstoneOf } from '../../../electron/threads/dsh/tombstone.ts';
import { validateLog } from '../../../electron/threads/dsh/validator.ts';
import type { RecallBatch } from '../../../electron/threads/source.ts';
import { type DshSample, dshFixtures, dshSampleLog } from '../../scenarios/dsh.ts';
import { tempFolder } from '../../scenarios/temp.ts';

async function logOf(file: string): Promise<DshLog> {
  const log = readLog(await readFile(file), file.endsWith('.zstd'));
  if (!log) throw new Error('no log');
  return log;
}

const sample = (name: DshSample, form: 'v3-plain' | 'v3-zstd' | 'v0-plain' = 'v3-plain') => logOf(dshSampleLog(name, form));

function rangeOf(log: DshLog, seq: number): RecallRange {
  const range = recallRange(log, seq);
  if ('code' in range) throw new Error(range.message);
  return range;
}

interface RecordedChanges {
  event: { v3Seq: number };
  summary: unknown;
  diffs: unknown[];
}

/** The service of a host that still holds what the real one gave for sample a. */
async function recordedLists(): Promise<ChangeLists> {
  const all = JSON.parse(await readFile(path.join(dshFixtures, 'workspace-changes.json'), 'utf8')) as Record<string, RecordedChanges[]>;
  const of = (id: string, seq: number) => all[id]?.find((one) => one.event.v3Seq === seq);
  return {
    summary: async (id, seq) => (of(id, seq) ? changeSummarySchema.parse(of(id, seq)?.summary) : null),
    diff: async (id, seq, index) => (of(id, seq)?.diffs[index] ? changeDiffSchema.parse(of(id, seq)?.diffs[index]) : null),
  };
}

async function filesOf(state: 'beforeTurn1' | 'afterTurn3'): Promise<Record<string, Buffer | null>> {
  const all = JSON.parse(await readFile(path.join(dshFixtures, 'workspace-files.json'), 'utf8')) as {
    'session-sample-a': Record<typeof state, Record<string, string | null>>;
  };
  const files = all['session-sample-a'][state];
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text === null ? null : Buffer.from(text, 'base64')]));
}

describe('the range of a recall', () => {
  test('goes from the prompt to the end, with its turns, calls and newest change lists', async () => {
    const range = rangeOf(await sample('session-sample-a'), 8);
    expect(range).toMatchObject({
      startSeq: 8,
      endSeq: 53,
      turns: [1, 2, 3],
      changes: [
        { turn: 1, seq: 33 },
        { turn: 3, seq: 55 },
      ],
    });
    expect(range.nodes).toEqual([8, 9, 14, 16, 19, 21, 23, 26, 28, 31, 39, 40, 47, 48, 50, 53]);
    expect(range.calls.map((call) => [call.name, call.file])).toEqual([
      ['read', false],
      ['write', true],
      ['edit', true],
      ['bash', false],
      ['edit', true],
    ]);
    expect(range.text).toBe('Please create new.txt, change beta to BETA in notes.txt and delete old.txt.');
  });

  test('starts only at a prompt that is still on the surface, in formats 3 and 4', async () => {
    const recalled = await sample('session-sample-a-recalled');
    expect(recallRange(recalled, 39)).toMatchObject({ code: 'NOT_ON_SURFACE' });
    expect(recallRange(recalled, 14)).toMatchObject({ code: 'NOT_A_PROMPT' });
    expect(recallRange(await sample('session-sample-a', 'v0-plain'), 7)).toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });
});

describe('the gate before a recall (all four rows of its table)', () => {
  test('no file change was recorded: allowed', async () => {
    const log = await sample('session-sample-a-recalled');
    expect(await recallGate(rangeOf(log, 62), log.header.id, noChangeLists)).toEqual({
      refusal: null,
      lists: [],
      sideEffects: [],
      held: false,
    });
  });

  test('changes, and their list can be had: allowed, with the files and what cannot be taken back', async () => {
    const log = await sample('session-sample-a');
    const gate = await recallGate(rangeOf(log, 8), log.header.id, await recordedLists());
    expect(gate.refusal).toBeNull();
    expect(gate.lists.map(({ turn, summary }) => [turn, summary.files.map((file) => file.path)])).toEqual([
      [1, ['bin.dat', 'crlf.txt', 'moved.txt', 'new.txt', 'nonl.txt', 'notes.txt', 'old.txt']],
      [3, ['notes.txt']],
    ]);
    expect(gate.sideEffects.map((effect) => [effect.turn, effect.tool, effect.summary.startsWith('rm old.txt && git mv')])).toEqual([
      [1, 'bash', true],
    ]);
  });

  test('changes, but their list was lost in a restart: refused', async () => {
    const log = await sample('session-sample-a');
    const { refusal } = await recallGate(rangeOf(log, 8), log.header.id, noChangeLists);
    expect(refusal?.code).toBe('CHANGES_LOST');
    expect(refusal?.message).toContain('turn 1');
  });

  test('a write that was never answered may have happened: refused', async () => {
    const log = await sample('session-sample-b-open');
    const cut = { ...log, events: log.events.slice(0, 34) };
    expect(cut.events.at(-1)?.type).toBe('tool/call');
    const { refusal } = await recallGate(rangeOf(cut, 31), log.header.id, noChangeLists);
    expect(refusal?.code).toBe('CHANGES_NOT_READY');
  });

  test('files were written and the list is not made yet: refused', async () => {
    const log = await sample('session-sample-b-open');
    const { refusal } = await recallGate(rangeOf(log, 31), log.header.id, await recordedLists());
    expect(refusal?.code).toBe('CHANGES_NOT_READY');
    expect(refusal?.message).toContain('Turn 2');
  });
});

describe('restoring files by reversed hunks', () => {
  test('newest turn first, gives every restorable file of sample a exactly as it was before turn 1', async () => {
    const lists = await recordedLists();
    const before = await filesOf('beforeTurn1');
    const now = new Map(Object.entries(await filesOf('afterTurn3')));
    const refused: string[] = [];
    for (const seq of [55, 33]) {
      const summary = await lists.summary('session-sample-a', seq);
      for (const [index, file] of (summary?.files ?? []).entries()) {
        const diff = await lists.diff('session-sample-a', seq, index);
        const why = notRestorable(diff, file.path);
        if (why || diff?.kind !== 'text') refused.push(`${file.path}: ${why?.message ?? ''}`);
        else {
          const back = reverseHunks(diff, now.get(file.path) ?? null);
          if ('code' in back) throw new Error(back.message);
          now.set(file.path, back.content);
        }
      }
    }
    for (const name of ['notes.txt', 'old.txt', 'new.txt', 'crlf.txt', 'nonl.txt'])
      expect([name, now.get(name)]).toEqual([name, before[name]]);
    expect(refused.map((one) => one.split('. ')[0])).toEqual([
      'bin.dat: bin.dat cannot be put back',
      'moved.txt: moved.txt cannot be put back',
    ]);
  });

  const hunk = (oldStart: number, oldLines: number, newStart: number, newLines: number, lines: string[]) => ({
    oldStart,
    oldLines,
    newStart,
    newLines,
    lines,
  });
  const text = (before: boolean, after: boolean, ...hunks: ReturnType<typeof hunk>[]) => ({
    kind: 'text' as const,
    path: 'f',
    before,
    after,
    hunks,
    coarse: false,
  });

  test('a file that was changed later is a conflict, also when the same lines stand elsewhere in it', () => {
    const diff = text(true, true, hunk(1, 1, 1, 1, ['-a', '+b']));
    expect(reverseHunks(diff, Buffer.from('b\nx\n'))).toEqual({ content: Buffer.from('a\nx\n') });
    expect(reverseHunks(diff, Buffer.from('x\nb\n'))).toMatchObject({ code: 'CONFLICT' });
    expect(reverseHunks(diff, null)).toMatchObject({ code: 'CONFLICT' });
  });

  test('a created file goes only when it still is what the turn wrote; a deleted one comes back only where nothing stands', () => {
    const created = text(false, true, hunk(1, 0, 1, 2, ['+h', '+w']));
    expect(reverseHunks(created, Buffer.from('h\nw\n'))).toEqual({ content: null });
    expect(reverseHunks(created, Buffer.from('h\nw\nmine\n'))).toMatchObject({ code: 'CONFLICT' });
    const deleted = text(true, false, hunk(1, 2, 1, 0, ['-o', '-p']));
    expect(reverseHunks(deleted, null)).toEqual({ content: Buffer.from('o\np\n') });
    expect(reverseHunks(deleted, Buffer.from('new\n'))).toMatchObject({ code: 'CONFLICT' });
  });

  test('a coarse comparison fits a whole file only', () => {
    const coarse = { ...text(true, true, hunk(1, 2, 1, 2, ['-a', '-b', '+x', '+y'])), coarse: true };
    expect(reverseHunks(coarse, Buffer.from('x\ny\n'))).toEqual({ content: Buffer.from('a\nb\n') });
    expect(reverseHunks(coarse, Buffer.from('x\ny\nz\n'))).toMatchObject({ code: 'CONFLICT' });
  });

  test('a change that is out can be put in again, one that is in or was edited cannot', () => {
    const changed = text(true, true, hunk(1, 3, 1, 3, [' a', '-b', '+B', ' c']));
    const [created, deleted] = [text(false, true, hunk(1, 0, 1, 1, ['+h'])), text(true, false, hunk(1, 1, 1, 0, ['-o']))];
    const filled = text(true, true, hunk(1, 0, 1, 1, ['+h']));
    const filledIn = (diff: typeof changed, before: string | null) => {
      const put = forwardHunks(diff, before === null ? null : Buffer.from(before));
      return 'code' in put ? put.code : (put.content?.toString() ?? null);
    };
    expect([
      filledIn(changed, 'a\nb\nc\nmore\n'),
      filledIn(changed, 'a\nB\nc\n'),
      filledIn(changed, 'a\nmine\nc\n'),
      filledIn(changed, null),
    ]).toEqual(['a\nB\nc\nmore\n', 'CONFLICT', 'CONFLICT', 'CONFLICT']);
    expect([filledIn(created, null), filledIn(created, 'h\n')]).toEqual(['h\n', 'CONFLICT']);
    expect([filledIn(deleted, 'o\n'), filledIn(deleted, 'o\nmore\n'), filledIn(deleted, null)]).toEqual([null, 'CONFLICT', 'CONFLICT']);
    expect(filledIn(filled, '')).toBe('h\n');
  });

  test('several hunks, non-UTF-8 neighbours and missing final newlines survive', () => {
    const diff = text(true, true, hunk(1, 2, 1, 1, ['-one', ' two']), hunk(4, 1, 3, 2, [' four', '+five']));
    const now = Buffer.from('two\n\xff\nfour\nfive', 'latin1');
    expect(reverseHunks(diff, now)).toEqual({ content: Buffer.from('one\ntwo\n\xff\nfour', 'latin1') });
  });
});

describe('the tombstone', () => {
  async function copyOf(name: DshSample, form: 'v3-plain' | 'v3-zstd'): Promise<string> {
    const folder = path.join(await tempFolder(), name);
    await mkdir(folder);
    const from = dshSampleLog(name, form);
    const file = path.join(folder, path.basename(from));
    await copyFile(from, file);
    return file;
  }

  async function recall(file: string, seq: number): Promise<void> {
    const generation = generationOf(file);
    if (!generation) throw new Error('no generation');
    await appendPrepared(generation, await prepared(file, seq));
  }

  function prepared(file: string, seq: number): Promise<RecallBatch> {
    const generation = generationOf(file);
    if (!generation) throw new Error('no generation');
    return prepareAppend(generation, (log) => {
      const events = tombstoneOf(log, rangeOf(log, seq), 'test', 1796024030000);
      if ('code' in events) throw new Error(events.code);
      return events;
    });
  }

  for (const form of ['v3-plain', 'v3-zstd'] as const) {
    test(`into an open step (${form}): valid, hides exactly the listed nodes, the bytes before it are unchanged`, async () => {
      const file = await copyOf('session-sample-b-open', form);
      const before = await readFile(file);
      await recall(file, 31);
      const after = await readFile(file);
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      const log = await logOf(file);
      expect(validateLog(log.header, log.events)).toBeNull();
      expect(log.events.slice(39).map((event) => event.type)).toEqual(['tool/result', 'system/message']);
      expect(log.events[40]?.sourceEventSeqs).toEqual([31, 32, 34, 37, 39]);
      expect(foldSurface(log.events).nodes).toEqual([11, 8, 9, 14, 16, 19, 21, 24, 40]);
    });
  }

  test('at a turn boundary: refused, and not a byte is added', async () => {
    const file = await copyOf('session-sample-a', 'v3-plain');
    const before = await readFile(file);
    await expect(recall(file, 8)).rejects.toThrow('COLD_AT_TURN_BOUNDARY');
    expect((await readFile(file)).equals(before)).toBe(true);
  });

  test('a log that is not whole is never written to', async () => {
    const file = await copyOf('session-sample-b-open', 'v3-plain');
    await appendFile(file, '{"type":"tool/res');
    const torn = await readFile(file);
    await expect(recall(file, 31)).rejects.toMatchObject({ code: 'LOG_TORN' });
    expect((await readFile(file)).equals(torn)).toBe(true);
  });

  test('a second writer in between makes us refuse', async () => {
    const file = await copyOf('session-sample-b-open', 'v3-plain');
    const generation = generationOf(file);
    if (!generation) throw new Error('no generation');
    const grown = Buffer.concat([
      await readFile(file),
      Buffer.from('{"type":"session/title","seq":39,"time":1,"data":{"title":"t","messageSeqs":[8],"source":{"kind":"fallback"}}}\n'),
    ]);
    const batch = await prepared(file, 31);
    writeFileSync(file, grown);
    await expect(appendPrepared(generation, batch)).rejects.toMatchObject({ code: 'LOG_MOVED' });
    expect((await readFile(file)).equals(grown)).toBe(true);
  });

  for (const form of ['v3-plain', 'v3-zstd'] as const) {
    test(`a write that was cut off is finished or taken off again, whole ones are neither written twice nor taken off (${form})`, async () => {
      const file = await copyOf('session-sample-b-open', form);
      const generation = generationOf(file);
      if (!generation) throw new Error('no generation');
      const before = await readFile(file);
      const batch = await prepared(file, 31);
      expect(batch.length).toBe(before.length);
      const whole = Buffer.concat([before, batch.bytes]);
      for (let cut = 0; cut <= batch.bytes.length; cut += cut === 0 ? 1 : Math.ceil(batch.bytes.length / 7)) {
        const torn = whole.subarray(0, before.length + cut);
        await writeFile(file, torn);
        expect(heldOf(torn, batch)).toBe(cut === 0 ? 'none' : 'part');
        await appendPrepared(generation, batch);
        expect((await readFile(file)).equals(whole)).toBe(true);
        await writeFile(file, torn);
        await withdrawPart(generation, batch);
        expect((await readFile(file)).equals(before)).toBe(true);
      }
      await writeFile(file, whole);
      await appendPrepared(generation, batch);
      await withdrawPart(generation, batch);
      expect((await readFile(file)).equals(whole)).toBe(true);
      const other = Buffer.concat([before, Buffer.from('{}')]);
      await writeFile(file, other);
      await expect(appendPrepared(generation, batch)).rejects.toMatchObject({ code: 'LOG_MOVED' });
      await withdrawPart(generation, batch);
      expect((await readFile(file)).equals(other)).toBe(true);
    });
  }
});
