import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Reason, reason } from '../../../shared/errors.ts';
import type { LogFold } from './log-fold.ts';

const LOCK_WAIT_MS = 2000;
const OLD_LOCK_MS = 10_000;

/** Why a log as it was folded must not be written to (`formats/tanstack.md`, when the viewer must refuse, items 2 and 3). */
export function foldRefusals(log: LogFold, facts: { torn: number; waiting: boolean }): Reason[] {
  const reasons: Reason[] = [];
  const open = log.thread.inputs.open.map((input) => input.op);
  for (const [thread, inputs] of log.others) for (const input of inputs.open) open.push(`${input.op} of ${thread}`);
  if (open.length > 0) reasons.push(reason('LOG_RUNNING', { what: open.slice(0, 5).join(', ') }));
  if (facts.waiting) reasons.push(reason('LOG_WAITING'));
  const odd = [...log.unknown.keys(), ...new Set(log.thread.malformed)];
  if (odd.length > 0) reasons.push(reason('LOG_NOT_UNDERSTOOD', { what: odd.slice(0, 5).join(', ') }));
  if (log.first !== null && log.first > 1) reasons.push(reason('LOG_TRIMMED', { first: log.first }));
  // What does not fit after a line that cannot be read was in it, as far as anybody knows: the first reason is the one that is told.
  const [bad] = log.bad;
  if (bad !== undefined) reasons.push(reason('LOG_BAD_LINE', { line: bad.line }));
  if (log.thread.projected) reasons.push(reason('LOG_PROJECTED'));
  if (facts.torn > 0) reasons.push(reason('LOG_TORN', { bytes: facts.torn }));
  return reasons;
}

/** Milliseconds since the file was written; null when there is none. */
async function ageOf(file: string): Promise<number | null> {
  try {
    return Date.now() - (await stat(file)).mtimeMs;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * Somebody is writing into the snapshot repository, or a git that crashed left its lock: after a short wait that is a refusal;
 * at once where the lock is so old that waiting leads nowhere. The lock is never taken away (`formats/tanstack.md`, two processes on one repository).
 */
export async function lockRefusal(gitDir: string | null): Promise<Reason | null> {
  if (gitDir === null) return null;
  const lock = path.join(gitDir, 'index.lock');
  for (let waited = 0; ; waited += 200) {
    const age = await ageOf(lock);
    if (age === null) return null;
    if (waited >= LOCK_WAIT_MS || age > OLD_LOCK_MS) return reason('STORE_BUSY', { path: lock });
    await sleep(200);
  }
}
