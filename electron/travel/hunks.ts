import { createHash } from 'node:crypto';
import { parsePatch } from 'diff';
import { type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { Hunk } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { patchOf } from '../snapshots/patch.ts';
import type { SnapshotStore } from '../snapshots/store.ts';

/** One change with its lines, each with its line end; characters are bytes. `lead` and `tail` lines around it did not change. */
export interface HunkText extends Hunk {
  removed: readonly string[];
  added: readonly string[];
  lead: number;
  tail: number;
}

/** A diff that is larger is not taken apart. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Both sides of a part of a diff. A mark that there is no line end belongs to the line before it. */
function sidesOf(lines: readonly string[]): Pick<HunkText, 'removed' | 'added' | 'lead' | 'tail'> {
  const removed: string[] = [];
  const added: string[] = [];
  const last = lines.findLastIndex((line) => /^[+-]/.test(line));
  const lead = lines.findIndex((line) => /^[+-]/.test(line));
  let tail = 0;
  lines.forEach((line, at) => {
    if (line.startsWith('\\')) return;
    const text = lines[at + 1]?.startsWith('\\') ? line.slice(1) : `${line.slice(1)}\n`;
    if (!line.startsWith('+')) removed.push(text);
    if (!line.startsWith('-')) added.push(text);
    if (at > last) tail += 1;
  });
  return { removed, added, lead, tail };
}

/**
 * The changes of one file from one tree to another: the very parts (`@@`) that `git diff` prints, in its order. HUNK_NOT_TEXT for a
 * file that is made, deleted, binary, a link, or too large. Throws TREE_MISSING.
 */
export async function hunksOf(
  store: SnapshotStore,
  o: { from: string; to: string; path: TreePath; signal?: AbortSignal | undefined },
): Promise<HunkText[] | Reason> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of patchOf(store, { from: o.from, to: o.to, only: [o.path], signal: o.signal })) {
    size += part.length;
    if (size > MOST_BYTES) return notText(o.path, 'its diff is too large');
    parts.push(part);
  }
  // As latin1, so that every byte is one character and comes out as it was.
  const text = Buffer.concat(parts).toString('latin1');
  const begin = text.indexOf('\n@@ ');
  const head = begin < 0 ? text : text.slice(0, begin);
  if (/^(new file|deleted file)/m.test(head)) return notText(o.path, 'the step made or deleted it');
  if (/^index \w+\.\.\w+ 120000$/m.test(head)) return notText(o.path, 'it is a link');
  if (/^GIT binary patch$/m.test(head)) return notText(o.path, 'it is binary');
  if (begin < 0) return notText(o.path, 'no line of it changed');
  const [file] = parsePatch(`--- a\n+++ b${text.slice(begin)}`);
  if (file === undefined) throw new TurnbackError('INTERNAL', { cause: 'the diff was not understood' });
  return file.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }, at) => {
    const hash = createHash('sha256').update(lines.join('\n'), 'latin1').digest('hex').slice(0, 16);
    return {
      id: `${oldStart},${oldLines}-${newStart},${newLines}-${hash}`,
      number: at + 1,
      before: { start: oldStart, lines: oldLines },
      after: { start: newStart, lines: newLines },
      ...sidesOf(lines),
    };
  });
}

const notText = (path: TreePath, cause: string): Reason => reason('HUNK_NOT_TEXT', { path: showTreePath(path), cause });

/** A change without its lines, as it crosses the boundary. */
export const shownHunk = ({ id, number, before, after }: HunkText): Hunk => ({ id, number, before, after });
