import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { say, transcript, user } from './hand-log.ts';
import { sqliteLab, turn } from './sqlite-lab.ts';

const ids = (reader: ThreadReader) => reader.thread().messages.map((message) => message.id);

async function found(reader: ThreadReader, words: string[], signal?: AbortSignal): Promise<string[]> {
  const given: string[] = [];
  for await (const id of reader.candidates?.(words, signal) ?? []) given.push(id);
  return given;
}

describe('a store of odd values', () => {
  test('with nothing but the log table has no title, no workspace and no signs', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'bare.db');
    const db = new DatabaseSync(file);
    db.exec('create table tanstack_log (thread_id text, seq integer, record text)');
    db.prepare('insert into tanstack_log values (?, 1, ?)').run('t', JSON.stringify(transcript(0, user('u1'), say('a1'))));
    db.close();
    const places = { home: path.join(folder, 'home'), env: {} };
    const [head] = await tanstack.locate(file, places);
    expect(head).toMatchObject({ threadId: 't', title: 'prompt u1', root: null, parent: null, updatedAt: null });
    if (!head) throw new Error('no thread');
    const reader = await tanstack.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
    await reader.read();
    expect([ids(reader), reader.thread().status, await reader.liveSign(), await reader.preview?.()]).toEqual([
      ['u1', 'a1'],
      'idle',
      null,
      null,
    ]);
    await expect(reader.body('line:1')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('tells what it can: leases, runs, sessions and settings of any type, and numbers of any size', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const max = '9223372036854775807';
    db.db.exec(`
      create table session (id, directory);
      insert into session values (7, '/seven'), ('ses_1', null), ('ses_9', '/nine');
      insert into ${db.table('lease')} values (null, 'i', 'o', 1, 'host', 'soon'), (x'00', 'i', 'o', 2, 'host', x'00');
      insert into ${db.table('work_claim')} values ('ses_8', 'h', 'host', 'never');
      insert into ${db.table('run')} values ('r1', 'ses_1', null, 'running', 1, null, '{}'), ('r2', 'ses_1', null, 'running', 1, null, '[]'),
        ('r3', 'ses_1', null, 'running', 1, null, x'7b7d');
      insert into ${db.table('interrupt')} values ('q1', 'r', 'ses_1', 'pending', 1, null, 'broken', null), (null, 'r', null, 'pending', 1, null, null, null);
      insert into ${db.table('session')} values ('ses_1', x'01', null, null, 'h', 'x', ${max}, '[]'), ('ses_2', 'ses_1', null, null, 'h', 'x', 'now', null);
      insert into ${db.table('metadata')} values ('harness:settings', 'ses_1', x'7b7d', 1, 0, 0), ('harness:settings', 'ses_2', '{"cwd":7}', 1, 0, 0),
        ('harness:settings', 'ses_3', '[]', 1, 0, 0);
    `);
    const reader = await open();
    expect(reader.thread()).toMatchObject({ status: 'waiting', head: { root: null, parent: null, updatedAt: Number(max) } });
    expect(await reader.liveSign()).toBeNull();
    db.db.exec(`insert into ${db.table('lease')} values ('ses_1', 'i', 'o', 1, 'host', 253402300799000)`);
    const leased = await open();
    expect(await leased.liveSign()).toBe('a turn is running in the thread ses_1, until 9999-12-31T23:59:59.000Z');
  });

  test('a lease that never ends is a sign of life, however large its number', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    db.db.exec(`insert into ${db.table('lease')} values ('ses_1', 'i', 'o', 1, 'host', 9223372036854775807)`);
    expect(await (await open()).liveSign()).toBe('a turn is running in the thread ses_1');
  });

  test('that lost its records says nothing more, and one that lost its table is no log', async () => {
    const { db, open } = await sqliteLab();
    turn(db, 1, 0);
    const reader = await open();
    db.run(`delete from ${db.table('log')}`);
    expect(await reader.read()).toBe(true);
    expect([ids(reader), reader.writer?.position()]).toEqual([[], '0']);
    expect(await reader.read()).toBe(false);
    turn(db, 3, 0);
    await reader.read();
    expect(ids(reader)).toEqual(['u3', 'a3']);
    db.db.exec(`drop table ${db.table('log')}`);
    await expect(reader.read()).rejects.toMatchObject({ code: 'NOT_A_LOG' });
  });

  test('two stores in one database: each thread is read from the one that holds it', async () => {
    const { db, open } = await sqliteLab();
    db.db.exec('create table other_tanstack_log (thread_id text, seq integer, record text)');
    turn(db, 1, 0);
    db.db.prepare('insert into other_tanstack_log values (?, 1, ?)').run('ses_2', JSON.stringify(transcript(0, user('o1'))));
    db.db
      .prepare('insert into other_tanstack_log values (?, 2, ?)')
      .run('ses_2', JSON.stringify({ ...transcript(0, user('k1')), thread: 'kid' }));
    expect(ids(await open('ses_1'))).toEqual(['u1', 'a1']);
    expect(ids(await open('ses_2'))).toEqual(['o1']);
    expect(ids(await open('kid'))).toEqual(['k1']);
  });
});

test('the words of a store are found in its rows, whatever else they hold', async () => {
  const { db, open } = await sqliteLab();
  for (let n = 1; n <= 3; n += 1) turn(db, n, (n - 1) * 2);
  db.run(`insert into ${db.table('log')} values ('ses_1', 19, null), ('ses_1', 20, '{"type":"acme/x","text":"answer a2"}')`);
  db.run(`insert into ${db.table('log')} values ('ses_1', 'x', '{}')`);
  const reader = await open();
  expect(reader.thread().bad).toMatchObject([{ why: '1 records have no place in the log' }, { line: 19, why: 'it is not a record' }]);
  const given = await found(reader, ['answer a2']);
  expect(given).toContain('a2');
  expect(given).not.toContain('a1');
  expect((await reader.body('a2')).parts).toEqual([{ kind: 'text', text: 'answer a2' }]);
  expect(await found(reader, ['nothing of this kind'])).toEqual([]);
});

test('records of megabytes are read one by one, found, and let go of; reading and searching can be stopped', async () => {
  const { db, open } = await sqliteLab();
  const long = 'lorem "ipsum"\n'.repeat(220_000);
  for (let n = 0; n < 6; n += 1) db.append('ses_1', transcript(n, say(`a${n}`, `${n} ${long}`)));
  const reader = await open();
  for (const n of [0, 3, 5, 0]) {
    const [part] = (await reader.body(`a${n}`)).parts;
    expect(part).toEqual({ kind: 'text', text: `${n} ${long}` });
  }
  expect(await found(reader, ['5 lorem'])).toEqual(['a5']);
  expect(await found(reader, ['lorem'])).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5']);
  await expect(found(reader, ['lorem'], AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  db.run(`update ${db.table('log')} set record = ? where seq = 6`, JSON.stringify(transcript(5, say('b5', long))));
  await expect(reader.read(AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(await reader.read()).toBe(true);
  expect(ids(reader)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'b5']);
});
