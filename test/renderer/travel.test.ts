import { describe, expect, test } from 'vitest';
import { cursorStore } from '../../renderer/store/cursor-store.ts';
import { gateRefusal } from '../../renderer/store/gate-refusal.ts';
import { previewStop } from '../../renderer/store/preview.ts';
import { toastStore } from '../../renderer/store/toast-store.ts';
import {
  beginTravel,
  cancelRunning,
  chooseForFile,
  closeGate,
  commitStop,
  goOnWhileBusy,
  loadHistory,
  loadInterrupted,
  planAgain,
  recover,
  revertTo,
  runGate,
  takeBackLast,
  unrevert,
} from '../../renderer/store/travel.ts';
import { travelStore } from '../../renderer/store/travel-store.ts';
import { reason } from '../../shared/errors.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { Refusal } from './fake-host.ts';
import { makePlan, makeResult, planFile } from './make-plan.ts';
import { makeView, type Say } from './make-view.ts';
import { later, windowWith } from './reset.ts';

const says: Say[] = [
  { role: 'user', text: 'Fix the login form' },
  { role: 'assistant', text: 'a', files: [{ path: 'x' }] },
  { role: 'user', text: 'two' },
  { role: 'assistant', text: 'b', files: [{ path: 'y' }] },
];
const gate = (): ReturnType<typeof travelStore.getState>['gate'] => travelStore.getState().gate;
const fileOf = (path: string): ReturnType<typeof planFile> =>
  planFile(path, { choices: ['merge', 'keep', 'overwrite'], choice: 'merge', drift: true });

describe('a plan that touches no file', () => {
  test('runs at once, says so with Undo, and reads the thread again', async () => {
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop),
      'travel.run': () => makeResult({ files: [] }),
    });
    const opened = host.times('thread.open');
    await revertTo(2);
    expect(gate()).toBeNull();
    expect(host.asked.find(({ call }) => call === 'travel.run')?.input).toMatchObject({
      kind: 'revert',
      stop: 2,
      scope: 'both',
      drift: 'merge',
      choices: {},
      fingerprint: 'plan-2',
    });
    expect(toastStore.getState().toast).toMatchObject({ tone: 'done', text: makeResult().message, stays: true, action: { label: 'Undo' } });
    expect(host.times('thread.open')).toBe(opened + 1);
    expect(travelStore.getState().running).toBeNull();
  });

  test.each([
    ['a skipped file', { skipped: [{ path: 'l', why: 'It is a link.' }] }],
    ['a side effect', { sideEffects: [{ turn: 1, tool: 'bash', summary: 'rm -rf build' }] }],
    ['a refusal', { refusal: reason('NOT_IDLE') }],
    ['a file', { files: [planFile('x')] }],
  ])('%s opens the gate instead, and nothing runs', async (_, over) => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop, over) });
    await revertTo(1);
    expect(gate()).toMatchObject({ phase: 'ready', title: 'Fix the login form' });
    expect(host.times('travel.run')).toBe(0);
  });
});

describe('the gate', () => {
  test('runs exactly the plan that it shows, with the choices that were made', async () => {
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x'), fileOf('y')] }),
      'travel.run': () => makeResult(),
    });
    await revertTo(1);
    chooseForFile('y', 'keep');
    await runGate();
    expect(host.asked.find(({ call }) => call === 'travel.run')?.input).toMatchObject({ choices: { y: 'keep' }, fingerprint: 'plan-1' });
    expect(gate()).toBeNull();
  });

  test('uses the plan that the cursor already has', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x')] }) });
    cursorStore.setState({ preview: 1, plan: makePlan(1, { files: [fileOf('x')] }), planStop: 1, planPhase: 'ready' });
    await commitStop(1);
    expect(host.times('travel.preview')).toBe(0);
    expect(gate()?.plan?.fingerprint).toBe('plan-1');
  });

  test('another scope asks for another plan and keeps the choices that are still possible', async () => {
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop, scope }) =>
        makePlan(stop, { scope, files: scope === 'files' ? [fileOf('x')] : [fileOf('x'), fileOf('y')], fingerprint: scope }),
    });
    await revertTo(1);
    chooseForFile('x', 'overwrite');
    chooseForFile('y', 'keep');
    await planAgain({ scope: 'files' });
    expect(gate()).toMatchObject({
      phase: 'ready',
      request: { scope: 'files' },
      plan: { fingerprint: 'files' },
      choices: { x: 'overwrite' },
    });
    expect(Object.keys(gate()?.choices ?? {})).toEqual(['x']);
    expect(host.times('travel.preview')).toBe(2);
  });

  test('cannot be run while it refuses', async () => {
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop }) =>
        makePlan(stop, { files: [fileOf('x')], refusal: reason('LEASE_HELD', { path: '/w', pid: 7, doing: 'it is travelling there' }) }),
    });
    await revertTo(1);
    await runGate();
    expect(host.times('travel.run')).toBe(0);
    expect(gate()?.plan?.refusal?.code).toBe('LEASE_HELD');
  });

  test('goes on while another agent works in the folder once that was said, and asks again by its button', async () => {
    const busy = reason('FOLDER_BUSY', { thread: '“B”' });
    let agentWorks = true;
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x')], refusal: agentWorks ? busy : null }),
      'travel.run': ({ evenBusy }) => {
        if (!evenBusy) throw new Refusal(busy);
        return makeResult();
      },
    });
    const runs = () => host.asked.flatMap(({ call, input }) => (call === 'travel.run' ? [(input as { evenBusy?: boolean }).evenBusy] : []));
    const refused = () => {
      const now = gate();
      return now && gateRefusal(now);
    };
    await revertTo(1);
    expect(refused()).toEqual(busy);
    await runGate();
    expect(runs()).toEqual([]);
    goOnWhileBusy();
    expect([refused(), gate()?.plan?.refusal]).toEqual([null, busy]);
    await runGate();
    expect([runs(), gate()]).toEqual([[true], null]);
    // An agent that begins after the plan was made: refused when it runs, then the same way on.
    agentWorks = false;
    await revertTo(1);
    expect(refused()).toBeNull();
    await runGate();
    expect([runs(), refused()?.code]).toEqual([[true, false], 'FOLDER_BUSY']);
    goOnWhileBusy();
    await runGate();
    expect([runs(), gate()]).toEqual([[true, false, true], null]);
  });

  test('a run that is refused comes back into the gate, and a new plan can be asked for', async () => {
    let stale = true;
    await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x')] }),
      'travel.run'() {
        if (stale) throw new Refusal(reason('PLAN_STALE', { path: 'x' }));
        return makeResult();
      },
    });
    await revertTo(1);
    await runGate();
    expect(gate()).toMatchObject({ phase: 'ready', error: { code: 'PLAN_STALE' } });
    expect(toastStore.getState().toast).toBeNull();
    stale = false;
    await planAgain();
    expect(gate()?.error).toBeNull();
    await runGate();
    expect(gate()).toBeNull();
  });

  test('Cancel ends the preview too, and nothing was run', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x')] }) });
    previewStop(1);
    await commitStop(1);
    closeGate();
    expect([gate(), cursorStore.getState().preview]).toEqual([null, null]);
    expect(host.times('travel.run')).toBe(0);
  });

  test('a plan that comes after Cancel is void', async () => {
    const answer = later<ReturnType<typeof makePlan>>();
    const host = await windowWith(makeView(says), { 'travel.preview': () => answer.promise, 'travel.run': () => makeResult() });
    const going = revertTo(1);
    expect(gate()?.phase).toBe('loading');
    closeGate();
    answer.resolve(makePlan(1));
    await going;
    expect(host.times('travel.run')).toBe(0);
    expect(gate()).toBeNull();
  });

  test('a plan that cannot be made is said in the gate', async () => {
    await windowWith(makeView(says), {
      'travel.preview'() {
        throw new Refusal(reason('NO_GIT'));
      },
    });
    await revertTo(1);
    expect(gate()).toMatchObject({ phase: 'failed', error: { code: 'NO_GIT' } });
  });
});

describe('a running travel', () => {
  test('holds the gate shut, counts, can be cancelled once, and keeps others from starting', async () => {
    const answer = later<TravelResult>();
    const host = await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop, { files: [fileOf('x')] }),
      'travel.run': () => answer.promise,
      cancel: () => ({}),
    });
    await revertTo(1);
    const going = runGate();
    const operation = travelStore.getState().running?.operation ?? '';
    expect(operation).not.toBe('');
    closeGate();
    expect(gate()).not.toBeNull();
    await beginTravel({ kind: 'undo', stop: null, entry: null, scope: 'both' });
    expect(gate()?.request.kind).toBe('revert');
    await cancelRunning();
    await cancelRunning();
    expect(host.asked.filter(({ call }) => call === 'cancel')).toEqual([{ call: 'cancel', input: { operation } }]);
    answer.resolve(makeResult());
    await going;
    expect(travelStore.getState()).toMatchObject({ running: null, gate: null });
  });

  test('a result with failed files is said as a failure', async () => {
    await windowWith(makeView(says), {
      'travel.preview': ({ stop }) => makePlan(stop),
      'travel.run': () => makeResult({ files: [{ path: 'x', outcome: 'failed', why: 'no' }] }),
    });
    await revertTo(1);
    expect(toastStore.getState().toast?.tone).toBe('failed');
  });
});

describe('bringing back', () => {
  const plan = (drift: boolean): ReturnType<typeof makePlan> => makePlan(null, { kind: 'unrevert', files: [planFile('x', { drift })] });

  test('asks nothing while nobody edited the files', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': () => plan(false), 'travel.run': () => makeResult() });
    await unrevert();
    expect(host.times('travel.run')).toBe(1);
    expect(toastStore.getState().toast?.action).toBeNull();
  });

  test('asks when a file was edited since', async () => {
    const host = await windowWith(makeView(says), { 'travel.preview': () => plan(true), 'travel.run': () => makeResult() });
    await unrevert();
    expect([host.times('travel.run'), gate()?.phase]).toEqual([0, 'ready']);
  });

  test('Undo after a travel takes a standing revert back, else restores its files', async () => {
    const base = makeView(says);
    const host = await windowWith(base, {
      'travel.preview': ({ kind, entry }) => makePlan(null, { kind, fingerprint: `${kind} ${entry}` }),
      'travel.run': () => makeResult(),
    });
    travelStore.setState({
      last: { request: { kind: 'revert', stop: 1, entry: null, scope: 'files' }, result: makeResult({ entry: 'e9' }) },
    });
    await takeBackLast();
    expect(host.asked.findLast(({ call }) => call === 'travel.run')?.input).toMatchObject({ kind: 'restore', entry: 'e9', scope: 'files' });
    await windowWith(
      { ...base, standing: { messageId: 'm1', stop: 1, hidden: 3, files: null, now: null }, can: { ...base.can, unrevert: true } },
      {
        'travel.preview': ({ kind }) => makePlan(null, { kind }),
        'travel.run': ({ kind }) => makeResult({ message: `ran ${kind}` }),
      },
    );
    await takeBackLast();
    expect(toastStore.getState().toast?.text).toBe('ran unrevert');
  });
});

describe('history and recovery', () => {
  test('the history is read, and a failure is kept for its panel', async () => {
    const entry = { id: 'e1', at: 1, kind: 'revert' as const, target: 'message 2', files: 1, bytes: 10, can: true as const };
    await windowWith(makeView(says), { 'travel.history': () => ({ entries: [entry] }) });
    await loadHistory();
    expect(travelStore.getState().history).toEqual({ phase: 'ready', entries: [entry], error: null });
    await windowWith(makeView(says));
    await loadHistory();
    expect(travelStore.getState().history).toMatchObject({ phase: 'failed', entries: [] });
  });

  test('an interrupted travel ends once and leaves the list', async () => {
    let left = [{ entry: 'e1', thread: 'tanstack:t1', root: '/r', kind: 'revert' as const, at: 1, files: 2 }];
    const host = await windowWith(makeView(says), {
      'travel.interrupted': () => ({ travels: left }),
      'travel.recover'() {
        left = [];
        return makeResult({ message: 'Rolled back.' });
      },
    });
    await loadInterrupted();
    expect(travelStore.getState().interrupted).toHaveLength(1);
    await Promise.all([recover('e1', 'roll-back'), recover('e1', 'finish')]);
    expect(host.asked.filter(({ call }) => call === 'travel.recover')).toEqual([
      { call: 'travel.recover', input: { entry: 'e1', how: 'roll-back' } },
    ]);
    expect(travelStore.getState()).toMatchObject({ interrupted: [], recovering: null });
    expect(toastStore.getState().toast?.text).toBe('Rolled back.');
  });
});
