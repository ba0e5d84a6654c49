import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listPatch, patchedList, sameJson } from '../../shared/list-patch.ts';

const element = fc.record({ id: fc.nat(6), text: fc.constantFrom('a', 'b'), list: fc.array(fc.nat(2), { maxLength: 2 }) });

test('a patch leads from any list to any other, and keeps the objects that stay', () => {
  fc.assert(
    fc.property(fc.array(element, { maxLength: 12 }), fc.array(element, { maxLength: 12 }), (before, now) => {
      const copy = structuredClone(now);
      const next = patchedList(before, listPatch(before, copy));
      expect(next).toEqual(now);
      for (const [at, one] of (next ?? []).entries())
        if (before[at] !== undefined && sameJson(before[at], one)) expect([before[at], copy[at]]).toContain(one);
    }),
  );
});

test('appends, changes in place and a piece in the middle are told by what is new alone', () => {
  const list = Array.from({ length: 100 }, (_, at) => ({ at, text: 'x' }));
  const changed = list.map((one) => (one.at === 3 || one.at === 70 ? { ...one, text: 'y' } : { ...one }));
  expect(listPatch(list, [...changed, { at: 100, text: 'z' }])).toEqual({
    head: 100,
    tail: 0,
    add: [{ at: 100, text: 'z' }],
    set: [
      { at: 3, value: { at: 3, text: 'y' } },
      { at: 70, value: { at: 70, text: 'y' } },
    ],
    before: 100,
  });
  const pieced = [...list.slice(0, 40), { at: -1, text: 'new' }, ...list.slice(42)];
  expect(listPatch(list, pieced)).toEqual({ head: 40, tail: 58, add: [{ at: -1, text: 'new' }], set: [], before: 100 });
});

test('a patch for another list is refused', () => {
  const patch = listPatch([1, 2, 3], [1, 2, 4]);
  expect(patchedList([1, 2], patch)).toBeNull();
  expect(patchedList([1], { head: 1, tail: 1, add: [], set: [], before: 1 })).toBeNull();
  expect(patchedList([1], { head: 1, tail: 0, add: [], set: [{ at: 5, value: 0 }], before: 1 })).toBeNull();
});

test('equal JSON is equal whatever the order of its keys, and nothing else is', () => {
  expect(sameJson({ a: 1, b: [null, { c: 'x' }] }, { b: [null, { c: 'x' }], a: 1 })).toBe(true);
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: undefined }, {}],
    [[1], { 0: 1 }],
    [null, {}],
    ['1', 1],
    [[1, 2], [1]],
  ]) {
    expect(sameJson(a, b)).toBe(false);
  }
});
