import { once } from 'node:events';
import { watch } from 'node:fs';
import { appendFile, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Desk } from '../../electron/host/desk.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { patchedView } from '../../renderer/store/view-patch.ts';
import type { ThreadView } from '../../shared/contract.ts';
import type { BenchRow } from './bench-row.ts';
import { turnLines, writeLog } from './long-log.ts';

/** About ten thousand messages, and few of them. */
const SIZES = [
  ['10,000 messages', 100 << 20],
  ['100 messages', 1 << 20],
] as const;
const RUNS = 15;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** From an append to the rows that the window would draw, over the event, the call and the patch as JSON; and to the raw callback. */
async function followed(file: string, home: string): Promise<{ ours: number; floor: number; bytes: number }> {
  let changed: (() => void) | null = null;
  const desk = new Desk({
    places: { home, env: {} },
    ownData: path.join(home, 'own'),
    git: createGit(),
    emit: (name) => {
      if (name === 'thread.changed') changed?.();
    },
  });
  try {
    await desk.open('tanstack:big');
    let view: ThreadView = await desk.stamped(await desk.view('tanstack:big'));
    const times = { ours: [] as number[], floor: [] as number[], bytes: [] as number[] };
    for (let run = 0; run < RUNS; run += 1) {
      await sleep(300);
      const keep = view.messages.at(-1)?.stop ?? 0;
      const turn = turnLines(500_000 + run, keep);
      const lines = `${turn.lines.join('\n')}\n`;
      const raw = watch(path.dirname(file));
      const begin = performance.now();
      const seen = once(raw, 'change').then(() => performance.now() - begin);
      const told = new Promise<void>((done) => {
        changed = done;
      });
      await appendFile(file, lines);
      await told;
      const answer = JSON.stringify(await desk.changes('tanstack:big', view.version ?? 0, false));
      const changes = JSON.parse(answer) as Awaited<ReturnType<Desk['changes']>>;
      const next = changes.kind === 'patch' ? patchedView(view, changes.patch) : null;
      if (next?.messages.length !== turn.messages) throw new Error('the rows of the append are not there');
      times.ours.push(performance.now() - begin);
      times.floor.push(await seen);
      times.bytes.push(answer.length);
      raw.close();
      view = next;
    }
    return { ours: median(times.ours), floor: median(times.floor), bytes: median(times.bytes) };
  } finally {
    await desk.dispose();
  }
}

/** B4 of the figures to reach: how long after the raw callback of an append its rows are there. The limit is 50 ms behind it. */
export default async function followLog(report: (row: BenchRow) => void): Promise<void> {
  for (const [name, size] of SIZES) {
    const home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-')));
    try {
      const file = path.join(home, '.tanstack-harness-bench', 'sessions', 'big.jsonl');
      await mkdir(path.dirname(file), { recursive: true });
      await writeLog(file, size);
      const { ours, floor, bytes } = await followed(file, home);
      report({ name: `B4 append to rows, ${name} (limit: fs.watch + 50 ms)`, ours, floor: floor + 50, target: 1 });
      process.stderr.write(`B4 ${name}: ${ours.toFixed(1)} ms, fs.watch ${floor.toFixed(1)} ms, ${bytes} bytes cross the boundary\n`);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  }
}
