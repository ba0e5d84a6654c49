import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import { readOpencodeDump } from '../../scenarios/opencode.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { call, finish, makeDatabase, says, start, tree } from './make-database.ts';
import { openSession } from './open-sample.ts';
import { storageFromDump } from './storage-from-dump.ts';
import { threadOf, trees, W } from './thread-of.ts';

test('a database of an early version, without the columns and tables that came later', async () => {
  const home = await tempFolder();
  const folder = path.join(home, '.local', 'share', 'opencode');
  await mkdir(folder, { recursive: true });
  const db = new DatabaseSync(path.join(folder, 'opencode.db'));
  db.exec(`
    create table project (id text primary key, worktree text);
    create table session (id text primary key, project_id text, directory text, title text);
    create table message (id text primary key, session_id text, data text);
    create table part (id text primary key, message_id text, session_id text, data text);
    insert into project values ('p1', '/w');
    insert into session values ('ses_1', 'p1', '/w/sub', 'Old'), ('ses_lone', 'gone', '/lone', 'No project row'), ('', 'p1', '/w', 'No id');
    insert into message values ('m1', 'ses_1', '{"role":"user","time":{"created":5}}'), ('m2', 'ses_1', '{"role":"assistant","parentID":"m1","time":{"created":6}}');
    insert into part values ('p1', 'm2', 'ses_1', '{"type":"step-start","snapshot":"${tree('1')}"}'), ('p2', 'm2', 'ses_1', '{"type":"step-finish","snapshot":"${tree('2')}"}');
  `);
  db.close();
  const { threads, problems } = await opencode.list({ home, env: {} });
  // A project without the name of its version control is no git project; one that is not there may be.
  expect(threads.map((head) => [head.threadId, head.root, head.updatedAt])).toEqual([
    ['ses_1', '/w/sub', null],
    ['ses_lone', '/lone', null],
  ]);
  expect(problems).toEqual([]);
  const thread = (await openSession(home, path.join(home, 'own'), 'ses_1', null)).thread();
  expect(thread.messages.map((message) => [message.id, message.at])).toEqual([
    ['m1', 5],
    ['m2', 6],
  ]);
  expect(trees(thread)).toEqual(['m2 1>2']);
});

test('a database without messages at all is an empty thread', async () => {
  const thread = await threadOf((made) => {
    made.session({ id: 'ses_1', directory: W });
    made.db.exec('drop table message; drop table part; drop table event; drop table session_message');
  });
  expect(thread).toMatchObject({ turns: [], steps: [], messages: [], notices: [], status: 'idle' });
});

test('the JSON tree is found by its folder, by the data folder and by a session file', async () => {
  const folder = await tempFolder();
  const data = path.join(folder, 'data');
  const storage = await storageFromDump(data, await readOpencodeDump(folder, 't1'));
  const places = { home: path.join(folder, 'home'), env: {} };
  const session = path.join(storage, 'session/b9241510eaebac83980f9c7b61fad64ff79eb8ad/ses_dd4a6c520ffey3D3BdvRcxQEKY.json');
  for (const named of [storage, data, session]) {
    expect((await opencode.locate(named, places)).map((head) => head.log)).toEqual([session]);
  }
  const [head] = await opencode.locate(session, places);
  if (!head) throw new Error('no thread');
  const reader = await opencode.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  await reader.read();
  expect(reader.objectFolders()).toEqual([path.join(data, 'snapshot/b9241510eaebac83980f9c7b61fad64ff79eb8ad/objects')]);
  await writeFile(session, '{');
  await utimes(session, new Date(), new Date());
  await expect(reader.read()).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
  expect(await opencode.locate(session, places)).toEqual([]);
  await rm(session);
  await expect(reader.read()).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
});

test('a session of the JSON tree without messages, or without its project', async () => {
  const folder = await tempFolder();
  const storage = path.join(folder, '.local/share/opencode/storage');
  await mkdir(path.join(storage, 'session', 'p1'), { recursive: true });
  await writeFile(
    path.join(storage, 'session/p1/ses_1.json'),
    JSON.stringify({ id: 'ses_1', projectID: 'p1', directory: '/w', time: { updated: 3 } }),
  );
  await writeFile(path.join(storage, 'session/p1/none.json'), '{}');
  await writeFile(path.join(storage, 'session', 'stray.txt'), 'x');
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  expect(reader.thread()).toMatchObject({ head: { root: '/w', updatedAt: 3, title: null }, messages: [], turns: [] });
  expect(await reader.read()).toBe(false);
});

test('calls that show images, and calls whose answer is still to come', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  const attachments = [
    { mime: 'image/png', url: 'data:image/png;base64,AQID' },
    { mime: 'image/gif', url: 'https://example.org/a.gif' },
    { mime: 'text/plain' },
    7,
  ];
  made.turn('ses_1', 'a', 'look', [
    [
      start(tree('1')),
      call('read', { filePath: '/w/a.png' }, { attachments }),
      call('grep', { pattern: 'needle' }, { output: undefined }),
      call('list', {}),
      call('task', {}),
      call('websearch', { query: 'q' }),
      { type: 'tool', tool: 'skill', callID: 'c', state: { status: 'dreaming' } },
      { type: 'tool' },
      says('ok'),
      finish(tree('1')),
    ],
  ]);
  made.db.close();
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  expect(reader.thread().messages[1]?.tools.map((tool) => [tool.name, tool.summary, tool.status])).toEqual([
    ['read', 'a.png', 'done'],
    ['grep', 'needle', 'done'],
    ['list', '{}', 'done'],
    ['task', '{}', 'done'],
    ['websearch', 'q', 'done'],
    ['skill', '', 'lost'],
    ['unknown', '', 'lost'],
  ]);
  const parts = (await reader.body('a_1')).parts;
  expect(parts.map((part) => (part.kind === 'image' ? `image ${part.mediaType} ${part.data}` : part.kind))).toEqual([
    'call',
    'output',
    'image image/png AQID',
    'image image/gif null',
    'call',
    'call',
    'output',
    'call',
    'output',
    'call',
    'output',
    'call',
    'call',
    'text',
  ]);
});

test('rows of the new runtime that are no part of the talk are shown as what they are', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  const rows: [string, object][] = [
    ['synthetic', { text: 'a reminder' }],
    ['user', { text: 'hi', files: [{ mime: 'image/png', url: 'https://example.org/x.png' }, null] }],
    ['compaction', { reason: 'auto', summary: 'in short' }],
    [
      'assistant',
      {
        content: [7, { type: 'tool' }, { type: 'tool', name: 'bash', id: 'b', state: { status: 'error', error: 'plain' } }],
        time: { completed: 9 },
      },
    ],
    ['assistant', { content: 'none', error: { type: 'aborted', message: 'stopped' }, time: { completed: 9 } }],
    ['shell', {}],
  ];
  for (const [at, [type, data]] of rows.entries()) {
    made.db.prepare('insert into session_message values (?, ?, ?, ?, 1, 1, ?)').run(`m${at}`, 'ses_1', type, at, JSON.stringify(data));
  }
  made.db.close();
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const { messages, turns, steps } = reader.thread();
  expect(
    messages.map((message) => [message.role, message.excerpt, message.divider, message.tools.map((tool) => tool.status).join()]),
  ).toEqual([
    ['system', 'a reminder', null, ''],
    ['user', 'hi', null, ''],
    ['system', 'in short', 'compaction', ''],
    ['assistant', '', null, 'lost,failed'],
    ['assistant', 'stopped', null, ''],
    ['system', '$ ', null, ''],
  ]);
  expect(turns.map((turn) => [turn.status, turn.firstStop, turn.lastStop])).toEqual([['failed', 1, 6]]);
  expect(steps.map((step) => step.captured?.valueOf())).toMatchObject([{ code: 'NO_SNAPSHOTS' }, undefined]);
  expect((await reader.body('m3')).parts.filter((part) => part.kind === 'output')).toEqual([
    { kind: 'output', callId: 'b', text: 'plain', failed: true, exit: null },
  ]);
});
