import type { TreePath } from '../../../shared/tree-path.ts';
import { asList, asName, asRecord, asText, asTree, type Loose } from '../loose.ts';

/** OpenCode's own standing revert (formats/opencode 1.6 and 1.7). */
export interface RevertMarker {
  /** The first message that is hidden. */
  messageId: string;
  /** The revert starts inside that message; files go back to before its whole step. */
  part: boolean;
  /** The files just before the first revert. */
  now: string | null;
  /** Paths whose content went back; null when the marker does not say. */
  files: TreePath[] | null;
}

/** The marker in `session.revert`, or null when none stands. */
export function revertMarker(revert: Loose | null): RevertMarker | null {
  const messageId = asName(revert?.['messageID']);
  if (revert === null || messageId === null) return null;
  const diff = asText(revert['diff']);
  const listed = Array.isArray(revert['files']) ? asList(revert['files']).flatMap((file) => asName(asRecord(file)?.['path']) ?? []) : null;
  return {
    messageId,
    part: asName(revert['partID']) !== null,
    now: asTree(revert['snapshot']),
    files: diff === null ? listed : pathsOfPatch(diff),
  };
}

/** The paths that a git patch text names, old and new ones. Lines of hunks are counted, so that content is never read as a header. */
export function pathsOfPatch(patch: string): TreePath[] {
  const paths = new Set<TreePath>();
  let [left, right] = [0, 0];
  for (const line of patch.split('\n')) {
    if (left > 0 || right > 0) {
      if (line.startsWith('\\')) continue;
      if (!line.startsWith('+')) left -= 1;
      if (!line.startsWith('-')) right -= 1;
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (hunk) {
      left = Number(hunk[1] ?? 1);
      right = Number(hunk[2] ?? 1);
    } else for (const path of pathsOfHeader(line)) paths.add(path);
  }
  return [...paths];
}

function pathsOfHeader(line: string): TreePath[] {
  const both = /^diff --git (.*)$/.exec(line)?.[1];
  if (both !== undefined) return samePathTwice(both);
  const named = /^(?:---|\+\+\+) (.*?)\t?$/.exec(line)?.[1];
  if (named !== undefined) return named === '/dev/null' ? [] : [unquote(named).replace(/^[ab]\//, '')];
  const moved = /^(?:rename|copy) (?:from|to) (.*)$/.exec(line)?.[1];
  return moved === undefined ? [] : [unquote(moved)];
}

/** `a/x b/x` where both names are the same: the only form that can be split for sure; other headers name their paths again below. */
function samePathTwice(both: string): TreePath[] {
  const half = (both.length - 1) / 2;
  const [left, right] = [both.slice(0, half), both.slice(half + 1)];
  if (!Number.isInteger(half) || both[half] !== ' ') return [];
  const [from, to] = [unquote(left), unquote(right)];
  return from.startsWith('a/') && to.startsWith('b/') && from.slice(2) === to.slice(2) ? [to.slice(2)] : [];
}

const ESCAPES: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['b', 8],
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
]);

/** A path as git quotes it (`"a/\303\251"`), unquoted; OpenCode turns the quoting of other than control characters off. */
function unquote(name: string): string {
  if (name.length < 2 || !name.startsWith('"') || !name.endsWith('"')) return name;
  const bytes: Buffer[] = [];
  for (const piece of name.slice(1, -1).match(/\\(?:[0-7]{3}|.)|[^\\]+/gs) ?? []) {
    if (!piece.startsWith('\\')) bytes.push(Buffer.from(piece));
    else if (piece.length === 4) bytes.push(Buffer.from([Number.parseInt(piece.slice(1), 8) & 0xff]));
    else {
      const escaped = ESCAPES.get(piece.slice(1));
      bytes.push(escaped === undefined ? Buffer.from(piece.slice(1)) : Buffer.from([escaped]));
    }
  }
  return Buffer.concat(bytes).toString('utf8');
}
