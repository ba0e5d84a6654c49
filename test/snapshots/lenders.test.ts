import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { healthOf } from '../../electron/host/health.ts';
import { alternatesFile } from '../../electron/snapshots/alternates.ts';
import { lendersGone, namedFolders } from '../../electron/snapshots/lenders.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { RawObjects } from '../hostile/raw-objects.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from '../travel/neutral.ts';
import { DEFAULTS, revertTo } from '../travel/tanstack-travelling.ts';

const none = { entries: 0, undoable: 0, bytes: 0 };

/** A thread whose snapshot store borrows what `a` held first from another repository, as OpenCode's does from the user's own. */
async function borrowing(): Promise<{ n: Neutral; lender: string; first: string }> {
  const n = await neutral();
  const lender = path.join(n.folder, 'lender');
  await writeFiles(n.root, { a: 'a0\n', b: 'b0\n' });
  new RawObjects(lender).blob('a0\n');
  await writeFile(path.join(n.gitDir, 'objects', 'info', 'alternates'), `${lender}/objects\n`);
  await n.base();
  const first = n.tree;
  await n.user('both');
  for (const name of ['a', 'b']) {
    await writeFile(path.join(n.root, name), `${name}1\n`);
    await n.step(`edit ${name}`, [name]);
  }
  return { n, lender, first };
}

test('what a store borrows from a folder that is not there is out of reach, not expired, and comes back with that folder', async () => {
  const { n, lender, first } = await borrowing();
  await rename(lender, `${lender}.away`);
  const context = await n.context();
  await context.thread.fill();
  const [edit, other] = context.thread.thread().steps;
  const why = `its store borrows from ${lender}/objects, and that is not there. Mount its disk or put that folder back`;
  expect(edit?.captured).toMatchObject({ code: 'TREE_UNREACHABLE', message: expect.stringContaining(why) });
  expect(other?.captured).toBe(true);

  const health = await healthOf(context.thread, none);
  expect(health.trees).toEqual({ named: 3, missing: [], expired: 0, broken: [], unreachable: [first] });
  expect(health.problems.map(({ code }) => code)).toEqual(['TREE_UNREACHABLE']);

  const plan = await previewTravel(context, revertTo(0));
  expect(plan.files.map((file) => file.path)).toEqual(['b']);
  expect(plan.skipped).toEqual([{ path: 'a', why: expect.stringContaining(why) }]);
  const result = await runTravel(context, revertTo(0), DEFAULTS);
  expect(result.files.map((file) => `${file.path} ${file.outcome}`)).toContain('b written');
  expect((await manifest(n.root)).map((line) => line.split(' ')[0])).toEqual(['a', 'b']);

  await rename(`${lender}.away`, lender);
  const again = await n.context();
  await again.thread.fill();
  expect(again.thread.thread().steps.map(({ captured }) => captured)).toEqual([true, true]);
  expect((await healthOf(again.thread, none)).problems).toEqual([]);
});

test('a content whose lender goes while the thread is open is told before anything is written', async () => {
  const { n, lender } = await borrowing();
  const context = await n.context();
  expect((await previewTravel(context, revertTo(0))).files.map((file) => file.path)).toEqual(['a', 'b']);
  const fresh = await n.context();
  await fresh.thread.fill();
  await rename(lender, `${lender}.away`);
  const plan = await previewTravel(fresh, revertTo(0));
  expect(plan.files.map((file) => file.path)).toEqual(['b']);
  expect(plan.skipped).toEqual([
    {
      path: 'a',
      why: `Its content is out of reach: the store borrows from ${lender}/objects, and that is not there. Mount its disk or put that folder back, then try again.`,
    },
  ]);
});

test('a snapshot that is gone while every lender is there has expired', async () => {
  const { n, lender } = await borrowing();
  await rm(path.join(lender, 'objects'), { recursive: true });
  await mkdir(path.join(lender, 'objects'));
  const context = await n.context();
  await context.thread.fill();
  expect(context.thread.thread().steps.map(({ captured }) => (captured === true ? captured : captured?.code))).toEqual([
    'TREE_MISSING',
    true,
  ]);
  expect((await healthOf(context.thread, none)).trees).toMatchObject({ broken: [expect.any(String)], unreachable: [] });
});

test('lenders of lenders, relative and quoted ones are followed as git does; circles and what is no list end', async () => {
  const folder = await tempFolder();
  const at = (...parts: string[]): string => path.join(folder, ...parts);
  const lend = async (from: string, text: string): Promise<void> => {
    await mkdir(at(from, 'info'), { recursive: true });
    await writeFile(at(from, 'info', 'alternates'), text);
  };
  await lend('one', `# a remark\n\n../two\n${alternatesFile([at('gone\ttab'), at('"gone')])}`);
  await lend('two', `${at('one')}\n../three\n`);
  await lend('three', at('gone-too'));
  expect(await lendersGone([at('one')])).toEqual([at('gone\ttab'), at('"gone'), at('gone-too')]);
  expect(await lendersGone([at('none'), at('two')])).toEqual([at('gone\ttab'), at('"gone'), at('gone-too')]);
  // The same repository at its new place.
  await mkdir(at('new'));
  expect(await lendersGone([at('one'), at('new')])).toEqual([]);
  await lend('many', `${at('away').repeat(20_000)}\n`);
  expect(await lendersGone([at('many')])).toEqual([]);
  expect([namedFolders(['/a']), namedFolders(['/a', '/b', '/c'])]).toEqual(['/a', '/a and 2 more']);
});
