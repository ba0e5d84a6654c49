import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { nodeFileSystem as fs } from '../../electron/travel/file-system.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { leaseKeyOf, writeJournal } from '../../electron/travel/journal.ts';
import { keyOf } from '../../electron/travel/own-files.ts';
import { ownIdentity } from '../../electron/travel/process-identity.ts';
import { interruptedTravels } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { dshSession, fakeHost, openWithoutWrites, restorableChanges } from '../scenarios/dsh-session.ts';
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
    JSON.stringify({ version: 1, ...ownIdentity(), pid: other.pid, started: null, random: 'b'.repeat(32), at: 0, doing: 'forget' }),
  );
  expect((await previewTravel(context, revertTo(0))).refusal).toMatchObject({
    code: 'LEASE_HELD',
    message: `Another Turnback (process ${other.pid}) holds ${record.root}: it is forgetting a thread. Wait until it ends, then try again.`,
  });
  // Nor is it offered to be ended here.
  expect(await interruptedTravels(ownData)).toEqual([]);
});

test('a travel of another thread in another folder is in nobody’s way; one in this folder is', async () => {
  const n = await neutral();
  await n.base();
  await n.user('one');
  const context = await n.context();
  const journal = (root: string) => writeJournal(fs, context.ownData, travelRecord({ thread: 'tanstack:other', root }));
  await journal(path.join(n.folder, 'other'));
  expect((await previewTravel(context, revertTo(0))).refusal).toBeNull();
  await journal(n.root);
  expect((await previewTravel(context, revertTo(0))).refusal?.code).toBe('INTERRUPTED');
});

test('a log that does not tell whether its agent works is no refusal, and it is said', async () => {
  const n = await neutral();
  await n.base();
  await n.user('one');
  const context = await n.context();
  const { reader } = context.thread;
  const fold = reader.thread.bind(reader);
  Object.assign(reader, { thread: () => ({ ...fold(), status: 'unknown' as const }) });
  const { refusal, notes } = await previewTravel(context, revertTo(0));
  expect([refusal, notes.at(-1)]).toEqual([null, 'The log does not tell whether the agent is at work. Make sure that it is not.']);
});

test('a planned recall is not dropped while another travel is open, nor by bringing its files back alone', async () => {
  const session = await dshSession('session-sample-a');
  Object.assign(session.env, (await fakeHost(await restorableChanges())).env);
  const context = await session.context();
  await runTravel(context, revertTo(0, 'messages'), DEFAULTS);
  expect((await previewTravel(context, UNREVERT)).refusal).toBeNull();
  expect(await previewTravel(context, { ...UNREVERT, scope: 'files' })).toMatchObject({ files: [], messages: 0 });
  await writeJournal(fs, session.ownData, travelRecord({ thread: context.thread.head.id, root: session.root }));
  expect((await previewTravel(context, UNREVERT)).refusal?.code).toBe('INTERRUPTED');
});

test('a planned recall of another session in the same place is stale, and only told', async () => {
  const session = await dshSession('session-sample-a');
  Object.assign(session.env, (await fakeHost(await restorableChanges())).env);
  const context = await session.context();
  await runTravel(context, revertTo(0, 'messages'), DEFAULTS);
  const file = path.join(session.ownData, 'overlay', `${keyOf(context.thread.head.id)}.recall.json`);
  await writeFile(file, (await readFile(file, 'utf8')).replace('"sessionId":"session-sample-a"', '"sessionId":"another"'));
  const view = await viewOf(await session.context());
  expect([view.standing, view.notices.map((notice) => notice.code)]).toEqual([null, expect.arrayContaining(['STALE_PENDING'])]);
});

test('a recall of files alone where no turn wrote any has nothing to put back', async () => {
  const session = await openWithoutWrites();
  expect((await previewTravel(await session.context(), revertTo(8, 'files'))).refusal?.code).toBe('NO_FILES_AFTER');
});
