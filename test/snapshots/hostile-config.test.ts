import { execFileSync } from 'node:child_process';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { capturePaths, captureWorkspace, treeWith } from '../../electron/snapshots/capture.ts';
import { changesOf, rawChanges } from '../../electron/snapshots/diff.ts';
import { mergeText } from '../../electron/snapshots/merge.ts';
import { patchOf } from '../../electron/snapshots/patch.ts';
import { pin, pins, unpin } from '../../electron/snapshots/store.ts';
import { applyCheck, headOf } from '../../electron/snapshots/workspace-repo.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { collect, type Lab, makeLab } from './lab.ts';

/** Settings by which a repository can have a program run. */
const KEYS: readonly string[] = [
  'core.fsmonitor',
  'core.pager',
  'core.editor',
  'core.sshCommand',
  'core.askPass',
  'core.gitProxy',
  'core.alternateRefsCommand',
  'diff.external',
  'diff.x.textconv',
  'diff.x.command',
  'filter.x.clean',
  'filter.x.smudge',
  'filter.x.process',
  'merge.x.driver',
  'merge.tool',
  'mergetool.x.cmd',
  'difftool.x.cmd',
  'interactive.diffFilter',
  'sequence.editor',
  'credential.helper',
  'gpg.program',
  'gpg.ssh.program',
  'pager.diff',
  'pager.log',
  'alias.diff',
  'alias.cat-file',
  'uploadpack.packObjectsHook',
  'receive.procReceiveRefs',
  'remote.origin.uploadpack',
  'trailer.x.command',
  'web.browser',
  'init.templateDir',
];

const HOOKS = [
  'post-checkout',
  'post-index-change',
  'pre-commit',
  'reference-transaction',
  'fsmonitor-watchman',
  'post-rewrite',
  'pre-auto-gc',
  'post-merge',
  'applypatch-msg',
];

async function plant(lab: Lab, gitDir: string): Promise<void> {
  for (const key of KEYS) {
    const command = `touch ${lab.folder}/pwn/${key}; cat`;
    lab.plain([`--git-dir=${gitDir}`, 'config', key, key.startsWith('alias.') ? `!${command}` : command], { cwd: lab.folder });
  }
  for (const [key, value] of [
    ['core.hooksPath', `${lab.folder}/hooks`],
    ['core.worktree', '/'],
    ['commit.gpgSign', 'true'],
    ['gc.auto', '1'],
    ['include.path', `${lab.folder}/included`],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.url', `ext::touch ${lab.folder}/pwn/ext`],
    ['remote.origin.promisor', 'true'],
    ['protocol.ext.allow', 'always'],
  ] as const)
    execFileSync('git', ['config', '-f', path.join(gitDir, 'config'), key, value]);
  for (const hook of HOOKS) {
    const script = { content: `#!/bin/sh\ntouch ${lab.folder}/pwn/hook-${hook}\n`, mode: 0o755 };
    await writeFiles(lab.folder, { [`hooks/${hook}`]: script });
    await rm(path.join(gitDir, 'hooks', hook), { force: true });
    await writeFiles(gitDir, { [`hooks/${hook}`]: script });
  }
  await writeFiles(gitDir, { 'info/attributes': '* filter=x diff=x merge=x\n' });
}

async function trapped(): Promise<{ lab: Lab; from: string; to: string; fired(): Promise<string[]> }> {
  const lab = await makeLab();
  lab.plain(['init', '-q', '.']);
  await writeFiles(lab.folder, { 'pwn/.keep': '', included: `[core]\n\tfsmonitor = touch ${lab.folder}/pwn/included\n` });
  await writeFiles(lab.root, { 'f.txt': 'v1\n', 'd/g.txt': 'v1\n' });
  const from = lab.snap();
  await writeFiles(lab.root, { 'f.txt': 'v2\n', 'd/g.txt': 'v2\n', '.gitattributes': '* filter=x diff=x merge=x\n' });
  const to = lab.snap();
  lab.plain(['add', '-A']);
  lab.plain(['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-q', '-m', 'c']);
  for (const gitDir of [lab.foreign, path.join(lab.root, '.git')]) await plant(lab, gitDir);
  const fired = async (): Promise<string[]> => (await readdir(path.join(lab.folder, 'pwn'))).filter((name) => name !== '.keep');
  return { lab, from, to, fired };
}

/** Everything that we ever do with a foreign store and a workspace. */
async function everything(lab: Lab, from: string, to: string): Promise<Record<string, unknown>> {
  const store = await lab.quarantine();
  const safety = await lab.safety();
  const reader = lab.reader(store);
  const patch = await collect(patchOf(store, { from, to, only: null }));
  const part = await collect(patchOf(store, { from, to, only: ['f.txt'] }));
  const file = path.join(lab.folder, 'p.patch');
  await writeFile(file, patch);
  const entry = await reader.entry(from, 'f.txt');
  const captured = await capturePaths(safety, { root: lab.root, paths: ['f.txt', 'd/g.txt'] });
  await pin(safety, 'x', captured.tree);
  const pinned = await pins(safety);
  await unpin(safety, 'x');
  return {
    entries: [...(await reader.entries(to))],
    count: await reader.count(to),
    blob: (await reader.blob(entry?.oid ?? '')).toString(),
    changes: await changesOf(store, [{ from, to, only: null }]),
    raw: await rawChanges(store, from, to),
    patch: patch.toString(),
    part: part.toString(),
    captured: captured.tree,
    pinned,
    workspace: await captureWorkspace(store, { root: lab.root, indexFile: path.join(lab.ownData, 'a') }),
    recorded: await captureWorkspace(safety, { root: lab.root, indexFile: path.join(lab.ownData, 'b') }),
    edited: await treeWith(store, { base: to, changes: new Map([['f.txt', entry]]) }),
    merged: (
      await mergeText(lab.git, {
        base: Buffer.from('a\nb\nc\n'),
        ours: Buffer.from('A\nb\nc\n'),
        theirs: Buffer.from('a\nb\nC\n'),
        tmp: path.join(lab.ownData, 'tmp'),
      })
    ).bytes.toString(),
    check: typeof (await applyCheck(lab.git, lab.root, file)),
  };
}

describe('programs that a repository names (cases C-12)', () => {
  it('are many, and the trap works', async () => {
    const { lab, fired } = await trapped();
    expect(KEYS.length + HOOKS.length).toBeGreaterThan(25);
    // A person who runs git here walks into it.
    lab.plain(['--work-tree=.', 'status']);
    await writeFiles(lab.root, { 'f.txt': 'v3\n' });
    lab.plain(['-c', 'core.fsmonitor=false', '--work-tree=.', 'add', '-A']);
    const caught = await fired();
    expect(caught).toEqual(expect.arrayContaining(['filter.x.process', 'hook-post-index-change', 'included']));
  });

  it('never run, whatever we do, and what we read is right', async () => {
    const { lab, from, to, fired } = await trapped();
    const foreign = await manifest(lab.foreign, { mtimes: true });
    const repo = await manifest(path.join(lab.root, '.git'), { mtimes: true });
    const result = await everything(lab, from, to);
    expect(result).toMatchObject({ blob: 'v1\n', count: 3, workspace: to, recorded: to, merged: 'A\nb\nC\n' });
    expect(result['changes']).toEqual([
      [
        { path: '.gitattributes', change: 'created', added: 1, removed: 0, binary: false },
        { path: 'd/g.txt', change: 'modified', added: 1, removed: 1, binary: false },
        { path: 'f.txt', change: 'modified', added: 1, removed: 1, binary: false },
      ],
    ]);
    expect(await headOf(lab.root)).toEqual({
      branch: expect.stringMatching(/^(main|master)$/),
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    expect(await fired()).toEqual([]);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(foreign);
    expect(await manifest(path.join(lab.root, '.git'), { mtimes: true })).toEqual(repo);
  });

  it('never run from a bare repository that hides in the workspace', async () => {
    const { lab, from, to, fired } = await trapped();
    // `git` in this folder would take it for a git dir (justinsteven advisory 2022).
    for (const name of ['HEAD', 'config', 'objects', 'refs']) await symlink(path.join(lab.foreign, name), path.join(lab.root, 'd', name));
    const tree = await captureWorkspace(await lab.safety(), { root: lab.root, indexFile: path.join(lab.ownData, 'b') });
    expect(await rawChanges(await lab.quarantine(), from, to)).toHaveLength(3);
    expect((await lab.reader(await lab.safety()).entries(tree)).size).toBe(7);
    expect(await fired()).toEqual([]);
  });
});

describe('a poisoned environment (cases C-13)', () => {
  it('changes nothing of what we do', async () => {
    const { lab, from, to } = await trapped();
    const expected = await everything(lab, from, to);
    const decoy = path.join(lab.folder, 'decoy');
    lab.plain(['init', '-q', decoy]);
    await writeFiles(decoy, { d: 'd' });
    lab.plain(['add', 'd'], { cwd: decoy });
    lab.plain(['-c', 'user.name=u', '-c', 'user.email=u@x', 'commit', '-q', '-m', 'd'], { cwd: decoy });
    const before = await manifest(decoy, { mtimes: true });
    const poison: Record<string, string> = {
      GIT_DIR: `${decoy}/.git`,
      GIT_WORK_TREE: decoy,
      GIT_INDEX_FILE: `${decoy}/.git/index`,
      GIT_OBJECT_DIRECTORY: `${decoy}/.git/objects`,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nope',
      GIT_NAMESPACE: 'zz',
      GIT_CEILING_DIRECTORIES: '/',
      GIT_PREFIX: 'zz/',
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'commit.gpgsign',
      GIT_CONFIG_VALUE_0: 'true',
      GIT_CONFIG_KEY_1: 'core.hooksPath',
      GIT_CONFIG_VALUE_1: `${lab.folder}/hooks`,
      GIT_CONFIG_PARAMETERS: "'core.bare=true'",
      GIT_EXTERNAL_DIFF: `touch ${lab.folder}/PWN`,
      GIT_PAGER: `touch ${lab.folder}/PWN`,
      GIT_ASKPASS: `touch ${lab.folder}/PWN`,
      GIT_LITERAL_PATHSPECS: '0',
      GIT_GLOB_PATHSPECS: '1',
      GIT_TRACE: '1',
      GIT_TRACE2_EVENT: '1',
      GIT_DEFAULT_HASH: 'sha256',
      LC_ALL: 'de_DE.UTF-8',
      LANGUAGE: 'de',
    };
    const old = Object.fromEntries(Object.keys(poison).map((name) => [name, process.env[name]]));
    Object.assign(process.env, poison);
    try {
      expect(await everything(lab, from, to)).toEqual(expected);
      expect(await headOf(lab.root)).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    } finally {
      for (const [name, value] of Object.entries(old)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect(await manifest(decoy, { mtimes: true })).toEqual(before);
    expect(await readdir(lab.folder)).not.toContain('PWN');
  });
});

describe('locks that somebody left or holds (cases C-14)', () => {
  it('are neither minded nor touched', async () => {
    const { lab, from, to } = await trapped();
    for (const gitDir of [lab.foreign, path.join(lab.root, '.git')])
      for (const lock of ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock', 'gc.pid'])
        await writeFiles(gitDir, { [lock]: 'x' });
    const foreign = await manifest(lab.foreign, { mtimes: true });
    const repo = await manifest(path.join(lab.root, '.git'), { mtimes: true });
    await everything(lab, from, to);
    expect((await headOf(lab.root))?.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(await manifest(lab.foreign, { mtimes: true })).toEqual(foreign);
    expect(await manifest(path.join(lab.root, '.git'), { mtimes: true })).toEqual(repo);
  });
});
