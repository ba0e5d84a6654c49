import type { FileChange } from '../../shared/model.ts';
import { estimateBodyHeight, HEADER_HEIGHT, sectionHeight } from './estimate-height.ts';
import { createStackLayout, type StackLayout } from './stack-layout.ts';

/** The sections that are in the document now. A new object whenever one of them moved. */
export interface StackWindow {
  first: number;
  last: number;
}

/** Sections in one scroll: which of them exist, where they are, and what happens to the scroll when one is measured. */
export interface Stack {
  readonly layout: StackLayout;
  /** `track` is the element that is as tall as all sections. */
  attach(scroller: HTMLElement, track: HTMLElement): () => void;
  window(): StackWindow;
  subscribe(listener: () => void): () => void;
  bodyHeight(index: number): number;
  /** The real height of a body. What the eye is on stays where it is. */
  measured(index: number, body: number): void;
  fold(index: number, folded: boolean): void;
  folded(index: number): boolean;
  /**
   * Scrolls so that `offset` pixels of the body are above the header's lower edge, and keeps that place while sections around it are
   * measured: near the end of the scroll it may be reached only then.
   */
  reveal(index: number, offset?: number): void;
  /** The user scrolls: what was revealed is not held any more. */
  release(): void;
  /** The section under the top edge. */
  current(): number;
  /** Pixels of the section's body that are scrolled past. */
  passed(index: number): number;
  viewport(): { width: number; height: number };
  /** Calls back on each scroll and resize, for what must follow within the frame. */
  onMove(listener: () => void): () => void;
}

/** Sections are made this far outside of the visible part. */
const OVERSCAN = 300;
const EMPTY: StackWindow = { first: 0, last: -1 };

export function createStack(files: readonly FileChange[], layoutKind: 'split' | 'inline', foldedAtStart: ReadonlySet<string>): Stack {
  const bodies = files.map((file) => estimateBodyHeight(file, layoutKind));
  const folds = files.map((file) => foldedAtStart.has(file.path));
  const layout = createStackLayout(bodies.map((body, index) => sectionHeight(body, folds[index] ?? false)));
  const listeners = new Set<() => void>();
  const movers = new Set<() => void>();
  let scroller: HTMLElement | null = null;
  let track: HTMLElement | null = null;
  let held: { index: number; offset: number } | null = null;
  let shown = EMPTY;
  // Kept here, because asking the document for them in the middle of drawing makes it lay everything out again.
  let scroll = 0;
  let width = 0;
  let height = 0;
  let upwards = false;

  const emit = (): void => {
    for (const listener of listeners) listener();
  };
  const look = (moved: boolean): void => {
    if (scroller === null) return;
    const next = layout.visible(scroll - OVERSCAN, scroll + height + OVERSCAN) ?? EMPTY;
    if (!moved && next.first === shown.first && next.last === shown.last) return;
    shown = next;
    emit();
  };
  const follow = (): void => {
    for (const mover of movers) mover();
  };
  const goTo = (top: number): void => {
    const next = Math.max(0, Math.min(top, layout.total() - height));
    if (scroller === null || next === scroll) return;
    scroll = next;
    scroller.scrollTop = next;
  };
  const onScroll = (): void => {
    if (scroller === null) return;
    const now = scroller.scrollTop;
    if (now === scroll) return;
    upwards = now < scroll;
    scroll = now;
    look(false);
    follow();
  };
  const resize = (index: number, next: number): void => {
    const top = layout.top(index);
    const bottom = top + layout.height(index);
    const delta = layout.set(index, next);
    if (delta === 0) return;
    // Before React draws: the browser would not scroll beyond the old height.
    if (track !== null) track.style.height = `${layout.total()}px`;
    if (held !== null) goTo(layout.top(held.index) + held.offset);
    else if (bottom <= scroll || (upwards && top < scroll)) goTo(scroll + delta);
    look(true);
    follow();
  };
  return {
    layout,
    attach(element, whole) {
      scroller = element;
      track = whole;
      scroll = element.scrollTop;
      const measure = (): void => {
        width = element.clientWidth;
        height = element.clientHeight;
      };
      measure();
      const observer = new ResizeObserver(() => {
        measure();
        look(false);
        follow();
      });
      observer.observe(element);
      element.addEventListener('scroll', onScroll, { passive: true });
      look(true);
      return () => {
        observer.disconnect();
        element.removeEventListener('scroll', onScroll);
        scroller = null;
        track = null;
      };
    },
    window: () => shown,
    subscribe(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    bodyHeight: (index) => bodies[index] ?? 0,
    measured(index, body) {
      bodies[index] = body;
      resize(index, sectionHeight(body, folds[index] ?? false));
    },
    fold(index, folded) {
      folds[index] = folded;
      upwards = false;
      held = null;
      resize(index, sectionHeight(bodies[index] ?? 0, folded));
    },
    folded: (index) => folds[index] ?? false,
    reveal(index, offset = 0) {
      if (scroller === null || index < 0) return;
      upwards = false;
      held = { index, offset };
      goTo(layout.top(index) + offset);
      look(false);
      follow();
    },
    release() {
      held = null;
    },
    current: () => layout.at(scroll),
    passed: (index) => Math.max(0, scroll - layout.top(index)),
    viewport: () => ({ width, height: Math.max(0, height - HEADER_HEIGHT) }),
    onMove(listener) {
      movers.add(listener);
      return () => {
        movers.delete(listener);
      };
    },
  };
}
