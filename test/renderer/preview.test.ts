import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { showRange } from '../../renderer/store/changes.ts';
import { changesStore } from '../../renderer/store/changes-store.ts';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { leavePreview, PLAN_DELAY_MS, previewStop, setDragging, strideCursor } from '../../renderer/store/preview.ts';
import { sessionStore } from '../../renderer/store/session-store.ts';
import { reason } from '../../shared/errors.ts';
import type { Plan } from '../../shared/plan.ts';
import { Refusal } from './fake-host.ts';
import { makePlan, planFile } from './make-plan.ts';
import { makeView, type Say } from './make-view.ts';
import { later, windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'one' },
  { role: 'assistant', text: 'a', files: [{ path: 'x' }] },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'b', files: [{ path: 'y' }] },
];
const settle = async (): Promise<void> => {
  await vi.advanceTimersByTimeAsync(PLAN_DELAY_MS);
};
const cursor = (): ReturnType<typeof cursorStore.getState> => cursorStore.getState();

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('looking at a stop', () => {
  test('moves the cursor and the ghosts at once, and asks for the plan when the cursor rests', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': () => makePlan(2, { files: [planFile('y', { verb: 'delete' })] }) });
    expect([cursor().here, cursor().ghostsAfter]).toEqual([4, Number.POSITIVE_INFINITY]);
    previewStop(2);
    expect([cursor().preview, cursor().ghostsAfter, cursor().following]).toEqual([2, 1, false]);
    expect(host.times('travel.preview')).toBe(0);
    await vi.advanceTimersByTimeAsync(PLAN_DELAY_MS - 1);
    expect(host.times('travel.preview')).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(host.asked.at(-1)).toEqual({
      call: 'travel.preview',
      input: { thread: 'tanstack:t1', kind: 'revert', stop: 2, entry: null, scope: 'both' },
    });
    expect([cursor().planPhase, cursor().planStop]).toEqual(['ready', 2]);
    expect(changesStore.getState()).toMatchObject({
      range: { kind: 'plan', stop: 2 },
      title: 'If you go back to message 2',
      files: [{ path: 'y', change: 'deleted' }],
    });
  });

  test('a plan that is refused and names no file shows why, in place of an empty list', async () => {
    const refusals = [reason('UNKNOWN_WORKSPACE'), reason('NO_FILES_AFTER'), null];
    const [refused, none] = refusals;
    await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop, { refusal: refusals[stop ?? 0] ?? null }),
      'diff.files': () => {
        throw new Refusal(reason('UNKNOWN_WORKSPACE'));
      },
    });
    const seen: unknown[] = [];
    for (const stop of [0, 1, 2]) {
      previewStop(stop);
      await settle();
      const { range, phase, files, error } = changesStore.getState();
      seen.push([range, phase, files, error]);
    }
    expect(seen).toEqual([
      [{ kind: 'plan', stop: 0 }, 'failed', [], refused],
      [{ kind: 'plan', stop: 1 }, 'ready', [], none],
      [{ kind: 'plan', stop: 2 }, 'ready', [], null],
    ]);
    await showRange({ kind: 'plan', stop: 0 });
    expect(changesStore.getState()).toMatchObject({ phase: 'failed', files: [], error: refused });
  });

  test('of which some files stay in any case shows them, refused or not', async () => {
    const files = [planFile('y', { choice: 'keep', choices: ['keep'] })];
    await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop, { files, refusal: reason('NOT_IDLE') }) });
    previewStop(2);
    await settle();
    expect(changesStore.getState()).toMatchObject({ phase: 'ready', files: [{ path: 'y' }], error: null });
  });

  test('a drag over many stops asks once', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop) });
    for (const stop of [3, 2, 1, 2, 3, 1]) {
      previewStop(stop);
      await vi.advanceTimersByTimeAsync(16);
    }
    await settle();
    expect(host.asked.filter(({ call }) => call === 'travel.preview').map(({ input }) => (input as { stop: number }).stop)).toEqual([1]);
  });

  test('at most one plan is asked for at a time; the newest wins and the ones between are never asked', async () => {
    const answers = new Map([1, 2, 3].map((stop) => [stop, later<Plan>()]));
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => answers.get(stop ?? 0)?.promise ?? makePlan(stop) });
    for (const stop of [3, 2, 1]) {
      previewStop(stop);
      await settle();
    }
    expect(host.times('travel.preview')).toBe(1);
    answers.get(3)?.resolve(makePlan(3));
    await vi.advanceTimersByTimeAsync(0);
    expect(host.times('travel.preview')).toBe(2);
    expect(cursor().plan).toBeNull();
    answers.get(1)?.resolve(makePlan(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(cursor().plan?.target.stop).toBe(1);
    expect(host.times('travel.preview')).toBe(2);
  });

  test('an answer for a place that was left is not shown', async () => {
    const answer = later<Plan>();
    await windowWith(makeView(says), { 'travel.preview': () => answer.promise });
    previewStop(1);
    await settle();
    leavePreview();
    answer.resolve(makePlan(1, { files: [planFile('x')] }));
    await vi.advanceTimersByTimeAsync(0);
    expect([cursor().plan, cursor().planPhase]).toEqual([null, 'none']);
    expect(changesStore.getState().range?.kind).not.toBe('plan');
  });

  test('a failed plan is said and does not stop the next', async () => {
    let failed = false;
    await windowWith(makeView(says), {
      'travel.preview'({ stop }) {
        if (failed) return makePlan(stop);
        failed = true;
        return null as never;
      },
    });
    previewStop(1);
    await settle();
    expect([cursor().planPhase, cursor().planError?.code]).toEqual(['failed', 'BAD_REQUEST']);
    previewStop(2);
    await settle();
    expect([cursor().planPhase, cursor().planError]).toEqual(['ready', null]);
  });
});

describe('leaving', () => {
  test('springs back, takes the ghosts away and shows the selection again', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop) });
    previewStop(1);
    await settle();
    leavePreview();
    expect(cursor()).toMatchObject({
      preview: null,
      ghostsAfter: Number.POSITIVE_INFINITY,
      plan: null,
      planPhase: 'none',
      dragging: false,
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(changesStore.getState().range).toEqual({ kind: 'turn', turn: 2 });
    expect(host.asked.filter(({ call }) => call.startsWith('travel.run'))).toEqual([]);
  });

  test('a plan that was about to be asked for is not', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop) });
    previewStop(1);
    leavePreview();
    await settle();
    expect(host.times('travel.preview')).toBe(0);
  });

  test('moving back to where the thread stands ends the look, but not in the middle of a drag', async () => {
    await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop) });
    previewStop(3);
    previewStop(4);
    expect(cursor().preview).toBeNull();
    setDragging(true);
    previewStop(3);
    previewStop(4);
    expect(cursor().preview).toBe(4);
  });
});

test('ghosts of a standing revert stay when the cursor comes back', async () => {
  const base = makeView(says.map((say, at): Say => (at > 1 ? { ...say, hidden: 'reverted' } : say)));
  await windowWith(
    { ...base, standing: { messageId: 'm2', stop: 2, hidden: 2, files: null, now: null } },
    { 'travel.preview': ({ stop }) => makePlan(stop) },
  );
  expect([cursor().here, cursor().ghostsAfter]).toEqual([2, 1]);
  previewStop(3);
  expect(cursor().ghostsAfter).toBe(2);
  leavePreview();
  expect(cursor().ghostsAfter).toBe(1);
});

test('keys move the cursor from where it is', async () => {
  await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop) });
  strideCursor(-1, 'message');
  expect(cursor().preview).toBe(3);
  strideCursor(-1, 'turn');
  expect(cursor().preview).toBe(2);
  strideCursor(-1, 'end');
  expect(cursor().preview).toBe(0);
  expect(cursor().ghostsAfter).toBe(-1);
  strideCursor(1, 'end');
  expect(cursor().preview).toBeNull();
  expect(sessionStore.getState().view?.messages.length).toBe(4);
});
