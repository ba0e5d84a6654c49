/** Runs tasks one after another, in the order they came. A task that fails does not stop the next. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** Tasks that run or wait. */
  get size(): number {
    return this.#waiting;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const result = this.#last.then(task, task).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
