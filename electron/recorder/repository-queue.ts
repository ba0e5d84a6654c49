import { Serial } from './serial.ts';

const queues = new Map<string, Serial>();

/**
 * The queue of git commands of one repository in this process: its sessions and a purge share it (seed: "It waits for the git
 * commands of that repository in this process").
 */
export function queueOf(gitDir: string): Serial {
  const known = queues.get(gitDir) ?? new Serial();
  queues.set(gitDir, known);
  return known;
}
