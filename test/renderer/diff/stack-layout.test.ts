import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStackLayout } from '../../../renderer/diff/stack-layout.ts';

test('tops are sums of heights, and a measured block moves what is below it', () => {
  const layout = createStackLayout([100, 50, 30]);
  expect([0, 1, 2, 3].map((at) => layout.top(at))).toEqual([0, 100, 150, 180]);
  expect(layout.set(1, 80)).toBe(30);
  expect(layout.set(1, 80)).toBe(0);
  expect([layout.top(2), layout.total()]).toEqual([180, 210]);
});

test('the visible blocks are those that touch the window, also outside of the stack', () => {
  const layout = createStackLayout([100, 50, 30]);
  expect(layout.visible(0, 100)).toEqual({ first: 0, last: 0 });
  expect(layout.visible(99, 101)).toEqual({ first: 0, last: 1 });
  expect(layout.visible(100, 180)).toEqual({ first: 1, last: 2 });
  expect(layout.visible(-300, -200)).toEqual({ first: 0, last: 0 });
  expect(layout.visible(900, 1200)).toEqual({ first: 2, last: 2 });
  expect(createStackLayout([]).visible(0, 100)).toBeNull();
  expect(createStackLayout([]).at(0)).toBe(-1);
});

test('any order of measuring gives the same as a plain sum', () => {
  const height = fc.integer({ min: 1, max: 5_000 });
  fc.assert(
    fc.property(
      fc.array(height, { minLength: 1, maxLength: 60 }),
      fc.array(fc.tuple(fc.nat(59), height), { maxLength: 40 }),
      (start, moves) => {
        const plain = [...start];
        const layout = createStackLayout(start);
        for (const [at, next] of moves) {
          const index = at % plain.length;
          layout.set(index, next);
          plain[index] = next;
          const top = plain.slice(0, index).reduce((sum, value) => sum + value, 0);
          expect(layout.top(index)).toBe(top);
          expect(layout.at(top)).toBe(index);
          expect(layout.at(top + next - 1)).toBe(index);
        }
        expect(layout.total()).toBe(plain.reduce((sum, value) => sum + value, 0));
      },
    ),
  );
});
