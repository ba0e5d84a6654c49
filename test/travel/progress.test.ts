import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo } from './tanstack-travelling.ts';

/** One step that changes many files, deletes one and makes one. */
async function manyFiles(count: number): Promise<Neutral> {
  const n = await neutral();
  const all = (text: string) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${String(at).padStart(3, '0')}`, text]));
  await writeFiles(n.root, all('old\n'));
  await n.base();
  await n.user('change all');
  await writeFiles(n.root, { ...all('new\n'), made: 'm\n' });
  await n.step('change all');
  return n;
}

test('progress counts up to all files, and at most a hundred of them are told one by one', async () => {
  const n = await manyFiles(150);
  const context = await n.context();
  const told: string[] = [];
  const steps: [string, number, number][] = [];
  const result = await runTravel(context, revertTo(0), {
    ...DEFAULTS,
    onFile: (name, change) => told.push(`${change} ${name}`),
    onProgress: (done, total, label) => steps.push([label, done, total]),
  });
  expect(result.files.length).toBe(151);
  expect(told.length).toBe(100);
  expect(new Set(told).size).toBe(100);
  expect(told.every((line) => /^(updated f\d{3}|deleted made)$/.test(line))).toBe(true);
  expect([...new Set(steps.map(([label]) => label))]).toEqual(['Keeping', 'Writing']);
  for (const label of ['Keeping', 'Writing']) {
    const own = steps.filter(([one]) => one === label);
    expect(own.map(([, done]) => done)).toEqual(Array.from({ length: 151 }, (_, at) => at + 1));
    expect(own.every(([, , total]) => total === 151)).toBe(true);
  }
});

test('a travel that is cancelled before its first write leaves nothing', async () => {
  const n = await manyFiles(20);
  const context = await n.context();
  const before = await manifest(n.folder, { mtimes: true, skip: ['own-data'] });
  const early = new AbortController();
  early.abort();
  await expect(runTravel(context, revertTo(0), { ...DEFAULTS, signal: early.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  await expect(previewTravel(context, revertTo(0), early.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
  // At the first file that is kept, and at the last.
  for (const moment of [1, 21]) {
    const late = new AbortController();
    const onProgress = (done: number, _total: number, label: string): void => {
      if (label === 'Keeping' && done === moment) late.abort();
    };
    const options = { ...DEFAULTS, signal: late.signal, onProgress };
    await expect(runTravel(context, revertTo(0), options)).rejects.toMatchObject({ code: 'CANCELLED' });
  }
  expect(await manifest(n.folder, { mtimes: true, skip: ['own-data'] })).toEqual(before);
  expect((await previewTravel(context, revertTo(0))).refusal).toBeNull();
});

test('once it writes it goes through to the end', async () => {
  const n = await manyFiles(20);
  const context = await n.context();
  const late = new AbortController();
  const onProgress = (_done: number, _total: number, label: string): void => {
    if (label === 'Writing') late.abort();
  };
  await runTravel(context, revertTo(0), { ...DEFAULTS, signal: late.signal, onProgress });
  expect(await readFile(path.join(n.root, 'f007'), 'utf8')).toBe('old\n');
  expect((await manifest(n.root)).length).toBe(20);
});
