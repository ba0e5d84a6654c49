import { mkdir, mkdtemp, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { BytePattern } from '../../../electron/threads/byte-pattern.ts';
import { expectedStore, objectFolders } from '../../../electron/threads/opencode/object-folders.ts';
import { dataIn } from '../../../electron/threads/opencode/opencode-places.ts';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import { sessionsHolding } from '../../../electron/threads/opencode/sessions-holding.ts';
import { namesIn, readRecord, storedSession, storedSessions } from '../../../electron/threads/opencode/storage-files.ts';
import { PartSpool } from '../../../electron/threads/part-spool.ts';
import { GitTree } from '../../scenarios/git-tree.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { makeDatabase, says, start } from './make-database.ts';
import { openSession } from './open-sample.ts';
import { W } from './thread-of.ts';

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

test('rows of the new runtime that lack what they should hold keep their place', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  const rows: [string | null, string, unknown][] = [
    ['m1', 'user', { files: ['junk', { url: 'data:image/png;base64,AA==', mime: 'image/png' }] }],
    ['m2', 'assistant', { content: ['junk', { type: 'tool' }, { type: 'tool', name: 'bash', id: 'c1', state: { error: 'boom' } }] }],
    ['m3', 'synthetic', {}],
    ['m4', 'system', { text: 'note' }],
    ['m5', 'shell', {}],
    ['m6', 'compaction', {}],
    ['m7', '', { x: 1 }],
    [null, 'user', { text: 'no id' }],
    ['m9', 'assistant', { content: [], time: { completed: 9 }, error: { message: 'cut' } }],
    ['m10', 'hologram', `{"deep":${DEEP}}`],
    ['m11', 'assistant', Buffer.from([0xff])],
  ];
  for (const [at, [id, type, data]] of rows.entries()) {
    const json = typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data);
    // The key of the table may be null in SQLite, whatever its owner meant.
    if (id === null)
      made.db.exec(
        'create table other as select * from session_message; drop table session_message; alter table other rename to session_message',
      );
    made.db.prepare('insert into session_message values (?, ?, ?, ?, ?, ?, ?)').run(id, 'ses_1', type, at + 1, 5, 5, json);
  }
  made.db.close();
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const thread = reader.thread();
  expect(thread.messages.map(({ id, role, excerpt }) => `${id} ${role} ${excerpt}`)).toEqual([
    'm1 user ',
    'm2 assistant ',
    'm3 system ',
    'm4 system note',
    'm5 system $ ',
    'm6 system ',
    'm7 system ',
    '#8 user no id',
    'm9 assistant cut',
    'm10 system ',
    'm11 assistant ',
  ]);
  expect(thread.messages[0]?.images).toBe(1);
  expect(thread.bad).toMatchObject([{ line: 11, bytes: 1 }]);
  expect((await reader.body('m2')).parts).toMatchObject([
    { kind: 'call', call: { name: 'unknown' } },
    { kind: 'call', call: { id: 'c1', name: 'bash' } },
    { kind: 'output', callId: 'c1', text: 'boom' },
  ]);
  expect((await reader.body('m7')).parts).toEqual([{ kind: 'raw', type: 'unknown', json: '{"x":1,"type":"unknown"}' }]);
  expect((await reader.body('m10')).parts).toMatchObject([{ kind: 'raw', type: 'nested-too-deeply' }]);
  expect(thread.turns.map((turn) => [turn.prompt, turn.steps.length])).toEqual([
    ['', 1],
    ['no id', 2],
  ]);
  expect(thread.turns[0]?.status).toBe('interrupted');
});

test('an opened session says nothing before it was read; its errors are found with its words', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  made.turn('ses_1', 'a', 'look for needles', [[start(), says('a needle')]], {
    error: { name: 'APIError', data: { message: 'needless' } },
  });
  made.db.close();
  const places = { home: folder, env: {} };
  const [head] = (await opencode.list(places)).threads;
  if (!head) throw new Error('no session');
  const reader = await opencode.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  expect(() => reader.thread()).toThrow('before it was read');
  const found = async (words: string[]): Promise<string[]> => {
    const given: string[] = [];
    for await (const id of reader.candidates?.(words) ?? []) given.push(id);
    return given;
  };
  expect(await reader.read()).toBe(true);
  expect(await reader.read()).toBe(false);
  expect(await found(['needles'])).toEqual(['a_u', 'a_1']);
  expect(await found(['nothing of this kind'])).toEqual(['a_1']);
  expect(reader.restMs?.()).toBe(0);
  await expect(reader.body('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  await reader.close();
});

describe('object folders', () => {
  const HASH = /^[0-9a-f]{40}$/;
  const places = (dataFolders: string[], more: Partial<Parameters<typeof objectFolders>[0]> = {}) => ({
    ...{ dataFolders, projectId: 'p1', worktree: '/w', roots: [] },
    ...more,
  });

  test('are the exact one, the older one, else those of other clones; a stranger’s id names none', async () => {
    const folder = await tempFolder();
    const exact = path.join(expectedStore(folder, { projectId: 'p1', worktree: '/w' }), 'objects');
    expect(path.basename(path.dirname(exact))).toMatch(HASH);
    expect(expectedStore(folder, { projectId: 'a/../p1', worktree: null })).toBe(path.join(folder, 'snapshot', 'p1'));
    const other = path.join(folder, 'snapshot', 'p1', 'a'.repeat(40), 'objects');
    await mkdir(other, { recursive: true });
    await mkdir(path.join(folder, 'snapshot', 'p1', 'not-a-hash', 'objects'), { recursive: true });
    expect(await objectFolders(places([folder]))).toEqual([other]);
    expect(await objectFolders(places([folder], { worktree: null }))).toEqual([other]);
    expect(await objectFolders(places([folder], { projectId: '../p1' }))).toEqual([]);
    expect(await objectFolders(places([path.join(folder, 'snapshot')]))).toEqual([other]);
    const older = path.join(folder, 'snapshot', 'p1', 'objects');
    await mkdir(older);
    expect(await objectFolders(places([folder]))).toEqual([older]);
    await mkdir(exact, { recursive: true });
    expect(await objectFolders(places([folder]))).toEqual([exact, older]);
    // A folder that is a repository itself, as a user may name it.
    expect(await objectFolders(places([path.dirname(exact)]))).toEqual([exact]);
  });

  test('are joined by the user’s own repository, also behind a linked worktree or a git folder elsewhere', async () => {
    const folder = await tempFolder();
    await mkdir(path.join(folder, 'data', 'objects'), { recursive: true });
    const repo = path.join(folder, 'repo');
    const git = await GitTree.open(repo, []);
    await git.run(['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-q', '--allow-empty', '-m', 'one']);
    await git.run(['worktree', 'add', '-q', path.join(folder, 'linked')]);
    await mkdir(path.join(folder, 'elsewhere', 'objects'), { recursive: true });
    await writeFiles(folder, {
      'apart/.git': 'gitdir: ../elsewhere\n',
      'odd/.git': 'nothing of the kind\n',
      'gone/.git': 'gitdir: ../nowhere\n',
      'empty/.git': '',
    });
    await symlink('loop', path.join(folder, 'loop'));
    const data = path.join(folder, 'data', 'objects');
    const own = async (name: string): Promise<string[]> =>
      (await objectFolders(places([path.join(folder, 'data')], { roots: [path.join(folder, name)] }))).slice(1);
    expect((await objectFolders(places([path.join(folder, 'data')]))).at(0)).toBe(data);
    const objects = path.join(repo, '.git', 'objects');
    expect([await own('repo'), await own('linked'), await own('apart')]).toEqual([
      [objects],
      [objects],
      [path.join(folder, 'elsewhere', 'objects')],
    ]);
    for (const name of ['odd', 'gone', 'empty', 'loop', 'none']) expect([name, await own(name)]).toEqual([name, []]);
  });
});

describe('the JSON tree', () => {
  test('is read as far as it goes: what is no file, no record or no session is a problem or nothing', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, {
      'project/p1.json': '{"id":"p1","worktree":"/w","vcs":"git"}',
      'project/p2.json': '{"worktree":"/x"}',
      'project/p3.json': 'broken',
      'session/p1/ses_1.json': '{"id":"ses_1","projectID":"p1","directory":"/w","title":"One","time":{"updated":7}}',
      'session/p1/ses_2.json': '{"title":"no id"}',
      'session/p1/ses_3.json': '[]',
      'session/p1/notes.txt': 'x',
      'session/file': 'no folder',
      'session/p9/ses_6.json': '{"id":"ses_6","projectID":"global","directory":"/g"}',
      'session/p9/ses_7.json': '{"id":"ses_7","projectID":"p7","directory":"/p7"}',
      'session/p9/ses_9.json': '{"id":"ses_9"}',
    });
    await mkdir(path.join(folder, 'session/p1/ses_4.json'));
    const { sessions, problems } = await storedSessions(folder);
    expect(sessions.map(({ session }) => [session.id, session.title, session.worktree, session.git, session.updatedAt])).toEqual([
      ['ses_1', 'One', '/w', true, 7],
      ['ses_6', null, '/g', false, null],
      ['ses_7', null, '/p7', true, null],
      ['ses_9', null, null, false, null],
    ]);
    expect(problems.map((one) => `${path.basename(one.path)} ${one.message}`).sort()).toEqual([
      'ses_3.json it is not a JSON object',
      'ses_4.json it is not a file',
    ]);
    const one = async (name: string) => (await storedSession(folder, path.join(folder, 'session', name)))?.id ?? null;
    expect([await one('p1/ses_1.json'), await one('p1/ses_2.json'), await one('p1/gone.json')]).toEqual(['ses_1', null, null]);
    expect(await readRecord(path.join(folder, 'gone'))).toMatchObject({ bytes: 0, why: expect.stringContaining('ENOENT') });
    expect([await namesIn(path.join(folder, 'none')), await namesIn(path.join(folder, 'session', 'file'))]).toEqual([[], []]);
    await symlink('ring', path.join(folder, 'ring'));
    await expect(namesIn(path.join(folder, 'ring'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

test('the databases of a folder are its files of that name, the main one first; beside them the tree of an older version', async () => {
  const folder = await tempFolder();
  await writeFiles(folder, { 'opencode-b.db': '', 'opencode.db': '', 'opencode-a.db': '', 'other.db': '', 'opencode.db-wal': '' });
  await mkdir(path.join(folder, 'opencode-c.db'));
  const named = async (of: string) => {
    const { databases, storage } = await dataIn(of);
    return [databases.map((file) => path.basename(file)), storage];
  };
  expect(await named(folder)).toEqual([['opencode.db', 'opencode-a.db', 'opencode-b.db'], null]);
  await mkdir(path.join(folder, 'storage', 'session'), { recursive: true });
  expect((await named(folder))[1]).toBe(path.join(folder, 'storage'));
  expect(await named(path.join(folder, 'gone'))).toEqual([[], null]);
});

test('a session of the JSON tree is searched message by message', async () => {
  const home = await tempFolder();
  const storage = path.join(home, '.local/share/opencode/storage');
  await writeFiles(storage, {
    'project/p1.json': '{"id":"p1","worktree":"/w","vcs":"git"}',
    'session/p1/ses_1.json': '{"id":"ses_1","projectID":"p1","directory":"/w","title":"One","time":{"updated":7}}',
    'message/ses_1/m1.json': '{"id":"m1","sessionID":"ses_1","role":"user","time":{"created":1}}',
    'message/ses_1/m2.json': '{"id":"m2","sessionID":"ses_1","role":"assistant","parentID":"m1","time":{"created":2},"error":{"name":"X"}}',
    'part/m1/p1.json': '{"id":"p1","messageID":"m1","type":"text","text":"hello"}',
  });
  const reader = await openSession(home, path.join(home, 'own'), 'ses_1', null);
  const given: string[] = [];
  for await (const id of reader.candidates?.(['hello']) ?? []) given.push(id);
  expect([given, reader.restMs?.(), await reader.read()]).toEqual([['m1', 'm2'], 0, false]);
  expect(reader.thread().messages.map((message) => message.excerpt)).toEqual(['hello', '']);
});

describe('sessions that may hold words', () => {
  test('hold each of them in some part; those without parts, or in other tables, have to be opened', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    for (const id of ['ses_1', 'ses_2', 'ses_3']) made.session({ id, directory: W });
    made.message('ses_1', 'm1', { role: 'user' }, [says('alpha'), says('alpha again'), says('beta')]);
    made.message('ses_2', 'm2', { role: 'user' }, [says('alpha')]);
    made.db.exec(`insert into part values ('x1', 'm2', '', 1, 1, 'beta'), ('x2', 'm2', 'ses_2', 1, 1, x'62657461')`);
    made.db.close();
    const held = async (...words: string[]) => [...((await sessionsHolding(made.file, words)) as ReadonlySet<string>)].sort();
    expect([await held('alpha', 'beta'), await held('ALPHA'), await held('gamma')]).toEqual([
      ['ses_1', 'ses_3'],
      ['ses_1', 'ses_2', 'ses_3'],
      ['ses_3'],
    ]);
    const other = new DatabaseSync(path.join(folder, 'other.db'));
    other.exec('create table session (id, directory); create table part (id, data)');
    other.close();
    expect(await sessionsHolding(path.join(folder, 'other.db'), ['x'])).toBe(true);
    await expect(sessionsHolding(path.join(folder, 'gone.db'), ['x'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('a spool keeps texts, finds them, and sweeps only old ones of processes that are gone', async () => {
  const tmp = await tempFolder();
  const first = new PartSpool(tmp);
  first.add('one');
  await first.flush();
  const [own] = await readdir(tmp);
  const prefix = (own ?? '').slice(0, (own ?? '').indexOf(String(process.pid)));
  const gone = 2 ** 22 + 1;
  const make = async (name: string, old: boolean): Promise<void> => {
    const folder = await mkdtemp(path.join(tmp, `${prefix}${name}-`));
    if (old) await utimes(folder, 1, 1);
  };
  await make(String(gone), true);
  await make(String(gone), false);
  await make('nobody', true);
  await make(String(process.pid), true);
  await writeFile(path.join(tmp, 'other'), '');
  // Gone while it is looked at, as when another process sweeps, too.
  await symlink('nowhere', path.join(tmp, `${prefix}${gone}-link`));
  const second = new PartSpool(tmp);
  const place = second.add('two');
  expect([second.full, await second.read([])]).toEqual([false, []]);
  await second.flush();
  await second.flush();
  expect(await second.read([place])).toEqual(['two']);
  const pids = (await readdir(tmp)).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length).split('-')[0]] : [])).sort();
  expect(pids).toEqual([String(gone), String(gone), String(process.pid), String(process.pid), String(process.pid), 'nobody'].sort());
  const found: string[] = [];
  for await (const id of second.matching<string>([], new BytePattern(['two']))) found.push(id);
  for await (const id of second.matching([{ ...place, of: 'm2' }], new BytePattern(['two']))) found.push(id);
  expect(found).toEqual(['m2']);
  await second.close();
  await second.close();
  await symlink('ring', path.join(tmp, 'ring'));
  await symlink('ring', path.join(tmp, `${prefix}${gone}-ring`));
  second.add('three');
  await expect(second.flush()).rejects.toMatchObject({ code: 'ELOOP' });
  await first.close();
});
