import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BatchProcess } from '../../electron/snapshots/batch-process.ts';
import type { GitProcess } from '../../electron/snapshots/git.ts';

/** A stand-in for `cat-file`: the test decides what comes out, in which pieces, and when it dies. */
class Puppet implements GitProcess {
  readonly asked: string[] = [];
  readonly stdout: AsyncIterable<Buffer>;
  readonly done: Promise<number>;
  killed = false;
  ended = false;
  #pieces: (Buffer | null)[] = [];
  #wake: () => void = () => undefined;
  #leave: (exit: number) => void = () => undefined;

  constructor() {
    this.done = new Promise((resolve) => {
      this.#leave = resolve;
    });
    this.stdout = this.#output();
  }

  async *#output(): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece === null) return;
      if (piece !== undefined) yield piece;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async each(take: (piece: Buffer) => void): Promise<void> {
    for await (const piece of this.stdout) take(piece);
  }

  write(bytes: Uint8Array): void {
    this.asked.push(...Buffer.from(bytes).toString().split('\n').filter(Boolean));
  }

  say(...pieces: (string | Buffer)[]): void {
    this.#pieces.push(...pieces.map((piece) => Buffer.from(piece)));
    this.#wake();
  }

  die(exit: number): void {
    this.#pieces.push(null);
    this.#wake();
    this.#leave(exit);
  }

  /** Its output ends, and it stays. */
  hang(): void {
    this.#pieces.push(null);
    this.#wake();
  }

  end(): void {
    this.ended = true;
    this.die(0);
  }

  kill(): void {
    this.killed = true;
    this.die(-1);
  }

  stderr(): string {
    return 'fatal: broken\n';
  }
}

function puppets(contents: boolean, idleMs?: number, stallMs?: number): { batch: BatchProcess; started: Puppet[] } {
  const started: Puppet[] = [];
  const start = (): Puppet => {
    const puppet = new Puppet();
    started.push(puppet);
    return puppet;
  };
  const batch = new BatchProcess(start, contents, idleMs, stallMs);
  onTestFinished(() => batch.close());
  return { batch, started };
}

const a = 'a'.repeat(40);
const b = 'b'.repeat(40);
/** From now on time only goes on when the test says so. */
function stopClock(): void {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

/** The code that it fails with. */
const codeOf = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: { code: string }) => error.code);

const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('answers of a batch process', () => {
  it('are whole however they are cut', async () => {
    const content = 'blob 3 \n\0missing\n';
    const text = `${a} blob ${content.length}\n${content}\n${b} missing\n${a} blob 0\n\n${a} blob 1\n\n\n`;
    for (const size of [1, 2, 3, 7, 41, 1000]) {
      const { batch, started } = puppets(true);
      const answers = Promise.all([a, b, a, a].map((oid) => batch.ask(oid, 100)));
      await tick();
      const pieces: string[] = [];
      for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size));
      started[0]?.say(...pieces);
      expect((await answers).map((answer) => answer?.content.toString() ?? null)).toEqual([content, null, '', '\n']);
      expect(started[0]?.asked).toEqual([a, b, a, a]);
    }
  });

  it('are right when a piece holds one of them alone, or several', async () => {
    const { batch, started } = puppets(true);
    const answers = Promise.all([a, b, b, b].map((oid) => batch.ask(oid, 1e6)));
    await tick();
    const large = `${b} blob 500\n${'x'.repeat(500)}\n`;
    started[0]?.say(`${a} blob 3\nabc\n${large}`, large, `${b} blob 2\nyz\n`);
    expect((await answers).map((answer) => answer?.content.toString())).toEqual(['abc', 'x'.repeat(500), 'x'.repeat(500), 'yz']);
  });

  it.each([
    ['words', 'what do you want\n'],
    ['another object', `${b} blob 1\nx\n`],
    ['a size that is none', `${a} blob x\n`],
    ['a size below zero', `${a} blob -1\n`],
    ['a size beyond all numbers', `${a} blob ${'9'.repeat(40)}\n`],
    ['a type that is none', `${a} blub 1\nx\n`],
    ['a line without an end', 'y'.repeat(4096)],
    ['zero bytes', Buffer.alloc(300)],
  ])('that no git gives end the process and are named: %s', async (_, text) => {
    const { batch, started } = puppets(true);
    const failed = expect(batch.ask(a, 1e9)).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('not understood'),
    });
    await tick();
    started[0]?.say(text);
    await failed;
    expect(started[0]?.killed).toBe(true);
  });

  it('that do not come are given up after a while, and the next question asks another process', async () => {
    const { batch, started } = puppets(true, undefined, 60);
    const [first, second] = [batch.ask(a, 10), batch.ask(b, 10)];
    const failed = expect(Promise.all([first, second])).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('said nothing'),
    });
    await failed;
    await expect(second).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(started[0]?.killed).toBe(true);
    const third = batch.ask(b, 10);
    await tick();
    started[1]?.say(`${b} blob 1\nx\n`);
    expect((await third)?.content.toString()).toBe('x');
  });

  it('that nobody asked for end the process, and the next question asks another', async () => {
    const { batch, started } = puppets(true);
    const first = batch.ask(a, 10);
    await tick();
    started[0]?.say(`${a} blob 1\nx\n${b} blob 1\ny\n`);
    expect((await first)?.content.toString()).toBe('x');
    await tick();
    expect(started[0]?.killed).toBe(true);
    const second = batch.ask(b, 10);
    await tick();
    started[1]?.say(`${b} blob 1\nz\n`);
    expect((await second)?.content.toString()).toBe('z');
  });

  it('cannot come any more when the pipe itself fails, and that is named', async () => {
    const puppet = new Puppet();
    puppet.each = () => Promise.reject(new Error('read EIO'));
    const batch = new BatchProcess(() => puppet, true);
    onTestFinished(() => batch.close());
    await expect(batch.ask(b, 10)).rejects.toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('read EIO') });
    expect(puppet.killed).toBe(true);
  });

  it('are waited for as long as something comes, and not at all once nothing is asked', async () => {
    stopClock();
    const { batch, started } = puppets(true, 60_000, 1000);
    let told: unknown = 'waiting';
    const asked = batch.ask(a, 10).catch((error: unknown) => {
      told = error;
    });
    await vi.advanceTimersByTimeAsync(600);
    started[0]?.say(`${a} bl`);
    await vi.advanceTimersByTimeAsync(900);
    expect([told, started[0]?.killed]).toEqual(['waiting', false]);
    started[0]?.say('ob 1\nx\n');
    await asked;
    await vi.advanceTimersByTimeAsync(5000);
    expect(started[0]?.killed).toBe(false);
    const second = batch.ask(a, 10).catch((error: unknown) => {
      told = error;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    await second;
    expect(told).toMatchObject({ code: 'GIT_FAILED' });
    expect([started.length, started[0]?.killed]).toEqual([1, true]);
  });

  it('of one whose output ended and that does not leave are given up, while another goes on answering', async () => {
    stopClock();
    const { batch, started } = puppets(true, 60_000, 1000);
    const lost = codeOf(batch.ask(a, 10));
    await vi.advanceTimersByTimeAsync(1);
    started[0]?.hang();
    await vi.advanceTimersByTimeAsync(500);
    const second = batch.ask(b, 10);
    await vi.advanceTimersByTimeAsync(1);
    started[1]?.say(`${b} blob 1\nx\n`);
    expect((await second)?.content.toString()).toBe('x');
    await vi.advanceTimersByTimeAsync(500);
    expect([await lost, started[0]?.killed, started[1]?.killed]).toEqual(['GIT_FAILED', true, false]);
    const third = batch.ask(b, 10);
    await vi.advanceTimersByTimeAsync(1);
    started[1]?.say(`${b} blob 1\ny\n`);
    expect([(await third)?.content.toString(), started.length]).toEqual(['y', 2]);
  });

  it('that are still open are told so when it is closed, and its process is ended at once', async () => {
    const { batch, started } = puppets(true);
    const asked = [batch.ask(a, 10), batch.ask(b, 10)].map(codeOf);
    await tick();
    const unsent = codeOf(batch.ask(a, 10));
    await batch.close();
    expect(await Promise.all([...asked, unsent])).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    expect([started[0]?.killed, started[0]?.ended, started.length]).toEqual([true, false, 1]);
    await expect(batch.ask(a, 10)).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('that only tell facts have no content', async () => {
    const { batch, started } = puppets(false);
    const answers = Promise.all([batch.ask(a, 0), batch.ask(b, 0)]);
    await tick();
    started[0]?.say(`${a} tree 4096\n${b} missing\n`);
    expect(await answers).toEqual([{ type: 'tree', size: 4096, content: Buffer.alloc(0) }, null]);
  });

  it('come from another process after one that died, and the question at fault is given up', async () => {
    const { batch, started } = puppets(true);
    const bad = batch.ask(a, 10);
    const good = batch.ask(b, 10);
    const failed = expect(bad).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('fatal: broken') });
    await tick();
    started[0]?.die(128);
    await tick();
    expect(started[1]?.asked).toEqual([a, b]);
    started[1]?.die(128);
    await failed;
    await tick();
    expect(started[2]?.asked).toEqual([b]);
    started[2]?.say(`${b} blob 1\nx\n`);
    expect((await good)?.content.toString()).toBe('x');
  });

  it('above the limit end their process, and the others go on in another', async () => {
    const { batch, started } = puppets(true);
    const large = batch.ask(a, 10);
    const small = batch.ask(b, 10);
    const refused = expect(large).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await tick();
    started[0]?.say(`${a} blob 11\nxxxx`);
    await refused;
    expect(started[0]?.killed).toBe(true);
    await tick();
    expect(started[1]?.asked).toEqual([b]);
    started[1]?.say(`${b} blob 1\ny\n`);
    expect((await small)?.content.toString()).toBe('y');
  });

  it('fail for all when the process cannot start', async () => {
    const batch = new BatchProcess(() => {
      throw new Error('no such program');
    }, true);
    await expect(Promise.all([batch.ask(a, 1), batch.ask(b, 1)])).rejects.toThrow('no such program');
    await batch.close();
  });
});

describe('an unused batch process', () => {
  it('is ended after a while, and the next question starts another', async () => {
    const { batch, started } = puppets(false, 20);
    for (const round of [0, 1]) {
      const answer = batch.ask(a, 0);
      await tick();
      expect(started).toHaveLength(round + 1);
      started[round]?.say(`${a} blob 1\n`);
      await answer;
      await expect.poll(() => started[round]?.ended).toBe(true);
    }
  });

  it('that is asked in time stays', async () => {
    const { batch, started } = puppets(false, 50);
    for (let k = 0; k < 6; k++) {
      const answer = batch.ask(a, 0);
      await tick();
      started[0]?.say(`${a} blob 1\n`);
      await answer;
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    expect(started).toHaveLength(1);
    expect(started[0]?.ended).toBe(false);
  });

  it('is not waited for when it will not leave', async () => {
    const { batch, started } = puppets(false, 10_000);
    const answer = batch.ask(a, 0);
    await tick();
    started[0]?.say(`${a} blob 1\n`);
    await answer;
    const puppet = started[0];
    if (puppet !== undefined) puppet.end = () => undefined;
    const begin = performance.now();
    await batch.close();
    expect(puppet?.killed).toBe(true);
    expect(performance.now() - begin).toBeLessThan(3_000);
  });
});
