import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { capturePaths, captureWorkspace } from '../../electron/snapshots/capture.ts';
import { changesOf, rawChanges } from '../../electron/snapshots/diff.ts';
import { createGit, type Git, type GitCall, type GitResult } from '../../electron/snapshots/git.ts';
import { mergeText } from '../../electron/snapshots/merge.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import type { SnapshotStore } from '../../electron/snapshots/store.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { type Lab, makeLab } from './lab.ts';

/** A store whose git answers one command as `change` says; all else is real. */
function answering(
  store: SnapshotStore,
  name: string,
  change: (result: GitResult) => Partial<GitResult> | Promise<Partial<GitResult>>,
): SnapshotStore {
  const run = async (call: GitCall): Promise<GitResult> => {
    const result = await store.git.run(call);
    return call.name === name ? { ...result, ...(await change(result)) } : result;
  };
  return { ...store, git: { ...store.git, run } };
}

async function twoTrees(): Promise<{ lab: Lab; store: SnapshotStore; from: string; to: string }> {
  const lab = await makeLab();
  await writeFiles(lab.root, { a: '1\n' });
  const from = lab.snap();
  await writeFiles(lab.root, { a: '2\n', b: 'x\n' });
  const to = lab.snap();
  return { lab, store: await lab.quarantine(), from, to };
}

describe('a comparison', () => {
  it.each([
    ['cut in the facts of a file', (text: string) => text.slice(0, text.indexOf(':') + 30)],
    ['cut in a name', (text: string) => text.slice(0, text.indexOf('\0') + 2)],
    ['cut in the counts', (text: string) => text.slice(0, text.lastIndexOf('\t'))],
    ['cut in a name after its counts', (text: string) => text.slice(0, -1)],
  ])('whose answer is %s is an error, not fewer changes', async (_, cut) => {
    const { store, from, to } = await twoTrees();
    const lying = answering(store, 'diff-tree', ({ stdout }) => ({ stdout: Buffer.from(cut(stdout.toString('latin1')), 'latin1') }));
    await expect(changesOf(lying, [{ from, to, only: null }])).rejects.toMatchObject({
      code: 'GIT_FAILED',
      message: expect.stringContaining('cut off'),
    });
  });

  it('counts nothing where git names a change of mode without counts, as some versions do', async () => {
    const lab = await makeLab();
    await writeFiles(lab.root, { run: 'x\n', gone: 'y\n' });
    const from = lab.snap();
    await chmod(path.join(lab.root, 'run'), 0o755);
    await rm(path.join(lab.root, 'gone'));
    const to = lab.snap();
    const silent = answering(await lab.quarantine(), 'diff-tree', ({ stdout }) => ({
      stdout: Buffer.from(stdout.toString('latin1').replace('0\t0\trun\0', ''), 'latin1'),
    }));
    expect(await changesOf(silent, [{ from, to, only: null }])).toEqual([
      [
        { path: 'gone', change: 'deleted', added: 0, removed: 1, binary: false },
        { path: 'run', change: 'mode', added: 0, removed: 0, binary: false },
      ],
    ]);
  });

  it('takes the modes of old tools, where git hands them on, for what they mean', async () => {
    const { store, from, to } = await twoTrees();
    const old = answering(store, 'diff-tree', ({ stdout }) => ({
      stdout: Buffer.from(stdout.toString('latin1').replace(':100644 100644', ':100664 100775'), 'latin1'),
    }));
    expect((await rawChanges(old, from, to)).map(({ path: name, before, after }) => [name, before?.mode, after?.mode])).toEqual([
      ['a', '100644', '100755'],
      ['b', undefined, '100644'],
    ]);
  });

  it('that is cancelled, or that git cannot make, is that error, though both trees are there', async () => {
    const { store, from, to } = await twoTrees();
    await expect(rawChanges(store, from, to, AbortSignal.abort())).rejects.toMatchObject({ code: 'CANCELLED' });
    const failing = answering(store, 'diff-tree', () => {
      throw new Error('EMFILE: too many open files');
    });
    await expect(rawChanges(failing, from, to)).rejects.toThrow('EMFILE');
    expect(
      await changesOf(failing, [
        { from: '', to, only: null },
        { from: 'x', to, only: null },
      ]),
    ).toMatchObject([{ code: 'TREE_EMPTY' }, { code: 'TREE_MISSING' }]);
  });
});

describe('a patch', () => {
  it('larger than any memory is given up on, and its process ended', async () => {
    const { store, from, to } = await twoTrees();
    const piece = Buffer.alloc(64 * 1024 * 1024);
    let [pieces, killed] = [0, false];
    const start: Git['start'] = (call) => ({
      ...store.git.start(call),
      stdout: (async function* () {
        for (;;) yield piece;
      })(),
      kill: () => {
        killed = true;
      },
    });
    const read = async (): Promise<void> => {
      for await (const part of patchOf({ ...store, git: { ...store.git, start } }, { from, to, only: null }))
        pieces += part.length > 0 ? 1 : 0;
    };
    await expect(read()).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect([pieces, killed]).toEqual([16, true]);
  });

  it('that git cannot make though both trees are there is the failure of git', async () => {
    const { lab, store, from, to } = await twoTrees();
    const oid = (await lab.reader(store).entry(to, 'b'))?.oid ?? '';
    await rm(path.join(lab.foreign, 'objects', oid.slice(0, 2)), { recursive: true });
    const read = async (): Promise<void> => {
      for await (const part of patchOf(store, { from, to, only: null })) expect(part.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining(oid) });
  });
});

it('a merge that git gives up on is an error, no conflict', async () => {
  const tmp = await tempFolder();
  await writeFiles(tmp, { bin: { content: '#!/bin/sh\necho "error: Could not read ours" >&2\nexit 255\n', mode: 0o755 } });
  const git = createGit({ command: [path.join(tmp, 'bin')] });
  await expect(
    mergeText(git, { base: Buffer.from('a'), ours: Buffer.from('b'), theirs: Buffer.from('c'), tmp: path.join(tmp, 'm') }),
  ).rejects.toMatchObject({ code: 'GIT_FAILED', message: expect.stringContaining('Could not read ours') });
});

describe('a snapshot of a workspace that changes while it is made', () => {
  const options = (lab: Lab) => ({ root: lab.root, indexFile: path.join(lab.ownData, 'indexes', 'x') });

  /** The store of a lab with three files; `meanwhile` happens after git has listed them. */
  async function changing(meanwhile: (lab: Lab) => Promise<void>): Promise<{ lab: Lab; store: SnapshotStore }> {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: 'a', b: 'b', c: 'c' });
    const store = answering(await lab.quarantine(), 'ls-files', async () => {
      await meanwhile(lab);
      return {};
    });
    return { lab, store };
  }

  it('has no file that went away, nor one in whose place a folder came', async () => {
    const { lab, store } = await changing(async ({ root }) => {
      await rm(path.join(root, 'a'));
      await rm(path.join(root, 'b'));
      await writeFiles(root, { 'b/x': 'x' });
    });
    const tree = await captureWorkspace(store, options(lab));
    expect([...(await lab.reader(store).entries(tree)).keys()]).toEqual(['c']);
  });

  it('is refused where a pipe came in place of a file, by name', async () => {
    const { lab, store } = await changing(async ({ root }) => {
      await rm(path.join(root, 'b'));
      execFileSync('mkfifo', [path.join(root, 'b')]);
    });
    await expect(captureWorkspace(store, options(lab))).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringContaining('a pipe'),
    });
  });

  it('ends when it is cancelled then, and leaves no notes', async () => {
    const abort = new AbortController();
    const { lab, store } = await changing(async () => abort.abort());
    await expect(captureWorkspace(store, { ...options(lab), signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(readFile(options(lab).indexFile)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it('a large file that changes between two looks is busy, and nothing of it is kept', async () => {
  const lab = await makeLab();
  const size = 3 * 1024 * 1024;
  await writeFiles(lab.root, { large: Buffer.alloc(size, 'before ') });
  const store = await lab.safety();
  // Git is asked for the object between the two.
  const start: Git['start'] = (call) => {
    writeFileSync(path.join(lab.root, 'large'), Buffer.alloc(size, 'after ! '));
    return store.git.start(call);
  };
  await expect(capturePaths({ ...store, git: { ...store.git, start } }, { root: lab.root, paths: ['large'] })).rejects.toMatchObject({
    code: 'FILE_BUSY',
  });
  expect(await readdir(path.join(store.gitDir, 'objects', 'pack'))).toEqual([]);
});

describe('notes of an earlier snapshot', () => {
  /** Files that were noted long enough ago that the notes are believed, and the store in which they are. */
  async function noted(): Promise<{
    lab: Lab;
    store: SnapshotStore;
    tree: string;
    dropped: string[];
    again: (more?: SnapshotStore, checked?: number) => Promise<string>;
  }> {
    const lab = await makeLab();
    await writeFiles(lab.root, { a: 'a, kept by the agent\n', run: { content: 'run\n', mode: 0o755 }, l: { link: 'a' } });
    const old = new Date(Date.now() - 60_000);
    for (const name of ['a', 'run']) await utimes(path.join(lab.root, name), old, old);
    const tree = lab.snap();
    const store = await lab.quarantine();
    const options = { root: lab.root, indexFile: path.join(lab.ownData, 'indexes', 'x') };
    expect(await captureWorkspace(store, options)).toBe(tree);
    const reader = lab.reader(store);
    const dropped = [(await reader.entry(tree, 'a'))?.oid ?? '', (await reader.entry(tree, 'run'))?.oid ?? ''];
    for (const oid of dropped) await rm(path.join(lab.foreign, 'objects', oid.slice(0, 2)), { recursive: true });
    return {
      lab,
      store,
      tree,
      dropped,
      again: async (other = store, checked = Date.now()) => {
        const notes = JSON.parse(await readFile(options.indexFile, 'utf8'));
        // As if they had been made a while after the files changed.
        await writeFile(options.indexFile, JSON.stringify({ ...notes, at: Date.now() + 10_000, checked }));
        return captureWorkspace(other, options);
      },
    };
  }

  it('are believed for a minute; then what the agent dropped meanwhile is read again', async () => {
    const { lab, store, tree, dropped, again } = await noted();
    expect(await again()).toBe(tree);
    const there = async (): Promise<boolean[]> => {
      const reader = lab.reader(store);
      return Promise.all(dropped.map(async (oid) => (await reader.info(oid)) !== null));
    };
    expect(await there()).toEqual([false, false]);
    expect(await again(store, Date.now() - 61_000)).toBe(tree);
    expect(await there()).toEqual([true, true]);
    // A clock that was put back says nothing about how long ago it was.
    expect(await again(store, Date.now() + DAY)).toBe(tree);
  });

  const DAY = 86_400_000;

  it('of a file that goes away before it could be read again leave no entry', async () => {
    const { lab, store, again } = await noted();
    const start: Git['start'] = (call) => {
      execFileSync('rm', ['-f', path.join(lab.root, 'a')]);
      return store.git.start(call);
    };
    const tree = await again({ ...store, git: { ...store.git, start } }, 0);
    expect([...(await lab.reader(store).entries(tree)).keys()]).toEqual(['l', 'run']);
  });
});
