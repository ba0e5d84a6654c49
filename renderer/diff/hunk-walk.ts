import type { DiffStage } from './stage.ts';

/** Where the walk through the changes stands. `hunk` is null until the file was compared. */
export interface HunkPlace {
  index: number;
  hunk: number | null;
}

/** Lines of context that stay visible above a change. */
const LEAD = 40;

/** Walks through the changes of all files as if they were one list. */
export interface HunkWalk {
  go(direction: -1 | 1): HunkPlace | null;
  /** Where the walk stands; null before its first step. */
  place(): HunkPlace | null;
  /** A file that was waited for is drawn now. */
  arrived(index: number): void;
  /** The user scrolled: the next step starts from what is seen. */
  forget(): void;
}

export interface HunkWalkOptions {
  stage: DiffStage;
  count: number;
  onPlace(place: { index: number; hunk: number; hunks: number }): void;
}

export function createHunkWalk({ stage, count, onPlace }: HunkWalkOptions): HunkWalk {
  const { stack } = stage;
  let place: HunkPlace | null = null;
  let waiting: { index: number; end: -1 | 1 } | null = null;

  const show = (index: number, hunk: number): HunkPlace => {
    const hunks = stage.handle(index)?.hunks() ?? [];
    const found = hunks[hunk];
    stack.reveal(index, found === undefined ? 0 : Math.max(0, found.top - LEAD));
    if (found !== undefined) stage.handle(index)?.mark(found.line);
    place = { index, hunk };
    onPlace({ index, hunk, hunks: Math.max(1, hunks.length) });
    return place;
  };
  const enter = (index: number, direction: -1 | 1): HunkPlace => {
    const handle = stage.handle(index);
    if (handle === null) {
      // A card, a folded file, or one that is not drawn yet: stand on its header, and on its change once it is there.
      stack.reveal(index);
      waiting = { index, end: direction };
      place = { index, hunk: null };
      onPlace({ index, hunk: 0, hunks: 1 });
      return place;
    }
    waiting = null;
    return show(index, direction > 0 ? 0 : Math.max(0, handle.hunks().length - 1));
  };
  const seen = (direction: -1 | 1): HunkPlace => {
    const index = Math.max(0, stack.current());
    const hunks = stage.handle(index)?.hunks() ?? [];
    if (stack.passed(index) === 0) return { index, hunk: direction > 0 ? -1 : 0 };
    const line = stack.passed(index) + LEAD;
    const after = hunks.findIndex((hunk) => hunk.top > line + 1);
    const next = after < 0 ? hunks.length : after;
    return { index, hunk: direction > 0 ? next - 1 : hunks[next - 1]?.top === line ? next - 1 : next };
  };
  return {
    go(direction) {
      if (count === 0) return null;
      const from = place ?? seen(direction);
      const hunks = stage.handle(from.index)?.hunks() ?? [];
      const next = (from.hunk ?? (direction > 0 ? hunks.length - 1 : 0)) + direction;
      if (next >= 0 && next < hunks.length) return show(from.index, next);
      const index = from.index + direction;
      if (index < 0 || index >= count) return place;
      return enter(index, direction);
    },
    place: () => place,
    arrived(index) {
      if (waiting?.index !== index) return;
      const { end } = waiting;
      enter(index, end);
    },
    forget() {
      place = null;
      waiting = null;
    },
  };
}
