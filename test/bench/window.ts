import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { browserHost } from '../e2e/browser-host.ts';
import { manifest } from '../scenarios/temp.ts';
import type { BenchRow } from './bench-row.ts';
import { longThread, remember } from './long-thread.ts';
import { type Measured, PageGauge } from './page-gauge.ts';
import { PlanCalls } from './plan-calls.ts';

const MESSAGES = 12_000;
const FEW = 100;
const ROWS = 100_000;
const PLAIN = 1_000;
const RUNS = 7;
const MOVES = 40;
/** The longest time, in milliseconds, that the window may not answer. */
const LONGEST = 200;
const FRAME = 16.7;

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const cursor = (page: Page): Locator => page.getByRole('slider', { name: 'Time cursor' });
const twoFrames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Two frames without a task of 50 ms between them, twenty times: nothing is being done any more. */
async function quiet(page: Page): Promise<void> {
  for (let calm = 0; calm < 20; ) {
    await page.evaluate(() => Object.assign(window.gauge ?? {}, { task: 0 }));
    await page.waitForTimeout(25);
    calm = (await page.evaluate(() => window.gauge?.task ?? 0)) === 0 ? calm + 1 : 0;
  }
}

async function openThread(page: Page, name: string): Promise<void> {
  await page.getByText(`Turn 0 of ${name}:`).first().click();
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await page.getByText('snapshots ok').waitFor({ timeout: 120_000 });
}

/** One press of a key a frame, as a held key gives them. */
async function press(page: Page, key: string, times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    await page.keyboard.press(key);
    await twoFrames(page);
  }
}

async function scroll(page: Page, area: Locator, by: number, times: number): Promise<void> {
  await area.hover();
  for (let at = 0; at < times; at++) {
    await page.mouse.wheel(0, by);
    await twoFrames(page);
  }
}

/** Drags the cursor over the whole timeline and back, and springs back. */
async function scrub(page: Page): Promise<void> {
  const lanes = await page.locator('.timeline-lanes').boundingBox();
  const box = await cursor(page).boundingBox();
  if (lanes === null || box === null) throw new Error('There is no timeline.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(lanes.x + 30, y, { steps: 60 });
  await page.mouse.move(lanes.x + lanes.width - 30, y, { steps: 60 });
  await page.keyboard.press('Escape');
  await page.mouse.up();
}

/** Goes to the last turn in the tree of steps, closed. */
async function lastTurn(page: Page): Promise<void> {
  for (const key of ['2', 'End', 'ArrowLeft', 'ArrowLeft', 'End']) await page.keyboard.press(key);
  await page.locator('article[aria-label="bundle.js"]').waitFor();
  await quiet(page);
}

/** Milliseconds from the key that chooses a turn to the first text of its first diff. */
async function firstDiff(page: Page, key: string, folder: string): Promise<number> {
  const begin = performance.now();
  await page.keyboard.press(key);
  await page.locator(`article[aria-label^="${folder}/"] .view-line`).first().waitFor();
  return performance.now() - begin;
}

interface Opened {
  page: Page;
  gauge: PageGauge;
  plans: PlanCalls;
}

async function windows(folder: string, work: (open: (name: string) => Promise<Opened>) => Promise<void>): Promise<void> {
  const host = await browserHost(folder);
  try {
    await work(async (name) => {
      const page = await host.page.context().browser()?.newPage();
      if (page === undefined) throw new Error('The browser is gone.');
      await page.setViewportSize({ width: 1280, height: 800 });
      page.setDefaultTimeout(120_000);
      const plans = new PlanCalls(page);
      await page.goto(host.url);
      const gauge = await PageGauge.on(page);
      await page.getByText(`Turn 0 of ${name}:`).first().waitFor();
      return { page, gauge, plans };
    });
  } finally {
    await host.close();
  }
}

type Report = (row: BenchRow) => void;

/** No act may hold the window up. The pause of the clock counts what else runs on the machine too, so it is only told. */
async function pauses(report: Report, gauge: PageGauge, act: string, run: () => Promise<unknown>): Promise<void> {
  const { gap, task } = await gauge.measure(run, { traced: true });
  report({ name: `longest task: ${act} (pause of the clock ${gap.toFixed(0)} ms)`, ours: task, floor: LONGEST, target: 1 });
}

async function acts(report: Report, { page, gauge }: Opened): Promise<void> {
  await pauses(report, gauge, `open ${MESSAGES} messages`, async () => {
    await openThread(page, 'long');
    await quiet(page);
  });
  await pauses(report, gauge, 'scrub end to end', async () => {
    await scrub(page);
    await quiet(page);
  });
  await pauses(report, gauge, 'scroll the transcript', () => scroll(page, page.locator('.transcript'), -2400, 60));
  await lastTurn(page);
  await firstDiff(page, 'ArrowUp', 'set2500');
  await quiet(page);
  await pauses(report, gauge, 'diff of a file of one line, 5.6 MB', () => lastTurn(page));
  await page.keyboard.press('ArrowUp');
  await page.locator('article[aria-label^="set2500/"] .view-line').first().waitFor();
  await quiet(page);
  await pauses(report, gauge, 'scroll 2,500 diffs', async () => {
    await scroll(page, page.locator('.multi-diff'), 4000, 60);
    await quiet(page);
  });
  const live = await page.locator('.multi-diff .monaco-editor:not(.monaco-editor .monaco-editor)').count();
  report({ name: 'live editors over 2,500 diffs', ours: live, floor: 12, target: 1 });
  report({ name: 'nodes of the page with 2,500 diffs', ours: await page.locator('*').count(), floor: 5000, target: 1 });
}

/** B10: the same view with 2,500 files and with 25. */
async function manyFiles(report: Report, { page }: Opened): Promise<void> {
  await lastTurn(page);
  await firstDiff(page, 'ArrowUp', 'set2500');
  const [many, few] = [[] as number[], [] as number[]];
  for (let run = 0; run < RUNS; run++) {
    few.push(await firstDiff(page, 'ArrowUp', 'set25'));
    await quiet(page);
    many.push(await firstDiff(page, 'ArrowDown', 'set2500'));
    await quiet(page);
  }
  report({ name: 'B10 first of 2,500 diffs, against 25', ours: median(many), floor: median(few), target: 1.3 });
}

/** B9: script time of a move of the cursor, and what it must not do. */
async function moves(report: Report, long: Opened, short: Opened): Promise<void> {
  const [many, few] = [[] as Measured[], [] as Measured[]];
  await openThread(short.page, 'short');
  for (let run = 0; run < RUNS; run++) {
    for (const { opened, kept } of [
      { opened: long, kept: many },
      { opened: short, kept: few },
    ]) {
      const { page, gauge } = opened;
      await page.bringToFront();
      await page.keyboard.press('c');
      await quiet(page);
      kept.push(await gauge.measure(() => press(page, 'ArrowLeft', MOVES)));
      await page.keyboard.press('Escape');
      await quiet(page);
    }
  }
  const script = (kept: Measured[]): number => median(kept.map((one) => one.script / MOVES));
  report({ name: `B9 script of a cursor move, ${MESSAGES} messages against ${FEW}`, ours: script(many), floor: script(few), target: 1.2 });
  report({ name: 'B9 frame that 95 of 100 moves keep', ours: median(many.map((one) => one.p95)), floor: FRAME, target: 1.02 });
  report({ name: 'B9 plans asked for at once', ours: long.plans.most, floor: 1, target: 1 });
}

async function manyRows(report: Report, huge: Opened, plain: Opened): Promise<void> {
  const kept = { huge: [] as number[], plain: [] as number[] };
  await openThread(huge.page, 'huge');
  await openThread(plain.page, 'plain');
  for (let run = 0; run < RUNS; run++) {
    for (const [name, { page, gauge }] of [
      ['huge', huge],
      ['plain', plain],
    ] as const) {
      await page.bringToFront();
      await quiet(page);
      // The shorter one has room for twenty of these only: up and down again.
      const { p95 } = await gauge.measure(async () => {
        for (const by of [-3000, 3000, -3000]) await scroll(page, page.locator('.transcript'), by, 20);
      });
      kept[name].push(p95);
    }
  }
  report({ name: `rows of the page with ${ROWS} messages`, ours: await huge.page.locator('.row-place').count(), floor: 200, target: 1 });
  const [ours, floor] = [median(kept.huge), median(kept.plain)];
  report({ name: `frame that 95 of 100 keep, scrolling ${ROWS} messages against ${PLAIN}`, ours, floor, target: 1.2 });
}

/** B9, B10 and the longest pauses of the window, in the built app through the browser host. */
export default async function windowBench(report: Report): Promise<void> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-')));
  try {
    const last = { files: [25, 2500], oneLine: 5_600_000 };
    const threads = [
      await longThread(path.join(folder, 'long'), 'long', MESSAGES, last),
      await longThread(path.join(folder, 'short'), 'short', FEW, { files: [25], oneLine: 0 }),
      await longThread(path.join(folder, 'huge'), 'huge', ROWS, { files: [], oneLine: 0 }),
      await longThread(path.join(folder, 'plain'), 'plain', PLAIN, { files: [], oneLine: 0 }),
    ];
    for (const thread of threads) await remember(folder, thread);
    const before = await manifest(path.join(folder, 'long'), { mtimes: true });
    await windows(folder, async (open) => {
      const long = await open('long');
      await acts(report, long);
      await manyFiles(report, long);
      await moves(report, long, await open('short'));
      await manyRows(report, await open('huge'), await open('plain'));
    });
    const after = await manifest(path.join(folder, 'long'), { mtimes: true });
    if (after.join('\n') !== before.join('\n')) throw new Error('looking at a thread changed it');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
