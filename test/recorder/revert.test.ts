import { appendFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { localBackend } from '../../electron/recorder/local-backend.ts';
import type { Session } from '../../electron/recorder/session.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { manifest } from '../scenarios/temp.ts';
import { messageId, Recording, said, sh } from './recording.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'user.txt': 'mine\n' };

/** Snapshots in which n.txt counts up from 1, the first being `base`. */
async function treesOf(r: Recording, session: Session, base: string, count: number): Promise<string[]> {
  for (let n = 2; n <= count; n++) await r.write(`../blobs/${n}`, `${n}\n`);
  const git = `git --git-dir=${session.repository}`;
  const script = `seq 2 ${count} | sed 's,^,../blobs/,' | ${git} hash-object -w --stdin-paths | while read -r id; do ${git} ls-tree ${base} | sed "s,[0-9a-f]*\\(\tn.txt\\),$id\\1,"; echo; done | ${git} mktree --batch`;
  return [base, ...(await sh(r.root, script)).trim().split('\n')];
}

async function threeTurns(r: Recording) {
  const session = await r.open();
  await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
  await r.turn(session, 'Second', { edit: { 'b.txt': 'bees\n', 'new.txt': 'n\n' } });
  await r.turn(session, 'Third', { edit: { 'a.txt': 'three\n' } }, { bash: 'echo x > made.txt' });
  return session;
}

describe('go back to an earlier message', () => {
  test('revert puts each file back to its state before the first of the calls after the message; one that did not exist is removed', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const target = await messageId(session, 'assistant', 2);
    expect(await session.revert({ messageId: target })).toEqual({ inputId: expect.any(String), status: 'accepted' });
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('new.txt'), await r.text('made.txt')]).toEqual([
      'two\n',
      'bee\n',
      null,
      null,
    ]);
    expect(await said(session)).toEqual(['user: First', 'assistant: null', 'tool: ok', 'assistant: Done.']);
  });

  test('a revert leaves exactly the records of the harness, and the transcript record is not changed', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const target = await messageId(session, 'assistant', 2);
    const count = (await r.records()).length;
    await session.revert({ messageId: target });
    const records = (await r.records()).slice(count);
    expect(records).toEqual([
      {
        type: 'harness.revert',
        revert: {
          messageId: target,
          files: { now: expect.stringMatching(/^[0-9a-f]{40}$/), files: ['b.txt', 'new.txt', 'a.txt', 'made.txt'] },
        },
      },
      {
        type: 'harness.event',
        operationId: 'session',
        event: { type: 'CUSTOM', name: 'harness.revert', value: { messageId: target }, timestamp: expect.any(Number) },
      },
    ]);
    await session.unrevert();
    expect((await r.records()).slice(count + 2).map(({ type, revert }) => [type, revert])).toEqual([
      ['harness.revert', null],
      ['harness.event', undefined],
    ]);
  });

  test('a revert uses the last 500 steps of the thread, and more', async () => {
    const r = await Recording.make({ 'n.txt': '0\n' });
    const session = await r.open();
    await session.send('Ask', (turn) => turn.answer('Yes.'));
    await session.send('Begin', (turn) => r.step(turn, { edit: { 'n.txt': '1\n', 'first.txt': '1\n' } }));
    const [step] = await r.records('tanstack/snapshots:step');
    const count = 600;
    const trees = await treesOf(r, session, String(step?.['to']), count);
    await session.close();
    const lines = trees.slice(1).map((to, at) => {
      const call = { id: `many_${at}`, type: 'function', function: { name: 'edit_file', arguments: '{}' } };
      return [
        { type: 'harness.transcript', keep: 5 + at, add: [{ id: `m${at}`, role: 'assistant', content: null, toolCalls: [call] }] },
        { type: 'tanstack/snapshots:step', from: trees[at], to, files: ['n.txt'], toolCallIds: [call.id] },
      ];
    });
    await appendFile(session.log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    await r.write('n.txt', `${count}\n`);
    const again = await r.again().open();
    expect((await r.records('tanstack/snapshots:step')).length).toBe(count);
    await again.revert({ messageId: await messageId(again, 'assistant', 1) });
    expect([await r.text('first.txt'), await r.text('n.txt')]).toEqual([null, '0\n']);
    await again.unrevert();
    expect([await r.text('first.txt'), await r.text('n.txt')]).toEqual(['1\n', `${count}\n`]);
    await again.revert({ messageId: 'm97' });
    expect([await r.text('first.txt'), await r.text('n.txt')]).toEqual(['1\n', '99\n']);
  });

  test('other files stay as they are, and your own edits between the hidden turns stay too', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await r.turn(session, 'Second', { edit: { 'a.txt': 'three\n' } });
    await r.write('user.txt', 'edited between\n');
    await r.write('b.txt', 'mine between\n');
    await r.turn(session, 'Third', { edit: { 'b.txt': 'bees\n' } });
    await r.write('later.txt', 'later\n');
    await session.revert({ messageId: await messageId(session, 'assistant', 2) });
    // b.txt was first changed by the third turn: it goes back to how that found it, with the user's edit.
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('user.txt'), await r.text('later.txt')]).toEqual([
      'two\n',
      'mine between\n',
      'edited between\n',
      'later\n',
    ]);
  });

  test('unrevert touches only the same files and puts them back as they were when the revert started, with your edits', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    await r.write('a.txt', 'three and my edit\n');
    await r.chmod('b.txt', 0o755);
    const before = await manifest(r.root);
    await session.revert({ messageId: await messageId(session, 'user', 1) });
    await r.write('a.txt', 'lost while the revert stands\n');
    await r.write('user.txt', 'mine while it stands\n');
    expect(await session.unrevert()).toMatchObject({ status: 'accepted' });
    expect((await manifest(r.root)).filter((line) => !line.startsWith('user.txt'))).toEqual(
      before.filter((line) => !line.startsWith('user.txt')),
    );
    expect(await r.text('user.txt')).toBe('mine while it stands\n');
    expect((await said(session)).length).toBe(14);
  });

  test('revert and then unrevert with nothing between changes nothing, and files that are right keep their mtime', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const before = await manifest(r.root);
    const untouched = (await manifest(r.root, { mtimes: true })).filter((line) => line.startsWith('user.txt'));
    await session.revert({ messageId: await messageId(session, 'user', 1) });
    await session.unrevert();
    expect(await manifest(r.root)).toEqual(before);
    expect((await manifest(r.root, { mtimes: true })).filter((line) => line.startsWith('user.txt'))).toEqual(untouched);
  });

  test('a prompt that is sent during revert() waits until it ends, then the turn runs and makes it final', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const target = await messageId(session, 'assistant', 2);
    const order: string[] = [];
    const revert = session.revert({ messageId: target }).then(() => order.push('reverted'));
    const sent = session.send('Fourth', async (turn) => {
      order.push(`turn sees ${await r.text('a.txt')}`);
      await turn.answer('Now.');
    });
    await Promise.all([revert, sent]);
    expect(order).toEqual(['reverted', 'turn sees two\n']);
    expect(await said(session)).toEqual([
      'user: First',
      'assistant: null',
      'tool: ok',
      'assistant: Done.',
      'user: Fourth',
      'assistant: Now.',
    ]);
    const input = (await r.records()).findIndex(
      ({ type, input }) => type === 'harness.input' && (input as { message: string }).message === 'Fourth',
    );
    const reverted = (await r.records()).findIndex(({ type }) => type === 'harness.revert');
    expect(input).toBeLessThan(reverted);
  });

  test('the next prompt drops the hidden messages for good; then unrevert() does not change the files', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    await session.revert({ messageId: await messageId(session, 'assistant', 2) });
    const count = (await r.records()).length;
    await session.send('Fourth', (turn) => turn.answer('Now.'));
    const types = (await r.records()).slice(count).filter(({ type }) => /transcript|revert$|applied|input$/.test(type));
    expect(types.slice(0, 4).map(({ type, keep, add, revert }) => [type, keep, (add as unknown[] | undefined)?.length, revert])).toEqual([
      ['harness.input', undefined, undefined, undefined],
      ['harness.transcript', 4, 0, undefined],
      ['harness.revert', undefined, undefined, null],
      ['harness.input.applied', undefined, undefined, undefined],
    ]);
    const before = await manifest(r.root, { mtimes: true });
    expect(await session.unrevert()).toMatchObject({ status: 'accepted' });
    expect(await manifest(r.root, { mtimes: true })).toEqual(before);
    expect((await said(session)).length).toBe(6);
  });

  test('while a revert stands, undo and redo answer A revert stands. Run unrevert, or send a prompt, first.; after unrevert they work', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    await session.revert({ messageId: await messageId(session, 'assistant', 2) });
    for (const name of ['undo', 'redo'])
      expect(await session.runCommand({ name })).toBe('A revert stands. Run unrevert, or send a prompt, first.');
    await session.unrevert();
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
    expect([await r.text('a.txt'), await r.text('made.txt')]).toEqual(['two\n', null]);
  });

  test('a second revert ends the first: forward inside it and further back', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const [first, second] = [await messageId(session, 'assistant', 2), await messageId(session, 'assistant', 4)];
    await session.revert({ messageId: first });
    await session.revert({ messageId: second });
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('made.txt')]).toEqual(['two\n', 'bees\n', null]);
    expect((await said(session)).length).toBe(8);
    await session.revert({ messageId: first });
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'bee\n']);
    await session.unrevert();
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('made.txt')]).toEqual(['three\n', 'bees\n', 'x\n']);
  });

  test('an unknown message is refused and nothing changes; unrevert with no revert changes nothing', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const count = (await r.records()).length;
    expect(await session.revert({ messageId: 'nobody' })).toMatchObject({ status: 'rejected', reason: 'unknown_message' });
    expect(await session.unrevert()).toMatchObject({ status: 'accepted' });
    expect((await r.records()).length).toBe(count);
  });

  test('a revert to the last message, and one over turns without changes, hides messages and touches no file', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await session.send('Why?', (turn) => turn.answer('Because.'));
    const before = await manifest(r.root, { mtimes: true });
    await session.revert({ messageId: await messageId(session, 'assistant', 2) });
    expect((await r.records('harness.revert')).at(-1)?.['revert']).toEqual({ messageId: expect.any(String) });
    expect((await said(session)).length).toBe(4);
    expect(await manifest(r.root, { mtimes: true })).toEqual(before);
  });

  test('a file that no snapshot holds, a link above and a folder of yours are left alone and told', async () => {
    const r = await Recording.make({ 'd/x.txt': '1\n', 'f.txt': '1\n', 'gone.txt': '1\n' });
    const session = await r.open();
    await session.send('Ask', (turn) => turn.answer('Yes.'));
    await r.turn(session, 'Work', { bash: 'echo 2 > d/x.txt; rm gone.txt f.txt' });
    const { mkdir, rename, symlink } = await import('node:fs/promises');
    await rename(`${r.root}/d`, `${r.folder}/elsewhere`);
    await symlink(`${r.folder}/elsewhere`, `${r.root}/d`);
    await mkdir(`${r.root}/f.txt`);
    await r.write('f.txt/mine.txt', 'mine\n');
    await r.write('.gitignore', 'gone.txt\n');
    await r.write('gone.txt', 'a secret of mine\n');
    await session.revert({ messageId: await messageId(session, 'assistant', 1) });
    expect(r.skipped.map(({ path }) => path).sort()).toEqual(['d/x.txt', 'f.txt', 'gone.txt']);
    expect([await r.text('gone.txt'), await r.text('f.txt/mine.txt')]).toEqual(['a secret of mine\n', 'mine\n']);
    expect(await r.text('../elsewhere/x.txt')).toBe('2\n');
  });

  test('a snapshot that is gone refuses before any file is touched, and the log stays as it was', async () => {
    const r = await Recording.make(FILES);
    const session = await threeTurns(r);
    const before = await manifest(r.root);
    const count = (await r.records()).length;
    const [step] = await r.records('tanstack/snapshots:step');
    const blob = (await r.git(session, 'rev-parse', `${String(step?.['from'])}:b.txt`)).trim();
    const { rm } = await import('node:fs/promises');
    await rm(`${session.repository}/objects/${blob.slice(0, 2)}/${blob.slice(2)}`);
    await expect(session.revert({ messageId: await messageId(session, 'user', 1) })).rejects.toMatchObject({ code: 'TREE_MISSING' });
    expect(await manifest(r.root)).toEqual(before);
    expect((await r.records()).length).toBe(count);
    expect((await said(session)).length).toBe(14);
  });

  test('a write that fails puts the files that were written back, and nothing is in the log', async () => {
    const local = localBackend();
    let broken = false;
    const r = await Recording.make(FILES, {
      backend: {
        ...local,
        async putBack(o) {
          if (!broken) return local.putBack(o);
          broken = false;
          await local.putBack({ ...o, files: o.files.slice(0, 2) });
          throw new TurnbackError('WRITE_FAILED', { path: 'c.txt', cause: 'no space' });
        },
      },
    });
    const session = await threeTurns(r);
    const before = await manifest(r.root);
    const count = (await r.records()).length;
    broken = true;
    await expect(session.revert({ messageId: await messageId(session, 'user', 1) })).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await manifest(r.root)).toEqual(before);
    expect((await r.records()).length).toBe(count);
    broken = true;
    await expect(session.runCommand({ name: 'undo' })).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await manifest(r.root)).toEqual(before);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
  });
});
