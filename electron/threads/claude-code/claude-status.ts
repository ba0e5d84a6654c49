import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { ThreadStatus } from '../../../shared/model.ts';
import { readRegular } from '../../snapshots/regular-file.ts';
import { MOVING_MS } from '../last-write.ts';
import { asName, asNumber, parseRecord } from '../loose.ts';
import type { Entry } from './claude-log.ts';

/** A turn that ends open in a log that nobody wrote for this long was cut off; a command or a model can be silent for minutes. */
const SILENT_MS = 10 * 60_000;
/** More files of running sessions than anybody has; what lies beyond is not looked at. */
const MOST_FILES = 500;

/** A running Claude Code, as it says of itself. */
export interface Running {
  pid: number;
  status: string | null;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The process that has a session open (formats/opencode-and-claude-code.md 2.1, running sessions); null when none says so and lives. */
export async function runningSession(folder: string, sessionId: string): Promise<Running | null> {
  try {
    for (const name of (await readdir(folder)).slice(0, MOST_FILES)) {
      if (!/^\d{1,10}\.json$/.test(name)) continue;
      const parsed = parseRecord(await readRegular(path.join(folder, name), 1 << 20));
      if (!('record' in parsed) || asName(parsed.record['sessionId']) !== sessionId) continue;
      const pid = asNumber(parsed.record['pid']) ?? Number.parseInt(name, 10);
      if (isAlive(pid)) return { pid, status: asName(parsed.record['status']) };
    }
  } catch {
    // No such folder, or a file that went away: nobody says that they run.
  }
  return null;
}

/** True when the newest record of the conversation waits for an answer: of the model, or of a tool. */
export function endsOpen(entries: readonly Entry[]): boolean {
  const last = entries.findLast((entry) => !entry.aside && entry.tree.type !== 'attachment');
  if (!last) return false;
  if (last.tree.type === 'assistant') return last.tree.stopReason === 'tool_use' || last.calls.length > 0;
  return last.tree.user === 'prompt' || last.tree.user === 'result';
}

/**
 * Whether the agent works on a session. Its log has no mark for it: a turn without an end is a running one, or what a crash left,
 * and only a living process or the time of the last write tells which.
 */
export function claudeStatus(entries: readonly Entry[], running: Running | null, lastWrite: number, now: number): ThreadStatus {
  if (!endsOpen(entries)) return 'idle';
  if (running !== null) return running.status === 'waiting' ? 'waiting' : running.status === 'idle' ? 'idle' : 'running';
  const quiet = Math.abs(now - lastWrite);
  return quiet < MOVING_MS ? 'running' : quiet < SILENT_MS ? 'unknown' : 'idle';
}
