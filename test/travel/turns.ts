import { AsyncLocalStorage } from 'node:async_hooks';
import { type FileSystem, nodeFileSystem, type OpenFile } from '../../electron/travel/file-system.ts';
import { passing } from './broken-files.ts';

interface Waiting {
  actor: string;
  sleeps: boolean;
  go: () => void;
}

/** Longer than any call takes, so that only who cannot come is passed over. */
const PATIENCE_MS = 100;

/** How an actor ended. */
export type End = { done: unknown } | { failed: unknown };

/** A generator of numbers in [0, 1) from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Lets several actors take turns: each waits at every call that others could see until it is drawn, and only one goes on at a
 * time. The same seed draws the same order, so that a meeting that went wrong can be repeated.
 */
export class Turns {
  readonly #random: () => number;
  readonly #each: () => void;
  readonly #actor = new AsyncLocalStorage<string>();
  readonly #alive = new Set<string>();
  #waiting: Waiting[] = [];
  #patience: NodeJS.Timeout | undefined;
  /** Who was drawn, in order. */
  readonly order: string[] = [];

  constructor(seed: number, each: () => void = () => undefined) {
    this.#random = randomFrom(seed);
    this.#each = each;
  }

  /** Waits for a turn; whoever is no actor passes. */
  async gate(sleeps = false): Promise<undefined> {
    const actor = this.#actor.getStore();
    if (actor === undefined || !this.#alive.has(actor)) return undefined;
    await new Promise<void>((go) => {
      this.#waiting.push({ actor, sleeps, go });
      this.#draw();
    });
    return undefined;
  }

  /** Runs the actors to their ends, one call at a time. */
  async run(actors: Readonly<Record<string, () => Promise<unknown>>>): Promise<Record<string, End>> {
    const ends: Record<string, End> = {};
    for (const name of Object.keys(actors)) this.#alive.add(name);
    await Promise.all(
      Object.entries(actors).map(([name, act]) =>
        this.#actor.run(name, async () => {
          try {
            await this.gate();
            ends[name] = { done: await act() };
          } catch (thrown) {
            ends[name] = { failed: thrown };
          }
          this.#alive.delete(name);
          this.#draw();
        }),
      ),
    );
    return ends;
  }

  /** Draws once all wait; `anyway` when one of them waits for what another one began, and so cannot come. */
  #draw(anyway = false): void {
    clearTimeout(this.#patience);
    const ready = new Set(this.#waiting.map((one) => one.actor));
    if (this.#waiting.length === 0) return;
    if (ready.size < this.#alive.size && !anyway) {
      this.#patience = setTimeout(() => this.#draw(true), PATIENCE_MS);
      return;
    }
    // Who only waits for time to pass is drawn less often than who has something to do.
    const busy = this.#waiting.filter((one) => !one.sleeps);
    const among = busy.length > 0 && this.#random() < 0.9 ? busy : this.#waiting;
    const drawn = among[Math.floor(this.#random() * among.length)];
    if (drawn === undefined) return;
    this.#waiting = this.#waiting.filter((one) => one !== drawn);
    this.order.push(drawn.actor);
    this.#each();
    drawn.go();
    if (this.#waiting.length > 0) this.#patience = setTimeout(() => this.#draw(true), PATIENCE_MS);
  }
}

/** The machine's files, each call of an actor at its turn. */
export function filesInTurn(turns: Turns): FileSystem {
  const real = nodeFileSystem;
  const wait = async <T>(work: () => Promise<T>): Promise<T> => {
    await turns.gate();
    return passing(work);
  };
  const opened = (handle: OpenFile): OpenFile => ({
    fd: handle.fd,
    write: (bytes) => wait(() => handle.write(bytes)),
    chmod: (mode) => wait(() => handle.chmod(mode)),
    sync: () => wait(() => handle.sync()),
    stat: () => passing(() => handle.stat()),
    close: () => passing(() => handle.close()),
  });
  return {
    open: (path, flags, mode) => wait(async () => opened(await real.open(path, flags, mode))),
    lstat: (path) => wait(() => real.lstat(path)),
    readFile: (path) => wait(() => real.readFile(path)),
    readdir: (path) => wait(() => real.readdir(path)),
    mkdir: (path, mode) => wait(() => real.mkdir(path, mode)),
    rmdir: (path) => wait(() => real.rmdir(path)),
    symlink: (target, path) => wait(() => real.symlink(target, path)),
    link: (from, to) => wait(() => real.link(from, to)),
    rename: (from, to) => wait(() => real.rename(from, to)),
    unlink: (path) => wait(() => real.unlink(path)),
    free: (path) => passing(() => real.free(path)),
  };
}
