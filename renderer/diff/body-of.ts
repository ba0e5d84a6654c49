import type { FileDiff } from '../../shared/contract.ts';
import { encodingWords, eolWords, sentencesOf } from './file-words.ts';

/** A file with a longer line is shown only when it is asked for. */
export const ONE_LINE_LIMIT = 100_000;
/** A file with more lines is compared by our own worker and shown a page at a time. */
export const MANY_LINES = 20_000;
/** A file over the engine's limit that is no larger than this is loaded without asking: only its number of lines is high. */
export const LOADED_BYTES = 2_000_000;

/** How the content of a file is drawn. */
export type Body =
  | { kind: 'text'; slot: 'diff' | 'single'; before: string | null; after: string | null }
  | { kind: 'long'; before: string | null; after: string | null }
  | { kind: 'binary' }
  | { kind: 'heavy'; bytes: number; why: 'size' | 'line' }
  | { kind: 'words'; sentences: string[] };

function linesOver(text: string | null, limit: number): boolean {
  let count = 0;
  if (text === null || text.length <= limit) return false;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

function longestLineOver(text: string | null, limit: number): boolean {
  if (text === null || text.length <= limit) return false;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > limit) return true;
    start = end + 1;
  }
  return text.length - start > limit;
}

function sameText(diff: FileDiff): string[] {
  const sentences = sentencesOf(diff);
  const encoding = diff.before?.encoding === diff.after?.encoding ? null : encodingWords(diff);
  if (encoding !== null && diff.before !== null && diff.after !== null) sentences.push(`Only the encoding differs: ${encoding}`);
  if (sentences.length > 0) return sentences;
  const same = diff.before !== null && diff.after !== null && diff.before.bytes === diff.after.bytes;
  return [same ? 'The file stays as it is' : 'The bytes differ, and the text reads the same'];
}

/** The text with a sign at each line that ends as Windows writes it: an editor draws no line ends. */
const withEnds = (text: string | null): string | null => text?.replaceAll('\r\n', '␍\n') ?? null;

/** Picks the drawing for a file; `asked`: the user wants to see it however heavy it is; `showEnds`: line ends that changed are drawn. */
export function bodyOf(diff: FileDiff, asked: boolean, showEnds = false): Body {
  const { before, after } = diff;
  const sides = [before, after].filter((side) => side !== null);
  const bytes = Math.max(0, ...sides.map((side) => side.bytes));
  if (sides.some((side) => side.kind !== 'file')) return { kind: 'words', sentences: sentencesOf(diff) };
  if (sides.some((side) => side.binary)) return { kind: 'binary' };
  if (sides.some((side) => side.tooLarge && side.text === null)) return { kind: 'heavy', bytes, why: 'size' };
  const ends = showEnds && eolWords(diff) !== null;
  const old = ends ? withEnds(before?.text ?? null) : (before?.text ?? null);
  const now = ends ? withEnds(after?.text ?? null) : (after?.text ?? null);
  if (old === null && now === null) return { kind: 'words', sentences: ['The content is not there any more'] };
  if (!asked && (longestLineOver(old, ONE_LINE_LIMIT) || longestLineOver(now, ONE_LINE_LIMIT)))
    return { kind: 'heavy', bytes, why: 'line' };
  if (diff.eolOnly && !ends)
    return { kind: 'words', sentences: ['Only the line endings differ; every line reads the same', ...sentencesOf(diff)] };
  if (old === now || bytes === 0) return { kind: 'words', sentences: sameText(diff) };
  if (linesOver(old, MANY_LINES) || linesOver(now, MANY_LINES)) return { kind: 'long', before: old, after: now };
  return { kind: 'text', slot: before === null || after === null ? 'single' : 'diff', before: old, after: now };
}
