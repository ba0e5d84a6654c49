import { chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { capturePaths } from '../../electron/snapshots/capture.ts';
import { rawChanges } from '../../electron/snapshots/diff.ts';
import { emptyTree } from '../../electron/snapshots/object-id.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import type { SnapshotStore } from '../../electron/snapshots/store.ts';
import { applyCheck } from '../../electron/snapshots/workspace-repo.ts';
import { bytesOfTreePath, type TreePath } from '../../shared/tree-path.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { collect, HOSTILE_NAMES, type Lab, makeLab } from './lab.ts';

const PLAIN = ['diff', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv'];

const random = (size: number, seed: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, k) => (k * 7919 + seed * 104_729 + (k >> 3)) & 0xff));

/** The workspace of cases C-19 before the step. */
async function before(root: string): Promise<void> {
  await writeFiles(root, {
    'crlf.txt': 'a\r\nb\r\nc\r\n',
    'noeol.txt': 'x\ny',
    'b.bin': random(9000, 1),
    'old name.txt': 'old\n',
    'move.txt': Array.from({ length: 300 }, (_, k) => `${k + 1}\n`).join(''),
    e0: '',
    'r.sh': 'run',
    ln: { link: 'r.sh' },
    'n\new.txt': 'z\n',
    'ü.txt': 'ü\n',
    'tab\there.txt': 'a\n',
    'q"uote.txt': 'a\n',
    'kind.txt': 'a file\n',
    conf: 'c\n',
  });
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), bytesOfTreePath('bad\udcff\udcfe.bin')]), 'v1\n');
}

async function step(root: string): Promise<void> {
  const at = (name: string): string => path.join(root, name);
  for (const name of ['old name.txt', 'move.txt', 'e0', 'ln', 'kind.txt', 'conf']) await rm(at(name));
  await writeFiles(root, {
    'crlf.txt': 'a\r\nB\r\nc\r\n',
    'noeol.txt': 'x\ny\nz',
    'b.bin': random(9000, 2),
    'moved.txt': Array.from({ length: 299 }, (_, k) => `${k + 2}\n`).join(''),
    e1: '',
    ln: { link: 'crlf.txt' },
    'n\new.txt': 'zz\n',
    'ü.txt': 'ü2\n',
    'tab\there.txt': 'b\n',
    'q"uote.txt': 'b\n',
    'tricky.md': 'tail  \t\n+++ b/x\n--- a/y\n@@ -1 +1 @@\n',
    'conf/a.ini': 'a\n',
  });
  await chmod(at('r.sh'), 0o755);
  await symlink('ü.txt', at('kind.txt'));
  await writeFile(Buffer.concat([Buffer.from(`${root}/`), bytesOfTreePath('bad\udcff\udcfe.bin')]), 'v2\n');
}

/** A fresh folder that holds a tree, as a repository of its own. */
async function checkedOut(lab: Lab, tree: string): Promise<string> {
  const folder = await tempFolder();
  lab.plain(['init', '-q', folder]);
  const at = [`--git-dir=${lab.foreign}`, `--work-tree=${folder}`];
  const env = { GIT_INDEX_FILE: path.join(lab.folder, `index-${Math.random()}`) };
  lab.plain([...at, 'read-tree', tree], { env });
  lab.plain([...at, 'checkout-index', '-a', '-f'], { env, cwd: folder });
  return folder;
}

function treeOf(lab: Lab, folder: string): string {
  const at = [`--git-dir=${lab.foreign}`, `--work-tree=${folder}`, '-c', 'core.autocrlf=false'];
  const env = { GIT_INDEX_FILE: path.join(lab.folder, `index-${Math.random()}`) };
  lab.plain([...at, 'add', '-A', '.'], { env, cwd: folder });
  return lab
    .plain([...at, 'write-tree'], { env })
    .toString()
    .trim();
}

async function manyKinds(): Promise<{ lab: Lab; store: SnapshotStore; from: string; to: string }> {
  const lab = await makeLab();
  await before(lab.root);
  const from = lab.snap();
  await step(lab.root);
  return { lab, store: await lab.quarantine(), from, to: lab.snap() };
}

describe('a patch (cases C-19)', () => {
  it('is what git diff gives, byte for byte', async () => {
    const { lab, store, from, to } = await manyKinds();
    for (const [a, b] of [
      [from, to],
      [to, from],
      [from, from],
      [emptyTree('sha1'), to],
      [to, emptyTree('sha1')],
    ] as const)
      expect(
        (await collect(patchOf(store, { from: a, to: b, only: null }))).equals(
          lab.plain([`--git-dir=${lab.foreign}`, ...PLAIN, a, b], { cwd: lab.folder }),
        ),
      ).toBe(true);
  });

  it('is taken by git apply on the tree before, gives the tree after, and goes back', async () => {
    const { lab, store, from, to } = await manyKinds();
    const patch = path.join(lab.folder, 'p.patch');
    await writeFile(patch, await collect(patchOf(store, { from, to, only: null })));
    const folder = await checkedOut(lab, from);
    expect(treeOf(lab, folder)).toBe(from);
    expect(await applyCheck(lab.git, folder, patch)).toBe(true);
    lab.plain(['apply', '--check', '--whitespace=nowarn', patch], { cwd: folder });
    lab.plain(['apply', '--whitespace=nowarn', patch], { cwd: folder });
    expect(treeOf(lab, folder)).toBe(to);
    expect(await applyCheck(lab.git, folder, patch)).toMatch(/error|patch/);
    lab.plain(['apply', '-R', '--whitespace=nowarn', patch], { cwd: folder });
    expect(treeOf(lab, folder)).toBe(from);
  });

  it('is the same whatever the user, the machine and the foreign store have configured', async () => {
    const { lab, store, from, to } = await manyKinds();
    const expected = await collect(patchOf(store, { from, to, only: null }));
    const config =
      '[core]\n\tautocrlf = true\n\tquotepath = true\n[diff]\n\tnoprefix = true\n\tmnemonicPrefix = true\n\trenames = copies\n\tcontext = 0\n\tinterHunkContext = 9\n\talgorithm = patience\n\tindentHeuristic = false\n\texternal = false\n\tsuppressBlankEmpty = true\n\tsrcPrefix = x/\n[color]\n\tui = always\n';
    await writeFiles(lab.folder, { 'home/.gitconfig': config, 'home/.config/git/attributes': '* -diff\n*.txt diff=x\n' });
    lab.plain([`--git-dir=${lab.foreign}`, 'config', 'diff.noprefix', 'true']);
    await mkdir(path.join(lab.foreign, 'info'), { recursive: true });
    await writeFile(path.join(lab.foreign, 'info', 'attributes'), '* -diff\n');
    const old = {
      HOME: process.env['HOME'],
      GIT_CONFIG_GLOBAL: process.env['GIT_CONFIG_GLOBAL'],
      GIT_DIFF_OPTS: process.env['GIT_DIFF_OPTS'],
    };
    Object.assign(process.env, {
      HOME: path.join(lab.folder, 'home'),
      GIT_CONFIG_GLOBAL: path.join(lab.folder, 'home', '.gitconfig'),
      GIT_DIFF_OPTS: '-u0',
    });
    try {
      expect((await collect(patchOf(await lab.quarantine(), { from, to, only: null }))).equals(expected)).toBe(true);
    } finally {
      for (const [name, value] of Object.entries(old)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it('of one path holds that path only, for every path', async () => {
    const { lab, store, from, to } = await manyKinds();
    const all = await rawChanges(store, from, to);
    expect(all.length).toBeGreaterThan(15);
    for (const { path: name } of all) {
      const patch = path.join(lab.folder, 'one.patch');
      const bytes = await collect(patchOf(store, { from, to, only: [name] }));
      await writeFile(patch, bytes);
      // A file whose folder takes another file's place needs both.
      if (name === 'conf/a.ini') continue;
      const folder = await checkedOut(lab, from);
      lab.plain(['apply', '--whitespace=nowarn', patch], { cwd: folder });
      const after = treeOf(lab, folder);
      expect(
        (await rawChanges(store, from, after)).map(({ path: changed }) => changed),
        name,
      ).toEqual([name]);
      const [change] = await rawChanges(store, from, after);
      expect(change).toEqual(all.find(({ path: same }) => same === name));
    }
  });

  it('of some paths together is the patch of just these', async () => {
    const { lab, store, from, to } = await manyKinds();
    const all = (await rawChanges(store, from, to)).map(({ path: name }) => name);
    expect((await collect(patchOf(store, { from, to, only: all }))).equals(await collect(patchOf(store, { from, to, only: null })))).toBe(
      true,
    );
    expect((await collect(patchOf(store, { from, to, only: [] }))).length).toBe(0);
    expect((await collect(patchOf(store, { from, to, only: ['never', 'conf/never', '*'] }))).length).toBe(0);
    const some: TreePath[] = ['conf', 'conf/a.ini', 'bad\udcff\udcfe.bin', 'n\new.txt'];
    const patch = path.join(lab.folder, 'some.patch');
    await writeFile(patch, await collect(patchOf(store, { from, to, only: some })));
    const folder = await checkedOut(lab, from);
    lab.plain(['apply', '--whitespace=nowarn', patch], { cwd: folder });
    expect((await rawChanges(store, from, treeOf(lab, folder))).map(({ path: name }) => name).sort()).toEqual([...some].sort());
  });

  it('holds hostile names (cases C-08)', async () => {
    const lab = await makeLab();
    const put = async (content: string): Promise<void> => {
      for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${lab.root}/`), bytesOfTreePath(name)]), content);
    };
    await put('v1');
    const from = lab.snap();
    await put('v2');
    await mkdir(path.join(lab.root, 'new dir'));
    for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${lab.root}/new dir/`), bytesOfTreePath(name)]), 'n');
    const to = lab.snap();
    const patch = path.join(lab.folder, 'p.patch');
    await writeFile(patch, await collect(patchOf(await lab.quarantine(), { from, to, only: null })));
    const folder = await checkedOut(lab, from);
    expect(await applyCheck(lab.git, folder, patch)).toBe(true);
    lab.plain(['apply', '--whitespace=nowarn', patch], { cwd: folder });
    expect(treeOf(lab, folder)).toBe(to);
    expect(await readdir(folder)).not.toContain('PWNED');
  });

  it('over several steps is one patch, with submodules as git has them', async () => {
    const lab = await makeLab();
    const trees: string[] = [];
    for (const value of ['1', '2', '3', '4']) {
      await writeFiles(lab.root, { a: `${value}\n`, [`f${value}`]: `${value}\n` });
      lab.snap();
      lab.plain([`--git-dir=${lab.foreign}`, 'update-index', '--add', '--cacheinfo', `160000,${value.repeat(40)},sub`]);
      trees.push(
        lab
          .plain([`--git-dir=${lab.foreign}`, 'write-tree'])
          .toString()
          .trim(),
      );
    }
    const [from, to] = [trees[0] ?? '', trees[3] ?? ''];
    const bytes = await collect(patchOf(await lab.quarantine(), { from, to, only: null }));
    expect(bytes.toString()).toContain(`-Subproject commit ${'1'.repeat(40)}\n+Subproject commit ${'4'.repeat(40)}`);
    expect(bytes.equals(lab.plain([`--git-dir=${lab.foreign}`, ...PLAIN, from, to], { cwd: lab.folder }))).toBe(true);
  });

  it('leaves the foreign store untouched, also when limited to some paths', async () => {
    const { lab, store, from, to } = await manyKinds();
    const foreign = await manifest(lab.foreign, { mtimes: true });
    await collect(patchOf(store, { from, to, only: null }));
    await collect(patchOf(store, { from, to, only: ['crlf.txt', 'conf', 'conf/a.ini'] }));
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(foreign);
  });

  it('is refused before its first byte when a tree is missing', async () => {
    const { lab, store, from, to } = await manyKinds();
    const blob = (await lab.reader(store).entry(to, 'crlf.txt'))?.oid ?? '';
    for (const bad of ['1'.repeat(40), '', 'HEAD', '--output=/tmp/PWN', 'a'.repeat(64), blob])
      for (const only of [null, ['crlf.txt']]) {
        await expect(collect(patchOf(store, { from: bad, to, only })), bad).rejects.toMatchObject({ code: 'TREE_MISSING' });
        await expect(collect(patchOf(store, { from, to: bad, only })), bad).rejects.toMatchObject({ code: 'TREE_MISSING' });
      }
  });

  it('works with SHA-256', async () => {
    const lab = await makeLab({ format: 'sha256' });
    await writeFiles(lab.root, { a: '1\n', 'd/b': random(900, 3) });
    const from = lab.snap();
    await writeFiles(lab.root, { a: '2\n', 'd/b': random(900, 4) });
    const to = lab.snap();
    const bytes = await collect(patchOf(await lab.quarantine(), { from, to, only: null }));
    expect(bytes.equals(lab.plain([`--git-dir=${lab.foreign}`, ...PLAIN, from, to], { cwd: lab.folder }))).toBe(true);
  });

  it('stops when cancelled and when nobody reads on', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, Object.fromEntries(Array.from({ length: 200 }, (_, k) => [`f${k}`, `${k}\n`.repeat(40_000)])));
    const store = await lab.safety();
    const { tree } = await capturePaths(store, { root: lab.root, paths: Array.from({ length: 200 }, (_, k) => `f${k}`) });
    const abort = new AbortController();
    const read = async (): Promise<void> => {
      for await (const piece of patchOf(store, { from: emptyTree('sha1'), to: tree, only: null, signal: abort.signal }))
        if (piece.length > 0) abort.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(collect(patchOf(store, { from: emptyTree('sha1'), to: tree, only: null, signal: abort.signal }))).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    for await (const piece of patchOf(store, { from: emptyTree('sha1'), to: tree, only: null })) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });
});
