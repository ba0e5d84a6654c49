import { link, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

/** A thread that wrote these files, and their names outside the workspace, as many as asked for. */
async function linked(names: Record<string, number>) {
  const n = await neutral();
  const all = (text: string) => writeFiles(n.root, Object.fromEntries(Object.keys(names).map((name) => [name, text])));
  await all('0\n');
  await n.base();
  await n.user('write');
  await all('1\n');
  await n.step('write', Object.keys(names));
  const context = await n.context();
  const plain = await previewTravel(context, revertTo(0));
  for (const [name, count] of Object.entries(names)) {
    for (let at = 0; at < count; at++) await link(path.join(n.root, name), outside(n, name, at));
  }
  return { n, context, plain, plan: await previewTravel(context, revertTo(0)) };
}

const outside = (n: Neutral, name: string, at = 0): string => path.join(n.outside, `${name}-${at}`);

test('a file with another name is named, is no drift, and the other name keeps what was in it', async () => {
  const { n, context, plain, plan } = await linked({ x: 1, y: 0 });
  const words = 'x has another name on this disk (a hard link), which keeps what is in it now.';
  expect(plain.notes).not.toContain(words);
  expect(plan).toEqual({ ...plain, notes: [...plain.notes, words] });
  expect(plan.files.map(({ path: name, drift, choice }) => [name, drift, choice])).toEqual([
    ['x', false, 'write'],
    ['y', false, 'write'],
  ]);
  await runTravel(context, revertTo(0), { ...DEFAULTS, fingerprint: plain.fingerprint });
  expect(await readFile(path.join(n.root, 'x'), 'utf8')).toBe('0\n');
  expect(await readFile(outside(n, 'x'), 'utf8')).toBe('1\n');
});

test('several names, several files and more than three of them', async () => {
  const last = async (names: Record<string, number>) => (await linked(names)).plan.notes.at(-1);
  const tail = 'other names on this disk (hard links), which keep what is in them now.';
  expect(await last({ x: 2 })).toBe(`x has ${tail}`);
  expect(await last({ x: 1, y: 1 })).toBe(`x and y have ${tail}`);
  expect(await last({ z: 1, y: 1, x: 1 })).toBe(`x, y and z have ${tail}`);
  expect(await last({ v: 1, w: 1, x: 1, y: 1, z: 1 })).toBe(`v, w, x and 2 more have ${tail}`);
});

test('names that are all in the plan get what the plan says, so nothing is noted; a name beside them is', async () => {
  const n = await neutral();
  await writeFiles(n.root, { x: '0\n' });
  await link(path.join(n.root, 'x'), path.join(n.root, 'y'));
  await n.base();
  await n.user('write');
  await writeFiles(n.root, { x: '1\n', y: '1\n' });
  await n.step('write');
  const context = await n.context();
  const plain = await previewTravel(context, revertTo(0));
  expect(plain.files.map((file) => file.path)).toEqual(['x', 'y']);
  expect(plain.notes.join()).not.toContain('hard link');
  await link(path.join(n.root, 'x'), outside(n, 'x'));
  expect((await previewTravel(context, revertTo(0))).notes.at(-1)).toBe(
    'x and y have other names on this disk (hard links), which keep what is in them now.',
  );
});

test('a file that is as it should be already is not named', async () => {
  const { n, context, plain } = await linked({ x: 1 });
  await writeFiles(n.root, { x: '0\n' });
  const plan = await previewTravel(context, revertTo(0));
  expect([plan.files, plan.notes]).toEqual([[], plain.notes]);
});
