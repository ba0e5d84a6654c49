import { leasePath, leaseState, type WriterLease, writerLeaseSchema } from '../../../shared/writer-lease.ts';
import { startOfProcess, thisHost } from '../../snapshots/process-alive.ts';
import { readRegular } from '../../snapshots/regular-file.ts';

/** A lease is one short line. */
const MOST_BYTES = 1 << 20;

async function leaseOf(file: string): Promise<WriterLease | null | 'odd'> {
  try {
    return writerLeaseSchema.safeParse(JSON.parse((await readRegular(leasePath(file), MOST_BYTES)).toString('utf8'))).data ?? 'odd';
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    // Half written, or of a newer version: somebody is there.
    return 'odd';
  }
}

/** The recorder that holds the log or repository right now, in words; null when none does. One that cannot be seen from here counts. */
export async function recorderSign(file: string): Promise<string | null> {
  const lease = await leaseOf(file);
  if (lease === null) return null;
  if (lease === 'odd') return `${leasePath(file)} says that a recorder holds it`;
  const state = leaseState(lease, { host: thisHost, now: Date.now(), startOf: startOfProcess });
  return state === 'gone' ? null : `a recorder holds it: process ${lease.pid} on ${lease.hostName}`;
}
