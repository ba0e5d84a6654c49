import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Lease } from '../../electron/recorder/lease.ts';
import { ownFiles } from '../../electron/recorder/own-files.ts';
import { startOfProcess, thisHost } from '../../electron/snapshots/process-alive.ts';
import { leasePath, leaseState, type WriterLease } from '../../shared/writer-lease.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { Recording } from './recording.ts';

const WHAT = { what: 'The thread x' };

async function held(file: string, change: Partial<WriterLease>): Promise<void> {
  const now = Date.now();
  const lease = {
    version: 1,
    owner: 'other',
    pid: process.pid,
    started: startOfProcess(process.pid) ?? null,
    host: thisHost,
    hostName: 'h',
    since: now,
    renewed: now,
    ttl: 300,
    ...change,
  };
  await writeFile(leasePath(file), JSON.stringify(lease));
}

test('a lease is one owner at a time, and another gets it when it was released', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  const lease = await Lease.take(ownFiles, file, WHAT);
  await expect(Lease.take(ownFiles, file, WHAT)).rejects.toMatchObject({
    code: 'RECORDING_HELD',
    message: expect.stringContaining(String(process.pid)),
  });
  await lease.check(true);
  await lease.release();
  await (await Lease.take(ownFiles, file, WHAT)).release();
  expect(await manifest(folder)).toEqual([]);
});

test('the lease of a process that has ended is taken over at once', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  const child = spawn('true');
  await new Promise((resolve) => child.on('exit', resolve));
  await held(file, { pid: child.pid ?? 0, ttl: 60_000, owner: 'dead' });
  const at = Date.now();
  const lease = await Lease.take(ownFiles, file, WHAT);
  expect(Date.now() - at).toBeLessThan(2000);
  expect(lease.takenFrom).toBe('dead');
  await lease.release();
  expect(await manifest(folder)).toEqual([]);
});

test('a process with the same id that started later is another one', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  await held(file, { started: '1', ttl: 60_000 });
  await (await Lease.take(ownFiles, file, WHAT)).release();
});

test('an owner on another machine is followed only after it was silent for its whole time', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  await held(file, { host: 'elsewhere', ttl: 400, renewed: 0 });
  const at = Date.now();
  const lease = await Lease.take(ownFiles, file, WHAT);
  expect(Date.now() - at).toBeGreaterThanOrEqual(390);
  await lease.release();
});

test('an owner on another machine that renews while it is watched is left alone, whatever its clock says', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  await held(file, { host: 'elsewhere', ttl: 600, renewed: 0 });
  const timer = setTimeout(() => void held(file, { host: 'elsewhere', ttl: 600, renewed: 1 }), 200);
  await expect(Lease.take(ownFiles, file, WHAT)).rejects.toMatchObject({ code: 'RECORDING_HELD' });
  clearTimeout(timer);
});

test('a live owner is renewed and stays; one that does not renew here is followed after it was watched', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  const lease = await Lease.take(ownFiles, file, { ...WHAT, ttl: 300 });
  await sleep(700);
  await expect(Lease.take(ownFiles, file, WHAT)).rejects.toMatchObject({ code: 'RECORDING_HELD' });
  await lease.release();
  await held(file, { renewed: Date.now() - 10_000, ttl: 300 });
  await (await Lease.take(ownFiles, file, WHAT)).release();
});

test('an owner whose lease was taken over notices it before its next record', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'x');
  const lease = await Lease.take(ownFiles, file, WHAT);
  await held(file, { owner: 'new' });
  await expect(lease.check(true)).rejects.toMatchObject({ code: 'RECORDING_LOST' });
  await lease.release();
  expect(JSON.parse(await readFile(leasePath(file), 'utf8'))).toMatchObject({ owner: 'new' });
});

test('many that want it at once: exactly one gets it, also from a dead owner', async () => {
  const folder = await tempFolder();
  for (let round = 0; round < 10; round++) {
    const file = path.join(folder, `x${round}`);
    if (round % 2 === 0) await held(file, { started: '1' });
    const taken = await Promise.allSettled(Array.from({ length: 8 }, () => Lease.take(ownFiles, file, WHAT)));
    const won = taken.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(won.length).toBe(1);
    await won[0]?.check(true);
    await won[0]?.release();
  }
  expect(await manifest(folder)).toEqual([]);
});

test('leaseState: gone, live, silent', () => {
  const lease: WriterLease = { version: 1, owner: 'o', pid: 5, started: '7', host: 'h', hostName: 'h', since: 0, renewed: 1000, ttl: 100 };
  const here = { host: 'h', now: 1050, startOf: () => '7' as string | null | undefined };
  expect(leaseState(lease, here)).toBe('live');
  expect(leaseState(lease, { ...here, now: 1100 })).toBe('silent');
  expect(leaseState(lease, { ...here, startOf: () => undefined })).toBe('gone');
  expect(leaseState(lease, { ...here, startOf: () => '8' })).toBe('gone');
  expect(leaseState(lease, { ...here, startOf: () => null })).toBe('live');
  expect(leaseState(lease, { ...here, host: 'i' })).toBe('silent');
});

test('two sessions of one thread: the second is refused while the first is open', async () => {
  const r = await Recording.make({ 'a.txt': 'a\n' });
  const session = await r.open();
  await expect(r.again().open()).rejects.toMatchObject({ code: 'RECORDING_HELD' });
  await session.close();
  await (await r.again().open()).close();
  expect((await manifest(r.save)).filter((line) => line.includes('lease'))).toEqual([]);
});

test('a session whose log was taken over stops and writes nothing more', async () => {
  const r = await Recording.make({ 'a.txt': 'a\n' });
  const session = await r.open();
  const turn = await session.beginTurn('First');
  await held(session.log, { owner: 'new' });
  const before = await readFile(session.log);
  await expect(turn.answer('Hello')).rejects.toMatchObject({ code: 'RECORDING_LOST' });
  expect(await readFile(session.log)).toEqual(before);
  await session.close().catch(() => undefined);
});
