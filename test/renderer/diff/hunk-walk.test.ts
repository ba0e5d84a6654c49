import { expect, test } from 'vitest';
import { createHunkWalk, type HunkWalk } from '../../../renderer/diff/hunk-walk.ts';
import type { TextHandle } from '../../../renderer/diff/mount-text.ts';
import type { DiffStage } from '../../../renderer/diff/stage.ts';

/** Files by the tops of their changes; null for one that is not drawn. */
function setUp(files: (number[] | null)[]): {
  walk: HunkWalk;
  places: string[];
  draw(index: number, tops: number[]): void;
  reveals: string[];
} {
  const places: string[] = [];
  const reveals: string[] = [];
  let at = { index: 0, offset: 0 };
  const handle = (tops: number[]): TextHandle => ({
    hunks: () =>
      tops.map((top, line) => ({ top, line: line + 1, before: { start: line, lines: 0 }, after: { start: line + 1, lines: 1 } })),
    changedLines: () => tops.length,
    own: () => undefined,
    mark: () => {},
    focus: () => {},
  });
  const stage = {
    stack: {
      reveal(index: number, offset = 0) {
        at = { index, offset };
        reveals.push(`${index}:${offset}`);
      },
      current: () => at.index,
      passed: () => at.offset,
    },
    handle: (index: number) => {
      const tops = files[index];
      return tops == null ? null : handle(tops);
    },
  } as unknown as DiffStage;
  const walk = createHunkWalk({
    stage,
    count: files.length,
    onPlace: ({ index, hunk, hunks }) => places.push(`${index}.${hunk}/${hunks}`),
  });
  return {
    walk,
    places,
    reveals,
    draw(index, tops) {
      files[index] = tops;
      walk.arrived(index);
    },
  };
}

test('walks on through the changes of all files and stays at the end', () => {
  const { walk, places } = setUp([[100, 500], [0]]);
  for (let press = 0; press < 5; press++) walk.go(1);
  expect(places).toEqual(['0.0/2', '0.1/2', '1.0/1']);
});

test('walks back to the last change of the file before', () => {
  const { walk, places } = setUp([
    [100, 500],
    [0, 900],
  ]);
  walk.go(1);
  walk.go(1);
  walk.go(1);
  walk.go(-1);
  expect(places.at(-1)).toBe('0.1/2');
});

test('leaves some lines of context above a change', () => {
  const { walk, reveals } = setUp([[100, 500]]);
  walk.go(1);
  walk.go(1);
  expect(reveals).toEqual(['0:60', '0:460']);
});

test('a file that is not drawn yet is stood on, and its first change is found once it is', () => {
  const { walk, places, draw } = setUp([[100], null, [50]]);
  walk.go(1);
  walk.go(1);
  expect(places.at(-1)).toBe('1.0/1');
  draw(1, [300, 700]);
  expect(places.at(-1)).toBe('1.0/2');
  walk.go(1);
  expect(places.at(-1)).toBe('1.1/2');
});

test('a card counts as one change and is left by the next press', () => {
  const { walk, places } = setUp([[100], null, [50]]);
  walk.go(1);
  walk.go(1);
  walk.go(1);
  expect(places.at(-1)).toBe('2.0/1');
});

test('after a scroll by hand the walk starts from what is seen', () => {
  const { walk, places, reveals } = setUp([[100, 500, 900]]);
  walk.go(1);
  walk.go(1);
  walk.go(1);
  walk.forget();
  reveals.length = 0;
  walk.go(-1);
  expect(places.at(-1)).toBe('0.1/3');
});
