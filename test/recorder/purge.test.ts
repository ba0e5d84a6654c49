import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { localBackend } from '../../electron/recorder/local-backend.ts';
import { purgeSnapshots } from '../../electron/recorder/purge.ts';
import { queueOf } from '../../electron/recorder/repository-queue.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import { manifest } from '../scenarios/temp.ts';
import { Recording } from './recording.ts';

const FILES = { 'a.txt': 'one\n' };

test('purge removes the repository of the thread and nothing else, and resolves when there is none', async () => {
  const r = await Recording.make(FILES);
  const one = await r.open({ threadId: 't', tenantId: 'acme' });
  const other = await r.open({ threadId: 't' });
  await r.turn(one, 'Fix', { edit: { 'a.txt': 'two\n' } });
  await r.turn(other, 'Fix', { edit: { 'a.txt': 'three\n' } });
  await one.close();
  await other.close();
  const [work, kept] = [await manifest(r.root), await manifest(String(other.repository))];
  for (let n = 0; n < 2; n++) await purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { tenantId: 'acme', threadId: 't' });
  expect(existsSync(String(one.repository))).toBe(false);
  expect(await manifest(String(other.repository))).toEqual(kept);
  expect(await manifest(r.root)).toEqual(work);
  expect((await manifest(r.dataDir)).filter((line) => !line.includes('/')).length).toBe(1);
});

test('purge waits for the git commands of that repository in this process', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await session.close();
  const repository = String(session.repository);
  let end = (): void => undefined;
  const running = queueOf(repository).run(() => new Promise<void>((resolve) => (end = resolve)));
  const purged = purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' }).then(() => 'purged');
  expect(await Promise.race([purged, new Promise((resolve) => setTimeout(() => resolve('waits'), 100))])).toBe('waits');
  expect(existsSync(repository)).toBe(true);
  end();
  await running;
  expect(await purged).toBe('purged');
  expect(existsSync(repository)).toBe(false);
});

test('purge is refused while a session has the thread open', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await expect(purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' })).rejects.toMatchObject({
    code: 'RECORDING_HELD',
  });
  await session.close();
  await purgeSnapshots({ root: `${r.root}/`, dataDir: `${r.dataDir}/` }, { threadId: 'fix-login' });
  expect(existsSync(String(session.repository))).toBe(false);
});

test('after a purge the thread goes on: older snapshots are gone and say so, new ones are taken', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await r.turn(session, 'Fix', { edit: { 'a.txt': 'two\n' } });
  await session.close();
  await purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' });
  const again = await r.again().open();
  await expect(again.runCommand({ name: 'undo' })).rejects.toMatchObject({ code: 'TREE_MISSING' });
  expect(await r.text('a.txt')).toBe('two\n');
  await r.turn(again, 'More', { edit: { 'a.txt': 'three\n' } });
  expect(await again.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
});

test('a link in the place of a repository is removed, not what it points at', async () => {
  const r = await Recording.make(FILES);
  const session = await r.open();
  await session.close();
  await purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' });
  await mkdir(path.join(r.folder, 'precious'));
  await symlink(path.join(r.folder, 'precious'), String(session.repository));
  await purgeSnapshots({ root: r.root, dataDir: r.dataDir }, { threadId: 'fix-login' });
  expect(existsSync(path.join(r.folder, 'precious'))).toBe(true);
});

test('folders that are not absolute, a dataDir inside root, and a missing workspace are refused', async () => {
  const r = await Recording.make(FILES);
  expect(() => snapshots({ root: 'work', dataDir: r.dataDir })).toThrow('root cannot be used');
  expect(() => snapshots({ root: r.root, dataDir: 'data' })).toThrow('dataDir cannot be used');
  expect(() => snapshots({ root: r.root, dataDir: `${r.root}/.snapshots` })).toThrow('hold themselves');
  expect(() => snapshots({ root: `${r.root}/`, dataDir: r.root })).toThrow('hold themselves');
  const none = snapshots({ root: `${r.root}/missing`, dataDir: r.dataDir });
  await expect(none.open({ threadId: 't', log: r.log })).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  await expect(snapshots({ dataDir: r.dataDir }).open({ threadId: 't', log: r.log })).rejects.toMatchObject({ code: 'BAD_OPTION' });
  const own = await snapshots({ dataDir: r.dataDir, backend: localBackend() }).open({ threadId: 't', log: r.log, root: r.root });
  expect(own.root).toBe(r.root);
  await own.close();
});
