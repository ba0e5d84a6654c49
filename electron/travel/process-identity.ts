import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';

/** A process, told apart from a later one with the same id. */
export const identitySchema = z.object({ pid: z.number().int(), started: z.string().nullable(), host: z.string() });
export type Identity = z.infer<typeof identitySchema>;

/** When the process started, in the kernel's own count since boot (field 22 of /proc/pid/stat); null where that cannot be told. */
async function startOf(pid: number): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name in parentheses may hold anything, so the fields are counted from the last one.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw thrown;
  }
}

const orNothing = (thrown: unknown): string => {
  if (['ENOENT', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return '';
  throw thrown;
};

/** This machine: its name and, on Linux, this boot and this space of process ids (a container has its own). */
export async function machine(): Promise<string> {
  if (process.platform !== 'linux') return hostname();
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'latin1').catch(orNothing)).trim();
  return `${hostname()} ${boot} ${await readlink('/proc/self/ns/pid').catch(orNothing)}`;
}

/** This process. */
export async function ownIdentity(): Promise<Identity> {
  return { pid: process.pid, started: await startOf(process.pid), host: await machine() };
}

/** Has the process certainly ended? A process of another machine cannot be seen, so it counts as running. */
export async function hasEnded(identity: Identity): Promise<boolean> {
  const here = await machine();
  if (identity.host !== here) {
    const [thatName, thatBoot] = identity.host.split(' ');
    const [name, boot] = here.split(' ');
    // The same machine, started again since: every process of before is gone.
    return thatName === name && thatBoot !== undefined && boot !== undefined && thatBoot !== '' && boot !== '' && thatBoot !== boot;
  }
  try {
    process.kill(identity.pid, 0);
  } catch (thrown) {
    // EPERM: it runs, but is not ours.
    if ((thrown as NodeJS.ErrnoException).code === 'ESRCH') return true;
    if ((thrown as NodeJS.ErrnoException).code !== 'EPERM') throw thrown;
  }
  const started = await startOf(identity.pid);
  return identity.started !== null && started !== null && started !== identity.started;
}
