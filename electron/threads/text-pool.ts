/** A log repeats its folders, trees and ids within a short while; older ones are let go of. */
const MOST = 1000;

/** Gives one text for equal ones that come soon after each other: every record of a log brings its own copy of the same folder. */
export class TextPool {
  readonly #texts = new Map<string, string>();

  /** The text itself, or the equal one that came before. */
  same<T extends string | null>(text: T): T {
    if (text === null) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known as T;
    if (this.#texts.size >= MOST) this.#texts.clear();
    this.#texts.set(text, text);
    return text;
  }
}
