import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { mergeText } from '../../electron/snapshots/merge.ts';
import { tempFolder } from '../scenarios/temp.ts';

const lines = (change: (line: number) => string = String): string => Array.from({ length: 20 }, (_, k) => `${change(k + 1)}\n`).join('');

async function merge(
  base: string | Buffer,
  ours: string | Buffer,
  theirs: string | Buffer,
): Promise<{ clean: boolean; text: string; bytes: Buffer }> {
  const tmp = path.join(await tempFolder(), 'tmp');
  const result = await mergeText(createGit(), { base: Buffer.from(base), ours: Buffer.from(ours), theirs: Buffer.from(theirs), tmp });
  if (await readdir(tmp).catch(() => null)) expect(await readdir(tmp)).toEqual([]);
  return { ...result, text: result.bytes.toString() };
}

describe('a merge by lines', () => {
  it("takes the agent's change out and leaves the user's in (cases C-01)", async () => {
    const base = lines((k) => (k === 3 ? 'three (agent)' : String(k)));
    const ours = lines((k) => (k === 3 ? 'three (agent)' : k === 18 ? 'eighteen (me)' : String(k)));
    expect(await merge(base, ours, lines())).toMatchObject({ clean: true, text: lines((k) => (k === 18 ? 'eighteen (me)' : String(k))) });
  });

  it('gives either side as it is when the other did not move', async () => {
    for (const text of ['', 'x', 'x\n', 'a\r\nb\r\n', 'noeol\nx']) {
      expect(await merge('base\n', 'base\n', text)).toMatchObject({ clean: true, text });
      expect(await merge('base\n', text, 'base\n')).toMatchObject({ clean: true, text });
      expect(await merge('base\n', text, text)).toMatchObject({ clean: true, text });
    }
  });

  it('keeps bytes that are no text of any encoding we know, and line ends', async () => {
    const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
    const base = latin1('caf\xe9\r\n1\r\n2\r\n3\r\n4\r\n5\r\nend');
    const result = await merge(base, latin1('caf\xe9!\r\n1\r\n2\r\n3\r\n4\r\n5\r\nend'), latin1('caf\xe9\r\n1\r\n2\r\n3\r\n4\r\n5\r\nEND'));
    expect(result.clean).toBe(true);
    expect(result.bytes).toEqual(latin1('caf\xe9!\r\n1\r\n2\r\n3\r\n4\r\n5\r\nEND'));
  });

  it('marks lines that both changed', async () => {
    const result = await merge('a\n', 'mine\n', 'theirs\n');
    expect(result).toMatchObject({ clean: false, text: '<<<<<<< now\nmine\n=======\ntheirs\n>>>>>>> before\n' });
  });

  it('is not clean with more conflicts than an exit code can count', async () => {
    const many = (word: string): string =>
      Array.from({ length: 400 }, (_, k) => `${word} ${k}\nsame ${k} a\nsame ${k} b\nsame ${k} c\nsame ${k} d\n`).join('');
    const result = await merge(many('base'), many('ours'), many('theirs'));
    expect(result.clean).toBe(false);
    expect(result.text.match(/^<<<<<<< now$/gm)).toHaveLength(400);
  });

  it('leaves a binary alone', async () => {
    const binary = Buffer.from('a\0b');
    for (const at of [0, 1, 2]) {
      const [base, ours, theirs] = ['x', 'y', 'z'].map((text, index) => (index === at ? binary : Buffer.from(text)));
      const result = await merge(base ?? '', ours ?? '', theirs ?? '');
      expect(result.clean).toBe(false);
      expect(result.bytes).toEqual(ours);
    }
  });

  it('says so when git fails', async () => {
    const tmp = await tempFolder();
    const failing = createGit({ command: ['/bin/false'] });
    // Exit 1 would be a conflict: only what git itself cannot do is an error.
    const broken = { ...failing, run: () => failing.run({ name: 'merge-file', args: [], gitDir: '/dev/null' }) };
    await expect(
      mergeText(broken, { base: Buffer.from('a'), ours: Buffer.from('b'), theirs: Buffer.from('c'), tmp }),
    ).rejects.toMatchObject({ code: 'GIT_FAILED' });
    expect(await readdir(tmp)).toEqual([]);
  });
});
