import { readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { LogRecord, ThreadReader } from '../../../electron/threads/source.ts';
import { mayHaveTable } from '../../../electron/threads/tanstack/sqlite-schema.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { tanstackScenario } from '../../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { answer, applied, call, input, say, settled, step, transcript, tree, user } from './hand-log.ts';
import { sqliteLab, turn } from './sqlite-lab.ts';

const ids = (reader: ThreadReader) => reader.thread().messages.map((message) => message.id);
const codesOf = async (reader: ThreadReader) => (await reader.writer?.refusals())?.map((one) => one.code);

describe('a thread in SQLite', () => {
  test('whose rows are only in the write-ahead log of a running app is read, followed and left untouched', async () => {
    const { db, folder, open } = await sqliteLab();
    turn(db, 1, 0);
    const store = path.dirname(db.file);
    const before = await manifest(store, { mtimes: true });
    const reader = await open();
    expect(ids(reader)).toEqual(['u1', 'a1']);
    expect((await reader.body('a1')).parts).toEqual([{ kind: 'text', text: 'answer a1' }]);
    expect(await reader.read()).toBe(false);
    expect(await manifest(store, { mtimes: true })).toEqual(before);
    expect(await readdir(path.join(folder, 'own', 'tmp'))).toEqual([]);
    turn(db, 2, 2);
    expect(await reader.read()).toBe(true);
    expect(ids(reader)).toEqual(['u1', 'a1', 'u2', 'a2']);
    expect((await reader.body('a2')).parts).toEqual([{ kind: 'text', text: 'answer a2' }]);
    expect(reader.watch()).toEqual([db.file, `${db.file}-wal`]);
  });

  test('under prefixed names, with title, parent, workspace and snapshots from the store', async () => {
    const { db, folder, open } = await sqliteLab('my app_"x"_');
    const t = await tanstackScenario(path.join(folder, 's'), { dataDir: path.join(path.dirname(db.file), 'snapshot', 'tanstack') });
    await writeFiles(t.root, { 'a.txt': '1' });
    const from = await t.track();
    await writeFile(path.join(t.root, 'a.txt'), '2');
    const to = await t.track();
    db.append(
      'ses_1',
      input('in1'),
      applied('in1'),
      transcript(0, user('u1'), call('a1', ['c1', 'edit_file', { filePath: path.join(t.root, 'a.txt') }])),
    );
    db.append('ses_1', { type: 'tanstack/snapshots:step', from, to, files: ['a.txt'], toolCallIds: ['c1'] }, settled('in1'));
    turn(db, 2, 0, 'ses_1:scout:in1');
    db.metadata('harness:settings', 'ses_1', { cwd: t.root });
    db.run(
      `insert into ${db.table('session')} values ('ses_1', null, null, null, 'h', 'fix', 77, ?)`,
      JSON.stringify({ title: 'Fix the form' }),
    );
    const reader = await open();
    expect(reader.thread().head).toMatchObject({ title: 'prompt u1', root: t.root, parent: null, log: db.file });
    expect(reader.thread().messages[1]?.tools[0]?.wrote).toEqual(['a.txt']);
    expect(reader.objectFolders()).toEqual([path.join(t.gitDir, 'objects')]);
    const { threads, problems } = await tanstack.list({ home: path.join(folder, 'home'), env: {} });
    expect(problems).toEqual([]);
    expect(threads.map(({ threadId, title, parent, updatedAt, root }) => [threadId, title, parent, updatedAt, root])).toEqual([
      ['ses_1', 'Fix the form', null, 77, t.root],
      ['ses_1:scout:in1', 'prompt u2', 'ses_1', null, null],
    ]);
  });

  test('takes the workspace from the session table of the fork, and other threads of a shared log from their records', async () => {
    const { db, open } = await sqliteLab();
    db.db.exec(`create table session (id text primary key, directory text); insert into session values ('ses_1', '/work/app')`);
    turn(db, 1, 0);
    db.append('ses_1', { ...transcript(0, user('ku')), thread: 'kid' }, { ...transcript(1, say('ka')), thread: 'kid' });
    expect((await open()).thread().head.root).toBe('/work/app');
    const kid = await open('kid');
    expect(ids(kid)).toEqual(['ku', 'ka']);
    expect(kid.thread().head).toMatchObject({ parent: 'ses_1', root: '/work/app' });
    expect(kid.writer?.revert({ stop: 1, now: null, files: null, at: 1 })[0]).toMatchObject({ thread: 'kid' });
  });

  test('gives the texts of older messages from a copy, its neighbours with it', async () => {
    const { db, folder, open } = await sqliteLab();
    for (let n = 1; n <= 40; n += 1) turn(db, n, (n - 1) * 2);
    db.metadata('harness:settings', 'ses_1', 'not an object');
    db.run(`insert into ${db.table('metadata')} values ('harness:interrupted', 'ses_1', '{broken', 1, 0, 0)`);
    const reader = await open();
    for (const id of ['u1', 'a2', 'a39', 'u1']) expect((await reader.body(id)).parts).toMatchObject([{ kind: 'text' }]);
    expect((await reader.body('a20')).parts).toEqual([{ kind: 'text', text: 'answer a20' }]);
    expect(await readdir(path.join(folder, 'own', 'tmp'))).toEqual([]);
    db.run(`update ${db.table('log')} set record = '{}' where seq = 4`);
    const fresh = await open();
    expect(fresh.thread().head.root).toBeNull();
    db.run(`delete from ${db.table('log')} where seq < 20`);
    await expect(fresh.body('u1')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('that was trimmed says so, and so do missing and broken rows; nothing is written then', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const reader = await open();
    db.run(`delete from ${db.table('log')} where seq < 3`);
    await reader.read();
    expect(ids(reader)).toEqual(['u1', 'a1']);
    expect(await codesOf(reader)).toEqual(['LOG_TRIMMED']);
    expect((await open()).thread().notices.map((one) => one.code)).toEqual(['LOG_TRIMMED']);
    db.run(`insert into ${db.table('log')} values ('ses_1', 9, '{"type":"acme/x"}'), ('ses_1', 10, '{broken'), ('ses_1', 11, null)`);
    await reader.read();
    expect(reader.thread().bad).toEqual([
      { line: 9, bytes: 0, why: 'the records 7 to 8 are missing' },
      { line: 10, bytes: 7, why: 'it is not a record' },
      { line: 11, bytes: 0, why: 'it is not a record' },
    ]);
    expect(await codesOf(reader)).toEqual(['LOG_TRIMMED', 'LOG_BAD_LINE']);
  });

  test('that was emptied or written anew is read from its start', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    turn(db, 2, 2);
    const reader = await open();
    db.run(`delete from ${db.table('log')}`);
    turn(db, 7, 0);
    await reader.read();
    expect(ids(reader)).toEqual(['u7', 'a7']);
    db.run(`update ${db.table('log')} set record = ? where seq = 6`, JSON.stringify(transcript(0, user('z'))));
    await reader.read();
    expect(ids(reader)).toEqual(['u7', 'a7', 'z']);
  });

  test('of a newer harness, which records an owner, is read and not written', async () => {
    const { db, open } = await sqliteLab();
    db.db.exec(`alter table ${db.table('log')} add column owner_id text`);
    db.run(`insert into ${db.table('log')} values ('ses_1', 1, ?, 'host-1')`, JSON.stringify(transcript(0, user('u1'))));
    const reader = await open();
    expect(ids(reader)).toEqual(['u1']);
    const reasons = await reader.writer?.refusals();
    expect(reasons).toMatchObject([{ code: 'LOG_OWNED', message: expect.stringContaining('owner_id') }]);
  });

  test('has the undo point and steps of its metadata before those of the log', async () => {
    const { db, open } = await sqliteLab();
    db.metadata('plugin:tanstack/snapshots', 'ses_1', [
      { from: tree('1'), to: tree('2'), files: ['old'], toolCallIds: ['c1'] },
      'junk',
      { from: tree('2'), to: tree('3'), files: ['older'] },
    ]);
    db.append(
      'ses_1',
      transcript(0, user('u1'), call('a1', ['c1', 'bash']), answer('c1'), call('a2', ['c2', 'bash'])),
      step('3', '4', ['new'], ['c2']),
    );
    expect((await open()).thread().steps.map(({ id, stop, listed }) => [id, stop, listed])).toEqual([
      ['s2', 2, ['old']],
      ['r-1', null, ['older']],
      ['s4', 4, ['new']],
    ]);
  });
});

describe('a live sign of SQLite', () => {
  const soon = () => Date.now() + 30_000;

  test('is a lease, a claim or a run that has not expired', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const signs: [string, (until: number) => void][] = [
      [
        'a turn is running',
        (until) => db.run(`insert or replace into ${db.table('lease')} values ('ses_1', 'i', 'o', 1, 'host', ?)`, until),
      ],
      [
        'the thread has work',
        (until) => db.run(`insert or replace into ${db.table('work_claim')} values ('ses_1', 'h', 'host', ?)`, until),
      ],
      [
        'a run is going on',
        (until) =>
          db.run(
            `insert or replace into ${db.table('run')} values ('r', 'ses_1', null, 'running', 1, null, ?)`,
            JSON.stringify({ leaseOwner: 'host', leaseExpiresAt: until }),
          ),
      ],
    ];
    for (const [words, set] of signs) {
      set(soon());
      const reader = await open();
      expect(await reader.liveSign()).toContain(words);
      expect(await codesOf(reader)).toEqual(['LOG_LIVE']);
      set(Date.now() - 1);
      expect(await (await open()).liveSign()).toBeNull();
    }
  });

  test('of another thread counts when it works in the same folder, or nobody knows where', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    db.metadata('harness:settings', 'ses_1', { cwd: '/w' });
    db.run(`insert into ${db.table('lease')} values ('ses_2', 'i', 'o', 1, 'host', ?)`, soon());
    expect(await (await open()).liveSign()).toContain('ses_2');
    db.metadata('harness:settings', 'ses_2', { cwd: '/elsewhere' });
    expect(await (await open()).liveSign()).toBeNull();
    db.metadata('harness:settings', 'ses_2', { cwd: '/w/' });
    expect(await (await open()).liveSign()).toContain('ses_2');
  });

  test('decides between running and unknown, and the table of questions between waiting and idle', async () => {
    const { db, open } = await sqliteLab();
    db.append('ses_1', input('in1'), applied('in1'), transcript(0, user('u1'), call('a1', ['c1', 'bash'])));
    const reader = await open();
    expect(reader.thread().status).toBe('unknown');
    db.run(`insert into ${db.table('lease')} values ('ses_1', 'i', 'o', 1, 'host', ?)`, soon());
    expect(await reader.read()).toBe(true);
    expect(reader.thread().status).toBe('running');
    db.append('ses_1', settled('in1', 'interrupted'));
    db.run(`insert into ${db.table('interrupt')} values ('q1', 'r', 'ses_1', 'pending', 1, null, '{"toolCallId":"c1"}', null)`);
    await reader.read();
    expect(reader.thread()).toMatchObject({ status: 'waiting' });
    expect(reader.thread().messages[1]?.tools[0]?.status).toBe('needs-approval');
    db.run(`update ${db.table('interrupt')} set status = 'resolved'`);
    await reader.read();
    expect(reader.thread().status).toBe('idle');
  });
});

describe('an append to SQLite', () => {
  test('is one transaction behind the last position, while the app holds the database open', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const reader = await open();
    const writer = reader.writer;
    const batch = writer?.revert({ stop: 1, now: tree('1'), files: ['a'], at: 9 }) ?? [];
    expect(await codesOf(reader)).toEqual([]);
    expect(writer?.position()).toBe('6');
    await writer?.append(batch);
    expect(db.last('ses_1')).toBe(8);
    expect(db.records('ses_1').slice(6)).toEqual(batch);
    expect(await writer?.unmoved()).toBe(false);
    await reader.read();
    expect(await writer?.unmoved()).toBe(true);
    expect(reader.thread().standing).toMatchObject({ messageId: 'u1', files: ['a'] });
    db.append('ses_1', { type: 'acme/x' });
    expect(db.last('ses_1')).toBe(9);
  });

  test('writes nothing when the log grew, is locked, or the database is gone', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const reader = await open();
    const writer = reader.writer;
    const batch = writer?.revert({ stop: 1, now: null, files: null, at: 9 }) ?? [];
    db.append('ses_1', { type: 'acme/x' });
    expect(await codesOf(reader)).toEqual(['LOG_LIVE']);
    await expect(writer?.append(batch)).rejects.toMatchObject({ code: 'LOG_MOVED' });
    expect(db.last('ses_1')).toBe(7);
    await reader.read();
    db.db.exec('begin immediate');
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 50);
    await expect(writer?.append(batch)).rejects.toMatchObject({ code: 'LOG_UNWRITABLE' });
    expect(ticks).toBeGreaterThan(10);
    const later = setTimeout(() => db.db.exec('rollback'), 300);
    const again = await tanstackAppend(reader, batch);
    expect([again, db.last('ses_1')]).toEqual(['written', 9]);
    clearTimeout(later);
    clearInterval(timer);
    await reader.read();
    await rename(db.file, `${db.file}.gone`);
    await expect(writer?.append(batch)).rejects.toMatchObject({ code: 'LOG_UNWRITABLE' });
    expect(await readdir(path.dirname(db.file))).not.toContain('agent.db');
  });
});

async function tanstackAppend(reader: ThreadReader, batch: readonly LogRecord[]): Promise<string> {
  await reader.writer?.append(batch);
  return 'written';
}

describe('databases of others', () => {
  test('are no threads: without a log table, or with one of another shape', async () => {
    const folder = await tempFolder();
    const places = { home: path.join(folder, 'home'), env: {} };
    for (const [name, sql] of [
      ['a.db', 'create table t (x)'],
      ['b.db', 'create table tanstack_log (x)'],
      ['c.db', 'create table t (thread_id, seq, record); create view tanstack_log as select * from t'],
      ['d.db', ''],
    ] as const) {
      const db = new DatabaseSync(path.join(folder, name));
      db.exec(sql === '' ? 'pragma user_version = 3' : sql);
      db.close();
      expect(await tanstack.locate(path.join(folder, name), places)).toEqual([]);
    }
  });

  test('are told apart by their schema pages, without a copy, however many tables they have', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'many.db');
    const db = new DatabaseSync(file);
    db.exec('begin');
    for (let k = 0; k < 300; k += 1) db.exec(`create table some_table_number_${k} (a text, b text, c text, d text, e text)`);
    db.exec('commit');
    db.exec(`insert into some_table_number_0 values ('tanstack_log', '', '', '', '')`);
    expect(await mayHaveTable(file, 'tanstack_log')).toBe(false);
    expect(await mayHaveTable(file, 'some_table_number_299')).toBe(true);
    db.exec('create table tanstack_log (thread_id text, seq integer, record text, primary key (thread_id, seq))');
    expect(await mayHaveTable(file, 'tanstack_log')).toBe(true);
    db.close();
    await writeFile(path.join(folder, 'no.db'), 'SQLite format 3\0'.padEnd(200, '\0'));
    expect(await mayHaveTable(path.join(folder, 'no.db'), 'x')).toBe(false);
  });
});
