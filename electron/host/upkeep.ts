import { stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Retention } from '../../shared/contract.ts';
import { type Reason, reasonOf } from '../../shared/errors.ts';
import type { Cleaned, CleanPlan } from '../../shared/own-data.ts';
import type { Git } from '../snapshots/git.ts';
import { previewClean, runClean } from '../travel/clean.ts';

export interface UpkeepOptions {
  ownData: string;
  git: Git;
  retention(): Promise<Retention>;
  /** Told when a clean-up in the background failed. */
  report(why: Reason): void;
  /** Milliseconds that a clean-up in the background waits, so that what it follows is over, and that lie between two at least. */
  delay?: number;
  apart?: number;
}

/** Keeps our own data within the limits that the user set: on demand, and in the background at start and after travels. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #ended = new AbortController();
  #background: Promise<void> | null = null;
  #again = false;
  #always = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  async #parts() {
    const { ownData, git, retention } = this.#options;
    return { ownData, git, retention: await retention(), now: Date.now, signal: this.#ended.signal };
  }

  /** What our safety snapshots take, and what the limits let go: the set ones, or those that are only being thought about. */
  async preview(retention: Retention | null = null): Promise<CleanPlan> {
    const parts = await this.#parts();
    return previewClean({ ...parts, retention: retention ?? parts.retention });
  }

  /** Cleans up now. Throws CLEAN_FAILED. */
  async clean(): Promise<Cleaned> {
    const done = await runClean(await this.#parts(), true);
    await this.#mark();
    return done;
  }

  /**
   * Cleans up in the background, a moment from now: `always` after a travel, else where the last time is long enough ago. A failure is
   * told by `report`.
   */
  soon(always = false): Promise<void> {
    this.#again = true;
    this.#always ||= always;
    this.#background ??= this.#inBackground().finally(() => {
      this.#background = null;
    });
    return this.#background;
  }

  async #inBackground(): Promise<void> {
    const { delay = 2000, report } = this.#options;
    while (this.#again && !this.#ended.signal.aborted) {
      this.#again = false;
      try {
        if (delay > 0) await sleep(delay, undefined, { signal: this.#ended.signal, ref: false });
        const always = this.#always;
        this.#always = false;
        if (!always && !(await this.#due())) continue;
        await runClean(await this.#parts(), false);
        await this.#mark();
      } catch (thrown) {
        // Ending is no failure, and one that ends early is tried at the next start. That there is no git, the window says itself.
        const why = reasonOf(thrown);
        if (!this.#ended.signal.aborted && why.code !== 'NO_GIT' && why.code !== 'GIT_TOO_OLD') report(why);
        return;
      }
    }
  }

  get #marker(): string {
    return path.join(this.#options.ownData, 'safety', 'last-clean-up');
  }

  async #due(): Promise<boolean> {
    const { apart = 10 * 60_000 } = this.#options;
    const last = await stat(this.#marker).catch(() => null);
    const since = Date.now() - (last?.mtimeMs ?? 0);
    return since >= apart || since < 0;
  }

  /** When it was done last. Without any safety store there is no folder for it, and nothing to do. */
  async #mark(): Promise<void> {
    const now = new Date();
    await utimes(this.#marker, now, now).catch(() => writeFile(this.#marker, '', { mode: 0o600 }).catch(() => undefined));
  }

  /** Stops what runs in the background, and waits for it. */
  async dispose(): Promise<void> {
    this.#ended.abort();
    await this.#background;
  }
}
