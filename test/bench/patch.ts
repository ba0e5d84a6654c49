import { patchOf } from '../../electron/snapshots/patch.ts';
import { inBenchLab, inTurn } from './bench-lab.ts';
import type { BenchRow } from './bench-row.ts';
import { changedStep } from './changed-step.ts';

/** B6: the patch of a step of 500 files, which must be byte for byte what git diff gives. */
export default async function patchBench(report: (row: BenchRow) => void): Promise<void> {
  await inBenchLab(async (lab) => {
    const { store, from, to } = await changedStep(lab);
    let ours: Buffer = Buffer.alloc(0);
    let floor: Buffer = Buffer.alloc(0);
    const result = await inTurn({
      runs: 11,
      ours: async () => {
        const pieces: Buffer[] = [];
        for await (const piece of patchOf(store, { from, to, only: null })) pieces.push(piece);
        ours = Buffer.concat(pieces);
      },
      floor: async () => {
        floor = await lab.agent(['diff', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', from, to]);
      },
    });
    if (ours.length === 0 || !ours.equals(floor))
      throw new Error(`the patch (${ours.length} bytes) is not that of git diff (${floor.length} bytes)`);
    report({ name: 'B6 patch of a step of 500 files (floor: git diff)', ...result, target: 1.15 });
  });
}
