import { type EditorSlot, FIXED_OPTIONS, numberChars } from './editor-slot.ts';
import type { Monaco } from './load-monaco.ts';
import { createSlotBase, createSlotNode } from './slot-base.ts';
import { createTextModel } from './text-model.ts';

/** Monaco draws an empty line after the end of the last one, which would look like one more that was added or removed. */
const withoutLastEnd = (text: string): string => text.replace(/\r?\n$/, '');

/** An editor for a file that only one side has: every line is added, or every line is removed. Cheaper than a comparison with nothing. */
export function createSingleSlot(monaco: Monaco): EditorSlot {
  const node = createSlotNode();
  const editor = monaco.editor.create(node, { ...FIXED_OPTIONS, automaticLayout: false, folding: false, model: null });
  const marks = editor.createDecorationsCollection();
  const { shared, gutter } = createSlotBase(monaco, node, editor);
  let release: (() => void) | null = null;
  let removed = false;

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
      removed = content.after === null;
      const text = content.after ?? content.before ?? '';
      const model = createTextModel(monaco, content.numbers === null ? withoutLastEnd(text) : text, content.language);
      const numbers = removed ? content.numbers?.before : content.numbers?.after;
      release = () => model.dispose();
      editor.updateOptions({
        wordWrap: content.options.wordWrap ?? 'off',
        ariaLabel: `${content.label}, ${removed ? 'removed' : 'added'}`,
      });
      editor.setModel(model);
      gutter.shows(numbers, numberChars(model.getLineCount(), numbers));
      const side = removed ? 'removed' : 'added';
      if (text.length > 0) {
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
    hunks() {
      const [none, all] = [
        { start: 0, lines: 0 },
        { start: 1, lines: editor.getModel()?.getLineCount() ?? 0 },
      ];
      return [{ top: 0, line: 1, before: removed ? all : none, after: removed ? none : all }];
    },
    changedLines: () => editor.getModel()?.getLineCount() ?? 0,
    dispose() {
      clear();
      editor.dispose();
    },
  };
}
