import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SqliteCopy, sqliteFingerprint, withSqliteCopy } from '../../electron/threads/sqlite-copy.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';

/** Another process that opens the database in WAL mode, runs the script and keeps it open until killed. */
async function owner(script: string, db: string): Promise<ChildProcess> {
  const source = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(db)});
    db.exec('pragma journal_mode = wal; pragma busy_timeout = 5000'); ${script}`;
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout ?? child, 'data');
  return child;
}

const KEEP = `console.log('ready'); setInterval(() => {}, 1000);`;
const rows = (db: DatabaseSync): number => Number(db.prepare('select count(*) as n from t').get()?.['n']);

afterEach(() => {
  vi.doUnmock('node:sqlite');
  vi.resetModules();
});

describe('a private copy of a database', () => {
  test('shows rows that are only in the write-ahead log of a process that holds it open, and touches nothing of it', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'store', 'a.db');
    await mkdir(path.dirname(file));
    await owner(`db.exec('pragma wal_autocheckpoint = 0; create table t (x); insert into t values (1), (2), (3)'); ${KEEP}`, file);
    expect((await stat(file)).size).toBeLessThanOrEqual(4096);
    const before = await manifest(path.dirname(file), { mtimes: true });
    const seen = await withSqliteCopy(file, path.join(folder, 'tmp'), rows);
    expect(seen).toBe(3);
    expect(await manifest(path.dirname(file), { mtimes: true })).toEqual(before);
    expect(await readdir(path.join(folder, 'tmp'))).toEqual([]);
  });

  test('shows what a killed process had committed', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'a.db');
    const child = await owner(`db.exec('pragma wal_autocheckpoint = 0; create table t (x); insert into t values (1)'); ${KEEP}`, file);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await withSqliteCopy(file, path.join(folder, 'tmp'), rows)).toBe(1);
  });

  test('is whole while the owner writes and checkpoints all the time', async () => {
    const folder = await tempFolder();
    const file = path.join(folder, 'a.db');
    await owner(
      `db.exec('create table t (x); create table u (x)'); let n = 0;
       setInterval(() => { n += 1; db.exec('begin immediate; insert into t values (' + n + '); insert into u values (' + n + '); commit');
         if (n % 40 === 0) db.exec('pragma wal_checkpoint(truncate)'); }, 10); console.log('ready');`,
      file,
    );
    let last = 0;
    for (let k = 0; k < 12; k += 1) {
      const [t, u] = await withSqliteCopy(file, path.join(folder, 'tmp'), (db) => [
        rows(db),
        Number(db.prepare('select count(*) as n from u').get()?.['n']),
      ]);
      expect(u).toBe(t);
      expect(t).toBeGreaterThanOrEqual(last);
      last = t ?? 0;
    }
    expect(last).toBeGreaterThan(0);
  });

  test('of a database with a rollback journal, behind a link', async () => {
    const folder = await tempFolder();
    const db = new DatabaseSync(path.join(folder, 'real.db'));
    db.exec('create table t (x); insert into t values (1), (2)');
    db.close();
    await symlink('real.db', path.join(folder, 'link.db'));
    expect(await withSqliteCopy(path.join(folder, 'link.db'), path.join(folder, 'tmp'), rows)).toBe(2);
  });

  test('cannot be written to, and lies in a folder that only its owner may enter', async () => {
    const folder = await tempFolder();
    const db = new DatabaseSync(path.join(folder, 'a.db'));
    db.exec('create table t (x)');
    db.close();
    const tmp = path.join(folder, 'tmp');
    await withSqliteCopy(path.join(folder, 'a.db'), tmp, async (copy) => {
      expect(() => copy.exec('insert into t values (1)')).toThrow(/readonly/);
      const [name = ''] = await readdir(tmp);
      expect((await stat(path.join(tmp, name))).mode & 0o777).toBe(0o700);
      expect((await stat(path.join(tmp, name, 'copy.db'))).mode & 0o777).toBe(0o600);
    });
  });

  test('refuses what is no database, a folder, and nothing', async () => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'a.db'), Buffer.alloc(9000, 7));
    const tmp = path.join(folder, 'tmp');
    await expect(withSqliteCopy(path.join(folder, 'a.db'), tmp, rows)).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await expect(withSqliteCopy(folder, tmp, rows)).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await expect(withSqliteCopy(path.join(folder, 'b.db'), tmp, rows)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(sqliteFingerprint(path.join(folder, 'b.db'))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await readdir(tmp)).toEqual([]);
  });

  test('takes away what a killed process left, but not the copy of one that runs', async () => {
    const folder = await tempFolder();
    const tmp = path.join(folder, 'tmp');
    const db = new DatabaseSync(path.join(folder, 'a.db'));
    db.exec('create table t (x)');
    db.close();
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const hourAgo = new Date(Date.now() - 3_600_000);
    for (const pid of [child.pid, process.ppid]) {
      await mkdir(path.join(tmp, `sqlite-${pid}-abc`), { recursive: true });
      await utimes(path.join(tmp, `sqlite-${pid}-abc`), hourAgo, hourAgo);
    }
    await withSqliteCopy(path.join(folder, 'a.db'), tmp, rows);
    expect(await readdir(tmp)).toEqual([`sqlite-${process.ppid}-abc`]);
  });

  test('says so when this Node has no SQLite', async () => {
    vi.resetModules();
    vi.doMock('node:sqlite', () => {
      throw new Error('No such built-in module: node:sqlite');
    });
    const fresh = await import('../../electron/threads/sqlite-copy.ts');
    const folder = await tempFolder();
    await expect(fresh.withSqliteCopy(path.join(folder, 'a.db'), folder, rows)).rejects.toMatchObject({ code: 'NO_SQLITE' });
  });
});

test('the fingerprint of a database changes with each commit and only then', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'a.db');
  const db = new DatabaseSync(file);
  onTestFinished(() => db.close());
  db.exec('pragma journal_mode = wal; create table t (x)');
  const first = await sqliteFingerprint(file);
  db.prepare('select * from t').all();
  await readFile(file);
  expect(await sqliteFingerprint(file)).toBe(first);
  db.exec('insert into t values (1)');
  expect(await sqliteFingerprint(file)).not.toBe(first);
});

describe('a private copy that is kept', () => {
  const marks = (db: DatabaseSync): number => Number(db.prepare('select count(*) as n from u').get()?.['n']);

  /** A row put into our own copy, in a table that the owner leaves alone: it is there as long as the main file is not copied again. */
  async function mark(tmp: string): Promise<void> {
    const [folder] = (await readdir(tmp)).filter((name) => name.startsWith('sqlite-'));
    const db = new DatabaseSync(path.join(tmp, folder ?? '', 'copy.db'));
    db.exec('insert into u values (1)');
    db.close();
  }

  test('takes only the log again while the main file rests, shows every commit, and copies all of it after a checkpoint', async () => {
    const folder = await tempFolder();
    const [file, tmp] = [path.join(folder, 'store', 'a.db'), path.join(folder, 'tmp')];
    await mkdir(path.dirname(file));
    const child = await owner(
      `db.exec('pragma wal_autocheckpoint = 0; create table u (x); create table t (x); insert into t values (1); pragma wal_checkpoint(truncate)');
       process.stdin.on('data', (line) => { db.exec(String(line)); console.log('did'); }); console.log('ready');`,
      file,
    );
    const sql = async (text: string): Promise<void> => {
      child.stdin?.write(text);
      await once(child.stdout ?? child, 'data');
    };
    await utimes(file, 1, 1);
    const copy = new SqliteCopy(file, tmp);
    expect(await copy.use(rows)).toBe(1);
    await mark(tmp);
    await sql('insert into t values (2)');
    const before = await manifest(path.dirname(file), { mtimes: true });
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([2, 1]);
    expect(await manifest(path.dirname(file), { mtimes: true })).toEqual(before);
    await sql('insert into t values (3)');
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([3, 1]);
    await sql('pragma wal_checkpoint(truncate); insert into t values (4)');
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([4, 0]);
    // Written just now: its time may not tell of one more write, so it is not kept.
    await mark(tmp);
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([4, 0]);
    await copy.close();
    expect(await readdir(tmp)).toEqual([]);
  });

  test('is not kept beside a rollback journal, nor after a use that failed', async () => {
    const folder = await tempFolder();
    const [file, tmp] = [path.join(folder, 'a.db'), path.join(folder, 'tmp')];
    const db = new DatabaseSync(file);
    db.exec('create table u (x); create table t (x); insert into t values (1)');
    db.close();
    await utimes(file, 1, 1);
    const copy = new SqliteCopy(file, tmp);
    const fail = copy.use(() => {
      throw new Error('not this time');
    });
    await expect(fail).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await mark(tmp);
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([1, 0]);
    await mark(tmp);
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([1, 1]);
    await writeFile(`${file}-journal`, '');
    expect(await copy.use((db) => [rows(db), marks(db)])).toEqual([1, 0]);
    await copy.close();
  });
});
