import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Desk, previewView } from '../../electron/host/desk.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import type { ThreadView } from '../../shared/contract.ts';
import type { BenchRow } from './bench-row.ts';
import { writeLog } from './long-log.ts';

const RUNS = 7;

export async function openReader(file: string, folder: string): Promise<ThreadReader> {
  const places = { home: folder, env: {} };
  const head = {
    id: 'tanstack:big',
    source: 'tanstack' as const,
    title: null,
    root: null,
    log: file,
    threadId: 'big',
    parent: null,
    updatedAt: null,
    size: null,
  };
  const reader = await tanstack.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  await reader.read();
  return reader;
}

/** How long from naming the thread until its last fifty rows are there with their texts, as a window asks for them; it is read to its end then. */
async function firstRows(folder: string): Promise<number> {
  const begin = performance.now();
  const desk = new Desk({ places: { home: folder, env: {} }, ownData: path.join(folder, 'own'), git: createGit(), emit: () => undefined });
  const shown = Promise.withResolvers<number>();
  try {
    const opened = desk.open(
      'tanstack:big',
      {},
      {
        onPreview: async (preview) => {
          const { messages } = JSON.parse(JSON.stringify(previewView(preview))) as ThreadView;
          const rows = messages.slice(-50);
          await Promise.all(rows.map((row) => desk.body('tanstack:big', row.id)));
          shown.resolve(rows.length === 50 ? performance.now() - begin : Number.NaN);
        },
      },
    );
    const took = await shown.promise;
    await opened;
    return took;
  } finally {
    await desk.dispose();
  }
}

/** The most memory that a process of its own held more while it made the index than before, in multiples of the log's size. */
function peakMemory(file: string, folder: string): number {
  const script = `import { openReader } from ${JSON.stringify(import.meta.filename)};
    import { statSync } from 'node:fs';
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const reader = await openReader(${JSON.stringify(file)}, ${JSON.stringify(folder)});
    if (reader.thread().messages.length === 0) throw new Error('nothing was read');
    console.log((process.resourceUsage().maxRSS * 1024 - before) / statSync(${JSON.stringify(file)}).size);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString());
}

async function wholeIndex(file: string, folder: string): Promise<number> {
  const thread = (await openReader(file, folder)).thread();
  return thread.turns.length + thread.steps.reduce((sum, step) => sum + step.sideEffects, 0);
}

async function countNewlines(file: string): Promise<number> {
  const bytes = await readFile(file);
  let lines = 0;
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}

async function parseEachLine(file: string): Promise<number> {
  let records = 0;
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    records += (JSON.parse(line) as unknown[]).length;
  }
  return records;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function timed(work: () => Promise<number>): Promise<number> {
  const start = performance.now();
  if ((await work()) === 0) throw new Error('the benchmark did nothing');
  return performance.now() - start;
}

/** B2 and B3 of the figures to reach: a log of 100 MB to its first rows, and its whole index. Interleaved, medians of seven. */
export default async function openLog(report: (row: BenchRow) => void): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-')));
  try {
    const file = path.join(folder, '.tanstack-harness-bench', 'sessions', 'big.jsonl');
    await mkdir(path.dirname(file), { recursive: true });
    await writeLog(file);
    const times = { rows: [] as number[], count: [] as number[], index: [] as number[], parse: [] as number[] };
    for (let run = 0; run < RUNS; run += 1) {
      times.count.push(await timed(() => countNewlines(file)));
      times.rows.push(await firstRows(folder));
      times.parse.push(await timed(() => parseEachLine(file)));
      times.index.push(await timed(() => wholeIndex(file, folder)));
    }
    report({ name: 'B2 open a 100 MB log to its first 50 rows', ours: median(times.rows), floor: median(times.count), target: 1.3 });
    report({ name: 'B3 index of a 100 MB log', ours: median(times.index), floor: median(times.parse), target: 0.6 });
    report({ name: 'B3 its peak memory, in sizes of the log', ours: peakMemory(file, folder), floor: 1, target: 0.5 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
