import type { CDPSession, Page } from 'playwright-core';

/** What the page itself keeps while it is measured. */
interface Kept {
  /** Longest time between two frames, and longest task, since the last reset; milliseconds. */
  gap: number;
  task: number;
  frames: number[];
}

declare global {
  interface Window {
    gauge?: Kept;
  }
}

/** Runs in the page before anything else of it. */
function keep(): void {
  const kept: Kept = { gap: 0, task: 0, frames: [] };
  window.gauge = kept;
  let last = performance.now();
  const frame = (now: number): void => {
    kept.gap = Math.max(kept.gap, now - last);
    kept.frames.push(now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) kept.task = Math.max(kept.task, entry.duration);
  }).observe({ type: 'longtask' });
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the thread's processor time. */
  tdur?: number;
  args?: { name?: string };
}

export interface Measured {
  /** The longest time that the main thread gave no frame, on this machine with all else that runs on it. */
  gap: number;
  /** The longest task of the main thread in time of the processor: what the pause would be on a quiet machine. */
  task: number;
  /** The frame time that 95 of 100 frames keep. */
  p95: number;
  /** Time of scripts, and of all that the main thread did. */
  script: number;
  all: number;
}

/** Measures what the main thread of a page does during an act. */
export class PageGauge {
  readonly #page: Page;
  readonly #cdp: CDPSession;

  private constructor(page: Page, cdp: CDPSession) {
    this.#page = page;
    this.#cdp = cdp;
  }

  /** Loads the page again, with the gauge in it. */
  static async on(page: Page): Promise<PageGauge> {
    await page.addInitScript(keep);
    await page.reload();
    const cdp = await page.context().newCDPSession(page);
    // In time of the thread: what else runs on the machine is not counted.
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
    return new PageGauge(page, cdp);
  }

  async #used(): Promise<{ script: number; all: number }> {
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    const of = (name: string): number => (metrics.find((metric) => metric.name === name)?.value ?? 0) * 1000;
    return { script: of('ScriptDuration'), all: of('TaskDuration') };
  }

  /** The longest task that the tracer saw. */
  async #longest(act: () => Promise<unknown>): Promise<number> {
    const browser = this.#page.context().browser();
    if (browser === null) throw new Error('There is no browser to trace.');
    await browser.startTracing(this.#page, { categories: ['toplevel', 'devtools.timeline'] });
    await act();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const mains = new Set(traceEvents.flatMap((event) => (event.args?.name === 'CrRendererMain' ? [`${event.pid} ${event.tid}`] : [])));
    const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && mains.has(`${pid} ${tid}`));
    if (tasks.every((task) => task.tdur === undefined)) throw new Error('The tracer told no times.');
    return tasks.reduce((most, task) => Math.max(most, (task.tdur ?? 0) / 1000), 0);
  }

  /** `traced` also finds the longest task; it makes all of it a little slower. */
  async measure(act: () => Promise<unknown>, { traced = false } = {}): Promise<Measured> {
    await this.#page.evaluate(() => Object.assign(window.gauge ?? {}, { gap: 0, task: 0, frames: [] }));
    const before = await this.#used();
    let task = 0;
    if (traced) task = await this.#longest(act);
    else await act();
    const after = await this.#used();
    const { gap, frames } = await this.#page.evaluate(() => window.gauge ?? { gap: 0, task: 0, frames: [] });
    const sorted = frames.toSorted((a, b) => a - b);
    const p95 = sorted[Math.floor(sorted.length * 0.95)] ?? 0;
    return { gap, task, p95, script: after.script - before.script, all: after.all - before.all };
  }
}
