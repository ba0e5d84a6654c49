import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { openQuarantine, openSafetyStore, pin, pins, unpin } from '../../electron/snapshots/store.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

describe('the quarantine', () => {
  it('reads foreign trees, and leaves every byte and time of the foreign store alone', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', 'd/b': '2' });
    const tree = lab.snap();
    const before = await manifest(lab.foreign, { mtimes: true });
    const store = await lab.quarantine();
    const reader = lab.reader(store);
    expect([...(await reader.entries(tree)).keys()]).toEqual(['a', 'd/b']);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
    expect((await stat(store.gitDir)).mode & 0o777).toBe(0o700);
  });

  it('is one folder for the same stores, others for others', async () => {
    const lab = await makeLab();
    const objects = path.join(lab.foreign, 'objects');
    const open = (objectFolders: string[], format: 'sha1' | 'sha256' = 'sha1') =>
      openQuarantine({ git: lab.git, ownData: lab.ownData, objectFolders, format });
    const first = await open([objects]);
    expect((await open([objects])).gitDir).toBe(first.gitDir);
    expect((await open([objects, '/gone'])).gitDir).not.toBe(first.gitDir);
    expect((await open([objects], 'sha256')).gitDir).not.toBe(first.gitDir);
  });

  it('is made once when many open it at the same time', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1' });
    const tree = lab.snap();
    const stores = await Promise.all(Array.from({ length: 8 }, () => lab.quarantine()));
    for (const store of stores) expect(await new ObjectReader(store).hasTree(tree)).toBe(true);
    expect(await readdir(path.join(lab.ownData, 'quarantine'))).toEqual([path.basename(stores[0]?.gitDir ?? '')]);
  });

  it('is made once when two processes open it at the same time', async () => {
    const lab = await makeLab();
    const script = path.join(lab.folder, 'open.ts');
    const here = path.resolve('electron/snapshots');
    await writeFile(
      script,
      `import { createGit } from '${here}/git.ts';\nimport { openSafetyStore } from '${here}/store.ts';\n` +
        `for (let k = 0; k < 40; k++) await openSafetyStore({ git: createGit(), ownData: '${lab.ownData}/' + k, root: '/w' });\n`,
    );
    const run = promisify(execFile);
    await Promise.all([1, 2, 3].map(() => run(process.execPath, [script])));
    for (let k = 0; k < 40; k++) expect(await readdir(path.join(lab.ownData, String(k), 'safety'))).toHaveLength(1);
  });

  it('gets back what a crash or a stranger took from it', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1' });
    const tree = lab.snap();
    const store = await lab.quarantine();
    await writeFile(path.join(store.gitDir, 'config'), '[core]\n\tfsmonitor = touch /tmp/PWN\n');
    await rm(path.join(store.gitDir, 'objects', 'info', 'alternates'));
    await rm(path.join(store.gitDir, 'HEAD'));
    const again = await lab.quarantine();
    expect(await readFile(path.join(again.gitDir, 'config'), 'utf8')).not.toContain('fsmonitor');
    expect(await lab.reader(again).hasTree(tree)).toBe(true);
    expect((await readdir(path.dirname(again.gitDir))).length).toBe(1);
  });

  it.each(['sp ace', '#hash', 'q"uote', '"lead', 'new\nline', 'tab\there', 'back\\slash', 'ünï', 'a:b', '-dash'])(
    'reads a store below a folder named %j',
    async (name) => {
      const lab = await makeLab();
      await writeFiles(lab.root, { a: name });
      const tree = lab.snap();
      const moved = path.join(lab.folder, name);
      await mkdir(moved);
      lab.plain(['init', '-q', '--bare', path.join(moved, 's.git')]);
      lab.plain(['-c', 'protocol.file.allow=always', `--git-dir=${path.join(moved, 's.git')}`, 'unpack-objects', '-q'], {
        input: lab.plain([`--git-dir=${lab.foreign}`, 'pack-objects', '-q', '--stdout'], {
          input: lab.plain([`--git-dir=${lab.foreign}`, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)']),
        }),
      });
      const store = await openQuarantine({
        git: lab.git,
        ownData: lab.ownData,
        objectFolders: [path.join(moved, 's.git', 'objects')],
        format: 'sha1',
      });
      const entry = await lab.reader(store).entry(tree, 'a');
      expect((await lab.reader(store).blob(entry?.oid ?? '')).toString()).toBe(name);
    },
  );

  it('follows what the foreign store borrows, also by a relative path, and does not mind what is gone', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: 'lent' });
    const tree = lab.snap();
    const borrower = path.join(lab.folder, 'borrower.git');
    lab.plain(['init', '-q', '--bare', borrower]);
    await writeFile(path.join(borrower, 'objects', 'info', 'alternates'), '/gone/objects\n../../snap.git/objects\n');
    const store = await openQuarantine({
      git: lab.git,
      ownData: lab.ownData,
      objectFolders: ['/gone/too', path.join(borrower, 'objects')],
      format: 'sha1',
    });
    expect([...(await lab.reader(store).entries(tree)).keys()]).toEqual(['a']);
  });

  it('copies no template and runs no hook of one', async () => {
    const lab = await makeLab();
    const store = await lab.quarantine();
    expect((await readdir(store.gitDir)).sort()).toEqual(['HEAD', 'config', 'info', 'objects', 'refs']);
  });
});

describe('pins', () => {
  it('keep a tree from git gc, and let it go again', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    const at = [`--git-dir=${store.gitDir}`];
    const blob = lab
      .plain([...at, 'hash-object', '-w', '--stdin'], { input: 'kept' })
      .toString()
      .trim();
    const tree = lab
      .plain([...at, 'mktree'], { input: `100644 blob ${blob}\tf\n` })
      .toString()
      .trim();
    await pin(store, 'entry-1', tree);
    await pin(store, 'travels/2.before', tree);
    expect(await pins(store)).toEqual([
      { name: 'entry-1', tree },
      { name: 'travels/2.before', tree },
    ]);
    lab.plain([...at, 'gc', '-q', '--prune=now']);
    expect(await lab.reader(store).hasTree(tree)).toBe(true);
    // Also when gc has packed the refs.
    await pin(store, 'entry-1', tree);
    await unpin(store, 'entry-1');
    await unpin(store, 'travels/2.before');
    await unpin(store, 'travels/2.before');
    expect(await pins(store)).toEqual([]);
    lab.plain([...at, 'gc', '-q', '--prune=now']);
    expect(await new ObjectReader(store).hasTree(tree)).toBe(false);
  });

  it('move to another tree', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    const trees = ['a', 'b'].map((name) => {
      const blob = lab
        .plain([`--git-dir=${store.gitDir}`, 'hash-object', '-w', '--stdin'], { input: name })
        .toString()
        .trim();
      return lab
        .plain([`--git-dir=${store.gitDir}`, 'mktree'], { input: `100644 blob ${blob}\t${name}\n` })
        .toString()
        .trim();
    });
    for (const tree of trees) await pin(store, 'x', tree);
    expect(await pins(store)).toEqual([{ name: 'x', tree: trees[1] }]);
  });

  it.each(['', '../x', '/x', 'x/', 'a..b', '-x', 'a b', 'x.lock', 'a.lock/b', 'x~1', 'a\nb'])('are not named %j', async (name) => {
    const store = await (await makeLab()).safety();
    await expect(pin(store, name, 'a'.repeat(40))).rejects.toThrow('cannot name a pin');
    await expect(unpin(store, name)).rejects.toThrow('cannot name a pin');
  });

  it('hold ids of the store only', async () => {
    const store = await (await makeLab()).safety();
    for (const id of ['', 'HEAD', 'a'.repeat(64), 'A'.repeat(40), `${'a'.repeat(40)}\n`])
      await expect(pin(store, 'x', id)).rejects.toThrow('no tree id');
  });
});

describe('the safety store', () => {
  it('is one for each workspace and format', async () => {
    const git = createGit();
    const ownData = await tempFolder();
    const dirs = [
      await openSafetyStore({ git, ownData, root: '/a' }),
      await openSafetyStore({ git, ownData, root: '/b' }),
      await openSafetyStore({ git, ownData, root: '/a', format: 'sha256' }),
      await openSafetyStore({ git, ownData, root: '/a', format: 'sha1' }),
    ].map(({ gitDir }) => gitDir);
    expect(new Set(dirs).size).toBe(3);
    expect(dirs[3]).toBe(dirs[0]);
  });
});
