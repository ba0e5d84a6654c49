import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { showTreePath } from '../../shared/tree-path.ts';
import { cleanEnv } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { type Case, hardCase } from './case.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const stepIds = async (c: Case): Promise<string[]> => (await c.open()).steps.map((step) => step.id);

/** A user's own git settings that bend what git prints and writes. */
const BENT = `[core]
autocrlf=true
[diff]
noprefix=true
mnemonicPrefix=true
renames=copies
context=0
[color]
ui=always
`;

/** git in the folder that a recipe checked the tree before the step out to; its own repository there is the scratch one. */
function gitIn(c: Case, ...args: string[]): string {
  const cwd = path.join(c.built.folder, 'x');
  return execFileSync('git', args, { cwd, env: cleanEnv(c.built.folder), encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** The id of what stands in that folder. */
function treeThere(c: Case): string {
  gitIn(c, '-c', 'core.autocrlf=false', 'add', '-A', '-f', '.');
  return gitIn(c, 'write-tree').trim();
}

test('C-08: hostile file names', async () => {
  const c = await hardCase('c-08');
  const [step = ''] = await stepIds(c);
  await c.look();
  const plan = await c.preview(0);
  const shown = plan.files.map((file) => showTreePath(file.path));
  expect(plan.files).toHaveLength(54);
  expect(plan.files.map(({ path: name }) => name)).not.toContain('plain.txt');
  expect([...shown.join('')].filter((char) => char < ' ')).toEqual([]);
  expect(new Set(shown).size).toBe(54);
  const patch = await c.patch('names.patch', { kind: 'step', step });
  await c.thereAndBack(0, {}, async () => {
    const left = (await c.mani()).filter((line) => !line.startsWith('"user.txt"'));
    expect(left).toEqual((await c.noted('m0')).trim().split('\n'));
  });
  expect((await readdir(c.root)).filter((name) => name.includes('PWNED'))).toEqual(['$(touch PWNED)']);
  // The tree before, checked out from the store; then the patch.
  const { from = '', to = '' } = { ...(await c.open()).steps[0] } as { from?: string; to?: string };
  await mkdir(path.join(c.built.folder, 'x'));
  gitIn(c, 'init', '-q');
  await writeFile(path.join(c.built.folder, 'x', '.git', 'objects', 'info', 'alternates'), `${c.built.store}/objects\n`);
  gitIn(c, 'read-tree', from);
  gitIn(c, 'checkout-index', '-a', '-f');
  gitIn(c, 'apply', '--check', '--whitespace=nowarn', patch);
  gitIn(c, 'apply', '--whitespace=nowarn', patch);
  expect(treeThere(c)).toBe(to);
});

test('C-11: bytes as they are, under hostile git settings of the user', async () => {
  const c = await hardCase('c-11');
  vi.stubEnv('HOME', c.built.home);
  vi.stubEnv('XDG_CONFIG_HOME', path.join(c.built.home, '.config'));
  const [before, after] = [await c.noted('m0'), await c.noted('m1')].map((text) => text.trim().split('\n'));
  expect(await c.mani()).toEqual(after);
  await c.look();
  const [step = ''] = await stepIds(c);
  await c.thereAndBack(0, {}, async () => expect(await c.mani()).toEqual(before));
  expect(await c.mani()).toEqual(after);
  const side = async (name: string) => {
    const diff = await c.ask('diff.file', { thread: c.id, range: { kind: 'step', step }, path: name, anyway: false });
    return [diff.before?.encoding, diff.before?.eol, diff.after?.eol, diff.before?.binary];
  };
  expect(await side('crlf.txt')).toEqual(['utf-8', 'crlf', 'crlf', false]);
  expect(await side('mixed.txt')).toEqual(['utf-8', 'mixed', 'mixed', false]);
  expect(await side('bom.txt')).toEqual(['utf-8-bom', 'lf', 'mixed', false]);
  expect(await side('utf16.txt')).toEqual(['utf-16le', 'lf', expect.anything(), false]);
  expect(await side('latin1.txt')).toEqual(['latin1', 'lf', 'mixed', false]);
  expect(await side('gbk.txt')).toEqual(['latin1', 'lf', 'mixed', false]);
  expect(await side('rnd.bin')).toEqual(['binary', 'none', 'none', true]);
  expect(await side('noeol.txt')).toEqual(['utf-8', 'none', 'crlf', false]);
});

test('C-19: an exported patch goes round', async () => {
  const c = await hardCase('c-19');
  await mkdir(path.join(c.built.home, '.config'), { recursive: true });
  await writeFile(path.join(c.built.home, '.gitconfig'), BENT);
  vi.stubEnv('HOME', c.built.home);
  const { steps } = await c.open();
  const [first, , last] = steps;
  const trees = [first?.from, first?.to, last?.to];
  expect(c.built.stdout).toContain(`T1=${trees[1]}\n`);
  const one = await c.patch('one.patch', { kind: 'step', step: first?.id ?? '' });
  const three = await c.patch('three.patch', { kind: 'steps', from: first?.id ?? '', to: last?.id ?? '' });
  for (const [patch, tree] of [
    [one, trees[1]],
    [three, trees[2]],
  ] as const) {
    const text = await readFile(patch, 'latin1');
    expect(text).not.toContain(c.built.folder);
    expect(text).not.toContain('\u001b');
    gitIn(c, 'apply', '--check', '--whitespace=nowarn', patch);
    gitIn(c, 'apply', '--whitespace=nowarn', patch);
    expect(treeThere(c)).toBe(tree);
    gitIn(c, 'apply', '-R', '--whitespace=nowarn', patch);
    expect(treeThere(c)).toBe(trees[0]);
  }
});

test('C-20: what freezes viewers is told by its size, and counted as git counts', async () => {
  const many = size(40, 400);
  const c = await hardCase('c-20', { MANY: String(many), KEYS: String(size(160_000, 440_000)) });
  const { steps } = await c.open();
  const [step] = steps;
  const files = step?.files ?? [];
  expect(files).toHaveLength(many + 3);
  const env = { ...cleanEnv(c.built.folder), GIT_DIR: c.built.store };
  const counted = execFileSync('git', ['diff', '--numstat', step?.from ?? '', step?.to ?? ''], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  expect(files.map(({ path: name, added, removed }) => `${added}\t${removed}\t${name}`)).toEqual(counted.trim().split('\n'));
  const diff = (name: string, anyway: boolean) =>
    c.ask('diff.file', { thread: c.id, range: { kind: 'step', step: step?.id ?? '' }, path: name, anyway });
  const [min, big, eol] = [await diff('min.js', false), await diff('big.txt', false), await diff('eol.cpp', false)];
  expect([min.before?.tooLarge, min.before?.text, min.after?.text]).toEqual([true, null, null]);
  expect([big.before?.tooLarge, big.before?.text]).toEqual([true, null]);
  expect([eol.before?.eol, eol.after?.eol]).toEqual(['crlf', 'lf']);
  expect((await diff('min.js', true)).before?.text?.length).toBe(min.before?.bytes);
  await c.thereAndBack(0);
});
