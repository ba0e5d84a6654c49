import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { captureWorkspace } from '../../electron/snapshots/capture.ts';
import type { SnapshotStore } from '../../electron/snapshots/store.ts';
import { bytesOfTreePath, type TreePath } from '../../shared/tree-path.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { asOrdinaryUser, HOSTILE_NAMES, type Lab, makeLab } from './lab.ts';

interface Kind {
  name: string;
  store(lab: Lab): Promise<SnapshotStore>;
}

/** A recorder's store has all its objects; the viewer's borrows those of the agent. Both must give the same trees. */
const KINDS: readonly Kind[] = [
  { name: 'a store of its own', store: (lab) => lab.safety() },
  { name: 'a store that borrows', store: (lab) => lab.quarantine() },
];

const options = (lab: Lab) => ({ root: lab.root, indexFile: path.join(lab.ownData, 'indexes', 'x') });

async function namesOf(lab: Lab, store: SnapshotStore, tree: string): Promise<TreePath[]> {
  return [...(await lab.reader(store).entries(tree)).keys()];
}

describe.each(KINDS)('a snapshot of a workspace into $name', (kind) => {
  it.each(['sha1', 'sha256'] as const)('is the tree the agent would make (%s), time and again', async (format) => {
    const lab = await makeLab({ format });
    await writeFiles(lab.root, { a: 'a\r\n', 'd/e/f': 'f', 'run.sh': { content: '#!', mode: 0o755 }, l: { link: 'd' }, empty: '' });
    const store = await kind.store(lab);
    expect(await captureWorkspace(store, options(lab))).toBe(lab.snap());
    expect(await captureWorkspace(store, options(lab))).toBe(lab.snap());
    await rm(path.join(lab.root, 'd'), { recursive: true });
    await writeFiles(lab.root, { a: 'b\r\n', d: 'now a file', 'new/x': 'x' });
    await chmod(path.join(lab.root, 'run.sh'), 0o644);
    const tree = await captureWorkspace(store, options(lab));
    expect(tree).toBe(lab.snap());
    expect(await namesOf(lab, store, tree)).toEqual(['a', 'd', 'empty', 'l', 'new/x', 'run.sh']);
  });

  it('sees a change that keeps size and time', async () => {
    const lab = await makeLab();
    const store = await kind.store(lab);
    await writeFiles(lab.root, { a: 'one' });
    const file = path.join(lab.root, 'a');
    const { atime, mtime } = await stat(file);
    const first = await captureWorkspace(store, options(lab));
    await writeFile(file, 'two');
    await utimes(file, atime, mtime);
    const second = await captureWorkspace(store, options(lab));
    expect(second).not.toBe(first);
    expect((await lab.reader(store).blob((await lab.reader(store).entry(second, 'a'))?.oid ?? '')).toString()).toBe('two');
  });

  it('holds no .env file and nothing that .gitignore names, even where the workspace asks for it', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, {
      '.gitignore': 'node_modules/\n*.log\n!.env\n!.env.local\n',
      'sub/.gitignore': '!.env\n!.env.*\n!keep.log\n',
      '.env': 'S=1',
      '.env.local': 'S=1',
      '.env.example': 'S=',
      'sub/.env': 'S=1',
      'sub/.env.production': 'S=1',
      'sub/deep/.env': 'S=1',
      '.envrc': 'x',
      'x.env': 'x',
      'env/.envoy': 'x',
      'node_modules/a/b': 'x',
      'a.log': 'x',
      'sub/keep.log': 'x',
      code: 'x',
    });
    const store = await kind.store(lab);
    const tree = await captureWorkspace(store, options(lab));
    expect(await namesOf(lab, store, tree)).toEqual([
      '.envrc',
      '.gitignore',
      'code',
      'env/.envoy',
      'sub/.gitignore',
      'sub/keep.log',
      'x.env',
    ]);
    // Secrets are in no object either.
    const objects = lab.plain([`--git-dir=${store.gitDir}`, 'cat-file', '--batch-all-objects', '--batch']).toString();
    expect(objects).not.toContain('S=1');
  });

  it('keeps raw bytes and runs nothing, whatever the workspace, its repository and those inside it say', async () => {
    const lab = await makeLab();
    const canary = path.join(lab.folder, 'pwn');
    const evil = (name: string): string => `touch ${canary}-${name}; cat`;
    const infect = (folder: string): void => {
      for (const key of [
        'filter.x.clean',
        'filter.x.process',
        'core.fsmonitor',
        'core.pager',
        'diff.external',
        'core.sshCommand',
        'core.alternateRefsCommand',
        'diff.x.textconv',
        'merge.x.driver',
        'gpg.program',
      ])
        lab.plain(['config', key, evil(key)], { cwd: folder });
      lab.plain(['config', 'core.hooksPath', path.join(lab.folder, 'hooks')], { cwd: folder });
    };
    await writeFiles(
      lab.folder,
      Object.fromEntries(
        ['post-index-change', 'pre-commit', 'fsmonitor-watchman', 'reference-transaction'].map((name) => [
          `hooks/${name}`,
          { content: `#!/bin/sh\n${evil(name)}\n`, mode: 0o755 },
        ]),
      ),
    );
    lab.plain(['init', '-q', '.']);
    infect(lab.root);
    await writeFiles(lab.root, {
      '.gitattributes': '* text eol=lf filter=x diff=x ident working-tree-encoding=UTF-16\n',
      a: '$Id$\r\n',
      'nested/f': '1',
    });
    const nested = path.join(lab.root, 'nested');
    lab.plain(['init', '-q', '.'], { cwd: nested });
    lab.plain(['-c', 'core.hooksPath=/dev/null', 'add', 'f'], { cwd: nested });
    lab.plain(['-c', 'user.name=u', '-c', 'user.email=u@x', '-c', 'core.hooksPath=/dev/null', 'commit', '-q', '-m', 'c'], { cwd: nested });
    const head = lab.plain(['rev-parse', 'HEAD'], { cwd: nested }).toString().trim();
    infect(nested);
    const fired = async (): Promise<string[]> => (await readdir(lab.folder)).filter((name) => name.startsWith('pwn'));
    // The trap works: plain git walks into it.
    expect(() => lab.plain(['add', '-A'])).toThrow();
    lab.plain(['status'], { cwd: nested });
    expect((await fired()).length).toBeGreaterThan(1);
    for (const name of await fired()) await rm(path.join(lab.folder, name));
    const store = await kind.store(lab);
    const before = await manifest(lab.root, { mtimes: true });
    for (let k = 0; k < 2; k++) {
      const tree = await captureWorkspace(store, options(lab));
      const reader = lab.reader(store);
      expect((await reader.blob((await reader.entry(tree, 'a'))?.oid ?? '')).toString()).toBe('$Id$\r\n');
      expect(await reader.entry(tree, 'nested')).toEqual({ mode: '160000', oid: head });
    }
    await writeFiles(nested, { f: 'dirty' });
    await captureWorkspace(store, options(lab));
    await writeFiles(nested, { f: '1' });
    expect(await fired()).toEqual([]);
    const calm = (lines: string[]): string[] => lines.filter((line) => !line.startsWith('nested/f '));
    expect(calm(await manifest(lab.root, { mtimes: true }))).toEqual(calm(before));
  });

  it('leaves out a repository without a commit and names that git refuses, and tells (cases C-05)', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { 'f.txt': 'v1', 'sub/inside': 'x', 'git~1': 'x', 'd/.GIT~1/x': 'x', 'ok~1': 'x' });
    lab.plain(['init', '-q', '.'], { cwd: path.join(lab.root, 'sub') });
    const store = await kind.store(lab);
    const told: TreePath[][] = [];
    const tree = await captureWorkspace(store, { ...options(lab), onLeftOut: (paths) => told.push(paths) });
    expect(await namesOf(lab, store, tree)).toEqual(['d/.GIT~1/x', 'f.txt', 'ok~1']);
    expect(told.map((paths) => paths.sort())).toEqual([['git~1', 'sub/']]);
  });

  it('is refused, not stale, when a file cannot be read', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', b: '1' });
    await kind.store(lab);
    for (const folder of [lab.folder, lab.root, lab.foreign]) lab.plain(['-c', 'alias.all=!chmod -R a+rwX', 'all', folder]);
    const script = `import { captureWorkspace } from ${JSON.stringify(path.resolve('electron/snapshots/capture.ts'))};
      import { createGit } from ${JSON.stringify(path.resolve('electron/snapshots/git.ts'))};
      import { openQuarantine, openSafetyStore } from ${JSON.stringify(path.resolve('electron/snapshots/store.ts'))};
      import { chmodSync, writeFileSync } from 'node:fs';
      const git = createGit(), root = ${JSON.stringify(lab.root)}, ownData = ${JSON.stringify(path.join(lab.folder, 'theirs'))};
      const store = ${kind.name === 'a store that borrows'} ? await openQuarantine({ git, ownData, format: 'sha1', objectFolders: [${JSON.stringify(path.join(lab.foreign, 'objects'))}] }) : await openSafetyStore({ git, ownData, root });
      const capture = () => captureWorkspace(store, { root, indexFile: ownData + '/x' });
      writeFileSync(root + '/mine', '1');
      await capture();
      writeFileSync(root + '/mine', '2');
      chmodSync(root + '/mine', 0);
      console.log(await capture().then(() => 'taken', (error) => error.code));`;
    expect(asOrdinaryUser(script)).toBe(kind.name === 'a store that borrows' ? 'FILE_UNREADABLE\n' : 'GIT_FAILED\n');
  });

  it('holds any name', async () => {
    const lab = await makeLab();
    for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${lab.root}/`), bytesOfTreePath(name)]), name);
    const store = await kind.store(lab);
    expect(await captureWorkspace(store, options(lab))).toBe(lab.snap());
  });

  it('does not follow links out of the workspace', async () => {
    const lab = await makeLab();
    await writeFiles(lab.folder, { 'outside/secret': 'secret' });
    await symlink('../outside', path.join(lab.root, 'd'));
    const store = await kind.store(lab);
    const tree = await captureWorkspace(store, options(lab));
    expect([...(await lab.reader(store).entries(tree)).values()]).toMatchObject([{ mode: '120000' }]);
  });

  it('minds no lock that was left, anywhere (cases C-14)', async () => {
    const lab = await makeLab();
    lab.plain(['init', '-q', '.']);
    await writeFiles(lab.root, { a: '1', '.git/index.lock': 'x' });
    const store = await kind.store(lab);
    await captureWorkspace(store, options(lab));
    for (const lock of ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock', 'gc.pid'])
      await writeFiles(store.gitDir, { [lock]: 'x' });
    await writeFiles(path.dirname(options(lab).indexFile), { 'x.lock': 'x' });
    await writeFiles(lab.root, { a: '2' });
    expect(await captureWorkspace(store, options(lab))).toBe(lab.snap());
    expect(await readFile(path.join(lab.root, '.git/index.lock'), 'utf8')).toBe('x');
  });

  it('may be made by several at once', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, Object.fromEntries(Array.from({ length: 50 }, (_, k) => [`f${k}`, `${k}`])));
    const store = await kind.store(lab);
    const trees = await Promise.all([1, 2, 3].map(() => captureWorkspace(store, options(lab))));
    expect(new Set(trees)).toEqual(new Set([lab.snap()]));
    expect(await readdir(path.dirname(options(lab).indexFile))).toEqual(['x']);
  });

  it('leaves nothing behind when cancelled', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1' });
    const store = await kind.store(lab);
    await expect(captureWorkspace(store, { ...options(lab), signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await readdir(path.dirname(options(lab).indexFile))).toEqual([]);
  });

  it('of an empty workspace is the empty tree', async () => {
    const lab = await makeLab();
    const store = await kind.store(lab);
    const tree = await captureWorkspace(store, options(lab));
    expect(tree).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    expect(await lab.reader(store).hasTree(tree)).toBe(true);
  });
});

describe('a snapshot into a store that borrows', () => {
  it('touches nothing of the foreign store and writes only what it lacks', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, Object.fromEntries(Array.from({ length: 200 }, (_, k) => [`d${k % 5}/f${k}`, `content ${k}\n`])));
    lab.snap();
    await writeFiles(lab.root, { 'd1/f1': 'changed', new: 'new' });
    const before = await manifest(lab.foreign, { mtimes: true });
    const store = await lab.quarantine();
    const tree = await captureWorkspace(store, options(lab));
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
    const own = (await readdir(path.join(store.gitDir, 'objects'), { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && /^[0-9a-f]{38}$/.test(entry.name),
    );
    // Two files, their folder and the root.
    expect(own).toHaveLength(4);
    expect(tree).toBe(lab.snap());
  });

  it('reads a file again when the agent has dropped what was seen of it', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: 'kept by the agent\n' });
    const old = new Date(Date.now() - 60_000);
    await utimes(path.join(lab.root, 'a'), old, old);
    const tree = lab.snap();
    const store = await lab.quarantine();
    expect(await captureWorkspace(store, options(lab))).toBe(tree);
    const oid = (await lab.reader(store).entry(tree, 'a'))?.oid ?? '';
    await rm(path.join(lab.foreign, 'objects', oid.slice(0, 2)), { recursive: true });
    // The store is asked again after a minute.
    const notes = options(lab).indexFile;
    await writeFile(notes, (await readFile(notes, 'utf8')).replace(/"checked":\d+/, `"checked":${Date.now() - 61_000}`));
    expect(await captureWorkspace(store, options(lab))).toBe(tree);
    expect((await lab.reader(store).blob(oid)).toString()).toBe('kept by the agent\n');
  });

  it('begins anew when its notes are damaged', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1' });
    const store = await lab.quarantine();
    for (const text of ['', '{', '[]', '{"version":2}', '{"version":1,"at":9e15,"files":[["a",[1,2,3,4,"x"]]]}']) {
      await writeFiles(path.dirname(options(lab).indexFile), { x: text });
      expect(await captureWorkspace(store, options(lab))).toBe(lab.snap());
      expect(existsSync(options(lab).indexFile)).toBe(true);
    }
  });
});
