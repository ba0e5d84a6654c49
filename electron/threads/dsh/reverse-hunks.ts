import { applyPatch, reversePatch, type StructuredPatch } from 'diff';
import { type Reason, reason } from '../../../shared/errors.ts';
import type { ChangeDiff, ChangeHunk } from './change-lists.ts';

/** A file's content before a turn, computed from its content now: null means that it was not there. */
export type Restored = { content: Buffer | null };

type TextDiff = Extract<ChangeDiff, { kind: 'text' }>;

const split = (bytes: Buffer): { lines: string[]; terminated: boolean } => {
  // latin1 keeps every byte: hunks are compared as the bytes that the file really holds.
  const text = bytes.toString('latin1');
  if (text === '') return { lines: [], terminated: true };
  const terminated = text.endsWith('\n');
  return { lines: (terminated ? text.slice(0, -1) : text).split('\n'), terminated };
};

const bytesOf = (line: string): string => Buffer.from(line, 'utf8').toString('latin1');
const sideOf = (hunk: ChangeHunk, sign: '-' | '+'): string[] =>
  hunk.lines.filter((line) => line.startsWith(sign) || line.startsWith(' ')).map((line) => bytesOf(line.slice(1)));

/** Why a file's change cannot be taken back from its list; null when it can be tried (formats/dsh.md, limits that matter for restoring). */
export function notRestorable(diff: ChangeDiff | null, file: string): Reason | null {
  if (diff === null) return reason('NOT_RESTORABLE', { path: file, cause: 'its change is not held any more' });
  if (diff.kind === 'binary') return reason('NOT_RESTORABLE', { path: file, cause: 'it is binary, so the list has no lines of it' });
  if (diff.kind === 'oversized') return reason('NOT_RESTORABLE', { path: file, cause: 'it is too large, so the list has no lines of it' });
  if (diff.hunks.length === 0 && diff.before && diff.after) {
    return reason('NOT_RESTORABLE', {
      path: file,
      cause: 'it was renamed, or only its mode or last line end changed, which the list does not show',
    });
  }
  return null;
}

/**
 * Takes the change of one turn out of a file: its hunks applied backwards, each exactly where its own line numbers say. `now` is the
 * content that the turn left (null: no file). A CONFLICT when the content does not match the after side.
 */
export function reverseHunks(diff: TextDiff, now: Buffer | null): Restored | Reason {
  const conflict = reason('CONFLICT', { path: diff.path });
  if (!diff.after)
    return now === null
      ? {
          content: joined(
            diff.hunks.flatMap((hunk) => sideOf(hunk, '-')),
            true,
          ),
        }
      : conflict;
  if (now === null) return conflict;
  const { lines, terminated } = split(now);
  if (!diff.before) {
    const made = diff.hunks.flatMap((hunk) => sideOf(hunk, '+'));
    return made.length === lines.length && made.every((line, at) => line === lines[at]) ? { content: null } : conflict;
  }
  // A coarse comparison is one hunk of all lines, so it says nothing about a file that holds more.
  if (diff.coarse && lines.length !== diff.hunks.reduce((sum, hunk) => sum + hunk.newLines, 0)) return conflict;
  for (const hunk of diff.hunks) {
    const after = sideOf(hunk, '+');
    // A hunk without lines on its after side names the line before it, or 1 at the start of the file.
    const at = hunk.newLines === 0 ? Math.max(0, Math.min(hunk.newStart, lines.length)) : hunk.newStart - 1;
    if (after.length !== hunk.newLines || after.some((line, k) => lines[at + k] !== line)) return conflict;
  }
  const patched = applyPatch(joined(lines, true).toString('latin1'), reversePatch(patchOf(diff)), {
    fuzzFactor: 0,
    autoConvertLineEndings: false,
  });
  if (patched === false) return conflict;
  return { content: joined(split(Buffer.from(patched, 'latin1')).lines, terminated) };
}

/** Puts the change of one turn in again, from the content before it: shows whether it is out of a file. A CONFLICT when it is not. */
export function forwardHunks(diff: TextDiff, before: Buffer | null): Restored | Reason {
  const flipped = new Map([
    ['-', '+'],
    ['+', '-'],
  ]);
  const hunks = diff.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    oldStart: newStart,
    oldLines: newLines,
    newStart: oldStart,
    newLines: oldLines,
    lines: lines.map((line) => (flipped.get(line.charAt(0)) ?? line.charAt(0)) + line.slice(1)),
  }));
  return reverseHunks({ ...diff, before: diff.after, after: diff.before, hunks }, before);
}

function joined(lines: readonly string[], terminated: boolean): Buffer {
  return Buffer.from(lines.length === 0 ? '' : lines.join('\n') + (terminated ? '\n' : ''), 'latin1');
}

function patchOf(diff: TextDiff): StructuredPatch {
  const hunks = diff.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map((line) => `${line[0]}${bytesOf(line.slice(1))}`) }));
  return { oldFileName: 'file', newFileName: 'file', oldHeader: '', newHeader: '', hunks };
}
