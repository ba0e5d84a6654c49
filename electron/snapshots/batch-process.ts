import { TurnbackError } from '../../shared/errors.ts';
import { type GitProcess, gitFailed } from './git.ts';

/** What `cat-file` says about one object. `content` is empty for a process that only tells type and size. */
export interface BatchAnswer {
  type: string;
  size: number;
  content: Buffer;
}

interface Question {
  oid: string;
  maxBytes: number;
  tries: number;
  resolve(answer: BatchAnswer | null): void;
  reject(error: Error): void;
}

/** An unused process is ended after this time, so that no file of a foreign store stays open for long. */
const IDLE = process.platform === 'win32' ? 500 : 10_000;

/**
 * A `git cat-file --batch` (or `--batch-check`) that is kept and asked many things, in order. Starts on the first
 * question, starts again when it died, and asks what was open a second time before it gives up.
 */
export class BatchProcess {
  readonly #start: () => GitProcess;
  readonly #contents: boolean;
  #process: GitProcess | null = null;
  #open: Question[] = [];
  #unsent: Question[] = [];
  #idle: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(start: () => GitProcess, contents: boolean) {
    this.#start = start;
    this.#contents = contents;
  }

  /** The object, or null when the store does not have it. Throws TOO_LARGE above `maxBytes`. `oid` must be hex. */
  ask(oid: string, maxBytes: number): Promise<BatchAnswer | null> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new TurnbackError('CANCELLED');
      this.#send({ oid, maxBytes, tries: 0, resolve, reject });
    });
  }

  /** Ends the process; open questions are rejected as cancelled. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    const process = this.#process;
    const open = [...this.#open, ...this.#unsent];
    this.#open = [];
    this.#unsent = [];
    for (const question of open) question.reject(new TurnbackError('CANCELLED'));
    if (process === null) return;
    if (open.length > 0) process.kill();
    else process.end();
    await process.done;
  }

  /** Questions of one tick leave in one write. */
  #send(question: Question): void {
    clearTimeout(this.#idle);
    this.#unsent.push(question);
    if (this.#unsent.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#unsent;
    if (batch.length === 0) return;
    this.#unsent = [];
    try {
      if (this.#process === null) {
        this.#process = this.#start();
        void this.#follow(this.#process);
      }
      this.#open.push(...batch);
      this.#process.write(Buffer.from(batch.map(({ oid }) => `${oid}\n`).join('')));
    } catch (error) {
      for (const question of batch) question.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #follow(process: GitProcess): Promise<void> {
    let failure: Error | null = null;
    let exit = -1;
    try {
      await this.#read(process);
      exit = await process.done;
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      process.kill();
    }
    if (this.#process === process) this.#process = null;
    const open = this.#open;
    this.#open = [];
    for (const [position, question] of open.entries()) {
      // Only the question that was being answered can be at fault; the others just wait again.
      if (position === 0) question.tries += 1;
      if (this.#closed) question.reject(new TurnbackError('CANCELLED'));
      else if (question.tries > 1 || failure instanceof TurnbackError)
        question.reject(failure ?? gitFailed('cat-file', exit, process.stderr()));
      else this.#send(question);
    }
  }

  async #read(process: GitProcess): Promise<void> {
    let header = '';
    let body: { type: string; size: number; content: Buffer; filled: number } | null = null;
    for await (const chunk of process.stdout) {
      for (let at = 0; at < chunk.length; ) {
        if (body === null) {
          const end = chunk.indexOf(0x0a, at);
          header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
          at = end < 0 ? chunk.length : end + 1;
          if (end < 0) continue;
          const [, type, size] = header.split(' ');
          header = '';
          if (size === undefined) {
            this.#answer(null);
          } else if (!this.#contents) {
            this.#answer({ type: type ?? '', size: Number(size), content: Buffer.alloc(0) });
          } else {
            if (Number(size) > (this.#open[0]?.maxBytes ?? 0)) {
              this.#refuse(Number(size));
              process.kill();
              return;
            }
            body = { type: type ?? '', size: Number(size), content: Buffer.allocUnsafe(Number(size)), filled: 0 };
          }
          continue;
        }
        const take = Math.min(body.size - body.filled, chunk.length - at);
        chunk.copy(body.content, body.filled, at, at + take);
        body.filled += take;
        at += take;
        // A line feed follows the content.
        if (body.filled === body.size && at < chunk.length) {
          at += 1;
          this.#answer({ type: body.type, size: body.size, content: body.content });
          body = null;
        }
      }
    }
  }

  #answer(answer: BatchAnswer | null): void {
    this.#open.shift()?.resolve(answer);
    if (this.#open.length > 0 || this.#unsent.length > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      if (this.#open.length > 0) return;
      this.#process?.end();
      this.#process = null;
    }, IDLE);
  }

  #refuse(size: number): void {
    const question = this.#open.shift();
    question?.reject(new TurnbackError('TOO_LARGE', { path: question.oid, bytes: size }));
  }
}
