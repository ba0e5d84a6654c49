import { z } from 'zod';
import { startOfProcess, thisHost } from '../snapshots/process-alive.ts';

/** A process, told apart from a later one with the same id. */
export const identitySchema = z.object({ pid: z.number().int(), started: z.string().nullable(), host: z.string() });
export type Identity = z.infer<typeof identitySchema>;

/** This process. */
export function ownIdentity(): Identity {
  return { pid: process.pid, started: startOfProcess(process.pid) ?? null, host: thisHost };
}

/** Has the process certainly ended? A process of another machine cannot be seen, so it counts as running. */
export function hasEnded(identity: Identity): boolean {
  if (identity.host !== thisHost) {
    const [thatName, thatBoot] = identity.host.split(' ');
    const [name, boot] = thisHost.split(' ');
    // The same machine, started again since: every process of before is gone.
    return thatName === name && thatBoot !== undefined && boot !== undefined && thatBoot !== '' && boot !== '' && thatBoot !== boot;
  }
  const started = startOfProcess(identity.pid);
  if (started === undefined) return true;
  return identity.started !== null && started !== null && started !== identity.started;
}
