import { execFileSync } from 'node:child_process';
import { truncateSync } from 'node:fs';
import { appendFile, chmod, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capturePaths } from '../../electron/snapshots/capture.ts';
import { emptyTree } from '../../electron/snapshots/object-id.ts';
import type { SnapshotStore } from '../../electron/snapshots/store.ts';
import { bytesOfTreePath } from '../../shared/tree-path.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { HOSTILE_NAMES, type Lab, makeLab } from './lab.ts';

/** Git itself finds nothing wrong with the store. */
function checked(lab: Lab, store: SnapshotStore): string {
  return lab.plain([`--git-dir=${store.gitDir}`, 'fsck', '--full', '--strict', '--no-dangling']).toString();
}

async function filesBelow(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name);
}

const BYTES: Record<string, string | Uint8Array> = {
  'crlf.txt': 'a\r\nb\r\n',
  'mixed.txt': 'a\r\nb\nc\r',
  'bom.txt': '\ufeffbom\n',
  'utf16.txt': Buffer.from('fffe6800690000000a00', 'hex'),
  'latin1.txt': Buffer.from('636166e90a', 'hex'),
  'gbk.txt': Buffer.from('d6d0cec40a', 'hex'),
  'noeol.txt': 'noeol',
  'empty.txt': '',
  'id.txt': '$Id$\n',
};

describe('a capture of paths', () => {
  it.each(['sha1', 'sha256'] as const)('is the tree git would make of them, in a %s store', async (format) => {
    const lab = await makeLab({ format });
    await writeFiles(lab.root, { ...BYTES, 'run.sh': { content: '#!', mode: 0o755 }, 'd/e/f': 'f', 'd/e-g': 'g', l: { link: 'd' } });
    const store = await lab.safety();
    const paths = [...Object.keys(BYTES), 'run.sh', 'd/e/f', 'd/e-g', 'l', 'nope', 'd/nope', 'd', 'd/e/f/x'];
    const progress: string[] = [];
    const captured = await capturePaths(store, { root: lab.root, paths, onProgress: (done, total) => progress.push(`${done}/${total}`) });
    expect(captured.tree).toBe(lab.snap());
    expect([...captured.states.keys()]).toEqual(paths);
    expect(paths.slice(-4).map((name) => captured.states.get(name)?.kind)).toEqual(['absent', 'absent', 'folder', 'blocked']);
    expect(captured.bytes).toBe(Object.values(BYTES).reduce((sum, bytes) => sum + Buffer.byteLength(bytes), 0) + 5);
    expect(progress).toEqual(paths.map((_, index) => `${index + 1}/${paths.length}`));
    expect(checked(lab, store)).toBe('');
  });

  it('of nothing is the empty tree', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    expect(await capturePaths(store, { root: lab.root, paths: ['gone'] })).toEqual({
      tree: emptyTree('sha1'),
      states: new Map([['gone', { kind: 'absent' }]]),
      bytes: 0,
    });
    expect(lab.plain([`--git-dir=${store.gitDir}`, 'ls-tree', emptyTree('sha1')]).length).toBe(0);
  });

  it('keeps odd names', async () => {
    const lab = await makeLab();
    for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${lab.root}/`), bytesOfTreePath(name)]), name);
    const store = await lab.safety();
    expect((await capturePaths(store, { root: lab.root, paths: HOSTILE_NAMES })).tree).toBe(lab.snap());
  });

  it('keeps raw bytes whatever attributes, filters and home say (cases C-11, C-12)', async () => {
    const lab = await makeLab();
    lab.plain(['init', '-q', '.']);
    for (const [key, value] of [
      ['filter.x.clean', `touch ${lab.folder}/PWN; cat`],
      ['core.autocrlf', 'true'],
      ['core.fsmonitor', `touch ${lab.folder}/PWN`],
    ] as const)
      lab.plain(['config', key, value]);
    await writeFiles(lab.root, { ...BYTES, '.gitattributes': '* text eol=lf filter=x ident working-tree-encoding=UTF-16\n' });
    const store = await lab.safety();
    const { tree } = await capturePaths(store, { root: lab.root, paths: Object.keys(BYTES) });
    const reader = lab.reader(store);
    for (const [name, bytes] of Object.entries(BYTES))
      expect((await reader.blob((await reader.entry(tree, name))?.oid ?? '')).equals(Buffer.from(bytes)), name).toBe(true);
    expect(await readdir(lab.folder)).not.toContain('PWN');
  });

  it('leaves the workspace and its repository as they are', async () => {
    const lab = await makeLab();
    lab.plain(['init', '-q', '.']);
    await writeFiles(lab.root, { a: '1', 'd/b': '2', '.git/index.lock': 'x' });
    const before = await manifest(lab.root, { mtimes: true });
    await capturePaths(await lab.safety(), { root: lab.root, paths: ['a', 'd/b'] });
    expect(await manifest(lab.root, { mtimes: true })).toEqual(before);
  });

  it('reads nothing through a link', async () => {
    const lab = await makeLab();
    await writeFiles(lab.folder, { 'outside/secret': 'secret' });
    await symlink('../outside', path.join(lab.root, 'd'));
    const store = await lab.safety();
    const captured = await capturePaths(store, { root: lab.root, paths: ['d/secret', 'd'] });
    expect(captured.states.get('d/secret')).toMatchObject({ kind: 'blocked' });
    expect([...(await lab.reader(store).entries(captured.tree))]).toMatchObject([['d', { mode: '120000' }]]);
  });

  it('keeps few files one by one and many as one pack', async () => {
    const lab = await makeLab();
    const names = Array.from({ length: 600 }, (_, k) => `d${k % 9}/f${k}`);
    await writeFiles(lab.root, Object.fromEntries(names.map((name) => [name, `content of ${name}\n`.repeat(30)])));
    const store = await lab.safety();
    const objects = path.join(store.gitDir, 'objects');
    await capturePaths(store, { root: lab.root, paths: names.slice(0, 2) });
    expect((await filesBelow(objects)).every((name) => /^[0-9a-f]{38}$/.test(name))).toBe(true);
    const { tree } = await capturePaths(store, { root: lab.root, paths: names });
    expect((await filesBelow(path.join(objects, 'pack'))).map((name) => path.extname(name)).sort()).toEqual(['.idx', '.pack']);
    expect(tree).toBe(lab.snap());
    expect(checked(lab, store)).toBe('');
    const [pack] = (await readdir(path.join(objects, 'pack'))).filter((name) => name.endsWith('.idx'));
    lab.plain([`--git-dir=${store.gitDir}`, 'verify-pack', path.join(objects, 'pack', pack ?? '')]);
  });

  it('streams large files, and keeps each only once', async () => {
    const lab = await makeLab();
    const random = execFileSync('head', ['-c', '9000001', '/dev/urandom'], { maxBuffer: 20_000_000 });
    await writeFiles(lab.root, { 'rnd.bin': random, 'copy.bin': random, 'zeros.bin': Buffer.alloc(30_000_000), small: 's' });
    const store = await lab.safety();
    const paths = ['rnd.bin', 'copy.bin', 'zeros.bin', 'small'];
    const first = await capturePaths(store, { root: lab.root, paths });
    expect(first.tree).toBe(lab.snap());
    expect(checked(lab, store)).toBe('');
    const before = await filesBelow(path.join(store.gitDir, 'objects'));
    const again = await capturePaths(store, { root: lab.root, paths });
    expect(again.tree).toBe(first.tree);
    const size = Number(
      lab
        .plain(['-C', store.gitDir, 'count-objects', '-v'])
        .toString()
        .match(/size-pack: (\d+)/)?.[1],
    );
    expect(size).toBeLessThan(10_000);
    expect((await filesBelow(path.join(store.gitDir, 'objects'))).length).toBeLessThanOrEqual(before.length + 2);
  });

  it('is refused and leaves nothing when a large file never stands still', async () => {
    const lab = await makeLab();
    const file = path.join(lab.root, 'busy');
    await writeFiles(lab.root, { busy: Buffer.alloc(40_000_000), a: 'a' });
    const store = await lab.safety();
    let size = 40_000_000;
    const timer = setInterval(() => {
      size -= 1;
      truncateSync(file, size);
    }, 1);
    try {
      await expect(capturePaths(store, { root: lab.root, paths: ['a', 'busy'] })).rejects.toMatchObject({ code: 'FILE_BUSY' });
    } finally {
      clearInterval(timer);
    }
    expect(await filesBelow(path.join(store.gitDir, 'objects'))).toEqual([]);
  });

  it('is cancelled between two files and leaves nothing', async () => {
    const lab = await makeLab();
    const names = Array.from({ length: 50 }, (_, k) => `f${k}`);
    await writeFiles(lab.root, Object.fromEntries(names.map((name) => [name, Buffer.alloc(1_000_000, name)])));
    const store = await lab.safety();
    const abort = new AbortController();
    const capture = capturePaths(store, {
      root: lab.root,
      paths: names,
      signal: abort.signal,
      onProgress: (done) => (done === 30 ? abort.abort() : undefined),
    });
    await expect(capture).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await filesBelow(path.join(store.gitDir, 'objects'))).toEqual([]);
  });

  it("is told the file system's own words when the store cannot be written", async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: 'a' });
    const store = await lab.safety();
    await rm(path.join(store.gitDir, 'objects'), { recursive: true });
    await writeFile(path.join(store.gitDir, 'objects'), 'in the way');
    await expect(capturePaths(store, { root: lab.root, paths: ['a'] })).rejects.toThrow(/ENOTDIR|EEXIST/);
  });

  it('works for two at the same time', async () => {
    const lab = await makeLab();
    const names = Array.from({ length: 60 }, (_, k) => `f${k}`);
    await writeFiles(lab.root, Object.fromEntries(names.map((name) => [name, name.repeat(100)])));
    const store = await lab.safety();
    const trees = await Promise.all([1, 2, 3, 4].map(() => capturePaths(store, { root: lab.root, paths: names })));
    expect(new Set(trees.map(({ tree }) => tree))).toEqual(new Set([lab.snap()]));
    expect(checked(lab, store)).toBe('');
  });

  it('agrees with git on random trees', async () => {
    const lab = await makeLab();
    const store = await lab.safety();
    const name = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'a0', 'ab', 'Z', 'ü');
    const file = fc.record({
      path: fc.array(name, { minLength: 1, maxLength: 4 }),
      content: fc.uint8Array({ maxLength: 20 }),
      executable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 12 }), async (files) => {
        for (const entry of await readdir(lab.root)) await rm(path.join(lab.root, entry), { recursive: true });
        const paths = new Set<string>();
        for (const { path: parts, content, executable } of files) {
          const at = parts.join('/');
          if ([...paths].some((other) => other === at || other.startsWith(`${at}/`) || at.startsWith(`${other}/`))) continue;
          paths.add(at);
          await mkdir(path.dirname(path.join(lab.root, at)), { recursive: true });
          await writeFile(path.join(lab.root, at), content);
          if (executable) await chmod(path.join(lab.root, at), 0o755);
        }
        const { tree } = await capturePaths(store, { root: lab.root, paths: [...paths] });
        expect(tree).toBe(lab.snap());
      }),
      { numRuns: 25 },
    );
    await appendFile(path.join(lab.root, 'end'), '');
    expect(checked(lab, store)).toBe('');
  });
});
