import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { patchOfRange } from '../../electron/host/changes.ts';
import { leftOutWith, secretsInPatch, sectionsOf } from '../../electron/host/patch-secrets.ts';
import type { SecretChoice } from '../../shared/contract.ts';
import { treePathOfBytes } from '../../shared/tree-path.ts';
import { cleanEnv, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from '../travel/neutral.ts';

const run = promisify(execFile);
const R36 = 'q7Xz2LmN8vBc4KdJ5hGf6RtYw9PaSe3UiO1k';
const TOKEN = ['gh', 'p_', R36].join('');
const NONE: SecretChoice = { all: false, include: [] };

describe('the parts of a patch', () => {
  test('names as git writes them, also in quotes, and lines that only look like a beginning', () => {
    const patch = Buffer.from(
      [
        'diff --git a/a b.txt b/a b.txt',
        '--- a/a b.txt',
        '+diff --git a/x b/x',
        ' diff --git a/y b/y',
        'diff --git "a/\\303\\244\\t\\"\\\\.txt" "b/\\303\\244\\t\\"\\\\.txt"',
        '@@',
        '',
      ].join('\n'),
    );
    const parts = sectionsOf(patch);
    expect(parts.map((part) => part.path)).toEqual(['a b.txt', treePathOfBytes(Buffer.from('ä\t"\\.txt'))]);
    expect(Buffer.concat(parts.map(({ start, end }) => patch.subarray(start, end)))).toEqual(patch);
    expect(sectionsOf(Buffer.alloc(0))).toEqual([]);
  });

  test('a large patch is looked through in a moment, and what stands across a piece is found', async () => {
    const line = `+${'x'.repeat(98)}\n`;
    const body = line.repeat(105_000);
    const patch = Buffer.from(`diff --git a/big b/big\n${body}+t = "${TOKEN}"\n${body}diff --git a/small b/small\n+nothing\n`);
    expect(patch.length).toBeGreaterThan(20_000_000);
    expect(await secretsInPatch(patch, async () => [])).toEqual([{ path: 'big', kinds: ['GitHub token'] }]);
  });

  test('what needs a file that stays out, stays out too', () => {
    expect(leftOutWith(['a'], ['a', 'a/b', 'ab', 'c'])).toEqual([{ path: 'a/b', kinds: ['goes with a'] }]);
    expect(leftOutWith(['a/b/c'], ['a', 'd'])).toEqual([{ path: 'a', kinds: ['goes with a/b/c'] }]);
    expect(leftOutWith(['a/b/c'], ['a', 'a/b/c', 'a/x'])).toEqual([
      { path: 'a', kinds: ['goes with a/b/c'] },
      { path: 'a/x', kinds: ['goes with a'] },
    ]);
  });
});

describe('the patch of a step', () => {
  /** A step that writes secrets into some of its files. */
  async function scene(): Promise<{ n: Neutral; before: string }> {
    const n = await neutral();
    await writeFiles(n.root, {
      'plain.txt': 'one\n',
      'config.ts': 'export const url = "";\n',
      place: 'a file\n',
      'old.txt': `${TOKEN}\nrest\n`,
    });
    await n.base();
    const before = n.tree;
    await n.user('write');
    await writeFiles(n.root, {
      'plain.txt': 'two\n',
      'config.ts': `export const token = "${TOKEN}";\n`,
      '.env': 'A=1\n',
      '.env.example': 'API_KEY=\n',
      'ä ö.txt': `password in it: postgres://app:${R36.slice(0, 12)}@db/x\n`,
      'blob.bin': Buffer.concat([Buffer.from([0, 1, 2]), Buffer.from(TOKEN)]),
      'wide.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`TOKEN=${R36}\n`, 'utf16le')]),
      'old.txt': 'rest\n',
    });
    await rm(path.join(n.root, 'place'));
    await mkdir(path.join(n.root, 'place'));
    await writeFile(path.join(n.root, 'place', 'key.txt'), `-----BEGIN PRIV${'ATE KEY'}-----\n`);
    await symlink('plain.txt', path.join(n.root, 'link'));
    await n.step('write');
    return { n, before };
  }

  /** The patch, applied for real to the state before it; gives the files that it changed there. */
  async function applied({ n, before }: { n: Neutral; before: string }, bytes: Buffer): Promise<string[]> {
    const env = { ...cleanEnv(n.folder), GIT_INDEX_FILE: path.join(n.folder, 'apply-index') };
    const patch = path.join(n.folder, 'p.patch');
    await writeFile(patch, bytes);
    const git = async (...args: string[]) =>
      (await run('git', [`--git-dir=${n.gitDir}`, `--work-tree=${n.root}`, '-c', 'core.quotePath=false', ...args], { cwd: n.root, env }))
        .stdout;
    await git('read-tree', before);
    await git('apply', '--cached', '--check', patch);
    await git('apply', '--cached', patch);
    return (await git('diff-index', '--cached', '--name-only', before)).split('\n').filter(Boolean);
  }

  const patchWith = async (n: Neutral, choice: SecretChoice) =>
    patchOfRange(await n.context(), { kind: 'step', step: 's0002' }, null, choice);

  test('files with secrets stay out, are named with what shows in them, and the rest applies; one let in comes along; all are the patch as git makes it', async () => {
    const s = await scene();
    const { n, before } = s;
    const made = await patchWith(n, NONE);
    expect(made.secrets.map(({ path: name, kinds, included }) => [name, kinds, included]).sort()).toEqual([
      ['.env', ['.env file'], false],
      ['blob.bin', ['GitHub token'], false],
      ['config.ts', ['GitHub token'], false],
      ['old.txt', ['GitHub token'], false],
      ['place', ['goes with place/key.txt'], false],
      ['place/key.txt', ['private key'], false],
      ['wide.txt', ['secret value'], false],
      ['ä ö.txt', ['password in an address'], false],
    ]);
    expect(made.files).toBe(3);
    expect((await applied(s, made.bytes)).sort()).toEqual(['.env.example', 'link', 'plain.txt']);
    expect([made.bytes.includes(TOKEN), made.bytes.includes(R36.slice(0, 12))]).toEqual([false, false]);
    const some = await patchWith(n, { all: false, include: ['config.ts', 'place/key.txt'] });
    expect((await applied(s, some.bytes)).sort()).toEqual(['.env.example', 'config.ts', 'link', 'place', 'place/key.txt', 'plain.txt']);
    const all = await patchWith(n, { all: true, include: [] });
    const args = ['diff', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', before, n.tree];
    expect(all.bytes.toString('latin1')).toBe(
      (await run('git', [`--git-dir=${n.gitDir}`, ...args], { encoding: 'latin1', env: cleanEnv(n.folder) })).stdout,
    );
    expect(all.secrets.every(({ included }) => included)).toBe(true);
    expect((await applied(s, all.bytes)).length).toBe(11);
  });
});
