import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGit, type Git, type GitProcess } from '../../electron/snapshots/git.ts';
import { emptyTree, objectId } from '../../electron/snapshots/object-id.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { PackFile } from '../../electron/snapshots/pack-file.ts';
import { bytesOfTreePath } from '../../shared/tree-path.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { HOSTILE_NAMES, type Lab, makeLab } from './lab.ts';

/** Puts bytes into the agent's store as an object of this kind, valid or not. */
async function plant(lab: Lab, kind: string, content: Uint8Array): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]);
  const oid = createHash('sha1').update(bytes).digest('hex');
  const folder = path.join(lab.foreign, 'objects', oid.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, oid.slice(2)), deflateSync(bytes));
  return oid;
}

const line = (mode: string, name: string, oid: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(oid, 'hex')]);

/** Git whose processes can be killed by the test, and that counts them. */
function fragileGit(): { git: Git; started: GitProcess[] } {
  const real = createGit();
  const started: GitProcess[] = [];
  return {
    started,
    git: {
      ...real,
      start: (call) => {
        const process = real.start(call);
        started.push(process);
        return process;
      },
    },
  };
}

describe('a reader of objects', () => {
  it('gives blobs byte for byte, whatever they hold', async () => {
    const lab = await makeLab();
    const contents = [
      Buffer.alloc(0),
      Buffer.from('\n'),
      Buffer.from('missing\n'),
      Buffer.from([0, 255, 10, 13]),
      Buffer.alloc(3_000_000, 'x\0'),
      Buffer.alloc(65_536, 10),
    ];
    const store = await lab.quarantine();
    const reader = lab.reader(store);
    const ids = contents.map((input) =>
      lab
        .plain([`--git-dir=${lab.foreign}`, 'hash-object', '-w', '--stdin'], { input })
        .toString()
        .trim(),
    );
    const read = await Promise.all([...ids, ...ids].map((oid) => reader.blob(oid)));
    for (const [index, bytes] of read.entries()) expect(bytes.equals(contents[index % contents.length] ?? Buffer.from('?'))).toBe(true);
    expect(await reader.info(ids[4] ?? '')).toEqual({ type: 'blob', size: 3_000_000 });
  });

  it('knows what is missing, of another kind, or no id at all', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { 'd/a': '1' });
    const tree = lab.snap();
    const reader = lab.reader(await lab.quarantine());
    const blob = (await reader.entry(tree, 'd/a'))?.oid ?? '';
    for (const odd of ['1'.repeat(40), '', 'HEAD', '--help', 'a'.repeat(39), 'A'.repeat(40), 'a'.repeat(64), `${tree}\n`, `${tree} x`]) {
      expect(await reader.info(odd)).toBeNull();
      expect(await reader.hasTree(odd)).toBe(false);
      await expect(reader.blob(odd)).rejects.toMatchObject({ code: 'TREE_MISSING' });
      await expect(reader.entries(odd)).rejects.toMatchObject({ code: 'TREE_MISSING' });
      await expect(reader.entry(odd, 'a')).rejects.toMatchObject({ code: 'TREE_MISSING' });
      await expect(reader.count(odd)).rejects.toMatchObject({ code: 'TREE_MISSING' });
    }
    expect(await reader.hasTree(blob)).toBe(false);
    await expect(reader.entries(blob)).rejects.toMatchObject({ code: 'TREE_MISSING' });
    await expect(reader.blob(tree)).rejects.toMatchObject({ code: 'TREE_MISSING' });
    expect(await reader.hasTree(tree)).toBe(true);
  });

  it('finds files, links, modes and submodules, and nothing where a folder is', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, {
      'a.txt': 'a',
      'run.sh': { content: '#!', mode: 0o755 },
      link: { link: 'a.txt' },
      'd/e/f': 'f',
      'd-e': 'x',
      d0: 'y',
    });
    lab.snap();
    lab.plain([`--git-dir=${lab.foreign}`, 'update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},sub`]);
    const tree = lab
      .plain([`--git-dir=${lab.foreign}`, 'write-tree'])
      .toString()
      .trim();
    const reader = lab.reader(await lab.quarantine());
    const entries = await reader.entries(tree);
    const listed = lab
      .plain([`--git-dir=${lab.foreign}`, 'ls-tree', '-r', '-z', tree])
      .toString()
      .split('\0')
      .filter(Boolean);
    expect([...entries].map(([name, { mode, oid }]) => `${mode} ${mode === '160000' ? 'commit' : 'blob'} ${oid}\t${name}`)).toEqual(listed);
    for (const [name, entry] of entries) expect(await reader.entry(tree, name)).toEqual(entry);
    for (const name of ['d', 'd/e', 'nope', 'd/nope', 'a.txt/x', 'sub/x', '', 'd/', '/a.txt', 'd//e/f', '..', './a.txt'])
      expect(await reader.entry(tree, name), name).toBeNull();
    expect(await reader.count(tree)).toBe(entries.size);
  });

  it('keeps names as bytes', async () => {
    const lab = await makeLab();
    for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${lab.root}/`), bytesOfTreePath(name)]), name);
    const tree = lab.snap();
    const reader = lab.reader(await lab.quarantine());
    expect([...(await reader.entries(tree)).keys()].sort()).toEqual([...HOSTILE_NAMES].sort());
    for (const name of HOSTILE_NAMES)
      expect((await reader.blob((await reader.entry(tree, name))?.oid ?? '')).toString()).toBe(Buffer.from(name).toString());
  });

  it('has the empty tree where nobody stored it', async () => {
    for (const format of ['sha1', 'sha256'] as const) {
      const lab = await makeLab({ format });
      const reader = lab.reader(await lab.quarantine());
      expect(await reader.hasTree(emptyTree(format))).toBe(true);
      expect((await reader.entries(emptyTree(format))).size).toBe(0);
      expect(await reader.count(emptyTree(format))).toBe(0);
      expect(await reader.entry(emptyTree(format), 'a')).toBeNull();
    }
    expect(emptyTree('sha1')).toBe('4b825dc642cb6eb9a060e54bf8d69288fbee4904');
    expect(emptyTree('sha256')).toBe('6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321');
  });

  it('reads a SHA-256 store', async () => {
    const lab = await makeLab({ format: 'sha256' });
    await writeFiles(lab.root, { 'd/a': 'sha256', b: 'b' });
    const tree = lab.snap();
    expect(tree).toHaveLength(64);
    const reader = lab.reader(await lab.quarantine());
    expect((await reader.blob((await reader.entry(tree, 'd/a'))?.oid ?? '')).toString()).toBe('sha256');
    expect(await reader.count(tree)).toBe(2);
  });

  it('names the tree whose folder is missing', async () => {
    const lab = await makeLab();
    const tree = await plant(lab, 'tree', line('40000', 'd', '2'.repeat(40)));
    const reader = lab.reader(await lab.quarantine());
    await expect(reader.entries(tree)).rejects.toThrow(tree);
    await expect(reader.entry(tree, 'd/x')).rejects.toMatchObject({ code: 'TREE_MISSING' });
    expect(await reader.entry(tree, 'other')).toBeNull();
  });

  it('takes modes of old tools for what they mean, the first of two lines, and no torn tree', async () => {
    const lab = await makeLab();
    const blob = await plant(lab, 'blob', Buffer.from('x'));
    const other = await plant(lab, 'blob', Buffer.from('y'));
    const odd = await plant(
      lab,
      'tree',
      Buffer.concat([line('100664', 'a', blob), line('100775', 'b', blob), line('100644', 'same', blob), line('100644', 'same', other)]),
    );
    const reader = lab.reader(await lab.quarantine());
    expect([...(await reader.entries(odd))]).toEqual([
      ['a', { mode: '100644', oid: blob }],
      ['b', { mode: '100755', oid: blob }],
      ['same', { mode: '100644', oid: blob }],
    ]);
    const whole = line('100644', 'name', blob);
    for (const cut of [3, 8, 12, whole.length - 1]) {
      const torn = await plant(lab, 'tree', whole.subarray(0, cut));
      await expect(reader.entries(torn)).rejects.toMatchObject({ code: 'TREE_MISSING' });
    }
    await expect(reader.entries(await plant(lab, 'tree', line('010644', 'fifo', blob)))).rejects.toMatchObject({ code: 'TREE_MISSING' });
  });

  it('counts folders that repeat each other, and refuses to list them', async () => {
    const lab = await makeLab();
    let at = await plant(lab, 'tree', line('100644', 'x', await plant(lab, 'blob', Buffer.from('x'))));
    for (let depth = 0; depth < 12; depth++) {
      const below = at;
      at = await plant(lab, 'tree', Buffer.concat(Array.from({ length: 10 }, (_, k) => line('40000', String(k), below))));
    }
    const reader = lab.reader(await lab.quarantine());
    expect(await reader.count(at)).toBe(10 ** 12);
    await expect(reader.entries(at)).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
    expect(await reader.entry(at, '0/1/2/3/4/5/6/7/8/9/0/1/x')).toMatchObject({ mode: '100644' });
  });

  it('counts a tree once, and what the same folders hold again for nothing', async () => {
    const { git, started } = fragileGit();
    const lab = await makeLab({ git });
    await writeFiles(lab.root, { 'd/a': '1', 'd/e/b': '2', c: '3' });
    const tree = lab.snap();
    const reader = lab.reader(await lab.quarantine());
    expect([await reader.count(tree), await reader.count(emptyTree('sha1'))]).toEqual([3, 0]);
    await rm(lab.foreign, { recursive: true });
    for (const process of started) process.kill();
    expect([await reader.count(tree), await reader.count(emptyTree('sha1'))]).toEqual([3, 0]);
  });

  it('gives the bytes of a tree, and of nothing else', async () => {
    const lab = await makeLab();
    const blob = await plant(lab, 'blob', Buffer.from('x'));
    const tree = await plant(lab, 'tree', line('100644', 'a', blob));
    const reader = lab.reader(await lab.quarantine());
    expect(await reader.raw(tree)).toEqual(line('100644', 'a', blob));
    for (const id of [blob, '1'.repeat(40), 'a'.repeat(64), 'HEAD'])
      await expect(reader.raw(id)).rejects.toMatchObject({ code: 'TREE_MISSING' });
  });

  it('keeps only so many lines of what it has read, and reads a folder that was dropped again', async () => {
    const lab = await makeLab();
    const blob = '\x01'.repeat(20);
    const large = (first: string): Promise<string> =>
      plant(
        lab,
        'tree',
        Buffer.from(Array.from({ length: 210_000 }, (_, k) => `100644 ${first}${k + 100_000}\0${blob}`).join(''), 'latin1'),
      );
    const [one, two] = [await large('a'), await large('b')];
    const reader = lab.reader(await lab.quarantine());
    expect([(await reader.lines(one)).length, (await reader.lines(two)).length]).toEqual([210_000, 210_000]);
    await rm(path.join(lab.foreign, 'objects', one.slice(0, 2)), { recursive: true });
    await rm(path.join(lab.foreign, 'objects', two.slice(0, 2)), { recursive: true });
    // The later one is still known; the first made room for it.
    expect(await reader.entry(two, 'b100007')).toEqual({ mode: '100644', oid: '01'.repeat(20) });
    await expect(reader.entry(one, 'a100007')).rejects.toMatchObject({ code: 'TREE_MISSING' });
  });

  it('refuses to go deeper than any path', async () => {
    const lab = await makeLab();
    const pack = new PackFile(path.join(lab.foreign, 'objects'), 'sha1');
    let content = line('100644', 'x', '1'.repeat(40));
    for (let depth = 0; depth < 4097; depth++) {
      const oid = objectId('tree', content, 'sha1');
      await pack.add('tree', oid, content);
      content = line('40000', 'd', oid);
    }
    const at = objectId('tree', content, 'sha1');
    await pack.add('tree', at, content);
    await pack.finish();
    const reader = lab.reader(await lab.quarantine());
    await expect(reader.entries(at)).rejects.toMatchObject({ code: 'TREE_TOO_LARGE' });
  });

  it('goes down as deep as a hostile tree', async () => {
    const lab = await makeLab();
    let at = await plant(lab, 'tree', line('100644', 'x', await plant(lab, 'blob', Buffer.from('x'))));
    for (let depth = 0; depth < 1000; depth++) at = await plant(lab, 'tree', line('40000', 'd', at));
    const reader = lab.reader(await lab.quarantine());
    expect([...(await reader.entries(at)).keys()]).toEqual([`${'d/'.repeat(1000)}x`]);
    expect(await reader.count(at)).toBe(1);
  });
});

describe('its process', () => {
  it('is one for contents and one for facts, however much is asked at once', async () => {
    const { git, started } = fragileGit();
    const lab = await makeLab({ git });
    await writeFiles(lab.root, Object.fromEntries(Array.from({ length: 300 }, (_, k) => [`d${k % 7}/f${k}`, `content ${k}`])));
    const tree = lab.snap();
    const reader = lab.reader(await lab.quarantine());
    const entries = await reader.entries(tree);
    const texts = await Promise.all([...entries.values()].map(async ({ oid }) => (await reader.blob(oid)).toString()));
    expect(new Set(texts).size).toBe(300);
    expect(await Promise.all([...entries.values()].map(({ oid }) => reader.info(oid)))).toHaveLength(300);
    expect(started).toHaveLength(2);
  });

  it('starts again when it died, and every answer comes', async () => {
    const { git, started } = fragileGit();
    const lab = await makeLab({ git });
    await writeFiles(lab.root, Object.fromEntries(Array.from({ length: 40 }, (_, k) => [`f${k}`, `${k}`.repeat(200_000)])));
    const tree = lab.snap();
    const reader = lab.reader(await lab.quarantine());
    const entries = [...(await reader.entries(tree))];
    const answers = Promise.all(
      entries.map(async ([name, { oid }], k) => {
        const bytes = await reader.blob(oid);
        if (k === 10) started.at(-1)?.kill();
        return bytes.toString() === name.slice(1).repeat(200_000);
      }),
    );
    expect((await answers).every(Boolean)).toBe(true);
    started.at(-1)?.kill();
    await started.at(-1)?.done;
    expect((await reader.blob(entries[0]?.[1].oid ?? '')).length).toBeGreaterThan(0);
    expect(started.length).toBeGreaterThan(2);
  });

  it('gives up on an object that kills it, and answers the others', async () => {
    const lab = await makeLab();
    const good = await plant(lab, 'blob', Buffer.from('good'));
    const bad = await plant(lab, 'blob', Buffer.from('bad'));
    await writeFile(path.join(lab.foreign, 'objects', bad.slice(0, 2), bad.slice(2)), 'not zlib');
    const reader = lab.reader(await lab.quarantine());
    const [first, second, third] = await Promise.allSettled([reader.blob(good), reader.blob(bad), reader.blob(good)]);
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second.status).toBe('rejected');
    expect(third).toMatchObject({ status: 'fulfilled' });
  });

  it('does not take in a blob above the limit', async () => {
    const lab = await makeLab();
    const large = lab
      .plain([`--git-dir=${lab.foreign}`, 'hash-object', '-w', '--stdin'], { input: Buffer.alloc(20_000_000) })
      .toString()
      .trim();
    const small = lab
      .plain([`--git-dir=${lab.foreign}`, 'hash-object', '-w', '--stdin'], { input: 'small' })
      .toString()
      .trim();
    const reader = lab.reader(await lab.quarantine());
    const answers = await Promise.allSettled([
      reader.blob(small, 5),
      reader.blob(large, 1_000_000),
      reader.blob(large, 10),
      reader.blob(small),
      reader.blob(small, 4),
      reader.blob(large),
    ]);
    expect(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.length : (answer.reason as { code: string }).code)),
    ).toEqual([5, 'TOO_LARGE', 'TOO_LARGE', 5, 'TOO_LARGE', 20_000_000]);
  });

  it('is gone when closed, and open questions are told so', async () => {
    const { git, started } = fragileGit();
    const lab = await makeLab({ git });
    await writeFiles(lab.root, { a: 'x'.repeat(5_000_000) });
    const tree = lab.snap();
    const reader = new ObjectReader(await lab.quarantine());
    const oid = (await reader.entry(tree, 'a'))?.oid ?? '';
    const open = Promise.allSettled([reader.blob(oid), reader.blob(oid)]);
    await reader.close();
    for (const answer of await open) expect(answer).toMatchObject({ status: 'rejected', reason: { code: 'CANCELLED' } });
    await expect(reader.blob(oid)).rejects.toMatchObject({ code: 'CANCELLED' });
    for (const process of started) await process.done;
    await reader.close();
  });

  it('is told apart from a git that is not there', async () => {
    const lab = await makeLab();
    const store = await lab.quarantine();
    const reader = new ObjectReader({ ...store, git: createGit({ env: { PATH: '' } }) });
    onTestFinished(() => reader.close());
    await expect(reader.info('1'.repeat(40))).rejects.toMatchObject({ code: 'NO_GIT' });
    const behind = new ObjectReader({ ...store, git: createGit({ command: ['/nowhere/box', 'git'] }) });
    onTestFinished(() => behind.close());
    await expect(behind.blob('1'.repeat(40))).rejects.toMatchObject({ code: 'NO_GIT' });
  });
});
