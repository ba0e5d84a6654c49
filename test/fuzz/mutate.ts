import { ODD_BYTES, oddJson } from './odd-values.ts';
import type { Random } from './random.ts';

/** A marker that stands in a value for a raw JSON text; no sample holds it. */
const MARK = '\u0001raw\u0001';

type Container = unknown[] | Record<string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** A random place in a value: the container and the key in it. Goes down one random way, so deep places are as likely as shallow ones. */
function place(random: Random, value: Container): { in: Container; key: string } | null {
  let at = value;
  for (let depth = 0; depth < 40; depth++) {
    const keys = Object.keys(at);
    const key = random.pick(keys);
    if (key === undefined) return null;
    const inner = (at as Record<string, unknown>)[key];
    if (!isContainer(inner) || Object.keys(inner).length === 0 || random.chance(0.35)) return { in: at, key };
    at = inner;
  }
  return null;
}

const KEYS: readonly [string, ...string[]] = ['__proto__', 'constructor', 'type', 'id', 'version', 'length', '', 'toString', 'x'];

function set(at: Container, key: string, value: unknown): void {
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Changes one thing in a parsed value, which is changed in place. Raw texts are put in by {@link jsonOf}. */
export function mutateValue(random: Random, value: Container, raws: string[]): void {
  const found = place(random, value);
  if (found === null) return;
  const { in: at, key } = found;
  const inner = (at as Record<string, unknown>)[key];
  switch (random.below(Array.isArray(at) ? 8 : 7)) {
    case 0:
    case 1:
    case 2:
      raws.push(oddJson(random));
      set(at, key, `${MARK}${raws.length - 1}`);
      break;
    case 3:
      if (Array.isArray(at)) at.splice(Number(key), 1);
      else delete at[key];
      break;
    case 4: {
      // The same value under another name, as another version would write it.
      const name = random.pick(KEYS);
      if (!Array.isArray(at)) {
        if (random.chance(0.5)) delete at[key];
        set(at, name, inner);
      }
      break;
    }
    case 5: {
      // A value of another place of the same record: right in form, wrong in meaning.
      const other = place(random, value);
      if (other !== null) set(at, key, structuredClone((other.in as Record<string, unknown>)[other.key]));
      break;
    }
    case 6:
      if (typeof inner === 'number') set(at, key, inner + random.pick([-1, 1, 1000, -inner * 2, 0.5]));
      else if (typeof inner === 'string') set(at, key, random.chance(0.5) ? inner.slice(0, random.below(inner.length)) : inner + inner);
      else set(at, key, JSON.stringify(inner) ?? 'x');
      break;
    default:
      if (!Array.isArray(at)) break;
      if (random.chance(0.5)) at.push(structuredClone(inner));
      else at.reverse();
  }
}

/** The JSON text of a value, with the raw texts that {@link mutateValue} put in. */
export function jsonOf(value: unknown, raws: readonly string[]): string {
  const text = JSON.stringify(value) ?? 'null';
  return raws.length === 0 ? text : text.replace(/"\\u0001raw\\u0001(\d+)"/g, (_, at: string) => raws[Number(at)] ?? 'null');
}

/** The record of a line with a few changes; a line that is no JSON comes back as it is. */
export function mutateRecord(random: Random, line: Buffer): Buffer {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return line;
  }
  const raws: string[] = [];
  if (!isContainer(value)) return Buffer.from(oddJson(random));
  try {
    for (let times = 1 + random.below(3); times > 0; times--) mutateValue(random, value, raws);
    return Buffer.from(jsonOf(value, raws));
  } catch (thrown) {
    // A record that an earlier change made very deep can be neither copied nor written by this runtime.
    if (!(thrown instanceof RangeError)) throw thrown;
    return line;
  }
}

/** Some bytes changed: flipped, cut, put in, taken twice. */
export function mutateBytes(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const until = Math.min(bytes.length, at + random.below(64));
  const odd = random.pick(ODD_BYTES);
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), odd, bytes.subarray(until)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, until), bytes.subarray(at)]);
    case 4:
      return bytes.subarray(at);
    default: {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) for (let times = 1 + random.below(4); times > 0; times--) copy[random.below(copy.length)] = random.below(256);
      return copy;
    }
  }
}

/** Lines of a log with a few things wrong: records changed, torn, glued, doubled, out of order, foreign, filled with zero bytes. */
export function mutateLines(random: Random, lines: readonly Buffer[], others: readonly Buffer[] = lines): Buffer[] {
  const made = [...lines];
  for (let times = 1 + random.below(3); times > 0; times--) {
    const at = random.below(made.length);
    const line = made[at] ?? Buffer.alloc(0);
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        made[at] = mutateRecord(random, line);
        break;
      case 4:
      case 5:
        made[at] = mutateBytes(random, line);
        break;
      case 6:
        made.splice(at, 0, line);
        break;
      case 7:
        made.splice(at, 1);
        break;
      case 8: {
        const to = random.below(made.length);
        made.splice(at, 1);
        made.splice(to, 0, line);
        break;
      }
      case 9:
        // Two writers at once, or a crash between them.
        made.splice(at, 2, Buffer.concat([line.subarray(0, random.below(line.length + 1)), made[at + 1] ?? line]));
        break;
      case 10:
        made.splice(at, 0, random.pick(others) ?? line);
        break;
      default:
        made.splice(at, 0, random.chance(0.5) ? Buffer.alloc(random.below(200)) : Buffer.from(oddJson(random)));
    }
  }
  return made;
}

/** The lines as a file has them; now and then with other line ends, a mark at its start, or a torn last line. */
export function fileOf(random: Random, lines: readonly Buffer[]): Buffer {
  const end = Buffer.from(random.chance(0.05) ? '\r\n' : '\n');
  const bytes = Buffer.concat([
    ...(random.chance(0.03) ? [Buffer.from([0xef, 0xbb, 0xbf])] : []),
    ...lines.flatMap((line, at) => (at === lines.length - 1 && random.chance(0.15) ? [line] : [line, end])),
  ]);
  return random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length + 1)) : bytes;
}
