import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeFileSystem as fs } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { leaseKeyOf, writeJournal } from '../../electron/travel/journal.ts';
import { ownIdentity } from '../../electron/travel/process-identity.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { dshSession, fakeHost, restorableChanges } from '../scenarios/dsh-session.ts';
import { neutral } from './neutral.ts';
import { travelRecord } from './records.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

test('a conversation in which nothing was done yet goes back and comes again', async () => {
  const n = await neutral();
  await n.base();
  await n.user('one');
  await n.user('two');
  const context = await n.context();
  expect((await previewTravel(context, revertTo(1, 'files'))).refusal?.code).toBe('NO_FILES_AFTER');
  expect(await runTravel(context, revertTo(1), DEFAULTS)).toMatchObject({ log: 'overlay', files: [] });
  expect((await viewOf(context)).messages.map((message) => message.hidden?.reason ?? null)).toEqual([null, 'reverted']);
  expect((await historyOf(context)).map((entry) => [entry.kind, entry.files])).toEqual([['revert', 0]]);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect((await viewOf(context)).messages.map((message) => message.hidden)).toEqual([null, null]);
});

test('a log that its agent keeps and nobody may write to says so, and its files can still go', async () => {
  const n = await neutral();
  await writeFile(path.join(n.root, 'f'), '0\n');
  await n.base();
  await n.user('one');
  await writeFile(path.join(n.root, 'f'), '1\n');
  await n.step('edit', ['f']);
  const context = await n.context();
  const { reader } = context.thread;
  const fold = reader.thread.bind(reader);
  Object.assign(reader, { thread: () => ({ ...fold(), keeps: 'log' as const }) });
  expect((await previewTravel(context, revertTo(1))).refusal).toMatchObject({
    code: 'NOT_SUPPORTED',
    message: expect.stringMatching(/^Hiding messages/),
  });
  expect(await runTravel(context, revertTo(0, 'files'), DEFAULTS)).toMatchObject({
    log: 'none',
    files: [{ path: 'f', outcome: 'written' }],
  });
});

test('a travel of this thread that another process is in the middle of is named by its process', async () => {
  const n = await neutral();
  await n.base();
  await n.user('one');
  const context = await n.context();
  const { ownData } = context;
  // Of the same thread in another folder.
  const record = travelRecord({ thread: context.thread.head.id, root: path.join(n.folder, 'other') });
  await writeJournal(fs, ownData, record);
  expect((await previewTravel(context, revertTo(0))).refusal?.code).toBe('INTERRUPTED');
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void other.kill());
  await mkdir(path.join(ownData, 'leases'), { recursive: true });
  await writeFile(
    path.join(ownData, 'leases', `${leaseKeyOf(record)}.json`),
    JSON.stringify({ version: 1, ...ownIdentity(), pid: other.pid, started: null, random: 'b'.repeat(32), at: 0 }),
  );
  expect((await previewTravel(context, revertTo(0))).refusal).toMatchObject({
    code: 'LEASE_HELD',
    message: expect.stringContaining(String(other.pid)),
  });
});

test('a planned recall is not dropped while another travel is open', async () => {
  const session = await dshSession('session-sample-a');
  Object.assign(session.env, (await fakeHost(await restorableChanges())).env);
  const context = await session.context();
  await runTravel(context, revertTo(0, 'messages'), DEFAULTS);
  expect((await previewTravel(context, UNREVERT)).refusal).toBeNull();
  await writeJournal(fs, session.ownData, travelRecord({ thread: context.thread.head.id, root: session.root }));
  expect((await previewTravel(context, UNREVERT)).refusal?.code).toBe('INTERRUPTED');
});
