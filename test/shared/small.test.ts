import { describe, expect, test } from 'vitest';
import { chordRefusal, partsOfChord } from '../../shared/chords.ts';
import { createClient } from '../../shared/client.ts';
import { causeOf, isRefusal, reason, reasonOf, TurnbackError } from '../../shared/errors.ts';
import { changedLines, lineHunks } from '../../shared/line-hunks.ts';
import { parseQuery, wordsOf } from '../../shared/query.ts';
import { foldCase } from '../../shared/search.ts';
import { foldUndoPoint, redoable, type UndoPoint, undoable } from '../../shared/undo-point.ts';
import { leasePath, leaseState, type WriterLease } from '../../shared/writer-lease.ts';

describe('errors', () => {
  test('whatever was thrown has a code and a sentence', () => {
    const ours = new TurnbackError('NOT_IDLE');
    expect(reasonOf(ours)).toEqual({ code: 'NOT_IDLE', message: 'Wait until the turn ends, then try again.' });
    expect(TurnbackError.of(reason('NOT_IDLE')).reason).toEqual(ours.reason);
    const told = reason('NOT_FOUND', { path: '/x' });
    expect(TurnbackError.of(told).reason).toEqual({ code: 'NOT_FOUND', message: 'There is nothing at /x. Check the path.' });
    expect([isRefusal(ours, 'NOT_IDLE'), isRefusal(ours, 'NOT_FOUND'), isRefusal(told, 'NOT_FOUND'), isRefusal(null, 'NOT_FOUND')]).toEqual(
      [true, false, false, false],
    );
    expect([causeOf(ours), causeOf('plain'), causeOf(null)]).toEqual([ours.message, 'plain', 'null']);
    expect(reasonOf(new Error('odd')).message).toContain('odd');
    expect(reasonOf('plain').message).toContain('plain');
    expect([reasonOf(new Error('odd')).code, reasonOf(7).code]).toEqual(['INTERNAL', 'INTERNAL']);
  });
});

describe('the undo point', () => {
  const point: UndoPoint = { type: 'turnback/undo-point', state: 'done', keep: 1, from: null, to: null, files: [] };
  const chat = (id: string): boolean => id === 'prompt';

  test('is the newest one until a turn is applied', () => {
    expect(foldUndoPoint(null, { ...point }, chat)).toEqual(point);
    expect(foldUndoPoint(point, { type: 'turnback/undo-point', state: 'odd' }, chat)).toBeNull();
    expect(foldUndoPoint(point, { type: 'harness.tool' }, chat)).toBe(point);
    expect(foldUndoPoint(point, { type: 'harness.input.applied', inputId: 'prompt' }, chat)).toBeNull();
    expect(foldUndoPoint(point, { type: 'harness.input.applied', inputId: 'compact' }, chat)).toBe(point);
    expect(foldUndoPoint(point, { type: 'harness.input.applied', inputId: 7 }, chat)).toBe(point);
  });

  test('can be undone where its user message is, and redone where nothing came since', () => {
    const messages = [{ role: 'assistant' }, { role: 'user' }];
    expect([undoable(null, messages), undoable(point, messages), undoable(point, [])]).toEqual([false, true, false]);
    expect([undoable({ ...point, keep: 0 }, messages), undoable({ ...point, state: 'undone' }, messages)]).toEqual([false, false]);
    const undone: UndoPoint = { ...point, state: 'undone', keep: 2, messages: [] };
    expect([redoable(null, messages), redoable(undone, messages), redoable(undone, [])]).toEqual([false, true, false]);
    expect([redoable({ ...undone, state: 'done' }, messages), redoable({ ...point, state: 'undone', keep: 2 }, messages)]).toEqual([
      false,
      false,
    ]);
  });
});

describe('a writer’s lease', () => {
  const lease: WriterLease = {
    version: 1,
    owner: 'o',
    pid: 7,
    started: '100',
    host: 'here',
    hostName: 'here',
    since: 0,
    renewed: 1000,
    ttl: 50,
  };
  const state = (started: string | null | undefined, now = 1000, host = 'here', own: Partial<WriterLease> = {}): string =>
    leaseState({ ...lease, ...own }, { host, now, startOf: () => started });

  test('is live while its very process runs and renews it', () => {
    expect(leasePath('/log')).toBe('/log.lease');
    expect([state('100'), state('100', 1049), state('100', 1050)]).toEqual(['live', 'live', 'silent']);
    expect([state(undefined), state('200'), state(null), state('200', 1000, 'here', { started: null })]).toEqual([
      'gone',
      'gone',
      'live',
      'live',
    ]);
    expect([state(undefined, 1000, 'elsewhere'), state('100', 1000, 'elsewhere')]).toEqual(['silent', 'silent']);
  });
});

describe('a query', () => {
  test('is words and fields, quoted or not; what is no field is words', () => {
    expect(parseQuery('tool:Bash path:"my File" Fix "two words" odd:thing "open')).toEqual([
      { field: 'tool', words: 'bash' },
      { field: 'path', words: 'my file' },
      { field: 'any', words: 'fix' },
      { field: 'any', words: 'two words' },
      { field: 'any', words: 'odd:thing' },
      { field: 'any', words: 'open' },
    ]);
    expect([parseQuery(''), parseQuery('  '), parseQuery('""'), parseQuery('path:""')]).toEqual([[], [], [], []]);
    expect(wordsOf(parseQuery('a text:b path:c a B'))).toEqual(['a', 'b']);
  });

  test('finds letters whatever their case, and every place stays where it is', () => {
    expect(foldCase('ÄΣς')).toBe('äσσ');
    // İ has two units in lower case: it keeps its form.
    expect(foldCase('Aİ B')).toBe('aİ b');
    expect(foldCase('Aİ B')).toHaveLength(4);
  });
});

describe('changed blocks of lines', () => {
  const hunks = (before: string, after: string): string[] =>
    lineHunks([...before], [...after]).map((hunk) => `${hunk.beforeStart}-${hunk.beforeEnd}>${hunk.afterStart}-${hunk.afterEnd}`);

  test.each<[string, string, string[]]>([
    ['', '', []],
    ['abc', 'abc', []],
    ['', 'ab', ['0-0>0-2']],
    ['ab', '', ['0-2>0-0']],
    ['abc', 'axc', ['1-2>1-2']],
    ['abcd', 'bcde', ['0-1>0-0', '4-4>3-4']],
    // A line that moved is an anchor once, on the longest chain that grows on both sides.
    ['abcdef', 'fabcde', ['0-0>0-1', '5-6>6-6']],
    ['xaybz', 'xbyaz', ['1-3>1-1', '4-4>2-4']],
    // Lines that stand twice anchor nothing.
    ['aabb', 'bbaa', ['0-4>0-4']],
    ['axbxc', 'aybyc', ['1-2>1-2', '3-4>3-4']],
  ])('%s > %s', (before, after, expected) => {
    expect(hunks(before, after)).toEqual(expected);
  });

  test('counts the longer side of each', () => {
    expect(changedLines(lineHunks([...'abc'], [...'axyc']))).toBe(2);
    expect(changedLines(lineHunks([...'abcd'], [...'ad']))).toBe(2);
  });
});

describe('chords', () => {
  test('have their modifiers in one order, once each, and one key', () => {
    expect(partsOfChord('mod+shift+z')).toEqual({ held: ['mod', 'shift'], key: 'z' });
    expect(partsOfChord('+')).toEqual({ held: [], key: '+' });
    expect(partsOfChord('mod++')).toEqual({ held: ['mod'], key: '+' });
    expect(partsOfChord('f12')).toEqual({ held: [], key: 'f12' });
    for (const odd of ['', 'shift+mod+z', 'mod+mod+z', 'ctrl+z', 'Z', 'zz', ' ', 'f25', '\u0007'])
      expect([odd, partsOfChord(odd)]).toEqual([odd, null]);
  });

  test('that mean something else everywhere cannot be chosen', () => {
    for (const chord of ['tab', 'shift+tab', 'escape', 'mod+c', 'mod+q', 'nonsense']) expect(chordRefusal(chord)).toMatch(/\.$/);
    for (const chord of ['mod+shift+c', 'mod+alt+c', 'c', 'mod+k', 'enter']) expect(chordRefusal(chord)).toBeNull();
  });
});

describe('the client', () => {
  const client = (answer: unknown, pause?: () => Promise<void>) => {
    const listeners: ((event: string, payload: unknown) => void)[] = [];
    const made = createClient(
      {
        invoke: async () => answer,
        subscribe(listener) {
          listeners.push(listener);
          return () => void listeners.splice(0);
        },
      },
      pause ? { pause } : {},
    );
    return { made, push: (event: string, payload: unknown) => listeners.forEach((listener) => void listener(event, payload)) };
  };

  test('gives what fits its schema, at once or in pieces, and refuses the rest', async () => {
    const good = { ok: true, value: { threads: [], problems: [] } };
    expect(await client(good).made.call('threads.list', {})).toEqual(good.value);
    expect(await client(good, async () => undefined).made.call('threads.list', {})).toEqual(good.value);
    await expect(client({ ok: true, value: { threads: 7 } }).made.call('threads.list', {})).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    await expect(client('odd').made.call('threads.list', {})).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    const refused = { ok: false, error: reason('NOT_IDLE') };
    await expect(client(refused).made.call('threads.list', {})).rejects.toMatchObject({ name: 'CallError', reason: refused.error });
  });

  test('hands events on that fit, until it is asked to stop', () => {
    const { made, push } = client(null);
    const seen: unknown[] = [];
    const stop = made.on('thread.changed', (payload) => seen.push(payload));
    push('thread.changed', { thread: 'a' });
    push('thread.changed', { thread: 7 });
    push('progress', { thread: 'b' });
    stop();
    push('thread.changed', { thread: 'c' });
    expect(seen).toEqual([{ thread: 'a' }]);
  });
});
