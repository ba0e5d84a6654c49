/** Lets one turn or one undo, redo, revert or unrevert in at a time, in the order they came. */
export class Gate {
  #inside = false;
  #waiting: (() => void)[] = [];

  /** Waits for its turn; the result lets the next one in and may be called again without effect. */
  async enter(): Promise<() => void> {
    if (this.#inside) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#inside = true;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#waiting.shift();
      // The place is handed on without a moment in which a newcomer could slip in.
      if (next === undefined) this.#inside = false;
      else next();
    };
  }
}
