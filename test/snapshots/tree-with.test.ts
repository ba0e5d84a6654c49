import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capturePaths, treeWith } from '../../electron/snapshots/capture.ts';
import { emptyTree } from '../../electron/snapshots/object-id.ts';
import type { TreeEntry } from '../../electron/snapshots/objects.ts';
import { openQuarantine } from '../../electron/snapshots/store.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Lab, makeLab } from './lab.ts';

type Changes = Map<TreePath, TreeEntry | null>;

/** The same by git: read-tree, update-index, write-tree with a private index. */
function byGit(lab: Lab, gitDir: string, base: string, changes: Changes): string {
  const env = { GIT_INDEX_FILE: path.join(lab.folder, `index-${Math.random()}`) };
  lab.plain([`--git-dir=${gitDir}`, 'read-tree', base], { env });
  for (const order of [false, true]) {
    const lines = [...changes]
      .filter(([, entry]) => (entry !== null) === order)
      .map(([name, entry]) => (entry === null ? `0 ${'0'.repeat(40)}\t${name}\0` : `${entry.mode} ${entry.oid}\t${name}\0`));
    lab.plain([`--git-dir=${gitDir}`, 'update-index', '-z', '--index-info'], { env, input: lines.join('') });
  }
  return lab
    .plain([`--git-dir=${gitDir}`, 'write-tree', '--missing-ok'], { env })
    .toString()
    .trim();
}

const blob = (lab: Lab, gitDir: string, content: string): string =>
  lab
    .plain([`--git-dir=${gitDir}`, 'hash-object', '-w', '--stdin'], { input: content })
    .toString()
    .trim();

describe('a tree with changes', () => {
  it('replaces, adds and removes, and touches nothing of a foreign store', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', 'd/b': '2', 'd/e/c': '3', 'x/only': '4', 'run.sh': { content: 's', mode: 0o755 } });
    const base = lab.snap();
    const store = await lab.quarantine();
    const oid = blob(lab, store.gitDir, 'new');
    const before = await manifest(lab.foreign, { mtimes: true });
    const changes: Changes = new Map<TreePath, TreeEntry | null>([
      ['a', { mode: '100755', oid }],
      ['d/e/c', null],
      ['x/only', null],
      ['new/deep/f', { mode: '100644', oid }],
      ['d/link', { mode: '120000', oid }],
      ['sub', { mode: '160000', oid: 'b'.repeat(40) }],
      ['never/was', null],
    ]);
    const tree = await treeWith(store, { base, changes });
    expect(tree).toBe(byGit(lab, store.gitDir, base, changes));
    expect([...(await lab.reader(store).entries(tree)).keys()]).toEqual(['a', 'd/b', 'd/link', 'new/deep/f', 'run.sh', 'sub']);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
  });

  it('is the same tree when nothing changes, also one that exists', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', 'd/b': '2' });
    const base = lab.snap();
    const store = await lab.quarantine();
    const before = await manifest(lab.foreign, { mtimes: true });
    expect(await treeWith(store, { base, changes: new Map() })).toBe(base);
    const entry = await lab.reader(store).entry(base, 'd/b');
    expect(await treeWith(store, { base, changes: new Map([['d/b', entry]]) })).toBe(base);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
  });

  it('puts a file in the place of a folder and a folder in the place of a file, whatever the order', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { 'd/a': '1', 'd/b': '2', f: '3' });
    const base = lab.snap();
    const store = await lab.quarantine();
    const oid = blob(lab, store.gitDir, 'new');
    const entry: TreeEntry = { mode: '100644', oid };
    const list: [TreePath, TreeEntry | null][] = [
      ['d', entry],
      ['d/a', null],
      ['d/b', null],
      ['f', null],
      ['f/x', entry],
    ];
    const trees = await Promise.all([list, list.toReversed()].map((order) => treeWith(store, { base, changes: new Map(order) })));
    expect(trees[0]).toBe(trees[1]);
    expect([...(await lab.reader(store).entries(trees[0] ?? '')).keys()]).toEqual(['d', 'f/x']);
    // Null means no file here; it never takes a folder away.
    expect(await treeWith(store, { base, changes: new Map([['d', null]]) })).toBe(base);
    expect(await treeWith(store, { base, changes: new Map([['f/x', null]]) })).toBe(base);
  });

  it('of nothing is made from scratch, and may be empty', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    expect(await treeWith(store, { base: null, changes: new Map() })).toBe(emptyTree('sha1'));
    const oid = blob(lab, store.gitDir, 'x');
    const tree = await treeWith(store, { base: null, changes: new Map([['a/b', { mode: '100644', oid }]]) });
    expect(await treeWith(store, { base: tree, changes: new Map([['a/b', null]]) })).toBe(emptyTree('sha1'));
    expect(lab.plain([`--git-dir=${store.gitDir}`, 'ls-tree', '-r', tree]).toString()).toBe(`100644 blob ${oid}\ta/b\n`);
  });

  it('is refused where the base is missing', async () => {
    const lab = await makeLab();
    await expect(treeWith(await lab.quarantine(), { base: '1'.repeat(40), changes: new Map() })).rejects.toMatchObject({
      code: 'TREE_MISSING',
    });
  });

  it('agrees with git on random changes', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    const oid = blob(lab, store.gitDir, 'x');
    const name = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'a0');
    const at = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const entry = fc.constantFrom<TreeEntry | null>({ mode: '100644', oid }, { mode: '100755', oid }, { mode: '120000', oid }, null);
    const list = fc.uniqueArray(fc.tuple(at, entry), { selector: ([key]) => key, maxLength: 8 });
    const fits = (changes: [string, TreeEntry | null][]): boolean =>
      changes.every(([a, x]) => x === null || changes.every(([b, y]) => y === null || !b.startsWith(`${a}/`)));
    await fc.assert(
      fc.asyncProperty(list.filter(fits), list.filter(fits), async (first, second) => {
        const base = await treeWith(store, { base: null, changes: new Map(first) });
        // Git's `0` removes a file only, as null does; but it refuses nothing, so both must agree on every list.
        expect(await treeWith(store, { base, changes: new Map(second) })).toBe(byGit(lab, store.gitDir, base, new Map(second)));
      }),
      { numRuns: 40 },
    );
  });
});

describe('a tree for the agent', () => {
  it('is whole in the foreign store, and nothing else there changes', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', 'd/b': '2', 'k/l/m': 'kept' });
    const base = lab.snap();
    await writeFiles(lab.root, { a: 'now', 'new/deep/f': 'fresh', 'k/l/n': 'beside', link: { link: 'a' } });
    const safety = await lab.safety();
    const { tree: now } = await capturePaths(safety, { root: lab.root, paths: ['a', 'new/deep/f', 'k/l/n', 'link'] });
    const objects = path.join(lab.foreign, 'objects');
    const store = await openQuarantine({
      git: lab.git,
      ownData: lab.ownData,
      objectFolders: [objects, path.join(safety.gitDir, 'objects')],
      format: 'sha1',
    });
    const before = await manifest(lab.foreign, { mtimes: true });
    const entries = await lab.reader(store).entries(now);
    const tree = await treeWith(store, { base, changes: entries, objectFolder: objects });
    const after = await manifest(lab.foreign, { mtimes: true });
    const gone = before.filter((line) => !after.includes(line));
    expect(gone).toEqual([]);
    const added = after.filter((line) => !before.includes(line));
    expect(added.length).toBeGreaterThan(0);
    for (const line of added) expect(line).toMatch(/^objects\/[0-9a-f]{2}(\/[0-9a-f]{38} F 444| D)/);
    // The agent's own git, alone with its store, reads all of it.
    expect(lab.plain([`--git-dir=${lab.foreign}`, 'fsck', '--full', '--strict', '--no-dangling', tree]).toString()).not.toMatch(
      /missing|broken/,
    );
    expect(lab.plain([`--git-dir=${lab.foreign}`, 'show', `${tree}:new/deep/f`]).toString()).toBe('fresh');
    expect(lab.snap()).toBe(tree);
  });

  it('brings along folders that only we have', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { 'd/e/f': 'f', 'd/g': 'g', h: 'h' });
    const safety = await lab.safety();
    const { tree: ours } = await capturePaths(safety, { root: lab.root, paths: ['d/e/f', 'd/g', 'h'] });
    const objects = path.join(lab.foreign, 'objects');
    const oid = blob(lab, safety.gitDir, 'other');
    const tree = await treeWith(safety, { base: ours, changes: new Map([['h', { mode: '100644', oid }]]), objectFolder: objects });
    expect(lab.plain([`--git-dir=${lab.foreign}`, 'ls-tree', '-r', '--name-only', tree]).toString()).toBe('d/e/f\nd/g\nh\n');
    expect(lab.plain([`--git-dir=${lab.foreign}`, 'fsck', '--full', '--no-dangling', tree]).toString()).not.toMatch(/missing|broken/);
    expect((await readdir(path.join(objects, 'pack'))).length).toBe(0);
  });

  it('is refused when a blob is nowhere, and its tree is not written', async () => {
    const lab = await makeLab();
    await writeFile(path.join(lab.root, 'a'), 'a');
    const base = lab.snap();
    const objects = path.join(lab.foreign, 'objects');
    const before = await manifest(lab.foreign, { mtimes: true });
    const changes = new Map<TreePath, TreeEntry>([['gone', { mode: '100644', oid: '2'.repeat(40) }]]);
    await expect(treeWith(await lab.quarantine(), { base, changes, objectFolder: objects })).rejects.toMatchObject({
      code: 'TREE_MISSING',
    });
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
  });
});
