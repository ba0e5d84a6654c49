import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Built } from '../cases/case.ts';
import { manifest } from '../scenarios/temp.ts';

/** All of a case but its workspace, and the workspace's own repository: nothing of it may change (I3, I5, I8). */
export async function foreign({ folder, root }: Built, loose: readonly string[] = []): Promise<string[]> {
  const own = await manifest(path.join(root, '.git'), { mtimes: true }).catch(() => []);
  return [...(await manifest(folder, { mtimes: true, skip: ['ws', ...loose] })), ...own.map((line) => `.git: ${line}`)];
}

/** The workspace but its own repository. */
export const files = ({ root }: Built, mtimes = false): Promise<string[]> => manifest(root, { mtimes, skip: ['.git'] });
export const text = ({ root }: Built, ...names: string[]): Promise<string> => readFile(path.join(root, ...names), 'utf8');

/** The names below the workspace. */
export const names = async (one: Built): Promise<string[]> =>
  (await files(one)).map((line) => line.replace(/ (?:F [0-7]+ \d+ [0-9a-f]{64}|D|L [\s\S]*)$/, ''));
