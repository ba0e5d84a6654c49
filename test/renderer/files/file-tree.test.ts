import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countKinds, filterFiles, isFiltering } from '../../../renderer/files/file-filter.ts';
import { type FileRow, listRows, treeRows } from '../../../renderer/files/file-tree.ts';
import { looksMoved } from '../../../renderer/files/moved.ts';
import type { FileChange } from '../../../shared/model.ts';

const file = (path: string, over: Partial<FileChange> = {}): FileChange => ({
  path,
  change: 'modified',
  added: 1,
  removed: 1,
  binary: false,
  ...over,
});
const files = (...paths: string[]): FileChange[] => paths.map((path) => file(path));
const draw = (rows: readonly FileRow[]): string[] =>
  rows.map((row) => `${'  '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? '/' : ''}`);

test('folders that hold only a folder are one row', () => {
  expect(draw(treeRows(files('src/app/main.ts', 'src/app/deep/a/b.ts', 'src/x.ts', 'top.ts'), new Set()))).toEqual([
    'src/',
    '  app/',
    '    deep/a/',
    '      b.ts',
    '    main.ts',
    '  x.ts',
    'top.ts',
  ]);
  expect(draw(treeRows(files('a/b/c/d.ts'), new Set()))).toEqual(['a/b/c/', '  d.ts']);
});

test('a closed folder hides its insides and keeps its count', () => {
  const rows = treeRows(files('src/a/1.ts', 'src/a/2.ts', 'src/b.ts'), new Set(['src/a']));
  expect(draw(rows)).toEqual(['src/', '  a/', '  b.ts']);
  expect(rows.map((row) => (row.kind === 'folder' ? [row.files, row.open] : null))).toEqual([[3, true], [2, false], null]);
});

test('rows count among their siblings', () => {
  const rows = treeRows(files('src/a.ts', 'src/b.ts', 'top.ts'), new Set());
  expect(rows.map((row) => `${row.position}/${row.size}`)).toEqual(['1/2', '1/2', '2/2', '2/2']);
});

test('the tree runs in the order of git, so that it and the scroll of diffs run the same way', () => {
  const segment = fc.constantFrom('a', 'b', 'a.ts', 'a-b', 'z', 'B');
  const paths = fc.uniqueArray(
    fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(paths, (all) => {
      // A path cannot be a file and a folder at once.
      const possible = all.filter((path) => !all.some((other) => other.startsWith(`${path}/`))).sort((a, b) => (a < b ? -1 : 1));
      const rows = treeRows(files(...possible), new Set());
      expect(rows.flatMap((row) => (row.kind === 'file' ? [row.path] : []))).toEqual(possible);
    }),
  );
});

test('a path of 2,000 folders is no trouble, and neither are names of the prototype', () => {
  const deep = `${'d/'.repeat(2_000)}file`;
  expect(draw(treeRows(files(deep), new Set())).length).toBe(2);
  expect(draw(treeRows(files('__proto__/constructor', 'toString'), new Set()))).toEqual(['__proto__/', '  constructor', 'toString']);
});

test('the list has whole paths', () => {
  expect(listRows(files('b/c', 'a')).map((row) => [row.name, row.depth, row.position])).toEqual([
    ['b/c', 0, 1],
    ['a', 0, 2],
  ]);
});

test('the filter takes words in any order and kinds', () => {
  const all = [file('src/Login.ts'), file('src/logout.ts', { change: 'created' }), file('test/login.ts', { change: 'mode' })];
  const none = new Set<'created'>();
  const paths = (text: string, kinds: ReadonlySet<'created' | 'modified' | 'deleted' | 'other'>): string[] =>
    filterFiles(all, { text, kinds }).map((entry) => entry.path);
  expect(paths('ts LOGIN', none)).toEqual(['src/Login.ts', 'test/login.ts']);
  expect(paths('', new Set(['other', 'created']))).toEqual(['src/logout.ts', 'test/login.ts']);
  expect(filterFiles(all, { text: '  ', kinds: none })).toBe(all);
  expect([isFiltering({ text: ' ', kinds: none }), isFiltering({ text: 'a', kinds: none })]).toEqual([false, true]);
  expect(countKinds(all)).toEqual({ created: 1, modified: 1, deleted: 0, other: 1 });
});

test('a file of the same name and about the same length looks moved, both ways', () => {
  const moved = looksMoved([
    file('old/form.ts', { change: 'deleted', added: 0, removed: 100 }),
    file('new/form.ts', { change: 'created', added: 104, removed: 0 }),
    file('other.ts'),
  ]);
  expect([...moved]).toEqual([
    ['old/form.ts', 'new/form.ts'],
    ['new/form.ts', 'old/form.ts'],
  ]);
});

test('what is not beyond doubt is not said to have moved', () => {
  const gone = (path: string, removed: number): FileChange => file(path, { change: 'deleted', added: 0, removed });
  const come = (path: string, added: number): FileChange => file(path, { change: 'created', added, removed: 0 });
  expect(looksMoved([gone('a/x.ts', 100), come('b/x.ts', 40)]).size).toBe(0);
  expect(looksMoved([gone('a/x.ts', 1), come('b/x.ts', 1)]).size).toBe(0);
  expect(looksMoved([gone('a/x.ts', 10), come('b/x.ts', 10), come('c/x.ts', 10)]).size).toBe(0);
  expect(looksMoved([gone('a/x.ts', 12), come('b/y.md', 12)]).size).toBe(0);
  expect(looksMoved([gone('a/x.ts', 12), come('b/y.ts', 12)]).size).toBe(2);
});
