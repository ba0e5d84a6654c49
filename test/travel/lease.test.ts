import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { asideOf, sweepAsides } from '../../electron/travel/asides.ts';
import { nodeFileSystem as fs } from '../../electron/travel/file-system.ts';
import { leaseHolder, takeLease } from '../../electron/travel/lease.ts';
import { hasEnded, ownIdentity } from '../../electron/travel/process-identity.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';

/** The id of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.on('close', resolve));
  return child.pid ?? 0;
}

async function plant(folder: string, lease: object): Promise<string> {
  const file = path.join(folder, 'leases', 'key.json');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(lease));
  return file;
}

/** Processes that find one stale lease at once, and how often; together a thousand in the nightly run. */
const WIDTH = 25;
const ROUNDS = size(6, 40);

test('one holder at a time, told with its process', async () => {
  const folder = await tempFolder();
  const lease = await takeLease(fs, folder, 'key');
  expect(JSON.parse(await readFile(path.join(folder, 'leases', 'key.json'), 'utf8'))).toMatchObject({
    version: 1,
    ...ownIdentity(),
    random: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(await leaseHolder(fs, folder, 'key')).toEqual({ pid: process.pid, doing: 'travel' });
  await expect(takeLease(fs, folder, 'key', 0)).rejects.toMatchObject({
    code: 'LEASE_HELD',
    message: `Another Turnback (process ${process.pid}) holds ${path.join(folder, 'leases', 'key.json')}: it is travelling there. Wait until it ends, then try again.`,
  });
  const other = await takeLease(fs, folder, 'other', 0);
  await lease.release();
  expect(await leaseHolder(fs, folder, 'key')).toBeNull();
  await (await takeLease(fs, folder, 'key', 0)).release();
  await other.release();
  expect(await readdir(path.join(folder, 'leases'))).toEqual([]);
});

test('who waits in vain is told what the holder does, at the place that it asked for; one from before holders said it is at work', async () => {
  const folder = await tempFolder();
  const asked = () => takeLease(fs, folder, 'key', 0, { doing: 'travel', place: '/ws' });
  const words = (does: string) => ({
    code: 'LEASE_HELD',
    message: `Another Turnback (process ${process.pid}) holds /ws: ${does}. Wait until it ends, then try again.`,
  });
  for (const [doing, does] of [
    ['travel', 'it is travelling there'],
    ['recover', 'it is ending an interrupted travel there'],
    ['forget', 'it is forgetting a thread'],
    ['clean', 'it is cleaning up what nobody needs any more'],
  ] as const) {
    const lease = await takeLease(fs, folder, 'key', 0, { doing });
    await expect(asked()).rejects.toMatchObject(words(does));
    await lease.release();
  }
  for (const said of [{}, { doing: 'a word of later' }]) {
    await plant(folder, { version: 1, ...ownIdentity(), random: 'a'.repeat(32), at: 0, ...said });
    await expect(asked()).rejects.toMatchObject(words('it is at work there'));
  }
});

test('a lease of a process that ended is taken over, one that runs is not, be it as old as it may', async () => {
  const folder = await tempFolder();
  const me = ownIdentity();
  const lease = { version: 1, ...me, random: 'a'.repeat(32), at: 0 };
  await plant(folder, { ...lease, pid: await deadPid(), started: '1' });
  await (await takeLease(fs, folder, 'key', 0)).release();
  // The id was given to another process since.
  await plant(folder, { ...lease, started: '1' });
  await (await takeLease(fs, folder, 'key', 0)).release();
  // The machine was started again since.
  await plant(folder, { ...lease, host: me.host.replace(/ [0-9a-f-]{36}/, ' 00000000-0000-0000-0000-000000000000') });
  await (await takeLease(fs, folder, 'key', 0)).release();
  for (const live of [lease, { ...lease, host: 'another machine', pid: await deadPid() }]) {
    await plant(folder, live);
    await expect(takeLease(fs, folder, 'key', 0)).rejects.toMatchObject({ code: 'LEASE_HELD' });
  }
  expect(hasEnded(me)).toBe(false);
});

test('many that find a stale lease at once never hold it together', { timeout: 300_000 }, async () => {
  const folder = await tempFolder();
  const me = ownIdentity();
  const pid = await deadPid();
  let holders = 0;
  let taken = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const random = round.toString(16).padStart(32, '0');
    const file = await plant(folder, { version: 1, ...me, pid, started: '1', random, at: 0 });
    // As if one had died while it removed the lease.
    if (round % 3 === 0)
      await writeFile(`${file}.stale-${random}-0`, JSON.stringify({ version: 1, ...me, pid, started: '1', random, at: 0 }));
    await Promise.all(
      Array.from({ length: WIDTH }, async () => {
        const lease = await takeLease(fs, folder, 'key', 60_000);
        holders += 1;
        taken += 1;
        expect(holders).toBe(1);
        await sleep(0);
        holders -= 1;
        await lease.release();
      }),
    );
    expect(await readdir(path.join(folder, 'leases'))).toEqual([]);
  }
  expect(taken).toBe(WIDTH * ROUNDS);
});

test('a lease that the disk keeps from being given back is over for its own process at once', async () => {
  const folder = await tempFolder();
  const stuck = { ...fs, unlink: () => Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS' })) };
  const lease = await takeLease(stuck, folder, 'key');
  await lease.release();
  expect((await readdir(path.join(folder, 'leases'))).filter((name) => name === 'key.json')).toEqual(['key.json']);
  expect(await leaseHolder(fs, folder, 'key')).toBeNull();
  await (await takeLease(fs, folder, 'key', 0)).release();
  expect(await leaseHolder(fs, folder, 'key')).toBeNull();
});

test('what a process that ended left half written beside our files goes; what a live one writes stays', async () => {
  const folder = await tempFolder();
  await mkdir(path.join(folder, 'journal'));
  const live = asideOf(path.join(folder, 'journal', 'a-1.json'));
  const dead = live.replace(String(process.pid), String(await deadPid()));
  const elsewhere = dead.replace(/-[0-9a-f]{8}-/, '-00000000-');
  for (const file of [live, dead, elsewhere, path.join(folder, 'journal', 'a-1.json')]) await writeFile(file, 'x');
  await sweepAsides(fs, folder);
  expect((await readdir(path.join(folder, 'journal'))).sort()).toEqual(
    [live, elsewhere, 'a-1.json'].map((file) => path.basename(file)).sort(),
  );
});
