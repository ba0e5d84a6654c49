import type { Body } from './body-of.ts';
import { type DiffLook, diffOptions, factsOf } from './diff-look.ts';
import type { EditorSlot, Hunk, SlotContent } from './editor-slot.ts';
import type { FrameQueue } from './frame-queue.ts';
import type { LineOwners } from './line-owners.ts';
import { loadLanguage } from './load-language.ts';
import type { Pool } from './pool.ts';
import type { Stack } from './stack.ts';

export type EditorPool = Pool<'diff' | 'single', EditorSlot>;

export interface TextBodyOptions {
  host: HTMLElement;
  index: number;
  body: Extract<Body, { kind: 'text' }>;
  numbers: SlotContent['numbers'];
  /** Height of what is drawn below the editor, in the same body. */
  foot: number;
  removed: number | null;
  look: DiffLook;
  language: string | null;
  label: string;
  stack: Stack;
  pool: EditorPool;
  frames: FrameQueue;
  onReady(handle: TextHandle): void;
  /** The changed blocks, each time that they may lie elsewhere. */
  onHunks(hunks: Hunk[]): void;
}

/** What the pane can ask of a file that is drawn. */
export interface TextHandle {
  hunks(): Hunk[];
  /** Lines of the after side that differ, and of the before side where nothing takes their place. */
  changedLines(): number;
  own(owners: LineOwners | null): void;
  mark(line: number): void;
  focus(): void;
}

/**
 * Draws a text in a pooled editor inside `host`. The host sticks below the file's header and is never taller than the pane: the
 * editor's own scroll follows the pane's, so a file of any length costs one screen. The result gives the editor back.
 */
export function mountText(options: TextBodyOptions): () => void {
  const { host, index, body, stack, pool, frames } = options;
  let slot: EditorSlot | null = null;
  let ended = false;
  let stopWaiting = (): void => {};
  let asked = -1;
  let size = '';

  const place = (): void => {
    if (slot === null || ended) return;
    const { width, height } = stack.viewport();
    const content = stack.bodyHeight(index) - options.foot;
    const shown = Math.max(1, Math.min(content, height));
    const key = `${width} ${shown}`;
    if (key !== size) {
      size = key;
      host.style.height = `${shown}px`;
      slot.layout(width, shown);
    }
    asked = Math.max(0, Math.min(stack.passed(index), content - shown));
    slot.scrollTo(asked);
    // What lies over the text follows it without being drawn again.
    host.style.setProperty('--scrolled', `${asked}px`);
  };
  const measure = (): void => {
    if (slot === null || ended) return;
    stack.measured(index, Math.max(18, slot.contentHeight()) + options.foot);
    place();
    options.onHunks(slot.hunks());
  };
  const show = async (taken: EditorSlot): Promise<void> => {
    const language = await loadLanguage(options.language);
    if (ended) return;
    const facts = factsOf([body.before, body.after], options.removed);
    await taken.show({
      before: body.before,
      after: body.after,
      language,
      label: options.label,
      numbers: options.numbers,
      options: diffOptions(options.look, facts),
    });
    if (ended) return;
    measure();
    taken.onHeight(() => queueMicrotask(measure));
    taken.onScroll((top) => {
      // The caret or a search moved inside: the pane follows, so that both scrolls stay one.
      if (Math.abs(top - asked) > 1) stack.reveal(index, top);
    });
    host.dataset['ready'] = 'true';
    options.onReady({
      hunks: () => taken.hunks(),
      changedLines: () => taken.changedLines(),
      own: (owners) => taken.own(owners),
      mark: (line) => taken.mark(line),
      focus: () => taken.focus(),
    });
  };
  const take = (): void => {
    if (ended) return;
    slot = pool.take(body.slot);
    if (slot === null) {
      stopWaiting = pool.whenFree(() => {
        stopWaiting = frames.add(take);
      });
      return;
    }
    host.append(slot.node);
    place();
    void show(slot);
  };
  stopWaiting = frames.add(take);
  const stopFollowing = stack.onMove(place);
  return () => {
    ended = true;
    stopWaiting();
    stopFollowing();
    delete host.dataset['ready'];
    if (slot === null) return;
    slot.onHeight(() => {});
    slot.onScroll(() => {});
    slot.clear();
    slot.node.remove();
    pool.give(body.slot, slot);
  };
}
