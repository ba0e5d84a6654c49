import { Worker } from 'node:worker_threads';
import { TurnbackError } from '../../shared/errors.ts';
import { Random } from './random.ts';

/** Milliseconds of work that one input may take: of this thread's own processor time, so that a busy machine is no hang. */
const HANG = 1000;
/** Seconds of standing still after which the input that does so is named and the process ended. */
const DEAD = 120;

/** Ends the process when no input came to its end for a while: an endless loop cannot be stopped by a timer in the same thread. */
const WATCHDOG = `
const { workerData } = require('node:worker_threads');
const state = new Int32Array(workerData.shared);
let last = -1, still = 0;
setInterval(() => {
  const now = Atomics.load(state, 0);
  still = now === last ? still + 1 : 0;
  last = now;
  if (still < ${DEAD}) return;
  require('node:fs').writeSync(2, 'fuzz: ' + workerData.name + ' hangs at input ' + now + ' of seed ' + workerData.seed + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, 1000);
`;

export interface FuzzRun {
  name: string;
  seed: number;
  count: number;
  /** Reads one input. Whatever it throws but a TurnbackError with a code of its own is a crash. */
  one(random: Random, input: number): void | Promise<void>;
}

export interface FuzzResult {
  inputs: number;
  /** Inputs that were refused, each with a reason. */
  refused: number;
  /** The most processor time that one input took, in milliseconds. */
  slowest: number;
}

const PROTOTYPES: readonly object[] = [Object.prototype, Array.prototype, Function.prototype, String.prototype];
const keysOf = (): number => PROTOTYPES.reduce<number>((sum, prototype) => sum + Reflect.ownKeys(prototype).length, 0);
const cpu = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** True for an error that says what is wrong with the input. */
export const isRefusal = (thrown: unknown): boolean => thrown instanceof TurnbackError && thrown.code !== 'INTERNAL';

/** Reads many inputs. Throws with the seed and the number of the first that crashed, hung, or reached a prototype. */
export async function fuzz({ name, seed, count, one }: FuzzRun): Promise<FuzzResult> {
  const shared = new SharedArrayBuffer(4);
  const state = new Int32Array(shared);
  const watchdog = new Worker(WATCHDOG, { eval: true, workerData: { shared, name, seed } });
  watchdog.unref();
  const prototypes = keysOf();
  const result: FuzzResult = { inputs: 0, refused: 0, slowest: 0 };
  const fail = (input: number, what: string, cause?: unknown): never => {
    throw new Error(`${name}: ${what} at input ${input} (TURNBACK_SEED=${seed})`, { cause });
  };
  try {
    for (let input = 0; input < count; input++) {
      Atomics.store(state, 0, input);
      const before = cpu();
      try {
        const reading = one(Random.of(seed, input), input);
        if (reading !== undefined) await reading;
      } catch (thrown) {
        if (!isRefusal(thrown)) fail(input, `crash (${thrown instanceof Error ? thrown.message : String(thrown)})`, thrown);
        result.refused += 1;
      }
      const took = cpu() - before;
      result.slowest = Math.max(result.slowest, took);
      if (took > HANG) fail(input, `hang (${Math.round(took)} ms)`);
      if (input % 64 === 0 && keysOf() !== prototypes) fail(input, 'a prototype was reached at or before this one');
      result.inputs += 1;
    }
    return result;
  } finally {
    await watchdog.terminate();
  }
}
