import { changesOf } from '../../electron/snapshots/diff.ts';
import { inBenchLab, inTurn } from './bench-lab.ts';
import type { BenchRow } from './bench-row.ts';
import { changedStep } from './changed-step.ts';

/** B5: the file list of a step of 500 files with added and removed lines. */
export default async function countsBench(report: (row: BenchRow) => void): Promise<void> {
  await inBenchLab(async (lab) => {
    const { store, from, to } = await changedStep(lab);
    let ours = '';
    let floor = '';
    const result = await inTurn({
      runs: 11,
      ours: async () => {
        const [files] = await changesOf(store, [{ from, to, only: null }]);
        ours = Array.isArray(files) ? files.map(({ path, added, removed }) => `${added}\t${removed}\t${path}\n`).join('') : '';
      },
      floor: async () => {
        floor = (await lab.agent(['diff', '--numstat', '--no-renames', from, to])).toString();
      },
    });
    if (ours === '' || ours !== floor) throw new Error('the counts are not those of git diff --numstat');
    report({ name: 'B5 file list with counts of 500 files (floor: git diff --numstat)', ...result, target: 1.2 });
  });
}
