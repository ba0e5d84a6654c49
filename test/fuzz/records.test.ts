import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { record } from '../figures.ts';
import { seedOf, size } from '../sizes.ts';
import { fuzz } from './fuzz.ts';
import { type Target, targetsIn } from './targets.ts';

const INPUTS = size(36_000, 1_050_000);
const NAMES = [
  'tanstack records',
  'dsh v3-plain',
  'dsh v0-plain',
  'opencode rows and parts',
  'claude code records',
  'our own files',
  'metadata, leases, trees',
];

const seed = seedOf();
let folder = '';
let targets: Target[] = [];
let inputs = 0;
let refused = 0;
let slowest = 0;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-fuzz-')));
  targets = await targetsIn(folder);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  record('hostile input', 'fuzz of records: inputs without crash, hang or reached prototype', inputs);
  record('hostile input', 'fuzz of records: of these refused with a reason', refused);
  record('hostile input', 'fuzz of records: slowest input, ms of processor time', Math.round(slowest));
});

test('every reader of records is fuzzed', () => {
  expect(targets.map((target) => target.name)).toEqual(NAMES);
  expect(targets.reduce((sum, target) => sum + target.share, 0)).toBeCloseTo(1);
});

test.each(NAMES)(`%s are read or refused, whatever they hold (seed ${seed})`, { timeout: 7_200_000 }, async (name) => {
  const target = targets.find((one) => one.name === name);
  if (target === undefined) throw new Error(name);
  const result = await fuzz({ name, seed, count: Math.round(INPUTS * target.share), one: target.one });
  inputs += result.inputs;
  refused += result.refused;
  slowest = Math.max(slowest, result.slowest);
});
