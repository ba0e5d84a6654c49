import { readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';

function textOf(read: () => string): string {
  try {
    return read().trim();
  } catch {
    // A system that shows no /proc tells less about itself; its name must do.
    return '';
  }
}

/** This machine and, on Linux, boot and process namespace (a container has its own): where a process id means the same process. */
export const thisHost: string =
  process.platform === 'linux'
    ? [
        os.hostname(),
        textOf(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
        textOf(() => readlinkSync('/proc/self/ns/pid')),
      ].join(' ')
    : os.hostname();

/**
 * When the process with this id started, in the system's own unit; null when the system does not tell, undefined when there is no
 * such process.
 */
export function startOfProcess(pid: number): string | null | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return undefined;
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
  }
  if (process.platform !== 'linux') return null;
  const stat = textOf(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in the second field may hold spaces and parentheses; what comes after the last one is plain. A zombie has ended.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === 'Z' || state === 'X' ? undefined : (rest[18] ?? null);
}
