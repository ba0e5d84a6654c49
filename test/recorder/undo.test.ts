import { describe, expect, test } from 'vitest';
import { manifest } from '../scenarios/temp.ts';
import { Recording, said, sh } from './recording.ts';

const FILES = {
  'a.txt': 'one\n',
  'b.txt': 'bee\n',
  'other.txt': 'mine\n',
  '.gitignore': 'node_modules/\n',
  '.env': 'KEY=1\n',
  'node_modules/x.js': 'x\n',
};

describe('undo and redo a turn', () => {
  test('undo returns the number of files that it put back and takes the turn out of the conversation', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Question', { edit: {} });
    await r.turn(session, 'Fix the login form.', { edit: { 'a.txt': 'two\n', 'b.txt': null } }, { edit: { 'new/c.txt': 'sea\n' } });
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 3.');
    expect([await r.text('a.txt'), await r.text('b.txt'), await r.text('new/c.txt')]).toEqual(['one\n', 'bee\n', null]);
    expect(await said(session)).toEqual(['user: Question', 'assistant: null', 'tool: ok', 'assistant: Done.']);
  });

  test('redo brings back the files and the turn, with the same messages', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix the login form.', { edit: { 'a.txt': 'two\n', 'b.txt': null } });
    const before = await session.transcript();
    await session.runCommand({ name: 'undo' });
    expect(await session.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', null]);
    expect(await session.transcript()).toEqual(before);
  });

  test('edits of the file tools and changes of bash commands go back alike: content, mode, link, deletion, folder', async () => {
    const r = await Recording.make({
      ...FILES,
      'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
      'd/e/f.txt': 'f\n',
      ln: { link: 'a.txt' },
    });
    const before = await manifest(r.root, { skip: ['node_modules'] });
    const session = await r.open();
    await r.turn(
      session,
      'Change all',
      { edit: { 'a.txt': 'two\n' } },
      { bash: 'chmod -x run.sh; rm -r d; ln -sf b.txt ln; mkdir -p n/m; echo > n/m/x; rm b.txt; mkdir b.txt; echo y > b.txt/y' },
    );
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 7.');
    expect(await manifest(r.root, { skip: ['node_modules'] })).toEqual(before);
    await session.runCommand({ name: 'redo' });
    expect(await sh(r.root, 'test ! -x run.sh && test ! -e d && readlink ln && cat b.txt/y && ls n/m')).toBe('b.txt\ny\nx\n');
  });

  test('undo and redo do not touch other files, also not one that was added or edited after the turn', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    await r.write('other.txt', 'mine, edited\n');
    await r.write('added.txt', 'added\n');
    const before = (await manifest(r.root, { mtimes: true })).filter((line) => !line.startsWith('a.txt'));
    await session.runCommand({ name: 'undo' });
    await session.runCommand({ name: 'redo' });
    expect((await manifest(r.root, { mtimes: true })).filter((line) => !line.startsWith('a.txt'))).toEqual(before);
  });

  test('an edit of the user in a file that the turn changed is written over', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    await r.write('a.txt', 'mine\n');
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    expect(await r.text('a.txt')).toBe('one\n');
    await r.write('a.txt', 'mine again\n');
    await session.runCommand({ name: 'redo' });
    expect(await r.text('a.txt')).toBe('two\n');
  });

  test('a file that is already as it was is not written and not counted', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n', 'b.txt': 'bees\n' } });
    await r.write('a.txt', 'one\n');
    const before = (await manifest(r.root, { mtimes: true })).find((line) => line.startsWith('a.txt'));
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    expect((await manifest(r.root, { mtimes: true })).find((line) => line.startsWith('a.txt'))).toBe(before);
  });

  test('snapshots skip .env files and what .gitignore names, and undo does not touch them', async () => {
    const r = await Recording.make({ ...FILES, 'sub/.env.local': 'L=1\n' });
    const session = await r.open();
    await r.turn(session, 'Secrets', {
      bash: 'echo KEY=2 > .env; echo L=2 > sub/.env.local; echo y > node_modules/x.js; echo two > a.txt; echo N=1 > new.txt; echo P=1 > .env.prod',
    });
    const [step] = await r.records('tanstack/snapshots:step');
    expect(step?.['files']).toEqual(['a.txt', 'new.txt']);
    await session.runCommand({ name: 'undo' });
    expect(await sh(r.root, 'cat .env sub/.env.local node_modules/x.js .env.prod a.txt; ls new.txt 2>&1 | wc -l')).toContain(
      'KEY=2\nL=2\ny\nP=1\none\n',
    );
    expect(await r.git(session, 'grep', '-l', '-e', 'KEY=', String(step?.['to'])).catch(() => 'nothing')).toBe('nothing');
  });

  test('a .gitignore that excepts .env does not bring it into a snapshot', async () => {
    const r = await Recording.make({ '.gitignore': '!.env\n', '.env': 'KEY=1\n', 'a.txt': 'one\n' });
    const session = await r.open();
    await r.turn(session, 'Fix', { bash: 'echo KEY=2 > .env; echo two > a.txt' });
    const [step] = await r.records('tanstack/snapshots:step');
    expect(await r.git(session, 'ls-tree', '-r', '--name-only', String(step?.['to']))).toBe('.gitignore\na.txt\n');
  });

  test('one level: a second undo answers Nothing to undo., after a redo undo works again, a second redo answers Nothing to redo.', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    expect(await session.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    expect(await session.runCommand({ name: 'redo' })).toBe('Nothing to redo.');
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await r.turn(session, 'Second', { edit: { 'a.txt': 'three\n' } });
    expect(await session.runCommand({ name: 'redo' })).toBe('Nothing to redo.');
    await session.runCommand({ name: 'undo' });
    expect(await session.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    expect(await r.text('a.txt')).toBe('two\n');
    await session.runCommand({ name: 'redo' });
    expect(await session.runCommand({ name: 'redo' })).toBe('Nothing to redo.');
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
  });

  test('a new turn clears redo', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await session.runCommand({ name: 'undo' });
    await r.turn(session, 'Second', { edit: { 'b.txt': 'bees\n' } });
    expect(await session.runCommand({ name: 'redo' })).toBe('Nothing to redo.');
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', 'bee\n']);
  });

  test('a turn that changed no file is undone too: Files restored: 0.', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await session.send('What is this?', (turn) => turn.answer('A project.'));
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 0.');
    expect(await r.text('a.txt')).toBe('two\n');
    expect((await said(session)).at(-1)).toBe('assistant: Done.');
  });

  test('during a turn undo and redo answer Wait until the turn ends, then try again., before anything else is checked', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    const turn = await session.beginTurn('Second');
    expect(session.status).toBe('running');
    expect(await session.runCommand({ name: 'undo' })).toBe('Wait until the turn ends, then try again.');
    expect(await session.runCommand({ name: 'redo' })).toBe('Wait until the turn ends, then try again.');
    expect(await session.revert({ messageId: 'any' })).toMatchObject({ status: 'rejected', reason: 'busy' });
    expect(await session.unrevert()).toMatchObject({ status: 'rejected', reason: 'busy' });
    await turn.end();
    expect(session.status).toBe('idle');
    expect(await r.text('a.txt')).toBe('two\n');
  });

  test('a message sent while the turn ran: undo removes the conversation from that message on, the files go to the start of the turn', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Fix the form', async (turn) => {
      await r.step(turn, { edit: { 'a.txt': 'two\n' } });
      await session.steer('Also b, please');
      expect(turn.steered()).toEqual(['Also b, please']);
      expect(turn.steered()).toEqual([]);
      await r.step(turn, { edit: { 'b.txt': 'bees\n' } });
      await turn.answer('Both done.');
    });
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
    expect(await said(session)).toEqual(['user: Fix the form', 'assistant: null', 'tool: ok']);
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['one\n', 'bee\n']);
    await session.runCommand({ name: 'redo' });
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'bees\n']);
    expect((await said(session)).at(-1)).toBe('assistant: Both done.');
  });

  test('the command leaves its input, its result event and the truncation in the log', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
    const before = (await r.records()).length;
    await session.runCommand({ name: 'undo' });
    const records = (await r.records()).slice(before);
    const input = records.find(({ type }) => type === 'harness.input');
    expect(input?.['input']).toEqual({ op: 'command', name: 'undo' });
    expect(records.find(({ type }) => type === 'harness.transcript')).toEqual({ type: 'harness.transcript', keep: 0, add: [] });
    const names = records.filter(({ type }) => type === 'harness.event').map(({ event }) => event as { name: string; value: unknown });
    expect(names.map(({ name }) => name)).toEqual([
      'harness.input.accepted',
      'harness.input.applied',
      'harness.operation.started',
      'harness.command.result',
      'harness.operation.finished',
    ]);
    expect(names[3]?.value).toEqual({ name: 'undo', result: 'Undid the last turn. Files restored: 1.' });
  });

  test("the project's own .git is never used: it is byte-identical afterwards", async () => {
    const r = await Recording.make(FILES);
    await sh(r.root, 'git init -q -b main && git add a.txt && git -c user.name=u -c user.email=u@x commit -qm one');
    const before = await manifest(`${r.root}/.git`, { mtimes: true });
    const session = await r.open();
    await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } }, { bash: 'echo c > c.txt' });
    await session.runCommand({ name: 'undo' });
    await session.runCommand({ name: 'redo' });
    expect(await manifest(`${r.root}/.git`, { mtimes: true })).toEqual(before);
  });

  test('an unknown command is refused', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    expect(session.commands).toEqual(['undo', 'redo']);
    await expect(session.runCommand({ name: 'format' })).rejects.toMatchObject({ code: 'UNKNOWN_COMMAND' });
  });
});
