import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { TravelKind } from '../../shared/plan.ts';
import { manifest } from '../scenarios/temp.ts';
import { messageId, Recording, said } from './recording.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'run.sh': { content: '#!/bin/sh\n', mode: 0o755 }, 'user.txt': 'mine\n' };

/** The viewer's engine on the recorded thread, opened afresh. */
async function viewer(r: Recording, log: string): Promise<TravelContext> {
  const places = { home: r.folder, env: {} };
  const ownData = path.join(r.folder, 'own-data');
  const [head] = await tanstack.locate(log, places);
  if (!head) throw new Error('the viewer does not know the log');
  const git = createGit();
  const reader = await tanstack.open(head, { root: null, data: null, places, ownData });
  await reader.read();
  const thread = await OpenThread.open({ reader, git, ownData, id: head.id });
  onTestFinished(() => thread.close());
  return { thread, ownData, git, now: () => Date.now() };
}

async function travel(r: Recording, log: string, kind: TravelKind, message: string | null = null): Promise<string> {
  const context = await viewer(r, log);
  const stop = message === null ? null : (context.thread.thread().messages.find(({ id }) => id === message)?.stop ?? null);
  return (await runTravel(context, { kind, stop, entry: null, scope: 'both' }, { drift: 'overwrite', choices: {}, fingerprint: null }))
    .message;
}

async function recorded(): Promise<{ r: Recording; log: string; target: string }> {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
  await r.turn(session, 'Second', { edit: { 'b.txt': null, 'new.txt': 'n\n' } }, { bash: 'chmod -x run.sh; echo three > a.txt' });
  const target = await messageId(session, 'assistant', 2);
  await session.close();
  return { r, log: session.log, target };
}

describe('the recorder and the viewer on one thread', () => {
  test('the viewer finds workspace and snapshots by the first record, and every step is captured with its files', async () => {
    const { r, log } = await recorded();
    const { thread } = await viewer(r, log);
    await thread.fill();
    const { turns, steps, notices, status } = thread.thread();
    expect([thread.root, notices, status]).toEqual([r.root, [], 'idle']);
    expect(turns.map(({ prompt, status }) => [prompt, status])).toEqual([
      ['First', 'completed'],
      ['Second', 'completed'],
    ]);
    expect(
      steps
        .filter(({ toolCallIds }) => toolCallIds.length > 0)
        .map(({ captured, files }) => [captured, files?.map(({ path, change }) => `${change} ${path}`)]),
    ).toEqual([
      [true, ['modified a.txt']],
      [true, ['deleted b.txt', 'created new.txt']],
      [true, ['modified a.txt', 'mode run.sh']],
    ]);
  });

  test('a revert of the viewer is taken back by the recorder, and the other way round', async () => {
    const { r, log, target } = await recorded();
    const before = await manifest(r.root);
    await travel(r, log, 'revert', target);
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('new.txt')]).toEqual(['two\n', 'bee\n', null]);
    const session = await r.again().open();
    expect((await said(session)).length).toBe(4);
    await session.unrevert();
    expect(await manifest(r.root)).toEqual(before);
    await session.revert({ messageId: target });
    const reverted = await manifest(r.root);
    await session.close();
    await travel(r, log, 'unrevert');
    expect(await manifest(r.root)).toEqual(before);
    await travel(r, log, 'revert', target);
    expect(await manifest(r.root)).toEqual(reverted);
  });

  test('an undo of one is redone by the other', async () => {
    const { r, log } = await recorded();
    const before = await manifest(r.root);
    expect(await travel(r, log, 'undo')).toBe('Undid the last turn. Files restored: 4.');
    const undone = await manifest(r.root);
    const session = await r.again().open();
    expect((await said(session)).length).toBe(4);
    expect(await session.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    expect(await session.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
    expect(await manifest(r.root)).toEqual(before);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 4.');
    expect(await manifest(r.root)).toEqual(undone);
    await session.close();
    expect(await travel(r, log, 'redo')).toBe('Redid the last turn.');
    expect(await manifest(r.root)).toEqual(before);
    expect((await said(await r.again().open())).length).toBe(10);
  });

  test('the viewer writes nothing while a recorder has the thread open', async () => {
    const { r, log, target } = await recorded();
    const session = await r.again().open();
    const before = await manifest(r.root);
    await expect(travel(r, log, 'revert', target)).rejects.toMatchObject({ code: 'LOG_LIVE' });
    expect(await manifest(r.root)).toEqual(before);
    await session.close();
  });
});
