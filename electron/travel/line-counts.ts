import { diffLines } from 'diff';
import type { TreePath } from '../../shared/tree-path.ts';
import { changesOf } from '../snapshots/diff.ts';
import { isBinary } from '../snapshots/merge.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import type { Blobs } from './blobs.ts';
import { contentFor } from './choose.ts';
import type { Content } from './content.ts';
import type { DraftFile } from './draft.ts';

export interface LineCounts {
  added: number | null;
  removed: number | null;
  binary: boolean;
}

/** Larger texts are not compared by lines, and no comparison takes longer than this. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_MS = 200;

/** The write that is counted: what the preselected choice writes, or what it would if the path were not kept. */
function written(file: DraftFile): Content {
  const choice = file.choice !== 'keep' ? file.choice : (file.choices.find((one) => one !== 'keep') ?? 'keep');
  return contentFor(file, choice);
}

/** Lines that each write would add and remove against the disk. Asks git once where both sides are in the agent's trees. */
export async function lineCounts(
  files: readonly DraftFile[],
  o: { store: SnapshotStore | null; blobs: Blobs; signal?: AbortSignal | undefined },
): Promise<Map<TreePath, LineCounts>> {
  const counts = new Map<TreePath, LineCounts>();
  const pairs = new Map<string, { from: string; to: string; only: TreePath[] }>();
  for (const file of files) {
    const from = file.layers[0]?.trees?.after;
    const to = file.layers.at(-1)?.trees?.before;
    if (file.drift || o.store === null || from === undefined || to === undefined) continue;
    const pair = pairs.get(`${from} ${to}`) ?? { from, to, only: [] };
    pair.only.push(file.path);
    pairs.set(`${from} ${to}`, pair);
  }
  const asked = [...pairs.values()];
  const answers = o.store === null || asked.length === 0 ? [] : await changesOf(o.store, asked, o.signal);
  for (const answer of answers) {
    if (!Array.isArray(answer)) continue;
    for (const { path, added, removed, binary } of answer) counts.set(path, { added, removed, binary });
  }
  for (const file of files) if (!counts.has(file.path)) counts.set(file.path, await countOne(file, o.blobs));
  return counts;
}

async function countOne(file: DraftFile, blobs: Blobs): Promise<LineCounts> {
  const sides = [file.disk, written(file)];
  const bytes: Buffer[] = [];
  for (const side of sides) {
    const size = side.kind === 'absent' ? 0 : await blobs.size(side.oid, file.path);
    if (size === null || size > MOST_BYTES) return { added: null, removed: null, binary: false };
    bytes.push(side.kind === 'absent' ? Buffer.alloc(0) : await blobs.read(side.oid, file.path));
  }
  const [before = Buffer.alloc(0), after = Buffer.alloc(0)] = bytes;
  if (bytes.some(isBinary)) return { added: null, removed: null, binary: true };
  // As latin1, so that every byte counts and none is replaced.
  const parts = diffLines(before.toString('latin1'), after.toString('latin1'), { timeout: MOST_MS });
  if (parts === undefined) return { added: null, removed: null, binary: false };
  const sum = (which: 'added' | 'removed'): number => parts.reduce((total, part) => total + (part[which] ? part.count : 0), 0);
  return { added: sum('added'), removed: sum('removed'), binary: false };
}
