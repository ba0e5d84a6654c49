import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { inBenchLab, inTurn } from './bench-lab.ts';
import type { BenchRow } from './bench-row.ts';
import { changedStep } from './changed-step.ts';

/** B7: 1,000 blobs for the diff pane, against one batch process and against one process a blob. */
export default async function blobsBench(report: (row: BenchRow) => void): Promise<void> {
  await inBenchLab(async (lab) => {
    const { store, to } = await changedStep(lab);
    let reader = new ObjectReader(store);
    const ids = [...(await reader.entries(to)).values()].slice(0, 1_000).map(({ oid }) => oid);
    // Each time a reader that has no process yet.
    const prepare = async (): Promise<void> => {
      await reader.close();
      reader = new ObjectReader(store);
    };
    const ours = async (): Promise<void> => {
      const blobs = await Promise.all(ids.map((oid) => reader.blob(oid)));
      if (blobs.some((bytes) => bytes.length === 0)) throw new Error('a blob is empty');
    };
    const floor = async (): Promise<void> => void (await lab.agent(['cat-file', '--batch'], `${ids.join('\n')}\n`));
    const batch = await inTurn({ runs: 15, prepare, ours, floor });
    report({ name: 'B7 1,000 blobs (floor: one git cat-file --batch)', ...batch, target: 1.15 });
    const single = await inTurn({
      runs: 5,
      prepare,
      ours,
      floor: async () => {
        for (const oid of ids.slice(0, 50)) await lab.agent(['cat-file', 'blob', oid]);
      },
    });
    report({ name: 'B7 1,000 blobs (floor: a process for each)', ours: single.ours, floor: single.floor * 20, target: 0.05 });
    await reader.close();
  });
}
