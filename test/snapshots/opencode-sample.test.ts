import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { changesOf } from '../../electron/snapshots/diff.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import { openQuarantine, type SnapshotStore } from '../../electron/snapshots/store.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { collect } from './lab.ts';

/** A real store of OpenCode 1.18.33: `core.worktree` names a folder that is gone, and committed files are borrowed. */
const ARCHIVE = path.resolve('test/fixtures/opencode/opencode-1.18.33-states.tar.gz');
/** Trees at the end of each turn (samples/README.md). */
const ENDS = ['6db032c', '8e17064', '09d489d', 'a90b2b1', 'e75d2d0', '1ea2247'];

interface Sample {
  folder: string;
  foreign: string;
  store: SnapshotStore;
  trees: string[];
}

async function sample(lent: boolean): Promise<Sample> {
  const folder = await tempFolder();
  execFileSync('tar', ['-xzf', ARCHIVE, '-C', folder]);
  const found = execFileSync('find', [folder, '-path', '*before_revert*', '-name', 'objects', '-type', 'd', '-path', '*snapshot*'])
    .toString()
    .trim()
    .split('\n');
  const objects = found[0] ?? '';
  const project = execFileSync('find', [folder, '-name', 'project.git', '-type', 'd']).toString().trim().split('\n')[0] ?? '';
  const objectFolders = lent ? [objects, path.join(project, 'objects')] : [objects];
  const store = await openQuarantine({ git: createGit(), ownData: path.join(folder, 'own'), objectFolders, format: 'sha1' });
  const all = await store.git.run({
    name: 'cat-file',
    args: ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)'],
    gitDir: store.gitDir,
  });
  const ids = all.stdout.toString().split('\n');
  const trees = ENDS.map((short) => ids.find((line) => line.startsWith(short) && line.endsWith('tree'))?.slice(0, 40) ?? '');
  return { folder, foreign: path.dirname(objects), store, trees };
}

function readerOf(store: SnapshotStore): ObjectReader {
  const reader = new ObjectReader(store);
  onTestFinished(() => reader.close());
  return reader;
}

describe('a real OpenCode store', () => {
  it('cannot be read by plain git, which is why there is a quarantine', async () => {
    const { foreign, trees } = await sample(true);
    expect(() =>
      execFileSync('git', [`--git-dir=${foreign}`, 'ls-tree', trees[0] ?? ''], {
        stdio: 'pipe',
        env: { PATH: process.env['PATH'] ?? '', HOME: '/dev/null' },
      }),
    ).toThrow();
  });

  it('shows the files of each turn, and stays as it is', async () => {
    const { foreign, store, trees } = await sample(true);
    const before = await manifest(foreign, { mtimes: true });
    const [start, t1, t2, t3, user, t4] = trees;
    expect(trees.every((tree) => /^[0-9a-f]{40}$/.test(tree))).toBe(true);
    const pairs = [
      [start, t1],
      [t1, t2],
      [t2, t3],
      [t3, user],
      [user, t4],
    ].map(([from = '', to = '']) => ({ from, to, only: null }));
    const turns = (await changesOf(store, pairs)).map((files) =>
      Array.isArray(files) ? files.map(({ path: name, change }) => `${change} ${name}`) : files,
    );
    expect(turns).toEqual([
      ['modified src/app.js', 'created src/greet.js'],
      ['modified src/app.js', 'created src/helpers.js', 'deleted src/util.js'],
      ['modified README.md', 'created assets.bin', 'created docs/guide.md', 'deleted docs/notes.txt'],
      ['modified untracked.txt'],
      ['modified src/greet.js'],
    ]);
    const reader = readerOf(store);
    const greet = await reader.entry(t4 ?? '', 'src/greet.js');
    expect((await reader.blob(greet?.oid ?? '')).toString()).toMatch(/Hi, \$\{name\}\./);
    const patch = (await collect(patchOf(store, { from: start ?? '', to: t4 ?? '', only: null }))).toString();
    expect(patch).toContain('GIT binary patch');
    expect(await manifest(foreign, { mtimes: true })).toEqual(before);
  });

  it('without the repository it borrows from still shows what is its own', async () => {
    const { store, trees } = await sample(false);
    const [start = '', t1 = ''] = trees;
    const [answer] = await changesOf(store, [{ from: start, to: t1, only: null }]);
    // Committed blobs are not copied by OpenCode: what they held before cannot be counted.
    expect(answer).toMatchObject({ code: 'TREE_MISSING' });
    expect(await readerOf(store).hasTree(t1)).toBe(true);
  });
});
