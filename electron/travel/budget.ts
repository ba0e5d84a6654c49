/** Shares a limited amount, of bytes or of processes say, among works that go on at the same time, first come first served. */
export class Budget {
  readonly #most: number;
  #used = 0;
  readonly #waiting: { need: number; start: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Does the work once there is room for it. What needs more than all there is gets all of it, alone. */
  async spend<T>(need: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(need, this.#most);
    if (this.#waiting.length > 0 || this.#used + share > this.#most) {
      await new Promise<void>((start) => void this.#waiting.push({ need: share, start }));
    } else this.#used += share;
    try {
      return await work();
    } finally {
      this.#used -= share;
      this.#next();
    }
  }

  #next(): void {
    for (let first = this.#waiting[0]; first !== undefined && this.#used + first.need <= this.#most; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#used += first.need;
      first.start();
    }
  }
}
