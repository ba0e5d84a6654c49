import { chmod, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runTravel } from '../../electron/travel/travel.ts';
import { modeFor } from '../../electron/travel/write-file.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

const bits = async (n: Neutral, name: string): Promise<string> => ((await stat(path.join(n.root, name))).mode & 0o7777).toString(8);
const file = (mode: number | null, executable: boolean) => ({ kind: 'file' as const, oid: 'a'.repeat(40), executable, mode });

test.each<[string, number | null, boolean, number | null, boolean, number | null]>([
  ['recorded bits win', 0o644, false, 0o600, false, 0o600],
  ['bits of the file that is replaced stay', 0o600, false, null, false, 0o600],
  ['the exec bit goes for everybody', 0o755, true, null, false, 0o644],
  ['the exec bit follows read', 0o640, false, null, true, 0o750],
  ['a bit that is there stays as it is', 0o700, true, null, true, 0o700],
  ['without a file the umask decides', null, false, null, true, null],
])('%s', (_name, fromMode, fromExec, wantMode, wantExec, expected) => {
  const from = fromMode === null ? { kind: 'absent' as const } : file(fromMode, fromExec);
  expect(modeFor(from, file(wantMode, wantExec))).toBe(expected);
});

test('permission bits survive both ways, those that no tree knows too', async () => {
  const n = await neutral();
  await writeFiles(n.root, {
    'private.txt': { content: 'a\n', mode: 0o600 },
    'shared.txt': { content: 'a\n', mode: 0o666 },
    'plain.sh': { content: 's\n', mode: 0o644 },
    'tool.sh': { content: 't\n', mode: 0o750 },
    'secret.key': { content: 'k\n', mode: 0o600 },
  });
  await n.base();
  await n.user('change');
  const at = (name: string): string => path.join(n.root, name);
  await writeFile(at('private.txt'), 'b\n');
  await writeFile(at('shared.txt'), 'b\n');
  await chmod(at('plain.sh'), 0o755);
  await chmod(at('tool.sh'), 0o640);
  await rm(at('secret.key'));
  await mkdir(at('vault'));
  await chmod(at('vault'), 0o700);
  await writeFiles(n.root, { 'vault/inner/made': { content: 'm\n', mode: 0o4711 } });
  await chmod(at('vault/inner'), 0o711);
  await n.step('change');
  const before = await manifest(n.root);
  const context = await n.context();
  await runTravel(context, revertTo(0), DEFAULTS);
  expect([await bits(n, 'private.txt'), await bits(n, 'plain.sh'), await bits(n, 'tool.sh')]).toEqual(['600', '644', '750']);
  // Also bits that the umask would take away.
  expect(await bits(n, 'shared.txt')).toBe('666');
  await expect(stat(at('vault'))).rejects.toThrow('ENOENT');
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
  expect([await bits(n, 'vault'), await bits(n, 'vault/inner'), await bits(n, 'vault/inner/made')]).toEqual(['700', '711', '4711']);
});

test('an empty folder of yours is there again after revert and unrevert, and one that the revert made is not', async () => {
  const n = await neutral();
  await writeFiles(n.root, { 'docs/a/only.md': 'o\n', 'other/deep/x': 'x\n' });
  await n.base();
  await n.user('clear');
  await rm(path.join(n.root, 'docs/a/only.md'));
  await rm(path.join(n.root, 'other'), { recursive: true });
  await n.step('clear');
  const before = await manifest(n.root);
  expect(before).toEqual(['docs D', 'docs/a D']);
  const context = await n.context();
  await runTravel(context, revertTo(0), DEFAULTS);
  expect((await manifest(n.root)).filter((line) => line.endsWith(' D'))).toEqual(['docs D', 'docs/a D', 'other D', 'other/deep D']);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(n.root)).toEqual(before);
});
