import { createHash } from 'node:crypto';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { changesOf, rawChanges } from '../../electron/snapshots/diff.ts';
import { createGit, type GitCall } from '../../electron/snapshots/git.ts';
import { emptyTree } from '../../electron/snapshots/object-id.ts';
import { bytesOfTreePath } from '../../shared/tree-path.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { HOSTILE_NAMES, type Lab, makeLab } from './lab.ts';

const EMPTY = emptyTree('sha1');

async function plantTree(lab: Lab, content: Uint8Array): Promise<string> {
  const bytes = Buffer.concat([Buffer.from(`tree ${content.length}\0`), content]);
  const oid = createHash('sha1').update(bytes).digest('hex');
  const folder = path.join(lab.foreign, 'objects', oid.slice(0, 2));
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, oid.slice(2)), deflateSync(bytes));
  return oid;
}

/** Counts as plain git gives them, by latin1 name. */
function numstat(lab: Lab, from: string, to: string): string[] {
  const flags = ['diff', '--numstat', '-z', '--no-renames', '--no-ext-diff', '--no-textconv'];
  return lab
    .plain([`--git-dir=${lab.foreign}`, ...flags, from, to], { cwd: lab.folder })
    .toString('latin1')
    .split('\0')
    .filter(Boolean);
}

describe('changes between two trees', () => {
  it('are named by what happened, with the counts of git diff --numstat', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, {
      'edit.txt': 'a\nb\nc\n',
      'gone.txt': '1\n2\n',
      'mode.sh': 'x',
      'both.sh': 'x\n',
      'bin.dat': Buffer.from([0, 1, 2]),
      'to-link': 'a\nb\n',
      link: { link: 'one' },
      'link-to-file': { link: 'x' },
      'move.txt': 'moved\n',
      'noeol.txt': 'x\ny',
      conf: 'c\n',
      'crlf.txt': 'a\r\nb\r\n',
    });
    const from = lab.snap();
    for (const name of ['gone.txt', 'to-link', 'link', 'link-to-file', 'move.txt', 'conf']) await rm(path.join(lab.root, name));
    await symlink('a', path.join(lab.root, 'to-link'));
    await symlink('two', path.join(lab.root, 'link'));
    await writeFiles(lab.root, {
      'edit.txt': 'a\nB\nc\nd\n',
      'mode.sh': { content: 'x', mode: 0o755 },
      'both.sh': { content: 'y\n', mode: 0o755 },
      'bin.dat': Buffer.from([0, 9]),
      'link-to-file': 'now\na\nfile\n',
      'moved.txt': 'moved\n',
      'noeol.txt': 'x\ny\n',
      'conf/a.ini': 'a\n',
      'crlf.txt': 'a\nb\n',
      empty: '',
    });
    lab.snap();
    lab.plain([`--git-dir=${lab.foreign}`, 'update-index', '--add', '--cacheinfo', `160000,${'b'.repeat(40)},sub`]);
    const to = lab
      .plain([`--git-dir=${lab.foreign}`, 'write-tree'])
      .toString()
      .trim();
    const [changes] = await changesOf(await lab.quarantine(), [{ from, to, only: null }]);
    expect(changes).toEqual([
      { path: 'bin.dat', change: 'modified', added: null, removed: null, binary: true },
      { path: 'both.sh', change: 'modified', added: 1, removed: 1, binary: false },
      { path: 'conf', change: 'deleted', added: 0, removed: 1, binary: false },
      { path: 'conf/a.ini', change: 'created', added: 1, removed: 0, binary: false },
      { path: 'crlf.txt', change: 'modified', added: 2, removed: 2, binary: false },
      { path: 'edit.txt', change: 'modified', added: 2, removed: 1, binary: false },
      { path: 'empty', change: 'created', added: 0, removed: 0, binary: false },
      { path: 'gone.txt', change: 'deleted', added: 0, removed: 2, binary: false },
      { path: 'link', change: 'modified', added: 1, removed: 1, binary: false },
      { path: 'link-to-file', change: 'kind', added: 3, removed: 1, binary: false },
      { path: 'mode.sh', change: 'mode', added: 0, removed: 0, binary: false },
      { path: 'move.txt', change: 'deleted', added: 0, removed: 1, binary: false },
      { path: 'moved.txt', change: 'created', added: 1, removed: 0, binary: false },
      { path: 'noeol.txt', change: 'modified', added: 1, removed: 1, binary: false },
      { path: 'sub', change: 'created', added: 1, removed: 0, binary: false },
      { path: 'to-link', change: 'kind', added: 1, removed: 2, binary: false },
    ]);
    const [back] = await changesOf(await lab.quarantine(), [{ from: to, to: from, only: null }]);
    const text = (list: unknown): string[] =>
      (list as { path: string; added: number | null; removed: number | null }[]).map(
        ({ path: name, added, removed }) => `${added ?? '-'}\t${removed ?? '-'}\t${name}`,
      );
    expect(text(changes)).toEqual(numstat(lab, from, to));
    expect(text(back)).toEqual(numstat(lab, to, from));
  });

  it('hold names as bytes and only those that were asked for', async () => {
    const lab = await makeLab();
    const put = (content: string) =>
      Promise.all(HOSTILE_NAMES.map((name) => writeFile(Buffer.concat([Buffer.from(`${lab.root}/`), bytesOfTreePath(name)]), content)));
    await put('v1\n');
    const from = lab.snap();
    await put('v2\n');
    const to = lab.snap();
    const store = await lab.quarantine();
    const answers = await changesOf(store, [{ from, to, only: null }, ...HOSTILE_NAMES.map((name) => ({ from, to, only: [name] }))]);
    const names = (answer: unknown): string[] => (answer as { path: string }[]).map(({ path: name }) => name);
    expect(names(answers[0]).sort()).toEqual([...HOSTILE_NAMES].sort());
    for (const [index, name] of HOSTILE_NAMES.entries()) expect(names(answers[index + 1])).toEqual([name]);
    expect(
      await changesOf(store, [
        { from, to, only: [] },
        { from, to, only: ['*', 'bad', 'd'] },
      ]),
    ).toEqual([[], []]);
  });

  it('between many pairs come out of few processes, in the order asked', async () => {
    const calls: string[] = [];
    const real = createGit();
    const git = {
      ...real,
      run: (call: GitCall) => {
        calls.push(call.name);
        return real.run(call);
      },
    };
    const lab = await makeLab({ git });
    const trees: string[] = [EMPTY];
    for (let k = 0; k < 30; k++) {
      await writeFiles(lab.root, { f: `${k}\n`, [`d/${k}`]: 'x\n' });
      trees.push(lab.snap());
    }
    const pairs = trees.flatMap((from, a) => trees.map((to, b) => ({ from, to, only: a === b ? null : ['f'] })));
    const answers = await changesOf(await lab.quarantine(), pairs);
    expect(answers).toHaveLength(31 * 31);
    for (const [index, { from, to }] of pairs.entries()) {
      const expected =
        from === to
          ? []
          : from === EMPTY
            ? [{ path: 'f', change: 'created', added: 1, removed: 0, binary: false }]
            : to === EMPTY
              ? [{ path: 'f', change: 'deleted', added: 0, removed: 1, binary: false }]
              : [{ path: 'f', change: 'modified', added: 1, removed: 1, binary: false }];
      expect(answers[index]).toEqual(expected);
    }
    expect(calls.filter((name) => name === 'diff-tree').length).toBeLessThanOrEqual(4);
    expect(calls.length).toBeLessThanOrEqual(5);
  });

  it('that are missing are a reason for their pair alone', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1\n', 'd/b': '2\n' });
    const from = lab.snap();
    await writeFiles(lab.root, { a: '2\n' });
    const to = lab.snap();
    const missing = '1'.repeat(40);
    const line = (mode: string, name: string, oid: string): Buffer =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
    const withoutFolder = await plantTree(lab, line('40000', 'd', '2'.repeat(40)));
    const withoutBlob = await plantTree(lab, line('100644', 'a', '3'.repeat(40)));
    const torn = await plantTree(lab, Buffer.from('100644 a\0short'));
    const blob = (await lab.reader(await lab.quarantine()).entry(from, 'a'))?.oid ?? '';
    const commit = lab
      .plain([`--git-dir=${lab.foreign}`, '-c', 'user.name=u', '-c', 'user.email=u@x', 'commit-tree', '-m', 'c', to])
      .toString()
      .trim();
    const good = { from, to, only: null };
    const bad = [missing, withoutFolder, withoutBlob, torn, blob, commit, 'HEAD', '--output=/tmp/x', 'a'.repeat(64)];
    const pairs = bad.flatMap((id) => [good, { from: id, to, only: null }, good, { from, to: id, only: null }, good]);
    const answers = await changesOf(await lab.quarantine(), pairs);
    for (const [index, answer] of answers.entries()) {
      const name = `${bad[Math.floor(index / 5)]} ${index % 5}`;
      if (pairs[index] === good) expect(answer, name).toEqual([{ path: 'a', change: 'modified', added: 1, removed: 1, binary: false }]);
      else expect(answer, name).toMatchObject({ code: 'TREE_MISSING' });
    }
    expect(await changesOf(await lab.quarantine(), [{ from: '', to, only: null }, good])).toMatchObject([
      { code: 'TREE_EMPTY' },
      [{ path: 'a' }],
    ]);
    expect(await changesOf(await lab.quarantine(), [{ from: missing, to: missing, only: null }])).toMatchObject([
      { code: 'TREE_MISSING', message: expect.stringContaining(missing) },
    ]);
    expect(await changesOf(await lab.quarantine(), [])).toEqual([]);
    // Without counts nothing of a file is needed.
    for (const id of bad.filter((other) => other !== withoutBlob)) {
      await expect(rawChanges(await lab.quarantine(), id, to), id).rejects.toMatchObject({ code: 'TREE_MISSING' });
    }
    await expect(rawChanges(await lab.quarantine(), missing, to)).rejects.toMatchObject({ code: 'TREE_MISSING' });
    await expect(rawChanges(await lab.quarantine(), to, blob)).rejects.toMatchObject({ code: 'TREE_MISSING' });
  });

  it('are raw entries where nobody counts', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: '1', 'd/b': '2' });
    const to = lab.snap();
    const store = await lab.quarantine();
    const entries = await lab.reader(store).entries(to);
    expect(await rawChanges(store, EMPTY, to)).toEqual([...entries].map(([name, after]) => ({ path: name, before: null, after })));
    expect(await rawChanges(store, to, EMPTY)).toEqual([...entries].map(([name, before]) => ({ path: name, before, after: null })));
    expect(await rawChanges(store, to, to)).toEqual([]);
    expect(await rawChanges(store, EMPTY, EMPTY)).toEqual([]);
  });

  it('work with SHA-256', async () => {
    const lab = await makeLab({ format: 'sha256' });
    await writeFiles(lab.root, { a: '1\n' });
    const from = lab.snap();
    await writeFiles(lab.root, { a: '2\n', b: 'x\ny\n' });
    const to = lab.snap();
    const store = await lab.quarantine();
    expect(
      await changesOf(store, [
        { from, to, only: null },
        { from: emptyTree('sha256'), to: from, only: null },
      ]),
    ).toEqual([
      [
        { path: 'a', change: 'modified', added: 1, removed: 1, binary: false },
        { path: 'b', change: 'created', added: 2, removed: 0, binary: false },
      ],
      [{ path: 'a', change: 'created', added: 1, removed: 0, binary: false }],
    ]);
    expect((await rawChanges(store, from, to)).map(({ path: name }) => name)).toEqual(['a', 'b']);
  });

  it('in a tree of 10,000 files are found, and looking leaves no trace', async () => {
    const lab = await makeLab();
    const lines: Buffer[] = [];
    const oid = lab
      .plain([`--git-dir=${lab.foreign}`, 'hash-object', '-w', '--stdin'], { input: 'x\n' })
      .toString()
      .trim();
    for (let k = 0; k < 10_000; k++) lines.push(Buffer.from(`100644 ${oid}\tdir${k % 100}/sub${k % 7}/file${k}\n`));
    const env = { GIT_INDEX_FILE: path.join(lab.folder, 'big-index') };
    lab.plain([`--git-dir=${lab.foreign}`, 'update-index', '--index-info'], { env, input: Buffer.concat(lines) });
    const to = lab
      .plain([`--git-dir=${lab.foreign}`, 'write-tree'], { env })
      .toString()
      .trim();
    const before = await manifest(lab.foreign, { mtimes: true });
    const store = await lab.quarantine();
    const [changes] = await changesOf(store, [{ from: EMPTY, to, only: null }]);
    expect(changes).toHaveLength(10_000);
    const reader = lab.reader(store);
    expect((await reader.entries(to)).size).toBe(10_000);
    expect(await reader.count(to)).toBe(10_000);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(before);
  });

  it('end soon when cancelled', async () => {
    const lab = await makeLab();
    await writeFiles(
      lab.root,
      Object.fromEntries(
        Array.from({ length: 40 }, (_, k) => [`f${k}`, Array.from({ length: 20_000 }, (_x, n) => `${(n * 7919) % 9973} ${k}\n`).join('')]),
      ),
    );
    const from = lab.snap();
    await writeFiles(
      lab.root,
      Object.fromEntries(
        Array.from({ length: 40 }, (_, k) => [
          `f${k}`,
          Array.from({ length: 20_000 }, (_x, n) => `${(n * 104_729) % 9973} ${k}\n`).join(''),
        ]),
      ),
    );
    const to = lab.snap();
    const store = await lab.quarantine();
    const abort = new AbortController();
    const running = changesOf(store, [{ from, to, only: null }], abort.signal);
    const begin = performance.now() + 300;
    setTimeout(() => abort.abort(), 300);
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(performance.now() - begin).toBeLessThan(500);
  });
});
