import { writeFileSync } from 'node:fs';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import type { FileSystem } from '../../electron/travel/file-system.ts';
import { nodeFileSystem as fs } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { readEntry, readJournal, writeJournal } from '../../electron/travel/journal.ts';
import { readOverlayText, writeOverlay } from '../../electron/travel/overlay.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { type DshSession, openWithoutWrites } from '../scenarios/dsh-session.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { Death, faultyFileSystem, systemError } from './faults.ts';
import { type Neutral, neutral } from './neutral.ts';
import { travelRecord } from './records.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

const git = createGit();

async function edited(): Promise<Neutral> {
  const n = await neutral();
  await writeFiles(n.root, { a: 'old\n', b: 'old\n' });
  await n.base();
  await n.user('edit');
  await writeFiles(n.root, { a: 'new\n', b: 'new\n' });
  await n.step('edit', ['a', 'b']);
  return n;
}

test('a file that changes between the plan and the safety snapshot stops the travel by its name, and nothing is left of it', async () => {
  const n = await edited();
  const context = await n.context();
  // The time is asked for once the plan is made.
  const raced = {
    ...context,
    now: () => {
      writeFileSync(path.join(n.root, 'b'), 'mine\n');
      return 1_800_000_000_000;
    },
  };
  await expect(runTravel(raced, revertTo(0), DEFAULTS)).rejects.toMatchObject({
    code: 'PLAN_STALE',
    message: expect.stringMatching(/^b /),
  });
  expect([await readFile(path.join(n.root, 'a'), 'utf8'), await readFile(path.join(n.root, 'b'), 'utf8')]).toEqual(['new\n', 'mine\n']);
  expect(await interruptedTravels(context.ownData)).toEqual([]);
  expect(await historyOf(context)).toEqual([]);
  expect(await manifest(path.join(context.ownData, 'journal'))).toEqual([]);
});

describe('an interrupted travel of messages alone', () => {
  const standing = (n: Neutral, entry: string): string =>
    JSON.stringify({
      version: 1,
      thread: `opencode:${path.basename(n.log, '.jsonl')}`,
      standing: { messageId: null, lastMessageId: 's0002', stop: 0, entry, at: 5 },
      final: [],
    });
  const interrupted = async (n: Neutral, phase: 'intent' | 'saved') => {
    const context = await n.context();
    const thread = context.thread.head.id;
    const { endOf } = await import('../../electron/travel/log-end.ts');
    const record = travelRecord({
      ...{ entry: 'b-2', thread, root: null, scope: 'messages', phase, logAt: endOf(context.thread) },
      messages: { how: 'overlay', before: null, after: standing(n, 'b-2') },
    });
    await writeJournal(fs, context.ownData, record);
    return { context, record };
  };

  test.each(['intent', 'saved'] as const)('is finished without a workspace, from %s', async (phase) => {
    const n = await edited();
    const { context, record } = await interrupted(n, phase);
    const { ownData } = context;
    expect(await interruptedTravels(ownData)).toMatchObject([{ entry: 'b-2', root: '', files: 0 }]);
    const result = await recoverTravel({ ownData, git, openThread: async () => context.thread }, 'b-2', 'finish');
    expect([result.log, result.files]).toEqual(['overlay', []]);
    expect(await readOverlayText(fs, ownData, record.thread)).toBe(standing(n, 'b-2'));
    expect((await readEntry(fs, ownData, 'b-2'))?.phase).toBe('done');
    expect(await readJournal(fs, ownData, 'b-2')).toBeNull();
  });

  test('is rolled back without the thread and without a workspace, and lets the overlay alone that somebody else made', async () => {
    const n = await edited();
    const { context, record } = await interrupted(n, 'saved');
    const { ownData } = context;
    await writeOverlay(fs, ownData, record.thread, standing(n, 'c-3'));
    const result = await recoverTravel({ ownData, git, openThread: async () => null }, 'b-2', 'roll-back');
    expect(result).toMatchObject({ message: 'Rolled back: everything is as it was before.', log: 'none', files: [] });
    expect(await readOverlayText(fs, ownData, record.thread)).toBe(standing(n, 'c-3'));
    expect(await interruptedTravels(ownData)).toEqual([]);
    await expect(recoverTravel({ ownData, git, openThread: async () => null }, 'b-2', 'roll-back')).rejects.toMatchObject({
      code: 'NOT_INTERRUPTED',
    });
  });

  test('takes its own overlay back when it is rolled back', async () => {
    const n = await edited();
    const { context, record } = await interrupted(n, 'saved');
    const { ownData } = context;
    await writeOverlay(fs, ownData, record.thread, standing(n, 'b-2'));
    await recoverTravel({ ownData, git, openThread: async () => context.thread }, 'b-2', 'roll-back');
    expect(await readOverlayText(fs, ownData, record.thread)).toBeNull();
  });

  test('cannot be finished without the thread, nor when the agent went on', async () => {
    const n = await edited();
    const { context } = await interrupted(n, 'saved');
    const { ownData } = context;
    await expect(recoverTravel({ ownData, git, openThread: async () => null }, 'b-2', 'finish')).rejects.toMatchObject({
      code: 'RECOVERY_NEEDS_THREAD',
    });
    await n.user('and another');
    await expect(recoverTravel({ ownData, git, openThread: async () => context.thread }, 'b-2', 'finish')).rejects.toMatchObject({
      code: 'RECOVERY_MOVED',
    });
    expect(await interruptedTravels(ownData)).toHaveLength(1);
  });
});

describe('an interrupted recall', () => {
  /** Ends at the journal's fourth word, which is that the log has the tombstone: it has, and the journal does not know. */
  async function cut(): Promise<{ session: DshSession; before: Buffer; recover(how: 'finish' | 'roll-back'): Promise<TravelResult> }> {
    const session = await openWithoutWrites();
    const before = await session.bytes();
    const dying = await session.context({ fs: faultyFileSystem(new Death(/^rename .*\/journal\//, 4)) });
    await expect(runTravel(dying, revertTo(8, 'messages'), DEFAULTS)).rejects.toThrow();
    await rm(path.join(session.ownData, 'leases'), { recursive: true });
    const [open] = await interruptedTravels(session.ownData);
    const { thread } = await session.context();
    const deps = { ownData: session.ownData, git, openThread: async () => thread };
    return { session, before, recover: (how) => recoverTravel(deps, open?.entry ?? '', how) };
  }

  test('whose tombstone is whole stays in the log: it is finished, not rolled back', async () => {
    const { session, before, recover } = await cut();
    const whole = await session.bytes();
    expect(whole.length).toBeGreaterThan(before.length);
    await expect(recover('roll-back')).rejects.toMatchObject({ code: 'RECALL_WRITTEN' });
    expect(await interruptedTravels(session.ownData)).toHaveLength(1);
    expect(await recover('finish')).toMatchObject({ log: 'appended', message: 'Recalled: the thread stands before turn 2.' });
    expect((await session.bytes()).equals(whole)).toBe(true);
    expect(await interruptedTravels(session.ownData)).toEqual([]);
  });

  test('is not ended over a thread of another kind', async () => {
    const { session } = await cut();
    const [open] = await interruptedTravels(session.ownData);
    const { thread } = await (await edited()).context();
    const deps = { ownData: session.ownData, git, openThread: async () => thread };
    await expect(recoverTravel(deps, open?.entry ?? '', 'roll-back')).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    expect(await interruptedTravels(session.ownData)).toHaveLength(1);
  });

  test('whose tombstone is torn goes either way, and the log is whole again', async () => {
    const back = await cut();
    await truncate(back.session.log, back.before.length + 40);
    expect(await back.recover('roll-back')).toMatchObject({ log: 'none' });
    expect((await back.session.bytes()).equals(back.before)).toBe(true);
    const on = await cut();
    const whole = await on.session.bytes();
    await truncate(on.session.log, on.before.length + 40);
    expect(await on.recover('finish')).toMatchObject({ log: 'appended' });
    expect((await on.session.bytes()).equals(whole)).toBe(true);
  });
});

test.each([
  ['of git', new TurnbackError('GIT_FAILED', { command: 'update-ref', exit: 1, stderr: '' }), { code: 'ENOSPC' }],
  ['of ours', new Error('broken'), { code: 'RECOVERY_FAILED', message: expect.stringMatching(/broken; what failed at first: .*ENOSPC/) }],
])('a safety snapshot that cannot be let go, by a fault %s: all is back, and what fails is told', async (_name, failure, told) => {
  const n = await edited();
  const context = await n.context();
  const run: Git['run'] = async (call) => {
    if (call.args.includes('-d') && call.name === 'update-ref') throw failure;
    return git.run(call);
  };
  // The conversation cannot be written down, so all goes back.
  const rename: FileSystem['rename'] = async (from, to) => (/\/overlay\//.test(String(to)) ? systemError('ENOSPC')() : fs.rename(from, to));
  const broken: TravelContext = { ...context, git: { ...git, run }, fs: { ...fs, rename } };
  const parts = new Set<string>();
  const onProgress = (_done: number, _total: number, label: string): void => void parts.add(label);
  await expect(runTravel(broken, revertTo(0), { ...DEFAULTS, onProgress })).rejects.toMatchObject(told);
  expect([...parts]).toEqual(['Keeping', 'Writing', 'Putting back']);
  expect([await readFile(path.join(n.root, 'a'), 'utf8'), await readFile(path.join(n.root, 'b'), 'utf8')]).toEqual(['new\n', 'new\n']);
  expect(await interruptedTravels(context.ownData)).toEqual([]);
  expect(await historyOf(context)).toEqual([]);
});

test.each(['plan', 'safety snapshot'])('cancelled right after the %s: nothing is written, and nothing is left of it', async (moment) => {
  const n = await edited();
  const context = await n.context();
  const stop = new AbortController();
  let journals = 0;
  const rename: FileSystem['rename'] = async (from, to) => {
    await fs.rename(from, to);
    // The second word of the journal is that all is kept.
    if (/\/journal\//.test(String(to)) && ++journals === 2) stop.abort();
  };
  const now = (): number => {
    if (moment === 'plan') stop.abort();
    return 1_800_000_000_000;
  };
  const cancelled = runTravel({ ...context, now, fs: { ...fs, rename } }, revertTo(0), { ...DEFAULTS, signal: stop.signal });
  await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  expect([await readFile(path.join(n.root, 'a'), 'utf8'), await readFile(path.join(n.root, 'b'), 'utf8')]).toEqual(['new\n', 'new\n']);
  expect(await interruptedTravels(context.ownData)).toEqual([]);
  expect(await historyOf(context)).toEqual([]);
});

test('every file that a travel wrote is told with what became of it', async () => {
  const n = await neutral();
  await writeFiles(n.root, { changed: 'old\n', deleted: 'old\n' });
  await n.base();
  await n.user('edit');
  await writeFiles(n.root, { changed: 'new\n', created: 'new\n' });
  await rm(path.join(n.root, 'deleted'));
  await n.step('edit', ['changed', 'created', 'deleted']);
  const told: string[] = [];
  const onFile = (file: string, change: string): void => void told.push(`${change} ${file}`);
  await runTravel(await n.context(), revertTo(0), { ...DEFAULTS, onFile });
  expect(told.sort()).toEqual(['created deleted', 'deleted created', 'updated changed']);
});

test('a workspace without snapshots can still have its conversation reverted, and says why its files cannot go', async () => {
  const n = await edited();
  await writeFile(path.join(n.folder, 'gone'), '');
  const { rename } = await import('node:fs/promises');
  await rename(n.gitDir, path.join(n.folder, 'elsewhere.git'));
  const context = await n.context();
  const { previewTravel } = await import('../../electron/travel/travel.ts');
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.refusal?.code ?? null).toBe(plan.skipped.length > 0 ? 'NOTHING_CAN_GO_BACK' : null);
  const result = await runTravel(context, revertTo(0, 'messages'), DEFAULTS);
  expect([result.log, result.files]).toEqual(['overlay', []]);
  expect(await readFile(path.join(n.root, 'a'), 'utf8')).toBe('new\n');
});
