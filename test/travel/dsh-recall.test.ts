import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { foldSurface } from '../../electron/threads/dsh/surface.ts';
import { validateLog } from '../../electron/threads/dsh/validator.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import {
  answerEvents,
  type DshSession,
  dshSession,
  fakeHost,
  notesFiles,
  openWithoutWrites,
  promptEvents,
  type RecordedChanges,
  recordedChanges,
  restorableChanges,
} from '../scenarios/dsh-session.ts';
import { manifest } from '../scenarios/temp.ts';
import { DEFAULTS, restoreOf, revertTo, UNREVERT } from './tanstack-travelling.ts';

const recallTo = (stop: number, scope: TravelRequest['scope'] = 'messages') => revertTo(stop, scope);

/** Everything that is not ours: sessions, workspace, their times. */
const theirs = (session: DshSession): Promise<string[]> => manifest(session.folder, { mtimes: true, skip: ['own-data'] });

const hiddenIn = async (context: TravelContext): Promise<(string | null)[]> =>
  (await viewOf(context)).messages.map((message) => message.hidden?.reason ?? null);

async function withHost(changes: RecordedChanges): Promise<DshSession> {
  const session = await dshSession('session-sample-a');
  Object.assign(session.env, (await fakeHost(changes)).env);
  return session;
}

describe('the gate of the seed, row by row', () => {
  const rows: [name: string, make: () => Promise<{ session: DshSession; stop: number }>, code: string | null, files: string[]][] = [
    ['no file change was recorded: allowed', async () => ({ session: await openWithoutWrites(), stop: 8 }), null, []],
    [
      'changes, and their list can be had: allowed, with the files and what cannot be taken back',
      async () => ({ session: await withHost(await recordedChanges()), stop: 0 }),
      null,
      ['3 notes.txt', '1 bin.dat', '1 crlf.txt', '1 moved.txt', '1 new.txt', '1 nonl.txt', '1 notes.txt', '1 old.txt'],
    ],
    [
      'changes, but their list was lost in a restart: refused',
      async () => ({ session: await dshSession('session-sample-a'), stop: 0 }),
      'CHANGES_LOST',
      [],
    ],
    [
      'files were written, and the list is not made yet: refused',
      async () => ({ session: await dshSession('session-sample-b-open'), stop: 8 }),
      'CHANGES_NOT_READY',
      [],
    ],
  ];
  for (const [name, make, code, files] of rows) {
    test(name, async () => {
      const { session, stop } = await make();
      const context = await session.context();
      const before = await theirs(session);
      for (const scope of ['messages', 'both'] as const) {
        const plan = await previewTravel(context, recallTo(stop, scope));
        if (code === null && scope === 'messages') expect(plan).toMatchObject({ kind: 'recall', refusal: null, files: [], skipped: [] });
        else if (code !== null) expect(plan.refusal?.code).toBe(code);
        expect(plan.recall?.changed.map((one) => `${one.turn} ${one.path}`)).toEqual(files);
      }
      expect((await previewTravel(context, recallTo(stop))).sideEffects.map((effect) => effect.tool)).toEqual(['bash']);
      if (code !== null) await expect(runTravel(context, recallTo(stop), DEFAULTS)).rejects.toMatchObject({ code });
      expect(await theirs(session)).toEqual(before);
    });
  }

  test('a stop that is not just before a prompt is no place for a recall', async () => {
    const context = await (await dshSession('session-sample-a')).context();
    expect((await previewTravel(context, recallTo(3))).refusal?.code).toBe('STOP_NOT_BEFORE_PROMPT');
    expect((await previewTravel(context, recallTo(17))).refusal?.code).toBe('NOTHING_AFTER');
    await expect(previewTravel(context, recallTo(99))).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });
});

describe('the tombstone', () => {
  for (const form of ['v3-plain', 'v3-zstd'] as const) {
    test(`in an open step takes effect at once: the log is valid, its bytes before are unchanged (${form})`, async () => {
      const session = form === 'v3-plain' ? await openWithoutWrites() : await dshSession('session-sample-b-open', 'v3-zstd');
      // The recorded session wrote a file in its turn; its host would hold that list and be live, so the frames go by the bare tombstone.
      const stop = 8;
      const before = await session.bytes();
      const { nodes } = foldSurface((await session.read()).events);
      const context = await session.context();
      if (form === 'v3-zstd') {
        const recall = context.thread.reader.recall;
        const offer = await recall?.offer(stop);
        if (!recall || !offer || 'code' in offer) throw new Error('no offer');
        await recall.append(await recall.prepare(offer.span, 'test', 1));
      } else {
        const plan = await previewTravel(context, recallTo(stop));
        expect(plan).toMatchObject({
          refusal: null,
          turns: [2],
          messages: 2,
          recall: { log: 'appended', text: 'Write extra.txt, then run the long command' },
        });
        const result = await runTravel(context, recallTo(stop), { ...DEFAULTS, fingerprint: plan.fingerprint });
        expect(result).toMatchObject({ log: 'appended', files: [], message: 'Recalled: the thread stands before turn 2.' });
        const view = await viewOf(context);
        expect(view.messages.filter((message) => message.hidden?.reason === 'recalled').map((message) => message.excerpt)).toEqual([
          'Write extra.txt, then run the long command',
          'Now a long shell command.',
          '[The call was interrupted; whether it took effect is not known.]',
        ]);
        expect(view.standing).toBeNull();
        expect(view.can).toMatchObject({
          revert: true,
          unrevert: { code: 'RECALL_FINAL' },
          undo: { code: 'NOT_SUPPORTED' },
          redo: { code: 'NOT_SUPPORTED' },
        });
        expect((await historyOf(context)).map(({ kind, target, files }) => [kind, target, files])).toEqual([
          ['recall', 'before turn 2', 0],
        ]);
        await expect(runTravel(context, UNREVERT, DEFAULTS)).rejects.toMatchObject({ code: 'RECALL_FINAL' });
      }
      const after = await session.bytes();
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      const log = await session.read();
      expect(validateLog(log.header, log.events)).toBeNull();
      const lid = log.events.at(-1);
      const at = nodes.indexOf(31);
      expect(lid?.sourceEventSeqs).toEqual([...nodes.slice(at), log.events.length - 2]);
      expect(foldSurface(log.events).nodes).toEqual([...nodes.slice(0, at), log.events.length - 1]);
    });
  }

  test('is not written for a call that never started, nor into formats that have none, nor into a log that is not whole', async () => {
    const requested = await dshSession('session-sample-b-open', 'v3-plain', (events) =>
      events
        .filter((event) => (event.seq ?? 0) < 32 || (event.seq ?? 0) === 37)
        .map((event) => (event.seq === 37 ? { ...event, data: { ...event.data, step: 1 } } : event)),
    );
    await expect(runTravel(await requested.context(), recallTo(8), DEFAULTS)).rejects.toMatchObject({ code: 'CALL_NOT_STARTED' });
    const old = await (await dshSession('session-sample-a', 'v0-zstd')).context();
    expect((await previewTravel(old, recallTo(0))).refusal?.code).toBe('UNSUPPORTED_FORMAT');
    expect((await viewOf(old)).can.revert).toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
    const torn = await openWithoutWrites();
    await appendFile(torn.log, '{"type":"tool/res');
    expect((await previewTravel(await torn.context(), recallTo(8))).refusal?.code).toBe('LOG_TORN');
    const invalid = await openWithoutWrites();
    await invalid.append({ type: 'turn/end', data: { turn: 2, reason: { kind: 'completed' } } });
    expect((await previewTravel(await invalid.context(), recallTo(8))).refusal?.code).toBe('LOG_INVALID');
    for (const session of [requested, torn, invalid]) {
      const bytes = await session.bytes();
      await expect(runTravel(await session.context(), recallTo(8), DEFAULTS)).rejects.toThrow();
      expect((await session.bytes()).equals(bytes)).toBe(true);
    }
  });

  test('is not written into a log that may not be written to', async () => {
    const session = await openWithoutWrites();
    await chmod(session.log, 0o400);
    const { refusal } = await previewTravel(await session.context(), recallTo(8));
    // Root may write anyway.
    expect(refusal?.code ?? null).toBe(process.getuid?.() === 0 ? null : 'LOG_READ_ONLY');
  });

  test('is not written while DSH has the session open: a held lock, a growing log, a host that holds its lists', async () => {
    const locked = await openWithoutWrites();
    const lock = path.join(path.dirname(locked.log), 'session.lock');
    await writeFile(lock, '');
    const holder = spawn('flock', ['-x', lock, '-c', 'echo held; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    await once(holder.stdout, 'data');
    const context = await locked.context();
    const before = await locked.bytes();
    expect((await viewOf(context)).can.revert).toMatchObject({ code: 'LOG_LIVE' });
    await expect(runTravel(context, recallTo(8), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_LIVE' });
    const { recall } = context.thread.reader;
    const offer = await recall?.offer(8);
    if (!recall || !offer || 'code' in offer) throw new Error('no offer');
    // Also when DSH opened it after the plan was made.
    await expect(recall.append(await recall.prepare(offer.span, 'late', 1))).rejects.toMatchObject({ code: 'LOG_LIVE' });
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
    expect((await locked.bytes()).equals(before)).toBe(true);

    const growing = await openWithoutWrites();
    const writing = setInterval(() => void appendFile(growing.log, '\n'), 150);
    await appendFile(growing.log, '\n');
    try {
      await expect(runTravel(await growing.context(), recallTo(8), DEFAULTS)).rejects.toMatchObject({ code: 'LOG_LIVE' });
    } finally {
      clearInterval(writing);
    }

    const held = await dshSession('session-sample-a', 'v3-plain', (events) => events.slice(0, 55));
    await held.append({ type: 'workspace/changes', data: { turn: 3 } });
    await held.append({ type: 'step/start', data: { turn: 3, step: 3 } });
    const changes = await restorableChanges();
    const [first, third] = changes['session-sample-a'] ?? [];
    if (!first || !third) throw new Error('no lists');
    third.event.v3Seq = (await held.read()).events.findLast((event) => event.type === 'workspace/changes')?.seq ?? -1;
    Object.assign(held.env, (await fakeHost(changes)).env);
    const { refusal } = await previewTravel(await held.context(), recallTo(13));
    expect(refusal?.code).toBe('LOG_LIVE');
    expect(refusal?.message).toContain('DSH host');
  });
});

describe('a recall between turns is planned', () => {
  const plannedAt13 = async () => {
    const session = await dshSession('session-sample-a-recalled');
    const context = await session.context();
    return { session, context, before: await session.bytes() };
  };
  const STOP = 11;

  test('kept with us, shown as not yet effective, and not a byte in the log', async () => {
    const { session, context, before } = await plannedAt13();
    const plan = await previewTravel(context, recallTo(STOP));
    expect(plan).toMatchObject({ refusal: null, messages: 2, turns: [4], recall: { log: 'pending', text: 'Please only list the files.' } });
    expect(plan.notes.join()).toContain('there is no step to attach the recall to');
    const result = await runTravel(context, recallTo(STOP), { ...DEFAULTS, fingerprint: plan.fingerprint });
    expect(result).toMatchObject({ log: 'pending', files: [] });
    expect(result.message).toBe('Recall planned, not yet effective: it takes effect when DSH opens the next step.');
    expect((await session.bytes()).equals(before)).toBe(true);
    const again = await session.context();
    const view = await viewOf(again);
    expect(view.standing).toMatchObject({ stop: STOP, hidden: 2, pending: 'waits' });
    expect(view.messages.slice(-2).map((message) => message.hidden?.reason)).toEqual(['reverted', 'reverted']);
    expect(view.can).toMatchObject({ revert: true, unrevert: true });
    expect((await previewTravel(again, recallTo(STOP))).refusal?.code).toBe('RECALL_PLANNED');
    await expect(runTravel(again, recallTo(STOP), DEFAULTS)).rejects.toMatchObject({ code: 'RECALL_PLANNED' });
    expect((await session.bytes()).equals(before)).toBe(true);
    const [file] = await readdir(path.join(session.ownData, 'overlay'));
    expect(JSON.parse(await readFile(path.join(session.ownData, 'overlay', file ?? ''), 'utf8'))).toMatchObject({
      version: 1,
      sessionId: 'session-sample-a-recalled',
      targetSeq: 62,
      targetMessageId: '11111111-2222-4333-8444-555555555555',
      startSeq: 62,
      endSeq: 63,
      plannedNodes: [62, 63],
      logLengthAtPlan: 66,
      entry: result.entry,
    });
  });

  test('carried out when DSH opened the next step and was killed in it: the planned range goes, the new prompt stays', async () => {
    const { session, context } = await plannedAt13();
    await runTravel(context, recallTo(STOP), DEFAULTS);
    await session.append(...promptEvents(5, 'Something else'));
    const before = await session.bytes();
    const later = await session.context();
    // Looking, however often, does not write it.
    for (let looks = 0; looks < 3; looks++) expect((await viewOf(later)).standing?.pending).toBe('ready');
    expect((await session.bytes()).equals(before)).toBe(true);
    const plan = await previewTravel(later, recallTo(STOP));
    expect(plan).toMatchObject({ refusal: null, messages: 2, recall: { log: 'appended' } });
    expect(await runTravel(later, recallTo(STOP), { ...DEFAULTS, fingerprint: plan.fingerprint })).toMatchObject({ log: 'appended' });
    const log = await session.read();
    expect(validateLog(log.header, log.events)).toBeNull();
    expect((await session.bytes()).subarray(0, before.length).equals(before)).toBe(true);
    expect(log.events.at(-1)).toMatchObject({
      type: 'system/message',
      data: { turn: 5, step: 1 },
      sourceEventSeqs: [62, 63],
      surfaceOp: { op: 'replace', startSeq: 62, endSeq: 63 },
    });
    expect(foldSurface(log.events).nodes.slice(-2)).toEqual([71, 70]);
    const view = await viewOf(later);
    expect(view.standing).toBeNull();
    const messages = view.messages.filter((message) => !message.id.startsWith('seq:'));
    expect(messages.slice(-3).map((message) => [message.excerpt, message.hidden?.reason ?? null])).toEqual([
      ['Please only list the files.', 'recalled'],
      ['moved.txt, new.txt, notes.txt', 'recalled'],
      ['Something else', null],
    ]);
    expect(await readdir(path.join(session.ownData, 'overlay'))).toEqual([]);
    expect((await historyOf(later)).map((entry) => entry.kind)).toEqual(['recall', 'recall']);
  });

  test('a call that was cut off in the new step is left to DSH: it is not part of what was planned', async () => {
    const { session, context } = await plannedAt13();
    await runTravel(context, recallTo(STOP), DEFAULTS);
    const message = {
      id: 'a5',
      role: 'assistant',
      source: { kind: 'model', provider: 'p', model: 'm' },
      content: [{ type: 'tool-call', id: 'c5', name: 'bash', arguments: '{"command":"sleep 9"}' }],
    };
    await session.append(
      ...promptEvents(5, 'Run it'),
      { type: 'assistant/message', data: { turn: 5, step: 1, message, stream: [] }, surfaceOp: 'append' },
      { type: 'tool/call', data: { turn: 5, step: 1, callId: 'c5', name: 'bash', arguments: '{"command":"sleep 9"}' } },
    );
    const later = await session.context();
    await runTravel(later, recallTo(STOP), DEFAULTS);
    const { events } = await session.read();
    expect(events.slice(-2).map((event) => event.type)).toEqual(['tool/call', 'system/message']);
    expect(events.at(-1)?.sourceEventSeqs).toEqual([62, 63]);
  });

  test('dropped by unrevert; the log is as it was', async () => {
    const { session, context, before } = await plannedAt13();
    await runTravel(context, recallTo(STOP), DEFAULTS);
    const plan = await previewTravel(context, UNREVERT);
    expect(plan).toMatchObject({ refusal: null, messages: 2, files: [] });
    expect(await runTravel(context, UNREVERT, DEFAULTS)).toMatchObject({ log: 'none', message: 'The planned recall was dropped.' });
    expect((await viewOf(context)).standing).toBeNull();
    expect((await hiddenIn(context)).slice(-2)).toEqual([null, null]);
    expect((await session.bytes()).equals(before)).toBe(true);
  });

  test('does not fit any more once a prompt was answered: told, dropped by the next travel, and never widened', async () => {
    const { session, context } = await plannedAt13();
    await runTravel(context, recallTo(STOP), DEFAULTS);
    await session.append(...promptEvents(5, 'Something else'), ...answerEvents(5, 'Done.'));
    const before = await session.bytes();
    const later = await session.context();
    const view = await viewOf(later);
    expect(view.standing).toBeNull();
    expect(view.notices.map((notice) => notice.code)).toContain('STALE_PENDING');
    expect((await hiddenIn(later)).slice(-4)).toEqual([null, null, null, null]);
    // A recall to the same stop is a new one, over all that is there now.
    const plan = await previewTravel(later, recallTo(STOP));
    expect(plan).toMatchObject({ refusal: null, messages: 4, turns: [4, 5], recall: { log: 'pending' } });
    expect(plan.notes.join()).toContain('The planned recall was dropped');
    expect(view.can.unrevert).toBe(true);
    await runTravel(later, UNREVERT, DEFAULTS);
    expect((await viewOf(later)).notices.map((notice) => notice.code)).not.toContain('STALE_PENDING');
    expect((await session.bytes()).equals(before)).toBe(true);
  });

  for (const [name, change] of [
    [
      'compacted meanwhile',
      [
        { type: 'turn/start', data: { turn: 5 } },
        { type: 'step/start', data: { turn: 5, step: 1 } },
        {
          type: 'user/message',
          data: {
            role: 'user',
            source: { kind: 'plugin', plugin: 'compaction' },
            content: [{ type: 'text', text: 'Summary' }],
            id: 'summary',
          },
          sourceEventSeqs: [62, 63],
          surfaceOp: { op: 'replace', startSeq: 62, endSeq: 63 },
        },
      ],
    ],
  ] as const) {
    test(`${name}: stale`, async () => {
      const { session, context } = await plannedAt13();
      await runTravel(context, recallTo(STOP), DEFAULTS);
      await session.append(...change);
      const { notices, standing } = await viewOf(await session.context());
      expect([standing, notices.map((notice) => notice.code)]).toEqual([null, expect.arrayContaining(['STALE_PENDING'])]);
    });
  }

  test('a turn that ended without a step shows the model nothing, so the plan still fits; one that DSH recalled itself is done', async () => {
    const { session, context } = await plannedAt13();
    await runTravel(context, recallTo(STOP), DEFAULTS);
    await session.append({ type: 'turn/start', data: { turn: 5 } }, { type: 'turn/end', data: { turn: 5, reason: { kind: 'blocked' } } });
    expect((await viewOf(await session.context())).standing?.pending).toBe('waits');
    await session.append(
      { type: 'turn/start', data: { turn: 6 } },
      { type: 'step/start', data: { turn: 6, step: 1 } },
      {
        type: 'system/message',
        data: {
          turn: 6,
          step: 1,
          message: { id: 'recall:by-dsh', role: 'system', source: { kind: 'plugin', plugin: 'dsh-recall' }, content: [] },
        },
        sourceEventSeqs: [62, 63],
        surfaceOp: { op: 'replace', startSeq: 62, endSeq: 63 },
      },
    );
    const view = await viewOf(await session.context());
    expect([view.standing, view.notices.some((notice) => notice.code === 'STALE_PENDING')]).toEqual([null, false]);
    expect(view.messages.at(-1)?.hidden?.reason).toBe('recalled');
  });

  test('another stop takes its place; a damaged file is named and nothing else is touched', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const { messages } = await viewOf(context);
    const prompts = messages.filter((message) => message.role === 'user').map((message) => (message.stop ?? 0) - 1);
    const [, second = 0, third = 0] = prompts;
    await runTravel(context, recallTo(third), DEFAULTS);
    expect((await viewOf(context)).standing).toMatchObject({ stop: third });
    const plan = await previewTravel(context, recallTo(second));
    expect(plan.notes.join()).toContain('this one takes its place');
    await runTravel(context, recallTo(second), DEFAULTS);
    expect((await viewOf(context)).standing).toMatchObject({ stop: second });
    const folder = path.join(session.ownData, 'overlay');
    const [file = ''] = await readdir(folder);
    await writeFile(path.join(folder, file), '{"version":2}');
    await expect(viewOf(context)).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE' });
  });
});

describe('restoring the files of a recall', () => {
  const RESTORED = ['crlf.txt', 'new.txt', 'nonl.txt', 'notes.txt', 'old.txt'];

  test('with a renamed and a binary file the whole recall is refused, both named, and nothing is written', async () => {
    const session = await withHost(await recordedChanges());
    const context = await session.context();
    const before = await theirs(session);
    const plan = await previewTravel(context, recallTo(0, 'both'));
    expect(plan.refusal?.code).toBe('NOT_RESTORABLE');
    expect(plan.refusal?.message).toMatch(
      /^bin\.dat cannot be put back\. .*moved\.txt cannot be put back\. .* Nothing was restored and nothing was recalled/,
    );
    expect(plan.skipped).toEqual([
      { path: 'bin.dat', why: 'It is binary, so the list has no lines of it.' },
      { path: 'moved.txt', why: 'It was renamed, or only its mode or last line end changed, which the list does not show.' },
    ]);
    expect(plan.notes).toEqual([]);
    for (const scope of ['both', 'files'] as const) {
      await expect(runTravel(context, recallTo(0, scope), DEFAULTS)).rejects.toMatchObject({ code: 'NOT_RESTORABLE' });
    }
    expect(await theirs(session)).toEqual(before);
    expect((await viewOf(context)).standing).toBeNull();
  });

  test('each file becomes exactly what it was before turn 1; restore brings them back, also after the recall was dropped', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const before = await manifest(session.root);
    const plan = await previewTravel(context, recallTo(0, 'both'));
    expect(plan.refusal).toBeNull();
    expect(plan.files.map((file) => [file.path, file.verb, file.choice, file.choices.join(), file.added, file.removed])).toEqual([
      ['crlf.txt', 'restore', 'write', 'write', 1, 1],
      ['new.txt', 'delete', 'write', 'write', 0, 2],
      ['nonl.txt', 'restore', 'write', 'write', 1, 1],
      ['notes.txt', 'restore', 'write', 'write', 2, 2],
      ['old.txt', 'recreate', 'write', 'write', 2, 0],
    ]);
    const result = await runTravel(context, recallTo(0, 'both'), { ...DEFAULTS, fingerprint: plan.fingerprint });
    expect(result.log).toBe('pending');
    expect(result.message).toBe('Recall planned, not yet effective: it takes effect when DSH opens the next step. 5 files put back.');
    expect(result.files.map((file) => [file.path, file.outcome])).toEqual(
      RESTORED.map((name) => [name, name === 'new.txt' ? 'deleted' : 'written']),
    );
    const wanted = await notesFiles('beforeTurn1');
    for (const name of RESTORED)
      expect([name, await readFile(path.join(session.root, name)).catch(() => undefined)]).toEqual([name, wanted[name]]);
    expect((await viewOf(context)).standing).toMatchObject({ stop: 0, files: expect.arrayContaining(RESTORED), pending: 'waits' });
    const [entry] = await historyOf(context);
    expect(entry).toMatchObject({ kind: 'recall', files: 5, can: true });
    await runTravel(context, restoreOf(result.entry), DEFAULTS);
    expect(await manifest(session.root)).toEqual(before);
    // The recall itself still waits; dropping it has no file to bring back any more.
    expect(await runTravel(context, UNREVERT, DEFAULTS)).toMatchObject({ message: 'The planned recall was dropped.', files: [] });
    expect(await manifest(session.root)).toEqual(before);
  });

  test('dropping the planned recall brings its files back', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const before = await manifest(session.root);
    await runTravel(context, recallTo(0, 'both'), DEFAULTS);
    expect(await manifest(session.root)).not.toEqual(before);
    const result = await runTravel(context, UNREVERT, DEFAULTS);
    expect([result.message, result.log, result.files.length]).toEqual(['The planned recall was dropped. 5 files put back.', 'none', 5]);
    expect(await manifest(session.root)).toEqual(before);
  });

  test('files alone: they go back, the conversation and its log stay', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const log = await session.bytes();
    const result = await runTravel(context, recallTo(0, 'files'), DEFAULTS);
    expect(result).toMatchObject({ log: 'none', message: 'The files are as they were before turn 1. 5 files put back.' });
    expect((await viewOf(context)).standing).toBeNull();
    expect((await session.bytes()).equals(log)).toBe(true);
    // Once they are back, the recall of the messages finds them so.
    expect((await previewTravel(context, recallTo(0, 'both'))).refusal).toBeNull();
  });

  test('a file that was changed later is a conflict that is named: no file is written, no recall is planned', async () => {
    const session = await withHost(await restorableChanges());
    await writeFile(path.join(session.root, 'notes.txt'), 'alpha\nBETA\nmine\n');
    const context = await session.context();
    const before = await theirs(session);
    const plan = await previewTravel(context, recallTo(0, 'both'));
    expect(plan.refusal).toMatchObject({ code: 'CONFLICT', message: expect.stringMatching(/^notes\.txt was changed later/) });
    await expect(runTravel(context, recallTo(0, 'both'), DEFAULTS)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await theirs(session)).toEqual(before);
    expect(await readdir(path.join(session.ownData, 'overlay')).catch(() => [])).toEqual([]);
    expect((await previewTravel(context, recallTo(0, 'messages'))).refusal).toBeNull();
  });

  test('a file that changes between the preview and the run stops it', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const plan = await previewTravel(context, recallTo(0, 'both'));
    await appendFile(path.join(session.root, 'crlf.txt'), 'more\r\n');
    await expect(runTravel(context, recallTo(0, 'both'), { ...DEFAULTS, fingerprint: plan.fingerprint })).rejects.toMatchObject({
      code: 'PLAN_STALE',
    });
    // Its own lines still fit, so without that plan it goes back, and the new line stays.
    await runTravel(context, recallTo(0, 'both'), DEFAULTS);
    expect(await readFile(path.join(session.root, 'crlf.txt'), 'utf8')).toBe('a\r\nb\r\nc\r\nmore\r\n');
  });

  test('a preview that was cancelled asks the host for nothing more', async () => {
    const host = await fakeHost(await restorableChanges());
    const session = await dshSession('session-sample-a');
    Object.assign(session.env, host.env);
    const context = await session.context();
    await expect(previewTravel(context, recallTo(0, 'both'), AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(host.asked.filter((asked) => asked.includes('changes.diff'))).toEqual([]);
  });

  test('a choice cannot leave a file out of it', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    const before = await theirs(session);
    const choices = { 'new.txt': 'keep' } as const;
    await expect(runTravel(context, recallTo(0, 'both'), { ...DEFAULTS, choices })).rejects.toMatchObject({ code: 'CHOICE_IMPOSSIBLE' });
    expect(await theirs(session)).toEqual(before);
  });

  const first = (changes: RecordedChanges) => {
    const one = changes['session-sample-a']?.[0];
    if (!one) throw new Error('no list');
    return one;
  };
  const named = (changes: RecordedChanges, from: string, to: string): void => {
    const { summary, diffs } = first(changes);
    for (const file of summary.files) if (file.path === from) file.path = to;
    for (const diff of diffs) if (diff['path'] === from) diff['path'] = to;
  };
  const LISTS: [
    name: string,
    change: (changes: RecordedChanges, session: DshSession) => void | Promise<void>,
    code: string,
    words: string,
  ][] = [
    [
      'a list that was cut',
      (changes) => void Object.assign(first(changes).summary, { total: 612 }),
      'NOT_RESTORABLE',
      'The change list of turn 1 cannot be put back. Cause: it names 5 of 612 files.',
    ],
    [
      'an oversized file',
      (changes) => void Object.assign(first(changes).diffs[0] ?? {}, { kind: 'oversized' }),
      'NOT_RESTORABLE',
      'crlf.txt cannot be put back. Cause: it is too large',
    ],
    [
      'a change that is not held any more',
      (changes) => void first(changes).diffs.splice(4),
      'NOT_RESTORABLE',
      'old.txt cannot be put back',
    ],
    [
      'only a final newline',
      (changes) => void Object.assign(first(changes).diffs[2] ?? {}, { hunks: [] }),
      'NOT_RESTORABLE',
      'nonl.txt cannot be put back',
    ],
    [
      'the change of another file',
      (changes) => void Object.assign(first(changes).diffs[0] ?? {}, { path: 'notes.txt' }),
      'NOT_RESTORABLE',
      'crlf.txt cannot be put back',
    ],
    [
      'an absolute path',
      (changes) => named(changes, 'new.txt', '/etc/hostname'),
      'OUTSIDE_WORKSPACE',
      '/etc/hostname lies outside the workspace',
    ],
    [
      'a path with two dots',
      (changes) => named(changes, 'new.txt', 'a/../../new.txt'),
      'OUTSIDE_WORKSPACE',
      'a/../../new.txt lies outside',
    ],
    [
      "a path in git's own folder",
      (changes) => named(changes, 'new.txt', '.git/hooks/post-checkout'),
      'NOT_RESTORABLE',
      '.git/hooks/post-checkout cannot',
    ],
    [
      'a folder that is a link to elsewhere',
      async (changes, session) => {
        named(changes, 'old.txt', 'out/old.txt');
        await symlink(path.join(session.folder, 'home'), path.join(session.root, 'out'));
      },
      'NOT_RESTORABLE',
      'out/old.txt cannot be put back. Cause: Its folder out is a link',
    ],
    [
      'a file that is a link now',
      async (_changes, session) => {
        await rm(path.join(session.root, 'crlf.txt'));
        await symlink(path.join(session.folder, 'home'), path.join(session.root, 'crlf.txt'));
      },
      'NOT_RESTORABLE',
      'crlf.txt cannot be put back. Cause: it is a link now',
    ],
    [
      'a file that is a folder now',
      async (_changes, session) => {
        await rm(path.join(session.root, 'crlf.txt'));
        await mkdir(path.join(session.root, 'crlf.txt'));
      },
      'NOT_RESTORABLE',
      'crlf.txt cannot be put back. Cause: it is a folder now',
    ],
    [
      'a file that is too large now',
      (_changes, session) => truncate(path.join(session.root, 'crlf.txt'), 65 * 1024 * 1024),
      'NOT_RESTORABLE',
      'crlf.txt cannot be put back. Cause: it is too large',
    ],
    [
      'a deleted file in whose place another stands',
      (_changes, session) => writeFile(path.join(session.root, 'old.txt'), 'mine'),
      'CONFLICT',
      'old.txt was changed later',
    ],
    [
      'a created file that grew',
      (_changes, session) => appendFile(path.join(session.root, 'new.txt'), 'mine'),
      'CONFLICT',
      'new.txt was changed later',
    ],
  ];
  for (const [name, change, code, words] of LISTS) {
    test(`${name}: refused with its reason, nothing is written`, async () => {
      const changes = await restorableChanges();
      const session = await withHost(changes);
      await change(changes, session);
      const context = await session.context();
      const before = await theirs(session);
      const { refusal } = await previewTravel(context, recallTo(0, 'both'));
      expect([refusal?.code, refusal?.message]).toEqual([code, expect.stringContaining(words)]);
      await expect(runTravel(context, recallTo(0, 'both'), DEFAULTS)).rejects.toMatchObject({ code });
      expect(await theirs(session)).toEqual(before);
    });
  }

  test('the mode of a changed file stays, and a recall further back passes over turns whose files are back already', async () => {
    const session = await withHost(await restorableChanges());
    await chmod(path.join(session.root, 'notes.txt'), 0o755);
    const context = await session.context();
    const third = (await viewOf(context)).messages.filter((message) => message.role === 'user').at(-1)?.stop ?? 0;
    await runTravel(context, recallTo(third - 1, 'both'), DEFAULTS);
    expect(await readFile(path.join(session.root, 'notes.txt'), 'utf8')).toBe('alpha\nBETA\ngamma\n');
    const result = await runTravel(context, recallTo(0, 'both'), DEFAULTS);
    expect(result.files.map((file) => file.path)).toEqual(RESTORED);
    const wanted = await notesFiles('beforeTurn1');
    for (const name of RESTORED)
      expect([name, await readFile(path.join(session.root, name)).catch(() => undefined)]).toEqual([name, wanted[name]]);
    expect((await manifest(session.root)).find((line) => line.startsWith('notes.txt'))).toContain('notes.txt F 755');
  });

  test('an earlier recall of the messages alone left the files, and then all of them go', async () => {
    const session = await withHost(await restorableChanges());
    const context = await session.context();
    await runTravel(context, recallTo(0), DEFAULTS);
    const result = await runTravel(context, recallTo(0, 'files'), DEFAULTS);
    expect(result.files.map((file) => `${file.outcome} ${file.path}`)).toEqual(
      RESTORED.map((name) => `${name === 'new.txt' ? 'deleted' : 'written'} ${name}`),
    );
  });

  test('a file that was edited after an earlier recall is a conflict all the same, whatever else of it would fit', async () => {
    const changes = await restorableChanges(['bin.dat', 'moved.txt', 'crlf.txt', 'new.txt', 'nonl.txt', 'old.txt']);
    const long = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);
    const [one, three] = changes['session-sample-a'] ?? [];
    if (!one || !three) throw new Error('no lists');
    const at = (line: number, was: string, is: string) => ({
      oldStart: line - 1,
      oldLines: 3,
      newStart: line - 1,
      newLines: 3,
      lines: [` ${long[line - 2]}`, `-${was}`, `+${is}`, ` ${long[line]}`],
    });
    Object.assign(one.diffs[0] ?? {}, { hunks: [at(3, 'line 3', 'turn one')] });
    Object.assign(three.diffs[0] ?? {}, { hunks: [at(15, 'line 15', 'turn three')] });
    const session = await withHost(changes);
    const file = path.join(session.root, 'notes.txt');
    const content = (third: string, fifteenth: string) => `${long.with(2, third).with(14, fifteenth).join('\n')}\n`;
    await writeFile(file, content('turn one', 'turn three'));
    const context = await session.context();
    const third = (await viewOf(context)).messages.filter((message) => message.role === 'user').at(-1)?.stop ?? 0;
    // A recall of the messages alone covers both turns, so their files may be back, as far as anybody knows.
    await runTravel(context, recallTo(0), DEFAULTS);
    await writeFile(file, content('turn one', 'mine'));
    expect((await previewTravel(context, recallTo(third - 1, 'both'))).refusal?.code).toBe('CONFLICT');
    expect((await previewTravel(context, recallTo(0, 'files'))).refusal?.code).toBe('CONFLICT');
    // Where the newest is really out, the older one goes.
    await writeFile(file, content('turn one', 'line 15'));
    await runTravel(context, recallTo(0, 'files'), DEFAULTS);
    expect(await readFile(file, 'utf8')).toBe(content('line 3', 'line 15'));
  });

  test('without the workspace only the messages can go', async () => {
    const session = await withHost(await restorableChanges());
    await rm(session.root, { recursive: true });
    const context = await session.context();
    expect((await previewTravel(context, recallTo(0, 'both'))).refusal?.code).toBe('NO_WORKSPACE');
    expect(await runTravel(context, recallTo(0), DEFAULTS)).toMatchObject({ log: 'pending' });
  });
});

describe('the host that holds the lists', () => {
  const refusalWith = async (env: Record<string, string>): Promise<string | undefined> => {
    const session = await dshSession('session-sample-a');
    Object.assign(session.env, env);
    return (await previewTravel(await session.context(), recallTo(0))).refusal?.message;
  };

  test('is asked by address and token; what it answers is checked', async () => {
    const changes = await restorableChanges();
    const host = await fakeHost(changes);
    expect(await refusalWith(host.env)).toBeUndefined();
    expect(host.asked).toEqual([
      '/api/changes.summary?sessionId=session-sample-a&seq=33',
      '/api/changes.summary?sessionId=session-sample-a&seq=55',
    ]);
    expect(await refusalWith({ ...host.env, TURNBACK_DSH_TOKEN: 'wrong' })).toContain('it answered 401');
    for (const [body, words] of [
      ['<html>', 'its answer is no JSON'],
      ['{"turn":"one"}', 'has another form'],
      ['x'.repeat(33 * 1024 * 1024), 'its answer is too large'],
    ] as const) {
      host.instead = { status: 200, body };
      expect(await refusalWith(host.env)).toContain(words);
    }
    host.instead = { status: 200, body: JSON.stringify({ turn: 2, files: [], total: 0 }) };
    expect(await refusalWith(host.env)).toContain('The file list of turn 1 is no longer available');
  });

  test('that goes away while its lists are read refuses the plan, and nothing is thrown or written', async () => {
    const host = await fakeHost(await restorableChanges());
    const session = await dshSession('session-sample-a');
    Object.assign(session.env, host.env);
    const context = await session.context();
    const before = await theirs(session);
    host.loseDiffs = true;
    for (const scope of ['both', 'files'] as const) {
      expect((await previewTravel(context, recallTo(0, scope))).refusal?.code).toBe('HOST_UNREACHABLE');
      await expect(runTravel(context, recallTo(0, scope), DEFAULTS)).rejects.toMatchObject({ code: 'HOST_UNREACHABLE' });
    }
    expect(await theirs(session)).toEqual(before);
  });

  test('is only one of this machine; one that is not there is told', async () => {
    for (const address of ['http://example.org', 'https://127.0.0.1', 'file:///etc/passwd', 'nonsense', 'http://127.0.0.1.example.org']) {
      expect([address, await refusalWith({ TURNBACK_DSH_URL: address })]).toEqual([
        address,
        expect.stringContaining('only an http address of this machine is asked'),
      ]);
    }
    expect(await refusalWith({ TURNBACK_DSH_URL: 'http://127.0.0.1:1' })).toContain('did not answer');
  });
});
