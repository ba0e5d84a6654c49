import type { FileDiff, FileSide } from '../../shared/contract.ts';
import type { FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';

/** The sign of a change, the same everywhere a file is listed. */
export const GLYPHS = { created: '+', modified: '~', deleted: '−', mode: '⚙', kind: '⇄' } as const satisfies Record<
  FileChange['change'],
  string
>;

export const CHANGE_WORDS = {
  created: 'created',
  modified: 'modified',
  deleted: 'deleted',
  mode: 'mode changed',
  kind: 'kind changed',
} as const satisfies Record<FileChange['change'], string>;

export const ENCODING_WORDS = {
  'utf-8': 'UTF-8',
  'utf-8-bom': 'UTF-8 with BOM',
  'utf-16le': 'UTF-16 LE',
  'utf-16be': 'UTF-16 BE',
  latin1: 'Latin-1',
  binary: 'binary',
} as const satisfies Record<FileSide['encoding'], string>;

const EOL_WORDS = { lf: 'LF', crlf: 'CRLF', mixed: 'mixed', none: 'no line ends' } as const satisfies Record<FileSide['eol'], string>;

const linkTarget = (side: FileSide): string => (side.text === null ? 'nowhere' : showTreePath(side.text));

function kindWords(side: FileSide): string {
  if (side.kind === 'link') return `a link to ${linkTarget(side)}`;
  return side.kind === 'submodule' ? 'a submodule' : 'a file';
}

/** What is not a matter of lines, in words: mode, kind and link changes. Empty when there is nothing to say. */
export function sentencesOf({ before, after }: FileDiff): string[] {
  if (before === null && after !== null) {
    if (after.kind !== 'file') return [`New: ${kindWords(after)}`];
    if (after.bytes === 0) return [after.executable ? 'New empty file, executable' : 'New empty file'];
    return after.executable ? ['New file, executable'] : [];
  }
  if (after === null && before !== null) {
    if (before.kind !== 'file') return [`Was ${kindWords(before)}, now deleted`];
    return before.bytes === 0 ? ['Was an empty file, now deleted'] : [];
  }
  if (before === null || after === null) return [];
  if (before.kind !== after.kind) return [`Was ${kindWords(before)}, now ${kindWords(after)}`];
  if (after.kind === 'link') return [`Link to ${linkTarget(before)}, now link to ${linkTarget(after)}`];
  if (after.kind === 'submodule') return ['Submodule: another commit is checked out'];
  if (before.executable === after.executable) return [];
  return [after.executable ? 'Now executable' : 'No longer executable'];
}

/** Line ends that changed; null when they did not. */
export function eolWords({ before, after, eolOnly }: FileDiff): string | null {
  if (eolOnly) return `Line endings only: ${EOL_WORDS[before?.eol ?? 'none']} → ${EOL_WORDS[after?.eol ?? 'none']}`;
  if (before === null || after === null || before.eol === after.eol || before.eol === 'none' || after.eol === 'none') return null;
  return `Line endings changed: ${EOL_WORDS[before.eol]} → ${EOL_WORDS[after.eol]}`;
}

/** Encoding of the file where it is not plain UTF-8, and its change. */
export function encodingWords({ before, after }: FileDiff): string | null {
  const from = before?.encoding ?? after?.encoding;
  const to = after?.encoding ?? before?.encoding;
  if (from === undefined || to === undefined || from === 'binary' || to === 'binary') return null;
  if (from !== to) return `${ENCODING_WORDS[from]} → ${ENCODING_WORDS[to]}`;
  return to === 'utf-8' ? null : ENCODING_WORDS[to];
}

const eolMark = (diff: FileDiff): string | null => {
  const words = eolWords(diff);
  return words === null || diff.eolOnly ? words : 'Line endings changed';
};

/** Short marks for the header of a file, in the order they are shown. `note`: how many lines changed where line ends did too. */
export function badgesOf(diff: FileDiff, note: string | null): string[] {
  const eol = eolMark(diff);
  const encoding = encodingWords(diff);
  const side = diff.after ?? diff.before;
  return [
    ...(side?.kind === 'file' ? sentencesOf(diff).filter((words) => words.endsWith('xecutable')) : []),
    ...(side?.kind === 'link' ? ['link'] : side?.kind === 'submodule' ? ['submodule'] : []),
    ...(eol === null ? [] : [note === null ? eol : `${eol}, ${note}`]),
    ...(eol === null && (side?.eol === 'crlf' || side?.eol === 'mixed') ? [side.eol === 'crlf' ? 'CRLF' : 'mixed line ends'] : []),
    ...(encoding === null ? [] : [encoding]),
  ];
}
