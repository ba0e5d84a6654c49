import { foldCase } from '../../shared/search.ts';

/** Letters that are the same as another one but for their case, by that one's code point. */
let variants: Map<number, number[]> | null = null;

/** No letter above this plane has a case. */
const LAST_LETTER = 0x1ffff;

function variantsOf(point: number): readonly number[] {
  if (variants === null) {
    variants = new Map();
    for (let other = 0x41; other <= LAST_LETTER; other += 1) {
      const letter = String.fromCodePoint(other);
      const folded = foldCase(letter);
      if (folded === letter) continue;
      const same = folded.codePointAt(0) ?? 0;
      variants.set(same, [...(variants.get(same) ?? []), other]);
    }
  }
  return [point, ...(variants.get(point) ?? [])];
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const byte = (value: number): string => `\\x${hex(value, 2)}`;
const anyCase = (text: string): string => text.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);

/** The letter as UTF-8, and as JSON writes it with an escape; a JSON text inside a JSON text has more backslashes. */
function written(point: number): string[] {
  const letter = String.fromCodePoint(point);
  const code = [...Array(letter.length).keys()].map((at) => `\\\\+u${anyCase(hex(letter.charCodeAt(at), 4))}`).join('');
  if (letter === '"' || letter === '/') return [`\\\\*${byte(point)}`, code];
  if (letter === '\\') return ['\\\\+', code];
  return [[...Buffer.from(letter)].map(byte).join(''), code];
}

/** Arguments are shown with other white space than they are kept with: any, or none. */
const BLANKS = '(?:[\\x00-\\x20]|\\\\+[nrtbf]|\\\\+u00[01][0-9a-fA-F]|\\\\+u0020)*';

/** Every way in which the bytes of a log may hold the letter, whatever its case. */
const fully = (point: number): string => (point <= 0x20 ? BLANKS : `(?:${variantsOf(point).flatMap(written).join('|')})`);

/** The ways that occur in almost every log: ASCII stands for itself. */
function mostly(point: number): string {
  const plain = variantsOf(point).filter((other) => other < 0x80);
  return point > 0x20 && point < 0x7f && !/["\\/]/.test(String.fromCodePoint(point)) ? `[${plain.map(byte).join('')}]` : fully(point);
}

/** Signs in the bytes that ASCII may be written in another way: as an escape, or by a letter that is the same but for its case. */
const OTHERWISE = /\\u00[2-7]|\\u212[aA]|\xe2\x84\xaa/;

/**
 * Finds words in the bytes of a log of JSON records without parsing them. It may find too much (a word across two fields, an
 * escape that means something else) and never too little: what it finds is to be confirmed on the text.
 */
export class BytePattern {
  readonly #most: RegExp;
  readonly #full: RegExp;

  constructor(words: readonly string[]) {
    const points = words.map((word) => [...foldCase(word)].map((letter) => letter.codePointAt(0) ?? 0));
    const any = (way: (point: number) => string): RegExp => new RegExp(points.map((word) => word.map(way).join('')).join('|') || '[]', 'g');
    this.#most = any(mostly);
    this.#full = any(fully);
  }

  /** Places in the bytes where a word may begin, from the first on. Setting `from` on the way passes over what lies before it. */
  search(bytes: Buffer): { next(from: number): number } {
    const text = bytes.toString('latin1');
    const pattern = OTHERWISE.test(text) ? this.#full : this.#most;
    return {
      next(from) {
        pattern.lastIndex = from;
        return pattern.exec(text)?.index ?? -1;
      },
    };
  }

  /** May the bytes hold one of the words? */
  inBytes(bytes: Buffer): boolean {
    return this.search(bytes).next(0) >= 0;
  }
}
