import { z } from 'zod';

/**
 * Who writes a log or a snapshot repository, in a file beside it (`<path>.lease`). A recorder holds one for each while its session is
 * open and writes `renewed` again and again; readers take a live one as the sign that a program uses the thread.
 */
export const writerLeaseSchema = z.object({
  version: z.literal(1),
  /** Random, new for each session. */
  owner: z.string().min(1),
  pid: z.number().int(),
  /** When the process started, as its system tells; null where it does not. Tells a process from a later one with the same id. */
  started: z.string().nullable(),
  /** The machine, as precisely as it can be told: name, boot, process namespace. */
  host: z.string(),
  /** The machine for people. */
  hostName: z.string(),
  /** Epoch milliseconds by the owner's clock. */
  since: z.number(),
  renewed: z.number(),
  /** Milliseconds after `renewed` until which the owner must have renewed. */
  ttl: z.number().positive(),
});
export type WriterLease = z.infer<typeof writerLeaseSchema>;

/** The lease file of a log or repository. */
export const leasePath = (path: string): string => `${path}.lease`;

/**
 * `gone`: its process has ended; `live`: it runs and renews; `silent`: it cannot be seen from here or has not renewed in time, so it
 * counts as live until it was watched for `ttl` without a renewal.
 */
export function leaseState(
  lease: WriterLease,
  here: { host: string; now: number; startOf: (pid: number) => string | null | undefined },
): 'live' | 'gone' | 'silent' {
  if (lease.host !== here.host) return 'silent';
  const started = here.startOf(lease.pid);
  if (started === undefined || (started !== null && lease.started !== null && started !== lease.started)) return 'gone';
  return here.now < lease.renewed + lease.ttl ? 'live' : 'silent';
}
