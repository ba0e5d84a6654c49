import { type EditorSlot, FIXED_OPTIONS, numberChars } from './editor-slot.ts';
import type { Monaco } from './load-monaco.ts';
import { createSlotBase, createSlotNode } from './slot-base.ts';
import { createTextModel } from './text-model.ts';

/** An editor for a file that only one side has: every line is added, or every line is removed. Cheaper than a comparison with nothing. */
export function createSingleSlot(monaco: Monaco): EditorSlot {
  const node = createSlotNode();
  const editor = monaco.editor.create(node, { ...FIXED_OPTIONS, automaticLayout: false, folding: false, model: null });
  const marks = editor.createDecorationsCollection();
  const { shared, gutter } = createSlotBase(monaco, node, editor);
  let release: (() => void) | null = null;

  const clear = (): void => {
    gutter.own(null);
    editor.setModel(null);
    release?.();
    release = null;
  };
  return {
    kind: 'single',
    ...shared,
    show(content) {
      clear();
      const removed = content.after === null;
      const model = createTextModel(monaco, content.after ?? content.before ?? '', content.language);
      const numbers = removed ? content.numbers?.before : content.numbers?.after;
      release = () => model.dispose();
      editor.updateOptions({
        wordWrap: content.options.wordWrap ?? 'off',
        ariaLabel: `${content.label}, ${removed ? 'removed' : 'added'}`,
      });
      editor.setModel(model);
      gutter.shows(numbers, numberChars(model.getLineCount(), numbers));
      const side = removed ? 'removed' : 'added';
      if (model.getValueLength() > 0) {
        marks.set([
          {
            range: model.getFullModelRange(),
            options: {
              isWholeLine: true,
              className: `line-${side}`,
              marginClassName: `gutter-${side}`,
              linesDecorationsClassName: `sign-${side}`,
            },
          },
        ]);
      }
      return Promise.resolve();
    },
    clear,
    layout: (width, height) => editor.layout({ width, height }),
    contentHeight: () => editor.getContentHeight(),
    scrollBy: (left) => editor.setScrollLeft(editor.getScrollLeft() + left),
    hunks: () => [{ top: 0, line: 1, before: { start: 0, lines: 0 }, after: { start: 1, lines: editor.getModel()?.getLineCount() ?? 0 } }],
    changedLines: () => editor.getModel()?.getLineCount() ?? 0,
    dispose() {
      clear();
      editor.dispose();
    },
  };
}
