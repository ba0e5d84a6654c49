import type { LineOwners } from './line-owners.ts';
import type { Monaco } from './load-monaco.ts';

/** What an editor shows. For a file that only one side has, the other is null. */
export interface SlotContent {
  before: string | null;
  after: string | null;
  /** A language id that Monaco knows. */
  language: string;
  label: string;
  /** Numbers of the lines where the texts are excerpts; null for a line that stands for others. */
  numbers: { before: readonly (number | null)[]; after: readonly (number | null)[] } | null;
  options: Parameters<ReturnType<Monaco['editor']['createDiffEditor']>['updateOptions']>[0];
}

/** Lines of one side of a changed block, from 1; of none, the place is after the line `start`. */
interface HunkSide {
  start: number;
  lines: number;
}

/** A changed block: where it starts, in pixels from the top of the text, its first line, and its lines in the whole file. */
export interface Hunk {
  top: number;
  line: number;
  before: HunkSide;
  after: HunkSide;
}

/** A pooled editor. It draws one file at a time, at a height that the scroll gives it. */
export interface EditorSlot {
  readonly kind: 'diff' | 'single';
  readonly node: HTMLElement;
  /** Resolves when the comparison is done and the height is known. */
  show(content: SlotContent): Promise<void>;
  clear(): void;
  layout(width: number, height: number): void;
  contentHeight(): number;
  scrollTo(top: number): void;
  scrollBy(left: number): void;
  hunks(): Hunk[];
  changedLines(): number;
  /** Tells in the gutter who wrote the lines; null: no more. */
  own(owners: LineOwners | null): void;
  /** Puts the caret on a line, so that a screen reader and the eye find it. */
  mark(line: number): void;
  focus(): void;
  onHeight(listener: () => void): void;
  /** The caret or a search moved the text inside the editor. */
  onScroll(listener: (top: number) => void): void;
  dispose(): void;
}

type LineNumbers = 'on' | ((line: number) => string);

/** Line numbers of an excerpt; of a whole text, its own. */
export const lineNumbersOf = (numbers: readonly (number | null)[] | undefined): LineNumbers =>
  numbers === undefined ? 'on' : (line) => String(numbers[line - 1] ?? '');

/** Room for the largest line number, so that it never runs into the signs beside it. */
export function numberChars(lines: number, numbers: readonly (number | null)[] | undefined): number {
  const most = numbers === undefined ? lines : numbers.reduce<number>((max, number) => Math.max(max, number ?? 0), 0);
  return Math.max(4, String(most).length + 1);
}

/** Options that all our editors share: read only, no chrome, scrolled from outside. */
export const FIXED_OPTIONS = {
  readOnly: true,
  domReadOnly: true,
  fontSize: 12.5,
  lineHeight: 18,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  scrollBeyondLastColumn: 4,
  stickyScroll: { enabled: false },
  glyphMargin: false,
  lineNumbersMinChars: 4,
  lineDecorationsWidth: 16,
  renderLineHighlight: 'line',
  renderLineHighlightOnlyWhenFocus: true,
  overviewRulerLanes: 0,
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  fixedOverflowWidgets: true,
  bracketPairColorization: { enabled: false },
  guides: { indentation: false, bracketPairs: false },
  occurrencesHighlight: 'singleFile',
  selectionHighlight: false,
  links: false,
  hover: { enabled: 'off' },
  tabFocusMode: true,
  unusualLineTerminators: 'off',
  wrappingStrategy: 'simple',
  smoothScrolling: false,
  cursorBlinking: 'solid',
  contextmenu: true,
  padding: { top: 0, bottom: 0 },
  scrollbar: {
    vertical: 'hidden',
    horizontal: 'auto',
    horizontalScrollbarSize: 8,
    handleMouseWheel: false,
    alwaysConsumeMouseWheel: false,
    useShadows: false,
  },
} as const;
