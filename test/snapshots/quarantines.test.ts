import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { changesOf } from '../../electron/snapshots/diff.ts';
import { cleanQuarantines } from '../../electron/snapshots/quarantines.ts';
import { openQuarantine, openSafetyStore } from '../../electron/snapshots/store.ts';
import { whileUsing } from '../../electron/snapshots/use-gate.ts';
import { runClean } from '../../electron/travel/clean.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { type Lab, makeLab } from './lab.ts';

const DAY = 86_400_000;
const home = (lab: Lab): string => path.join(lab.ownData, 'quarantine');

/** As if the repository was last used so many days ago. */
async function unusedFor(gitDir: string, days: number): Promise<void> {
  const at = new Date(Date.now() - days * DAY);
  await utimes(path.join(gitDir, 'info', 'turnback-used'), at, at);
}

async function opened(): Promise<{ lab: Lab; gitDir: string; other: string }> {
  const lab = await makeLab();
  const { gitDir } = await lab.quarantine();
  const folder = path.join(lab.folder, 'other', 'objects');
  await mkdir(folder, { recursive: true });
  const other = await openQuarantine({ git: lab.git, ownData: lab.ownData, objectFolders: [folder], format: 'sha1' });
  return { lab, gitDir, other: other.gitDir };
}

test('a repository for reading goes when nobody used it for as long as travels are kept; one in use stays', async () => {
  const { lab, gitDir, other } = await opened();
  const clean = (age: number | null) => cleanQuarantines({ ownData: lab.ownData, now: Date.now(), age });
  expect(await clean(DAY)).toBe(0);
  await unusedFor(gitDir, 31);
  expect([await clean(null), await clean(40 * DAY)]).toEqual([0, 0]);
  expect(await clean(30 * DAY)).toBe(1);
  expect(await readdir(home(lab))).toEqual([path.basename(other)]);
  // Who opens the thread again has it again.
  await writeFiles(lab.root, { a: '1\n' });
  const from = lab.snap();
  await writeFiles(lab.root, { a: '2\n' });
  const pair = { from, to: lab.snap(), only: null };
  const counted = [[{ path: 'a', change: 'modified', added: 1, removed: 1, binary: false }]];
  expect(await changesOf(await lab.quarantine(), [pair])).toEqual(counted);
  await unusedFor(gitDir, 31);
  const store = await lab.quarantine();
  expect(await clean(30 * DAY)).toBe(0);
  expect(await changesOf(store, [pair])).toEqual(counted);
});

test('one whose folders of objects are gone goes after a day, whatever the limits are; nothing else there is touched', async () => {
  const { lab, gitDir, other } = await opened();
  await writeFiles(home(lab), { 'notes.git': 'x', [`${'a'.repeat(32)}.git.gone-1/HEAD`]: 'x' });
  await rename(path.join(lab.folder, 'other'), path.join(lab.folder, 'away'));
  const retention = { days: null, entries: null, bytes: null };
  const clean = () => runClean({ ownData: lab.ownData, git: lab.git, retention, now: Date.now }, true);
  await openSafetyStore({ git: lab.git, ownData: lab.ownData, root: lab.root });
  await clean();
  expect((await stat(other)).isDirectory()).toBe(true);
  for (const one of [gitDir, other]) await unusedFor(one, 2);
  await clean();
  expect((await readdir(home(lab))).sort()).toEqual([path.basename(gitDir), 'notes.git'].sort());
  await unusedFor(gitDir, 400);
  await clean();
  expect((await stat(gitDir)).isDirectory()).toBe(true);
  // One from before uses were noted counts from when it was made.
  await rm(path.join(gitDir, 'info', 'turnback-used'));
  expect(await cleanQuarantines({ ownData: lab.ownData, now: Date.now() + 40 * DAY, age: 30 * DAY })).toBe(1);
});

test('a viewer that opens a thread while it is cleaned up has a whole repository, wherever the two meet', async () => {
  const { lab, gitDir } = await opened();
  const clean = () => cleanQuarantines({ ownData: lab.ownData, now: Date.now(), age: 30 * DAY });
  await writeFiles(lab.root, { a: '1\n' });
  const pair = { from: lab.snap(), to: lab.snap(), only: null };
  for (let times = 0; times < 20; times += 1) {
    await unusedFor(gitDir, 31);
    const [store, went] = await Promise.all([sleep(times % 5).then(() => lab.quarantine()), clean()]);
    expect(went).toBeLessThanOrEqual(1);
    expect(await changesOf(store, [pair])).toEqual([[]]);
    expect((await readdir(gitDir)).sort()).toEqual(['HEAD', 'config', 'info', 'objects', 'refs']);
  }
  // While it is being opened, the clean-up waits, looks again and leaves it.
  await unusedFor(gitDir, 31);
  const opening = Promise.withResolvers<void>();
  const using = whileUsing(gitDir, { doing: 'open', place: gitDir }, () => opening.promise);
  const cleaning = clean();
  expect(await Promise.race([cleaning.then(() => 'went'), sleep(100).then(() => 'waits')])).toBe('waits');
  await unusedFor(gitDir, 0);
  opening.resolve();
  await using;
  expect(await cleaning).toBe(0);
});
