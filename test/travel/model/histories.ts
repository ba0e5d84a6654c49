import { rm } from 'node:fs/promises';
import fc from 'fast-check';
import { record } from '../../figures.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { seedOf, size } from '../../sizes.ts';
import { commands } from './commands.ts';
import { World } from './world.ts';

/** Histories after which the counts are recorded: a long run that is ended early has shown what it has shown. */
const ROUND = 200;

/** Random histories against the model, each shrunk to the shortest one that still fails; the seed is part of the failure. */
export async function runHistories(o: { threads: number; runs: number; area: string }): Promise<void> {
  const folder = await tempFolder();
  const first = seedOf();
  const counts = { travels: 0, recovered: 0, refused: 0, pieces: 0, held: 0 };
  console.error(`${o.runs} histories with ${o.threads} thread(s): TURNBACK_SEED=${first}`);
  for (let done = 0; done < o.runs; done += ROUND) {
    const runs = Math.min(ROUND, o.runs - done);
    await fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: size(14, 20), size: 'max' }), async (history) => {
        const world = await World.begin(folder, o.threads);
        try {
          await fc.asyncModelRun(() => ({ model: world, real: world }), history);
        } finally {
          await world.restart();
          for (const key of ['travels', 'recovered', 'refused', 'pieces', 'held'] as const) counts[key] += world.counts[key];
          await rm(world.ownData, { recursive: true, force: true });
        }
      }),
      {
        numRuns: runs,
        seed: first + done,
        interruptAfterTimeLimit: 1_200_000,
        markInterruptAsFailure: true,
        ...(process.env['TURNBACK_PATH'] ? { path: process.env['TURNBACK_PATH'] } : {}),
      },
    );
    record('model', `random histories, ${o.area}`, done + runs);
    record('model', `travels in them, ${o.area}`, counts.travels);
    record('model', `single files and changes brought back in them, ${o.area}`, counts.pieces);
    record('model', `plans in them that keep what a move carried, ${o.area}`, counts.held);
    record('model', `crashes recovered in them, ${o.area}`, counts.recovered);
  }
}
