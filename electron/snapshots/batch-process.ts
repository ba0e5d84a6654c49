import { setTimeout as pause } from 'node:timers/promises';
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
  reject(error: unknown): void;
}

/** Questions in order. Taking one does not move the others, of which there may be many thousands. */
class Line {
  #questions: Question[] = [];
  #first = 0;

  get length(): number {
    return this.#questions.length - this.#first;
  }

  add(questions: readonly Question[]): void {
    for (const question of questions) this.#questions.push(question);
  }

  first(): Question | undefined {
    return this.#questions[this.#first];
  }

  take(): Question | undefined {
    const question = this.#questions[this.#first];
    this.#first += 1;
    if (this.#first >= this.#questions.length) this.takeAll();
    return question;
  }

  takeAll(): Question[] {
    const rest = this.#questions.slice(this.#first);
    this.#questions = [];
    this.#first = 0;
    return rest;
  }
}

/** One life of the process, with the questions that it has not answered yet, oldest first. */
interface Session {
  process: GitProcess;
  open: Line;
  /** The beginning of a header line, and the content that is being filled. */
  header: string;
  body: { type: string; content: Buffer; filled: number } | null;
  /** Its output is of no interest any more. */
  over: boolean;
  /** When it last said something, or was first asked. */
  heard: number;
  watch: NodeJS.Timeout | undefined;
}

/** An unused process is ended after this time, so that no file of a foreign store stays open for long. */
const IDLE = process.platform === 'win32' ? 500 : 10_000;
const NOTHING = Buffer.alloc(0);
/** An id of 64 digits, a type and a size are far shorter. */
const LONGEST_HEADER = 256;
/** Milliseconds of silence after which an object will not come any more. */
const STALL = 120_000;
/** Milliseconds after which nobody waits any longer for one that was cancelled. */
const SILENCE = 200;
/** Time that an ended process has to leave by itself. */
const LEAVE = 1_000;

/** For an answer that no git gives, or that is not to the question that is open. */
const notUnderstood = (): TurnbackError =>
  new TurnbackError('GIT_FAILED', { command: 'cat-file', exit: 0, cause: 'its answer was not understood' });

/**
 * A `git cat-file --batch` (or `--batch-check`) that is kept and asked many things, in order. Starts on the first
 * question, starts again when it died, and asks what was open a second time before it gives up.
 */
export class BatchProcess {
  readonly #start: () => GitProcess;
  readonly #contents: boolean;
  readonly #idleMs: number;
  readonly #stallMs: number;
  readonly #sessions = new Set<Session>();
  #current: Session | null = null;
  #unsent: Question[] = [];
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  /** Pieces of answers that came, from whichever process. */
  #said = 0;

  /**
   * `contents`: the process gives them, as `--batch` does. `idleMs`: how long an unused one is kept; `stallMs`: how long one may say
   * nothing while it is asked something.
   */
  constructor(start: () => GitProcess, contents: boolean, idleMs = IDLE, stallMs = STALL) {
    this.#start = start;
    this.#contents = contents;
    this.#idleMs = idleMs;
    this.#stallMs = stallMs;
  }

  /** The object, or null when the store does not have it. Throws TOO_LARGE above `maxBytes`. `oid` must be hex. */
  ask(oid: string, maxBytes: number): Promise<BatchAnswer | null> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new TurnbackError('CANCELLED');
      this.#send({ oid, maxBytes, tries: 0, resolve, reject });
    });
  }

  /** Ends the process and waits until it is gone; open questions are rejected as cancelled. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    for (const question of this.#unsent.splice(0)) question.reject(new TurnbackError('CANCELLED'));
    const leaving = [...this.#sessions].map(async ({ process, open }) => {
      if (open.length > 0) process.kill();
      else process.end();
      for (const question of open.takeAll()) question.reject(new TurnbackError('CANCELLED'));
      const timer = setTimeout(() => process.kill(), LEAVE);
      // One that never started has told so to whoever asked it.
      await process.done.catch(() => -1);
      clearTimeout(timer);
    });
    await Promise.all(leaving);
  }

  /**
   * Lets go of a process that says nothing while it is asked something: whoever waits for it is told CANCELLED. One that answers is left
   * alone, since others ask it too.
   */
  async leaveSilent(): Promise<void> {
    const said = this.#said;
    await pause(SILENCE);
    // Of all processes: one that dies is followed by another, which is asked the same.
    if (this.#said !== said) return;
    for (const session of this.#sessions) {
      if (session.over || session.open.length === 0) continue;
      session.over = true;
      if (this.#current === session) this.#current = null;
      for (const question of session.open.takeAll()) question.reject(new TurnbackError('CANCELLED'));
      session.process.kill();
    }
  }

  /** Questions of one tick leave in one write. */
  #send(question: Question): void {
    clearTimeout(this.#idle);
    this.#unsent.push(question);
    if (this.#unsent.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const batch = this.#unsent.splice(0);
    if (batch.length === 0) return;
    try {
      const session = this.#current ?? this.#begin();
      if (session.open.length === 0) session.heard = performance.now();
      session.open.add(batch);
      this.#watch(session);
      session.process.write(Buffer.from(batch.map(({ oid }) => `${oid}\n`).join('')));
    } catch (error) {
      for (const question of batch) question.reject(error);
    }
  }

  #begin(): Session {
    const session: Session = { process: this.#start(), open: new Line(), header: '', body: null, over: false, heard: 0, watch: undefined };
    this.#current = session;
    this.#sessions.add(session);
    void this.#follow(session);
    return session;
  }

  async #follow(session: Session): Promise<void> {
    const { process, open } = session;
    let failure: TurnbackError;
    try {
      await process.each((chunk) => {
        session.heard = performance.now();
        this.#said += 1;
        this.#read(session, chunk);
      });
      if (this.#current === session) this.#current = null;
      failure = gitFailed('cat-file', await process.done, process.stderr());
    } catch (error) {
      process.kill();
      if (this.#current === session) this.#current = null;
      const fatal = error instanceof TurnbackError ? error : new TurnbackError('INTERNAL', { cause: String(error) }, { cause: error });
      for (const question of open.takeAll()) question.reject(fatal);
      failure = fatal;
    }
    clearTimeout(session.watch);
    this.#sessions.delete(session);
    for (const [position, question] of open.takeAll().entries()) {
      // Only the question that was being answered can be at fault; the others just wait again.
      if (position === 0) question.tries += 1;
      if (question.tries > 1) question.reject(failure);
      else this.#send(question);
    }
  }

  /** Gives up on a process that is asked something and says nothing: on a disk that is gone, or a pipe in an object's place. */
  #watch(session: Session): void {
    if (session.watch !== undefined) return;
    const look = (): void => {
      session.watch = undefined;
      if (session.open.length === 0 || session.over) return;
      const left = session.heard + this.#stallMs - performance.now();
      if (left > 0) {
        session.watch = setTimeout(look, left);
        return;
      }
      session.over = true;
      if (this.#current === session) this.#current = null;
      const cause = `it said nothing for ${this.#stallMs / 1000} s`;
      for (const question of session.open.takeAll())
        question.reject(new TurnbackError('GIT_FAILED', { command: 'cat-file', exit: -1, cause }));
      session.process.kill();
    };
    session.watch = setTimeout(look, this.#stallMs);
  }

  #read(session: Session, chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !session.over; ) {
      const { body } = session;
      if (body !== null) {
        const take = Math.min(body.content.length - body.filled, chunk.length - at);
        chunk.copy(body.content, body.filled, at, at + take);
        body.filled += take;
        at += take;
        if (at === chunk.length) return;
        // A line feed follows the content.
        at += 1;
        session.body = null;
        this.#answer(session, { type: body.type, size: body.content.length, content: body.content });
        continue;
      }
      const end = chunk.indexOf(0x0a, at);
      session.header += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
      if (session.header.length > LONGEST_HEADER) throw notUnderstood();
      if (end < 0) return;
      at = end + 1;
      const asked = session.open.first();
      const [, oid, type, text] = /^([0-9a-f]+) (?:missing|(blob|tree|commit|tag) ([0-9]{1,15}))$/.exec(session.header) ?? [];
      if (asked === undefined || oid !== asked.oid) throw notUnderstood();
      session.header = '';
      const size = Number(text);
      if (type === undefined) this.#answer(session, null);
      else if (!this.#contents) this.#answer(session, { type, size, content: NOTHING });
      else if (size > asked.maxBytes) this.#refuse(session, size);
      else if (at + size < chunk.length && chunk.length <= 2 * size) {
        // It came in one piece that holds little else: no copy.
        this.#answer(session, { type, size, content: chunk.subarray(at, at + size) });
        at += size + 1;
      } else session.body = { type, content: Buffer.allocUnsafe(size), filled: 0 };
    }
  }

  #answer(session: Session, answer: BatchAnswer | null): void {
    session.open.take()?.resolve(answer);
    if (session.open.length > 0 || this.#unsent.length > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#rest(), this.#idleMs);
  }

  /** Ends a process that nobody has asked anything for a while; the next question starts another. */
  #rest(): void {
    this.#current?.process.end();
    this.#current = null;
  }

  /** The object is larger than its caller takes. It is on its way already, so this process goes. */
  #refuse(session: Session, size: number): void {
    const question = session.open.take();
    question?.reject(new TurnbackError('TOO_LARGE', { path: question.oid, bytes: size }));
    this.#current = null;
    session.over = true;
    session.process.kill();
  }
}
