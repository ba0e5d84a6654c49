import { copyFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import { worktreeOf } from '../../../electron/threads/opencode/worktree.ts';
import { isWithin } from '../../../electron/threads/recorded-path.ts';
import { unpackOpencodeSample } from '../../scenarios/opencode.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';
import { makeDatabase } from './make-database.ts';
import { openSample } from './open-sample.ts';

const ids = (found: { threads: { threadId: string }[] } | { threadId: string }[]): string[] =>
  ('threads' in found ? found.threads : found).map((head) => head.threadId).sort();

describe('the known place', () => {
  test('is empty, or missing: no threads and no problem', async () => {
    const home = await tempFolder();
    expect(await opencode.list({ home, env: {} })).toEqual({ threads: [], problems: [] });
    await mkdir(path.join(home, '.local/share/opencode/storage/session_diff'), { recursive: true });
    expect(await opencode.list({ home, env: {} })).toEqual({ threads: [], problems: [] });
  });

  test('holds a database for each channel; one that is broken never hides the others', async () => {
    const home = await tempFolder();
    const main = await makeDatabase(home);
    main.session({ id: 'ses_main', directory: '/w', updated: 42 });
    main.db.close();
    const local = await makeDatabase(home, 'opencode-local.db');
    local.session({ id: 'ses_local', directory: '/w' });
    local.db.close();
    const folder = path.dirname(main.file);
    await writeFile(path.join(folder, 'opencode-broken.db'), Buffer.alloc(5000, 3));
    await writeFile(path.join(folder, 'auth.db'), 'not ours');
    const found = await opencode.list({ home, env: {} });
    expect(ids(found)).toEqual(['ses_local', 'ses_main']);
    expect(found.problems.map((problem) => path.basename(problem.path))).toEqual(['opencode-broken.db']);
    expect(found.threads.find((head) => head.threadId === 'ses_main')).toEqual({
      id: 'opencode:ses_main',
      source: 'opencode',
      title: 'A title',
      root: '/w',
      log: main.file,
      threadId: 'ses_main',
      parent: null,
      updatedAt: 42,
      size: expect.any(Number),
    });
  });

  test('follows XDG_DATA_HOME and OPENCODE_DB', async () => {
    const home = await tempFolder();
    const made = await makeDatabase(home);
    made.session({ id: 'ses_1', directory: '/w' });
    made.db.close();
    const other = path.join(home, 'xdg');
    await mkdir(path.join(other, 'opencode'), { recursive: true });
    await copyFile(made.file, path.join(other, 'opencode', 'mine.db'));
    const at = (env: Record<string, string>) => opencode.list({ home, env });
    expect((await at({})).threads[0]?.log).toBe(made.file);
    expect((await at({ XDG_DATA_HOME: other })).threads).toEqual([]);
    expect((await at({ XDG_DATA_HOME: other, OPENCODE_DB: 'mine.db' })).threads[0]?.log).toBe(path.join(other, 'opencode', 'mine.db'));
    expect((await at({ OPENCODE_DB: made.file })).threads[0]?.log).toBe(made.file);
    expect((await at({ OPENCODE_DB: '/nowhere.db' })).threads).toEqual([]);
  });

  test('500 sessions are one query, and none while the database stays as it is', async () => {
    const home = await tempFolder();
    const made = await makeDatabase(home);
    made.db.exec('begin');
    for (let at = 0; at < 500; at++) made.session({ id: `ses_${at}`, directory: `/w${at}` });
    made.db.exec('commit');
    made.db.close();
    const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
    expect((await opencode.list({ home, env: {} })).threads.length).toBe(500);
    const asked = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /from session/.test(sql));
    expect(asked.length).toBe(1);
    expect(prepare.mock.calls.some(([sql]) => /credential|account|session_share/.test(sql))).toBe(false);
    prepare.mockClear();
    expect((await opencode.list({ home, env: {} })).threads.length).toBe(500);
    expect(prepare).not.toHaveBeenCalled();
    prepare.mockRestore();
  });
});

describe('a path', () => {
  test('of the database, its folder, one session in it, or the workspace', async () => {
    const { sample, places } = await openSample('t1');
    const found = async (named: string): Promise<string[]> => ids(await opencode.locate(named, places));
    expect(await found(sample.db)).toEqual([sample.sessionId]);
    expect(await found(sample.dataDir)).toEqual([sample.sessionId]);
    expect(await found(`${sample.db}#${sample.sessionId}`)).toEqual([sample.sessionId]);
    expect(await found(`${sample.db}#ses_other`)).toEqual([]);
    expect(await found(sample.root)).toEqual([]);
    expect(await found('/nowhere/at/all')).toEqual([]);
  });

  test('of a workspace, a folder in it, or a link to it', async () => {
    const home = await tempFolder();
    const root = path.join(home, 'project');
    await mkdir(path.join(root, 'front', 'app'), { recursive: true });
    await symlink(root, path.join(home, 'link'));
    const made = await makeDatabase(home);
    made.session({ id: 'ses_front', directory: path.join(root, 'front'), worktree: root, path: 'front' });
    made.session({ id: 'ses_else', directory: '/elsewhere', project: 'p2' });
    made.db.close();
    for (const folder of ['project', 'project/front', 'project/front/app', 'link', 'link/front']) {
      expect(ids(await opencode.locate(path.join(home, folder), { home, env: {} }))).toEqual(['ses_front']);
    }
    expect(await opencode.locate(home, { home, env: {} })).toEqual([]);
  });

  test('of another program is not ours', async () => {
    const folder = await tempFolder();
    const db = new DatabaseSync(path.join(folder, 'other.db'));
    db.exec('create table session (x)');
    db.close();
    await writeFile(path.join(folder, 'log.jsonl'), '{"type":"user"}\n');
    await writeFile(path.join(folder, 'a.json'), '{"id":"ses_1"}');
    const places = { home: folder, env: {} };
    for (const name of ['other.db', 'log.jsonl', 'a.json', '.']) expect(await opencode.locate(path.join(folder, name), places)).toEqual([]);
  });
});

describe('the worktree of a session', () => {
  const of = (directory: string | null, path: string | null, worktree: string | null, sandboxes: string[] = [], git = true) =>
    worktreeOf({ directory, path, git, worktree, sandboxes });

  test.each([
    [of('/w', '', '/w'), '/w'],
    [of('/w/a/b', 'a/b', '/w'), '/w'],
    [of('/w/a/b', null, '/w'), '/w'],
    [of('/w/wt1/a', null, '/w', ['/w/wt1', '/w/wt2']), '/w/wt1'],
    [of('/other/a', null, '/w'), '/other/a'],
    // A path that does not fit its folder, or climbs, is not believed.
    [of('/w/a', 'b', '/w'), '/w'],
    [of('/w/a', '../a', '/w'), '/w'],
    [of('/w/a', '/w', '/w'), '/w'],
    [of('/notes', null, '/', [], false), '/notes'],
    [of(null, null, null, [], false), null],
    [of('C:\\p\\a', 'a', 'C:\\p'), 'C:\\p'],
  ])('%s', (found, right) => {
    expect(found).toBe(right);
  });

  test('a neighbour with the same beginning is not inside', () => {
    expect(isWithin('/w', '/w2/a')).toBe(false);
    expect(isWithin('/w', '/w/..a')).toBe(true);
    expect(isWithin('/w', '/')).toBe(false);
    expect(isWithin('C:\\w', 'D:\\w\\a')).toBe(false);
  });
});

describe('the object folders of a session', () => {
  test('are its snapshot repository and the repository of the named workspace', async () => {
    const { reader, sample } = await openSample('before_revert');
    const snapshot = path.join(
      sample.dataDir,
      'snapshot/b9241510eaebac83980f9c7b61fad64ff79eb8ad/8ec921523f7338b1e198c46a2ad5402ed9180e1c/objects',
    );
    expect(reader.objectFolders()).toEqual([snapshot, path.join(sample.root, '.git', 'objects')]);
  });

  test('are found where --data names them, in the older layout, under another hash, and through a linked worktree', async () => {
    const folder = await tempFolder();
    const sample = await unpackOpencodeSample(folder, 't1');
    const places = { home: sample.home, env: {} };
    const before = await manifest(sample.dataDir);
    const project = path.join(sample.dataDir, 'snapshot', 'b9241510eaebac83980f9c7b61fad64ff79eb8ad');
    const hash = '8ec921523f7338b1e198c46a2ad5402ed9180e1c';
    const foldersWith = async (data: string | null, root: string | null): Promise<string[]> => {
      const [head] = await opencode.locate(sample.db, places);
      if (!head) throw new Error('no thread');
      const reader = await opencode.open(head, { root, data, places, ownData: path.join(folder, 'own') });
      await reader.read();
      await reader.close();
      return reader.objectFolders();
    };
    expect(await foldersWith(null, null)).toEqual([path.join(project, hash, 'objects')]);
    expect(await foldersWith(null, path.join(folder, 'nowhere'))).toEqual([path.join(project, hash, 'objects')]);
    const linked = path.join(folder, 'linked');
    await mkdir(path.join(sample.root, '.git', 'worktrees', 'l'), { recursive: true });
    await mkdir(linked);
    await writeFile(path.join(linked, '.git'), `gitdir: ${path.join(sample.root, '.git/worktrees/l')}\n`);
    await writeFile(path.join(sample.root, '.git/worktrees/l/commondir'), '../..\n');
    expect(await foldersWith(null, linked)).toEqual([path.join(project, hash, 'objects'), path.join(sample.root, '.git/objects')]);
    expect(await manifest(sample.dataDir)).toEqual(before);

    const away = path.join(folder, 'away');
    await rename(path.join(sample.dataDir, 'snapshot'), away);
    expect(await foldersWith(null, null)).toEqual([]);
    const moved = path.join(away, path.basename(project));
    for (const data of [away, path.join(moved, hash)]) expect(await foldersWith(data, null)).toEqual([path.join(moved, hash, 'objects')]);
    await rename(path.join(moved, hash), path.join(moved, '0'.repeat(40)));
    expect(await foldersWith(away, null)).toEqual([path.join(moved, '0'.repeat(40), 'objects')]);
    await rename(path.join(moved, '0'.repeat(40), 'objects'), path.join(moved, 'objects'));
    expect(await foldersWith(away, null)).toEqual([path.join(moved, 'objects')]);
  });
});
