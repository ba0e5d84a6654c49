import { readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { Death, faultyFileSystem } from './faults.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

/** One step of the agent, after which the user puts a file of their own where the folder `a` was. */
async function after(before: Parameters<typeof writeFiles>[1], agent: (n: Neutral) => Promise<unknown>): Promise<Neutral> {
  const n = await neutral();
  await writeFiles(n.root, { ...before, z: 'z' });
  await n.base();
  await n.user('go');
  await agent(n);
  await n.step('sh');
  await mine(n);
  return n;
}

async function mine(n: Neutral): Promise<void> {
  await rm(path.join(n.root, 'a'), { recursive: true, force: true });
  await writeFiles(n.root, { a: 'mine\n' });
}

const MADE = { 'a/b': 'made\n', 'a/deep/c': 'made\n' };
const text = (n: Neutral, name: string): Promise<string> => readFile(path.join(n.root, name), 'utf8');

test('what the agent made below it is gone already, and the rest of the travel goes', async () => {
  const n = await after({ edited: 'old\n' }, async ({ root }) => {
    await writeFiles(root, { ...MADE, edited: 'new\n' });
  });
  const ctx = await n.context();
  const before = await manifest(n.root);
  const plan = await previewTravel(ctx, revertTo(0));
  expect([plan.files.map(({ path: name, verb }) => [name, verb]), plan.skipped, plan.refusal]).toEqual([[['edited', 'restore']], [], null]);
  const { files } = await runTravel(ctx, revertTo(0), { ...DEFAULTS, fingerprint: plan.fingerprint });
  expect(files).toEqual([{ path: 'edited', outcome: 'written', why: null }]);
  expect([await text(n, 'edited'), await text(n, 'a')]).toEqual(['old\n', 'mine\n']);
  await runTravel(ctx, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
});

test('where there is nothing else, the files are as they shall be, and the messages go', async () => {
  const n = await after({}, ({ root }) => writeFiles(root, MADE));
  const ctx = await n.context();
  expect((await previewTravel(ctx, revertTo(0, 'files'))).refusal?.code).toBe('FILES_ALREADY_THERE');
  const plan = await previewTravel(ctx, revertTo(0));
  expect([plan.files, plan.skipped, plan.refusal, plan.messages]).toEqual([[], [], null, 2]);
  await runTravel(ctx, revertTo(0), DEFAULTS);
  expect(await text(n, 'a')).toBe('mine\n');
});

test('what shall be there again is passed over, and alone it is a refusal', async () => {
  const n = await after({ 'a/b': 'theirs\n' }, ({ root }) => rm(path.join(root, 'a'), { recursive: true }));
  const { files, skipped, refusal } = await previewTravel(await n.context(), revertTo(0));
  expect([files, skipped]).toEqual([[], [{ path: 'a/b', why: 'a is not a folder.' }]]);
  expect([refusal?.code, refusal?.message]).toEqual(['NOTHING_CAN_GO_BACK', expect.stringContaining('a/b: a is not a folder.')]);
});

test('what a revert brought there is gone already when it is taken back', async () => {
  const n = await after({ 'a/b': 'theirs\n' }, ({ root }) => rm(path.join(root, 'a'), { recursive: true }));
  await rm(path.join(n.root, 'a'));
  const ctx = await n.context();
  await runTravel(ctx, revertTo(0), DEFAULTS);
  expect(await text(n, 'a/b')).toBe('theirs\n');
  await mine(n);
  const { files, skipped, refusal } = await previewTravel(ctx, UNREVERT);
  expect([files, skipped, refusal]).toEqual([[], [], null]);
  await runTravel(ctx, UNREVERT, DEFAULTS);
  expect(await text(n, 'a')).toBe('mine\n');
});

test.each(['finish', 'roll-back'] as const)('a travel that was interrupted there ends with nothing left over: %s', async (how) => {
  // The revert takes them away; the one that is rolled back had brought them.
  const back = how === 'roll-back';
  const n = await after(back ? MADE : {}, ({ root }) => (back ? rm(path.join(root, 'a'), { recursive: true }) : writeFiles(root, MADE)));
  await rm(path.join(n.root, 'a'));
  if (!back) await writeFiles(n.root, MADE);
  const ctx = await n.context();
  await expect(runTravel({ ...ctx, fs: faultyFileSystem(new Death(/^rename .*\/overlay\//)) }, revertTo(0), DEFAULTS)).rejects.toThrow(
    'EDEAD',
  );
  await mine(n);
  await rm(path.join(ctx.ownData, 'leases'), { recursive: true });
  const [open] = await interruptedTravels(ctx.ownData);
  const result = await recoverTravel({ ownData: ctx.ownData, git: ctx.git, openThread: async () => ctx.thread }, open?.entry ?? '', how);
  expect(result.files.map(({ path: name, why }) => [name, why])).toEqual([
    ['a/b', null],
    ['a/deep/c', null],
  ]);
  expect([await text(n, 'a'), await interruptedTravels(ctx.ownData)]).toEqual(['mine\n', []]);
});

/** The agent's steps on `k`, with a folder of the user's before the last one; nothing is left of it then. */
async function folderBetween(first: (k: string) => Promise<void>, last: string): Promise<Neutral> {
  const n = await neutral();
  const k = path.join(n.root, 'k');
  await writeFiles(n.root, { k: 'one\n', z: 'old\n' });
  await n.base();
  await n.user('go');
  await first(k);
  await n.step('sh');
  await rm(k);
  await writeFiles(n.root, { k: 'two\n', z: 'new\n' });
  await n.step('sh');
  await rm(k);
  await writeFiles(n.root, { 'k/x': 'mine\n' });
  await n.base();
  await rm(k, { recursive: true });
  await writeFiles(n.root, { k: last });
  await n.step('sh');
  return n;
}

const LEADS_OUT = 'The link leads out of the workspace.';
test.each([
  ['is as it shall be', async () => undefined, 'one\n', []],
  ['cannot go back itself', async (k: string) => rm(k).then(() => symlink('../outside', k)), 'three\n', [{ path: 'k', why: LEADS_OUT }]],
])('what shall be there again is passed over where the file that took its place %s', async (_, first, last, too) => {
  const n = await folderBetween(first, last);
  const ctx = await n.context();
  const plan = await previewTravel(ctx, revertTo(2));
  expect(plan.files.map(({ path: name, verb }) => [name, verb])).toEqual([['z', 'restore']]);
  expect(plan.skipped).toEqual([...too, { path: 'k/x', why: 'k is not a folder.' }]);
  const { files } = await runTravel(ctx, revertTo(2), { ...DEFAULTS, fingerprint: plan.fingerprint });
  expect(files.map(({ path: name, outcome }) => [name, outcome])).toEqual([
    ...plan.skipped.map((one) => [one.path, 'skipped']),
    ['z', 'written'],
  ]);
  expect([await text(n, 'k'), await text(n, 'z')]).toEqual([last, 'old\n']);
});
