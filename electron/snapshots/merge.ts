import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Git } from './git.ts';
import { gitFailed } from './git.ts';

/** More conflicts than this are reported as this many. */
const MOST_CONFLICTS = 127;
const ERROR = 255;

/** Git's own rule for a binary: a zero byte early on. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 8000).includes(0);
}

/**
 * A three-way merge of texts by `git merge-file`: takes the change from `base` to `theirs` into `ours`, byte for byte
 * elsewhere. `clean` false: they touch the same lines (`bytes` has conflict marks), or one is binary (`bytes` is `ours`).
 * `tmp` is a folder of ours; what is made there is removed.
 */
export async function mergeText(
  git: Git,
  o: { base: Buffer; ours: Buffer; theirs: Buffer; tmp: string; signal?: AbortSignal | undefined },
): Promise<{ clean: boolean; bytes: Buffer }> {
  const sides = { ours: o.ours, base: o.base, theirs: o.theirs };
  if (Object.values(sides).some(isBinary)) return { clean: false, bytes: o.ours };
  await mkdir(o.tmp, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(path.join(o.tmp, 'merge-'));
  try {
    for (const [name, bytes] of Object.entries(sides)) await writeFile(path.join(folder, name), bytes, { mode: 0o600 });
    const { exit, stdout, stderr } = await git.run({
      name: 'merge-file',
      args: ['merge-file', '-p', '-q', '-L', 'now', '-L', 'base', '-L', 'before', 'ours', 'base', 'theirs'],
      gitDir: path.join(folder, 'no-repository'),
      cwd: folder,
      okExits: Array.from({ length: MOST_CONFLICTS + 1 }, (_, conflicts) => conflicts).concat(ERROR),
      signal: o.signal,
    });
    if (exit === ERROR) throw gitFailed('merge-file', exit, stderr);
    return { clean: exit === 0, bytes: stdout };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
