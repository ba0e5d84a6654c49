import { type EditorSlot, FIXED_OPTIONS, type Hunk, lineNumbersOf, numberChars, type SlotContent } from './editor-slot.ts';
import type { Monaco } from './load-monaco.ts';
import { createSlotBase, createSlotNode } from './slot-base.ts';
import { createTextModel, markGaps } from './text-model.ts';

/** A comparison that takes longer (a worker that does not start) is not waited for: the texts show, and their marks when they come. */
const MOST_WAIT = 8_000;

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((done) => {
    timer = setTimeout(done, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Monaco's lines of one side (an end of 0 means none) as lines of the whole file. */
function sideOf(from: number, to: number, numbers: readonly (number | null)[] | undefined): Hunk['before'] {
  return { start: numbers === undefined ? from : (numbers[from - 1] ?? from), lines: to === 0 ? 0 : to - from + 1 };
}

/** An editor that compares two texts, side by side or in one column. */
export function createDiffSlot(monaco: Monaco): EditorSlot {
  const node = createSlotNode();
  const editor = monaco.editor.createDiffEditor(node, {
    ...FIXED_OPTIONS,
    automaticLayout: false,
    originalEditable: false,
    enableSplitViewResizing: false,
    useInlineViewWhenSpaceIsLimited: false,
    renderOverviewRuler: false,
    renderMarginRevertIcon: false,
    renderGutterMenu: false,
    renderIndicators: true,
    hideUnchangedRegions: { enabled: true, contextLineCount: 3, minimumLineCount: 3, revealLineCount: 20 },
  });
  const original = editor.getOriginalEditor();
  const modified = editor.getModifiedEditor();
  const originalGaps = original.createDecorationsCollection();
  const modifiedGaps = modified.createDecorationsCollection();
  const { shared, gutter, heightChanged } = createSlotBase(monaco, node, modified);
  let release: (() => void) | null = null;
  let split = true;
  let numbers: SlotContent['numbers'] = null;
  let shows = 0;
  original.onDidContentSizeChange((event) => event.contentHeightChanged && heightChanged());
  // The comparison may end after the texts are drawn.
  editor.onDidUpdateDiff(() => heightChanged());

  const clear = (): void => {
    shows += 1;
    gutter.own(null);
    editor.setModel(null);
    release?.();
    release = null;
  };
  return {
    kind: 'diff',
    ...shared,
    async show(content) {
      clear();
      const turn = shows;
      split = content.options.renderSideBySide !== false;
      editor.updateOptions(content.options);
      const before = createTextModel(monaco, content.before ?? '', content.language);
      const after = createTextModel(monaco, content.after ?? '', content.language);
      numbers = content.numbers;
      const chars = Math.max(numberChars(before.getLineCount(), numbers?.before), numberChars(after.getLineCount(), numbers?.after));
      original.updateOptions({
        ariaLabel: `${content.label}, before`,
        lineNumbers: lineNumbersOf(numbers?.before),
        lineNumbersMinChars: chars,
      });
      modified.updateOptions({
        ariaLabel: `${content.label}, after`,
        lineNumbers: lineNumbersOf(numbers?.after),
        lineNumbersMinChars: chars,
      });
      const compared = editor.createViewModel({ original: before, modified: after });
      release = () => {
        compared.dispose();
        before.dispose();
        after.dispose();
      };
      await within(compared.waitForDiff(), MOST_WAIT);
      if (turn !== shows) return;
      editor.setModel(compared);
      markGaps(originalGaps, numbers?.before);
      markGaps(modifiedGaps, numbers?.after);
      gutter.shows(numbers?.after, chars);
    },
    clear,
    layout: (width, height) => editor.layout({ width, height }),
    contentHeight: () => (split ? Math.max(original.getContentHeight(), modified.getContentHeight()) : modified.getContentHeight()),
    scrollBy(left) {
      modified.setScrollLeft(modified.getScrollLeft() + left);
      original.setScrollLeft(modified.getScrollLeft());
    },
    hunks() {
      return (editor.getLineChanges() ?? []).map((change): Hunk => {
        const line = Math.max(1, change.modifiedStartLineNumber);
        const { originalStartLineNumber, originalEndLineNumber, modifiedStartLineNumber, modifiedEndLineNumber } = change;
        return {
          top: modified.getTopForLineNumber(line),
          line,
          before: sideOf(originalStartLineNumber, originalEndLineNumber, numbers?.before),
          after: sideOf(modifiedStartLineNumber, modifiedEndLineNumber, numbers?.after),
        };
      });
    },
    changedLines() {
      const lines = (from: number, to: number): number => (to === 0 ? 0 : to - from + 1);
      return (editor.getLineChanges() ?? []).reduce(
        (sum, change) =>
          sum +
          Math.max(
            lines(change.originalStartLineNumber, change.originalEndLineNumber),
            lines(change.modifiedStartLineNumber, change.modifiedEndLineNumber),
          ),
        0,
      );
    },
    dispose() {
      clear();
      editor.dispose();
    },
  };
}
