import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Places } from '../source.ts';

/** Claude Code's own folder (formats/opencode-and-claude-code.md 2.1). */
export function claudeFolder(places: Places): string {
  return places.env['CLAUDE_CONFIG_DIR'] || path.join(places.home, '.claude');
}

/** What belongs to one log: the session it is of, where its backups lie, and the logs of its sub-agents. */
export interface LogPlace {
  sessionId: string;
  /** The sub-agent whose own log this is; null for the session's. */
  agentId: string | null;
  backups: string;
  subagents: string;
  /** Where running sessions say that they run. */
  running: string;
}

/** The places around a log: `projects/<slug>/<session>.jsonl`, or `…/<session>/subagents/agent-<id>.jsonl` below it. */
export function placeOfLog(log: string): LogPlace {
  const agent = /^agent-(.+)\.jsonl$/.exec(path.basename(log))?.[1] ?? null;
  const session = agent !== null && path.basename(path.dirname(log)) === 'subagents' ? path.dirname(path.dirname(log)) : null;
  const sessionId = session === null ? path.basename(log, '.jsonl') : path.basename(session);
  const project = session === null ? path.dirname(log) : path.dirname(session);
  const claude = path.dirname(path.dirname(project));
  return {
    sessionId,
    agentId: session === null ? null : agent,
    backups: path.join(claude, 'file-history', sessionId),
    subagents: path.join(project, sessionId, 'subagents'),
    running: path.join(claude, 'sessions'),
  };
}

/** The name of a file's backups: 16 hex of the SHA-256 of its absolute path (2.4). */
export function backupHash(file: string): string {
  return createHash('sha256').update(file).digest('hex').slice(0, 16);
}
