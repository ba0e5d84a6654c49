import { mkdir, mkdtemp, open, readFile, realpath, rename, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createGit } from '../../electron/snapshots/git.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import type { BenchRow } from './bench-row.ts';

const FILES = 500;
const RUNS = 7;
const FOLDERS = 25;

const nameOf = (at: number): string => `src/part-${at % FOLDERS}/file-${at}.ts`;
const textOf = (at: number, version: string): string =>
  Array.from({ length: 60 }, (_, line) => `export const value${at}x${line} = '${version} ${(at * 7919 + line * 31) % 99991}';\n`).join('');

const median = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[times.length >> 1] ?? 0;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** What every safe writer has to do at least: each file written aside, made durable, renamed over the old one. */
async function floor(folder: string, contents: ReadonlyMap<string, Buffer>): Promise<void> {
  for (const [name, bytes] of contents) {
    const target = path.join(folder, name);
    const handle = await open(`${target}.tmp`, 'w');
    await handle.writeFile(bytes);
    await handle.sync();
    await handle.close();
    await rename(`${target}.tmp`, target);
  }
}

/** B8: a crash-safe revert of 500 files against write, fsync and rename of the same bytes. Milliseconds, median of seven, interleaved. */
export default async function (report: (row: BenchRow) => void): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-')));
  const t = await tanstackScenario(folder, { events: false });
  const before = new Map<string, Buffer>();
  for (let at = 0; at < FILES; at++) {
    await mkdir(path.join(t.root, path.dirname(nameOf(at))), { recursive: true });
    before.set(nameOf(at), Buffer.from(textOf(at, 'old')));
    await writeFile(path.join(t.root, nameOf(at)), textOf(at, 'old'));
  }
  await t.turn('begin', []);
  const write = async (root: string): Promise<void> => {
    for (let at = 0; at < FILES; at++) await writeFile(path.join(root, nameOf(at)), textOf(at, 'new'));
  };
  await t.turn('change them all', [{ tool: 'bash', edit: write }]);

  const plain = path.join(folder, 'plain');
  for (const [name, bytes] of before) {
    await mkdir(path.join(plain, path.dirname(name)), { recursive: true });
    await writeFile(path.join(plain, name), bytes);
  }
  const git = createGit();
  const places = { home: path.join(folder, 'home'), env: {} };
  const ownData = path.join(folder, 'own-data');
  const [head] = await tanstack.locate(t.log, places);
  if (!head) throw new Error('no thread');
  const reader = await tanstack.open(head, { root: t.root, data: t.dataDir, places, ownData });
  await reader.read();
  const thread = await OpenThread.open({ reader, git, ownData, id: head.id });
  await thread.fill();
  const context = { thread, ownData, git, now: Date.now };
  const travel = (request: TravelRequest) => runTravel(context, request, { drift: 'merge', choices: {}, fingerprint: null });
  // A log that was written a moment ago is watched for almost a second, to tell whether the agent is at work: that is no cost of ours.
  const rest = () => utimes(t.log, new Date(Date.now() - 60_000), new Date(Date.now() - 60_000));
  const ours: number[] = [];
  const floors: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    floors.push(await timed(() => floor(plain, before)));
    await rest();
    ours.push(await timed(() => travel({ kind: 'revert', stop: 2, entry: null, scope: 'both' })));
    const first = await readFile(path.join(t.root, nameOf(0)));
    if (!first.equals(before.get(nameOf(0)) ?? Buffer.alloc(0))) throw new Error('the revert did not put the files back');
    await rest();
    await travel({ kind: 'unrevert', stop: null, entry: null, scope: 'both' });
  }
  report({ name: 'B8 crash-safe revert of 500 files', ours: median(ours), floor: median(floors), target: 1.5 });
  await thread.close();
  await rm(folder, { recursive: true, force: true });
}
