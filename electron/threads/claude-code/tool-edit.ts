import { applyPatch } from 'diff';
import { asList, asNumber, asRecord, asText, type Loose } from '../loose.ts';

/** What one call of a file tool did to one file, in the text that the tool saw. */
export interface ToolEdit {
  /** Absolute, in the form of the machine that wrote the log. */
  file: string;
  /** Null: there was no file. Undefined: the log does not say. */
  before: string | null | undefined;
  /** Undefined: the log does not say. */
  after: string | undefined;
}

/** The hunks of a `structuredPatch`; null where it is not one. */
function hunksOf(value: unknown): Hunk[] | null {
  const hunks = asList(value).map((entry) => {
    const hunk = asRecord(entry) ?? {};
    const [oldStart, oldLines] = [asNumber(hunk['oldStart']), asNumber(hunk['oldLines'])];
    const [newStart, newLines] = [asNumber(hunk['newStart']), asNumber(hunk['newLines'])];
    const lines = asList(hunk['lines']).filter((line) => typeof line === 'string');
    if (oldStart === null || oldLines === null || newStart === null || newLines === null || lines.length === 0) return null;
    return { oldStart, oldLines, newStart, newLines, lines };
  });
  return hunks.length > 0 && hunks.every((hunk) => hunk !== null) ? hunks : null;
}

interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

function patched(before: string, result: Loose): string | undefined {
  const hunks = hunksOf(result['structuredPatch']);
  if (hunks === null) return undefined;
  const patch = { oldFileName: 'a', newFileName: 'b', oldHeader: undefined, newHeader: undefined, hunks };
  try {
    const text = applyPatch(before, patch, { fuzzFactor: 0 });
    return text === false ? undefined : text;
  } catch {
    // A patch that its own counts contradict says nothing; what the file holds then comes from the next record, or is not known.
    return undefined;
  }
}

/** The exact replacement that the call asked for, where the log has no patch. */
function replaced(before: string, result: Loose): string | undefined {
  const [from, to] = [asText(result['oldString']), asText(result['newString'])];
  if (from === null || to === null || from === '' || !before.includes(from)) return undefined;
  return result['replaceAll'] === true ? before.split(from).join(to) : before.replace(from, () => to);
}

const fileOf = (result: Loose): string | null => asText(result['filePath']) ?? asText(result['notebook_path']);

const originalOf = (result: Loose): unknown => result['originalFile'] ?? result['originalFileContents'] ?? result['original_file'];

const wholeOf = (result: Loose): string | null => asText(result['content']) ?? asText(result['updated_file']);

/** True for the result of a tool that writes a file: `toolEdit` gives what it did. */
export function writesFile(result: Loose | null): result is Loose {
  if (result === null || fileOf(result) === null || asRecord(result['file']) !== null) return false;
  return wholeOf(result) !== null || typeof originalOf(result) === 'string' || result['structuredPatch'] !== undefined;
}

/**
 * The change of a file that a tool's result tells (formats/opencode-and-claude-code.md 2.3): the text before and the patch that
 * was really applied, not what the model asked for. Null for the result of a tool that writes no file.
 */
export function toolEdit(result: Loose | null): ToolEdit | null {
  const file = writesFile(result) ? fileOf(result) : null;
  if (result === null || file === null) return null;
  const original = originalOf(result);
  const before = result['type'] === 'create' && typeof original !== 'string' ? null : (asText(original) ?? undefined);
  const whole = wholeOf(result);
  if (whole !== null) return { file, before, after: whole };
  if (typeof before !== 'string') return { file, before, after: undefined };
  return { file, before, after: patched(before, result) ?? replaced(before, result) };
}
