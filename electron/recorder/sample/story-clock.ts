import type { Clock } from '../clock.ts';

/** A clock that stands where the story puts it, and gives the same ids each time. */
export class StoryClock implements Clock {
  #now: number;
  readonly #counts = new Map<string, number>();

  constructor(start: number) {
    this.#now = start;
  }

  /** Two readings are never the same moment. */
  now(): number {
    this.#now += 3;
    return this.#now;
  }

  id(kind: string): string {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    return `${kind}-lumen-${String(count).padStart(2, '0')}`;
  }

  /** Lets time pass, in milliseconds. */
  pass(milliseconds: number): void {
    this.#now += Math.round(milliseconds);
  }

  /** Goes on to a time of the day, `hours:minutes`, in UTC. */
  until(time: string): void {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    const day = new Date(this.#now);
    const at = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), hours, minutes);
    if (at <= this.#now) throw new Error(`it is past ${time} in the story`);
    this.#now = at;
  }
}
