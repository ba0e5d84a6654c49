import { rm } from 'node:fs/promises';
import { forgetRecorded } from '../../snapshots/recorded-stores.ts';
import type { OwnCopies } from '../source.ts';
import { ClaudeObjects } from './claude-objects.ts';
import { placeOfLog } from './claude-places.ts';

/** Removes the trees that were made from a log, and what the agent's hooks recorded of its session, from our own data folder. */
export async function forgetClaude({ git, ownData, log, now }: OwnCopies): Promise<void> {
  await rm(new ClaudeObjects(ownData, log).home, { recursive: true, force: true, maxRetries: 3 });
  const { sessionId, agentId } = placeOfLog(log);
  // A sub-agent has no recording of its own: it lies within its session's.
  if (agentId === null) await forgetRecorded({ git, ownData, now }, sessionId);
}
