import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { validateLog } from '../../electron/threads/dsh/validator.ts';
import type { Recaller, RecallOffer } from '../../electron/threads/source.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { TravelResult } from '../../shared/plan.ts';
import { type DshSession, dshSession, fakeHost, restorableChanges } from '../scenarios/dsh-session.ts';
import { type Faults, faultyFileSystem, faultyGit } from './faults.ts';

/** How many tombstones the log has; it must be a valid one. */
export async function lids(session: DshSession): Promise<number> {
  const log = await session.read();
  expect(validateLog(log.header, log.events)).toBeNull();
  return log.events.filter((event) => JSON.stringify(event.data).includes('"recall:')).length;
}

/** Travels that were cut off. The process that held them is this one, which a real crash would have ended. */
export async function cutOff(session: DshSession): ReturnType<typeof interruptedTravels> {
  await rm(path.join(session.ownData, 'leases'), { recursive: true, force: true });
  return interruptedTravels(session.ownData);
}

export async function recover(session: DshSession, how: 'finish' | 'roll-back'): Promise<TravelResult[]> {
  const context = await session.context();
  const results: TravelResult[] = [];
  for (const { entry } of await cutOff(session)) {
    results.push(await recoverTravel({ ownData: session.ownData, git: context.git, openThread: async () => context.thread }, entry, how));
  }
  return results;
}

/** Sample a with an open step: the lists come from somebody who does not hold the session, so that both can be done at once. */
export async function both(): Promise<{ session: DshSession; context(faults?: Faults): Promise<TravelContext> }> {
  const session = await dshSession('session-sample-a');
  const { env } = await fakeHost(await restorableChanges());
  Object.assign(session.env, env);
  await session.append({ type: 'turn/start', data: { turn: 4 } }, { type: 'step/start', data: { turn: 4, step: 1 } });
  return {
    session,
    async context(faults) {
      const context = await session.context(faults ? { fs: faultyFileSystem(faults), git: faultyGit(createGit(), faults) } : {});
      const { recall } = context.thread.reader;
      if (!recall) throw new Error('no recall');
      const offer = recall.offer.bind(recall);
      const notLive = async (stop: number): Promise<Awaited<ReturnType<Recaller['offer']>>> => {
        const found = await offer(stop);
        return 'code' in found ? found : ({ ...found, live: null } satisfies RecallOffer);
      };
      Object.assign(recall, { offer: notLive });
      return context;
    },
  };
}
