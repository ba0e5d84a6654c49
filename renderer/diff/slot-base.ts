import type { EditorSlot } from './editor-slot.ts';
import type { Monaco } from './load-monaco.ts';
import { createOwnerGutter } from './owner-gutter.ts';

type Shared = 'node' | 'scrollTo' | 'own' | 'mark' | 'focus' | 'onHeight' | 'onScroll';

/** What every slot does with the editor that holds the text which is read, and who is told when that text grows or moves. */
export function createSlotBase(monaco: Monaco, node: HTMLElement, editor: Parameters<typeof createOwnerGutter>[1]) {
  const gutter = createOwnerGutter(monaco, editor);
  let heightChanged = (): void => {};
  let scrolled = (_top: number): void => {};
  editor.onDidContentSizeChange((event) => event.contentHeightChanged && heightChanged());
  editor.onDidScrollChange((event) => event.scrollTopChanged && scrolled(event.scrollTop));
  const shared: Pick<EditorSlot, Shared> = {
    node,
    scrollTo(top) {
      if (editor.getScrollTop() !== top) editor.setScrollTop(top, monaco.editor.ScrollType.Immediate);
    },
    own: (owners) => gutter.own(owners),
    mark: (line) => editor.setPosition({ lineNumber: line, column: 1 }),
    focus: () => editor.focus(),
    onHeight: (listener) => {
      heightChanged = listener;
    },
    onScroll: (listener) => {
      scrolled = listener;
    },
  };
  return { shared, gutter, heightChanged: () => heightChanged() };
}

/** The element that an editor is drawn in. */
export function createSlotNode(): HTMLElement {
  const node = document.createElement('div');
  node.className = 'editor-slot';
  return node;
}
