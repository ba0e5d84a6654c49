import { expect, test } from 'vitest';
import { foldersAbove, type Group, groupsThatStay, type Move } from '../../electron/travel/folder-groups.ts';

const write = (path: string, folderThere = false): Move => ({ path, act: 'write', folderThere });
const remove = (path: string): Move => ({ path, act: 'delete', folderThere: false });

/** What lies in folders on disk. */
const on =
  (...files: string[]) =>
  async (folder: string): Promise<string[]> =>
    files.filter((file) => file.startsWith(`${folder}/`));

const shown = (groups: Group[]): string[] => groups.map(({ at, paths, blocker }) => `${at}: ${paths.join(' ')} because of ${blocker}`);

test('the folders above a path', () => {
  expect(foldersAbove('a/b/c')).toEqual(['a', 'a/b']);
  expect(foldersAbove('a')).toEqual([]);
});

test.each<[string, Move[], string[], string[]]>([
  ['files alone', [write('a'), remove('b'), write('c/d')], [], []],
  ['a folder that empties gives way', [write('x', true), remove('x/a'), remove('x/b/c')], ['x/a', 'x/b/c'], []],
  ['an empty folder gives way', [write('x', true)], [], []],
  ['a file of yours keeps the folder', [write('x', true), remove('x/a')], ['x/a', 'x/mine'], ['x: x x/a because of x/mine']],
  ['a file that is written keeps the folder', [write('x', true), write('x/a')], ['x/a'], ['x: x x/a because of x/a']],
  ['one that is brought back keeps it, too', [write('x', true), write('x/new')], [], ['x: x x/new because of x/new']],
  ['a file gives way to a folder', [remove('x'), write('x/a'), write('x/b/c')], [], []],
  ['a file that stays keeps all below away', [write('x'), write('x/a'), write('x/b')], [], ['x: x x/a x/b because of x']],
  // What stays in one group makes another one stay: y/z may not go, so y cannot become a file.
  [
    'groups that wait for each other',
    [write('y', true), remove('y/z'), write('y/z/q', false)],
    ['y/z'],
    ['y: y y/z y/z/q because of y/z/q'],
  ],
  ['only their own group', [write('x', true), remove('x/a'), write('other')], ['x/a', 'x/mine'], ['x: x x/a because of x/mine']],
])('%s', async (_name, moves, files, expected) => {
  expect(shown(await groupsThatStay(moves, on(...files)))).toEqual(expected);
});
