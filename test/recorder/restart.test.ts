import { fork } from 'node:child_process';
import { appendFile, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { purgeSnapshots } from '../../electron/recorder/purge.ts';
import { manifest } from '../scenarios/temp.ts';
import { messageId, Recording, said } from './recording.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'bee\n' };

/** Runs a script of calls on a session in another process; gives what the calls gave. `die` kills it without closing. */
function elsewhere(r: Recording, calls: readonly unknown[], options: { die?: boolean } = {}): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, 'other-process.ts'), [r.root, r.dataDir, r.save, JSON.stringify(calls)], {
      stdio: 'inherit',
    });
    let answer: unknown[] = [];
    child.on('message', (message) => {
      answer = message as unknown[];
      if (options.die) child.kill('SIGKILL');
      else child.send('close');
    });
    child.on('error', reject);
    child.on('exit', () => resolve(answer));
  });
}

describe('after a restart, and in another process', () => {
  test('undo works after a restart, and redo after another', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } }, { bash: 'rm b.txt' });
    await session.close();
    const second = await r.again().open();
    expect(await second.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', 'bee\n']);
    await second.close();
    const third = await r.again().open();
    expect(await third.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    expect(await third.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', null]);
    expect((await said(third)).length).toBe(6);
    await third.close();
    const fourth = await r.again().open();
    expect(await fourth.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
  });

  test('undo, redo and a revert work in another process that reaches the same repository', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    await r.turn(session, 'More', { edit: { 'b.txt': 'bees\n' } });
    const target = await messageId(session, 'user', 1);
    await session.close();
    expect(await elsewhere(r, [['undo'], ['redo'], ['undo']])).toEqual([
      'Undid the last turn. Files restored: 1.',
      'Redid the last turn.',
      'Undid the last turn. Files restored: 1.',
    ]);
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'bee\n']);
    expect(await elsewhere(r, [['redo'], ['revert', target]])).toEqual(['Redid the last turn.', 'accepted']);
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', 'bee\n']);
  });

  test('a revert is saved, so unrevert() still works after a restart', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n', 'new.txt': 'n\n' } });
    await r.write('a.txt', 'two and mine\n');
    await session.revert({ messageId: await messageId(session, 'user', 1) });
    await session.close();
    const second = await r.again().open();
    expect((await said(second)).length).toBe(1);
    await second.unrevert();
    expect([await r.text('a.txt'), await r.text('new.txt')]).toEqual(['two and mine\n', 'n\n']);
    expect((await said(second)).length).toBe(4);
  });

  test('a process that dies in a turn: the next one takes over, settles the turn and answers its calls', async () => {
    const r = await Recording.make(FILES);
    await elsewhere(
      r,
      [
        ['turn', 'First', 'a.txt', 'two\n'],
        ['begin', 'Second', 'b.txt', 'bees\n'],
      ],
      { die: true },
    );
    const session = await r.open();
    expect(session.status).toBe('idle');
    expect((await r.records('harness.input.settled')).map(({ outcome }) => outcome)).toEqual(['completed', 'failed']);
    expect((await session.transcript()).at(-1)).toMatchObject({ role: 'tool', error: 'The recorder stopped before this call ended.' });
    expect(r.failures).toEqual(['snapshots: the recorder stopped while a tool ran, so what it changed is in no step']);
    // What the call changed is in no step, so an undo would do half of the turn.
    expect(await session.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    await session.revert({ messageId: await messageId(session, 'user', 1) });
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', 'bees\n']);
  });

  test('a process that dies between the steps of a turn: undo puts its files back', async () => {
    const r = await Recording.make(FILES);
    await elsewhere(r, [['step', 'First', 'a.txt', 'two\n']], { die: true });
    const session = await r.open();
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    expect(await r.text('a.txt')).toBe('one\n');
    expect(await said(session)).toEqual([]);
  });

  test('a prompt that had not started is rejected as expired', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.beginTurn('First');
    const waiting = session.beginTurn('Second');
    waiting.catch(() => undefined);
    await expect.poll(async () => (await r.records('harness.input')).length).toBe(2);
    await session.close();
    await expect(waiting).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
    await (await r.again().open()).close();
    expect((await r.records('harness.input.rejected')).map(({ reason }) => reason)).toEqual(['expired_on_restart']);
    expect((await r.records('harness.input.settled')).map(({ outcome }) => outcome)).toEqual(['aborted']);
  });

  test('a crash in the middle of a revert: the next session brings the files back to before it', async () => {
    for (const at of [1, 2, 3]) {
      const r = await Recording.make(FILES);
      const session = await r.open();
      await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n', 'b.txt': 'bees\n', 'new.txt': 'n\n' } });
      const target = await messageId(session, 'user', 1);
      await session.close();
      const before = await manifest(r.root);
      await elsewhere(r, [['die-in-revert', target, at]], { die: true });
      const next = await r.again().open();
      expect(await manifest(r.root)).toEqual(before);
      expect((await said(next)).length).toBe(4);
      expect(await next.revert({ messageId: target })).toMatchObject({ status: 'accepted' });
      await next.close();
    }
  });

  test('a crash after the log had the record leaves the revert standing', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    const target = await messageId(session, 'user', 1);
    await session.close();
    await elsewhere(r, [['die-in-revert', target, 'clear']], { die: true });
    const next = await r.again().open();
    expect(await r.text('a.txt')).toBe('one\n');
    expect((await said(next)).length).toBe(1);
    await next.unrevert();
    expect(await r.text('a.txt')).toBe('two\n');
  });

  test('a last line that was never finished is cut before the next record is written', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    await session.close();
    const whole = await readFile(session.log, 'utf8');
    await appendFile(session.log, '[{"type":"harness.transcript","keep":0,"ad');
    const next = await r.again().open();
    expect(await readFile(session.log, 'utf8')).toBe(whole);
    await next.send('Next', (turn) => turn.answer('Yes.'));
    expect((await readFile(session.log, 'utf8')).startsWith(whole)).toBe(true);
    expect((await stat(session.log)).mode & 0o777).toBe(0o600);
  });

  test('a viewer that appends a revert while the session is idle is seen by it', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    const target = await messageId(session, 'user', 1);
    await appendFile(session.log, `${JSON.stringify([{ type: 'harness.revert', revert: { messageId: target } }])}\n`);
    expect((await said(session)).length).toBe(1);
    expect(await session.runCommand({ name: 'undo' })).toBe('A revert stands. Run unrevert, or send a prompt, first.');
    await session.send('Next', (turn) => turn.answer('Yes.'));
    expect(await said(session)).toEqual(['user: Fix', 'user: Next', 'assistant: Yes.']);
  });

  test('a thread whose snapshots were purged after a crash opens, and says what it cannot do', async () => {
    const r = await Recording.make(FILES);
    await elsewhere(r, [['step', 'First', 'a.txt', 'two\n']], { die: true });
    await purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' });
    const session = await r.open();
    expect(session.status).toBe('idle');
    await expect(session.revert({ messageId: await messageId(session, 'user', 1) })).rejects.toMatchObject({ code: 'TREE_MISSING' });
    expect(await r.text('a.txt')).toBe('two\n');
  });
});
