import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, open, readdir, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { manifest, tempFolder } from '../../scenarios/temp.ts';
import { call, finish, makeDatabase, says, start, tree } from './make-database.ts';
import { openSample, openSession } from './open-sample.ts';
import { trees, W } from './thread-of.ts';

describe('a store in use', () => {
  /** Another process that holds the database with a lock and keeps all it writes in the log. */
  async function owner(db: string, script: string): Promise<ChildProcess> {
    const source = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(db)});
      db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0'); ${script}; console.log('ready'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout ?? child, 'data');
    return child;
  }

  test('rows that are only in the log of a process that holds the lock are read, and nothing of it is touched', async () => {
    const { sample, ownData, reader } = await openSample('t1');
    const copy = path.join(path.dirname(ownData), 'second');
    const folder = path.join(copy, '.local', 'share', 'opencode');
    await mkdir(folder, { recursive: true });
    const db = path.join(folder, 'opencode.db');
    await copyFile(sample.db, db);
    await owner(
      db,
      `db.exec("insert into message select 'msg_zzz', session_id, time_created + 99999999, time_updated, json_object('role','user') from message limit 1");
       db.exec("insert into part select 'prt_zzz', 'msg_zzz', session_id, 1, 1, json_object('type','text','text','only in the log') from part limit 1");
       db.exec('update session set time_updated = ' + Date.now());
       db.exec('begin immediate')`,
    );
    expect((await stat(`${db}-wal`)).size).toBeGreaterThan(0);
    const before = await manifest(folder, { mtimes: true });
    const live = await openSession(copy, ownData, sample.sessionId, sample.root);
    expect(live.thread().turns.map((turn) => turn.prompt)).toEqual(['Add a greeting module. [T1]', 'only in the log']);
    expect(await manifest(folder, { mtimes: true })).toEqual(before);
    expect(await live.liveSign()).toMatch(/^its store was written [0-5] s ago$/);
    expect(reader.thread().turns.length).toBe(1);
  });

  test('a read sees what was committed since, and only then says that something changed', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder, 'opencode.db', Date.now() - 1000);
    onTestFinished(() => made.db.close());
    made.session({ id: 'ses_1', directory: W });
    made.turn('ses_1', 'a', 'one', [[start(tree('1')), finish(tree('2'))]]);
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    expect(await reader.read()).toBe(false);
    // Another session of the same database is no news.
    const thread = reader.thread();
    made.session({ id: 'ses_2', directory: W });
    made.turn('ses_2', 'x', 'elsewhere', [[start(tree('1')), finish(tree('1'))]]);
    expect(await reader.read()).toBe(false);
    expect(reader.thread()).toBe(thread);
    expect(await reader.liveSign()).toMatch(/^its store was written/);
    made.session({ id: 'ses_3', directory: W, parent: 'ses_1' });
    expect(await reader.read()).toBe(true);
    made.message('ses_1', 'b_u', { role: 'user' }, [says('two')]);
    made.message('ses_1', 'b_1', { role: 'assistant', parentID: 'b_u', time: {} }, [
      start(tree('2')),
      says('first words'),
      call('bash', { command: 'make' }, { status: 'running', output: undefined, metadata: { output: 'half' } }),
    ]);
    expect(await reader.read()).toBe(true);
    const running = reader.thread();
    expect(running).toMatchObject({ status: 'running' });
    expect(running.turns[1]?.status).toBe('running');
    expect(running.steps[1]).toMatchObject({ from: tree('2'), to: null, captured: { code: 'LOG_RUNNING' } });
    expect(running.messages[3]?.tools[0]?.status).toBe('running');
    expect((await reader.body('b_1')).parts.at(-1)).toMatchObject({ kind: 'output', text: 'half' });
    made.db.exec(`update part set data = replace(data, 'first', 'other') where data like '%first words%'`);
    expect(await reader.read()).toBe(true);
    expect((await reader.body('b_1')).parts[0]).toEqual({ kind: 'text', text: 'other words' });
    expect((await reader.body('a_u')).parts).toEqual([{ kind: 'text', text: 'one' }]);
  });

  test('an open answer is running only while it is recent; a question waits for a person', async () => {
    const folder = await tempFolder();
    const open = { role: 'assistant', parentID: 'u', time: {} };
    const made = await makeDatabase(folder, 'opencode.db', Date.now() - 3_600_000);
    made.session({ id: 'ses_old', directory: W });
    made.message('ses_old', 'u', { role: 'user' });
    made.message('ses_old', 'a', open, [start(tree('1')), call('bash', { command: 'x' }, { status: 'running' })]);
    made.db.close();
    const fresh = await makeDatabase(folder, 'opencode-local.db', Date.now() - 1000);
    fresh.session({ id: 'ses_ask', directory: W });
    fresh.message('ses_ask', 'u', { role: 'user' });
    fresh.message('ses_ask', 'a', open, [start(tree('1')), call('question', { questions: [] }, { status: 'running' })]);
    fresh.db.close();
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(made.file, hourAgo, hourAgo);
    const old = (await openSession(folder, path.join(folder, 'own'), 'ses_old', null)).thread();
    expect(old.status).toBe('idle');
    expect(old.turns[0]?.status).toBe('interrupted');
    expect(old.messages[1]?.tools[0]?.status).toBe('lost');
    expect(trees(old)).toEqual(['a 1>- STEP_CUT_OFF']);
    expect((await openSession(folder, path.join(folder, 'own'), 'ses_ask', null)).thread().status).toBe('waiting');
  });

  test('a running OpenCode that holds the database is a sign for an open answer, a mere reader is none', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.message('ses_1', 'u', { role: 'user' });
    made.message('ses_1', 'a', { role: 'assistant', parentID: 'u', time: {} }, [start(tree('1'))]);
    made.session({ id: 'ses_ended', directory: W });
    made.turn('ses_ended', 'x', 'one', [[start(tree('1')), finish(tree('1'))]]);
    made.db.close();
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(made.file, hourAgo, hourAgo);
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    const ended = await openSession(folder, path.join(folder, 'own'), 'ses_ended', null);
    const hold = async (mode: string): Promise<ChildProcess> => {
      const child = spawn(process.execPath, [
        '-e',
        `require('fs').openSync(process.argv[1], '${mode}'); console.log(1); setInterval(() => {}, 1000)`,
        made.file,
      ]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout ?? child, 'data');
      return child;
    };
    const own = await open(made.file, 'r+');
    await hold('r');
    expect(await reader.liveSign()).toBeNull();
    const writer = await hold('r+');
    expect(await reader.liveSign()).toBe(process.platform === 'linux' ? `OpenCode runs, process ${writer.pid}` : null);
    // The window may be about any session: one that has ended is not in use by it.
    expect(await ended.liveSign()).toBeNull();
    await own.close();
  });
});

test('a database whose session is gone says so', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const again = new DatabaseSync(made.file);
  again.exec('delete from session');
  again.close();
  made.db.close();
  await expect(reader.read()).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
});

test('a store that only other projects write to is no sign', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder, 'opencode.db', Date.now() - 3_600_000);
  onTestFinished(() => made.db.close());
  made.session({ id: 'ses_1', directory: W });
  made.turn('ses_1', 'a', 'one', [[start(tree('1')), finish(tree('1'))]]);
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  made.session({ id: 'ses_else', directory: '/elsewhere', project: 'p2', updated: Date.now() });
  expect(await reader.liveSign()).toBeNull();
  made.session({ id: 'ses_here', directory: W, updated: Date.now() });
  expect(await reader.liveSign()).toMatch(/^its store was written/);
});

test('what a killed process left of a thread goes away a day later, not before', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  made.turn('ses_1', 'a', 'one', []);
  made.db.close();
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  const tmp = path.join(folder, 'own', 'tmp');
  const days = (count: number): Date => new Date(Date.now() - count * 24 * 3_600_000);
  const left: [string, Date][] = [
    [`opencode-parts-${child.pid}-old`, days(2)],
    [`opencode-parts-${child.pid}-new`, days(0)],
    [`opencode-parts-${process.ppid}-old`, days(2)],
    ['opencode-parts-x', days(2)],
  ];
  for (const [name, time] of left) {
    await mkdir(path.join(tmp, name), { recursive: true });
    await utimes(path.join(tmp, name), time, time);
  }
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const others = (await readdir(tmp))
    .filter((name) => !/^(opencode-parts|sqlite)-/.test(name) || !name.includes(`-${process.pid}-`))
    .sort();
  expect(others).toEqual(
    left
      .slice(1)
      .map(([name]) => name)
      .sort(),
  );
  expect((await reader.body('a_u')).parts).toEqual([{ kind: 'text', text: 'one' }]);
});
