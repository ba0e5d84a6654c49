/** Up to here a line is put together from copies of its parts; a longer one grows in one buffer, so that it lies in memory only once. */
const SHORT = 4 << 20;

/** Puts a line together whose parts come one after the other and are only valid during the call. */
export class LineParts {
  readonly #most: number;
  #parts: Buffer[] = [];
  #long: Buffer | null = null;
  /** Bytes of the line so far, also those that are not kept. */
  length = 0;

  /** A line of more than `most` bytes is not kept, only counted. */
  constructor(most: number) {
    this.#most = most;
  }

  get tooLong(): boolean {
    return this.length > this.#most;
  }

  add(part: Buffer): void {
    const at = this.length;
    this.length += part.length;
    if (this.tooLong) this.#forget();
    else if (this.length <= SHORT) this.#parts.push(Buffer.from(part));
    else part.copy(this.#room(), at);
  }

  /** The whole line, and the next one begins. Null when it is too long. */
  take(): Buffer | null {
    const { length, tooLong } = this;
    const line = this.#long?.subarray(0, length) ?? Buffer.concat(this.#parts, tooLong ? 0 : length);
    this.#forget();
    this.length = 0;
    return tooLong ? null : line;
  }

  /** The buffer of a long line. It has room for the longest: memory that is not written to is only promised, not taken. */
  #room(): Buffer {
    if (this.#long !== null) return this.#long;
    this.#long = Buffer.allocUnsafeSlow(this.#most);
    let at = 0;
    for (const part of this.#parts) at += part.copy(this.#long, at);
    this.#parts = [];
    return this.#long;
  }

  #forget(): void {
    this.#parts = [];
    this.#long = null;
  }
}
