import type { Random } from './random.ts';

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}${close.repeat(depth)}`;

/** JSON texts that a stranger may put in a value's place. They stand for themselves: some are no value that JSON.stringify would give. */
const SMALL: readonly [string, ...string[]] = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '123456789012345678901234567890',
  '""',
  '" "',
  '"x"',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\u001b]0;title\\u0007"',
  '"\\u202egnp.exe"',
  '"__proto__"',
  '"constructor"',
  '"../../etc/passwd"',
  '"/etc/passwd"',
  '"C:\\\\x"',
  '"a\\nb\\u2028c"',
  '"<img src=x onerror=alert(1)>"',
  '"2026-01-01T00:00:00Z"',
  '"0000000000000000000000000000000000000000"',
  '"da39a3ee5e6b4b0d3255bfef95601890afd80709"',
  '[]',
  '[[]]',
  '[null]',
  '["x",1,null,{}]',
  '{}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"hasOwnProperty":2,"length":-1}',
  '{"type":"from-the-future","version":99}',
  '{"a":1,"a":2}',
];

/** The same with texts that are large or deep; now and then. */
const LARGE: readonly [string, ...string[]] = [
  `"${'x'.repeat(20_000)}"`,
  `"${'\\u00e9'.repeat(5_000)}"`,
  nested(3_000, '[', ']'),
  `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`,
  `[${'0,'.repeat(5_000)}0]`,
  `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
];

/** A hundred thousand levels. */
const DEEPEST: readonly [string, ...string[]] = [nested(100_000, '[', ']'), `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`];

/** A JSON text to put in a value's place. */
export function oddJson(random: Random): string {
  if (random.chance(0.001)) return random.pick(DEEPEST);
  return random.chance(0.01) ? random.pick(LARGE) : random.pick(SMALL);
}

/** Bytes that no text holds, or that part lines. */
export const ODD_BYTES: readonly [Buffer, ...Buffer[]] = [
  Buffer.alloc(1),
  Buffer.alloc(64),
  Buffer.from([0xff, 0xfe]),
  Buffer.from([0xef, 0xbb, 0xbf]),
  Buffer.from([0xed, 0xa0, 0x80]),
  Buffer.from([0xc0, 0xae]),
  Buffer.from([0xf8, 0x88, 0x80, 0x80, 0x80]),
  Buffer.from('\r'),
  Buffer.from('\n'),
  Buffer.from('\n\n\r\n'),
  Buffer.from('\u2028\u2029'),
  Buffer.from('}{'),
  Buffer.from('"'),
  Buffer.from('\\'),
  Buffer.from(','),
];
