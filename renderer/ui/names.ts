import type { Message, SourceKind, ThreadHead, ThreadStatus } from '../../shared/model.ts';
import { oneLine, splitPath } from './words.ts';

export const SOURCE_NAMES = {
  tanstack: 'TanStack',
  dsh: 'DSH',
  opencode: 'OpenCode',
  'claude-code': 'Claude Code',
} as const satisfies Record<SourceKind, string>;

export const STATUS_WORDS = {
  idle: 'Idle',
  running: 'A turn is running',
  waiting: 'Waits for an answer',
  unknown: 'Status unknown',
} as const satisfies Record<ThreadStatus, string>;

export const ROLE_NAMES = {
  user: 'You',
  assistant: 'Agent',
  tool: 'Tool',
  system: 'System',
} as const satisfies Record<Message['role'], string>;

export const HIDDEN_WORDS = {
  reverted: 'hidden by the revert',
  undone: 'undone',
  recalled: 'taken back',
  compacted: 'compacted',
  dropped: 'dropped',
} as const satisfies Record<NonNullable<Message['hidden']>['reason'], string>;

/** The thread's title, or a stand-in that names it. */
export const titleOfThread = (head: ThreadHead): string => oneLine(head.title ?? '') || `Thread ${head.threadId}`;

/** The last folder of the workspace, or that it is not known. */
export function workspaceName(root: string | null): string {
  if (root === null) return 'Unknown workspace';
  return splitPath(root.replace(/[\\/]+$/, '')).name || root;
}

/** "~/code/shop" for a path below the home folder. */
export function showPath(path: string, home: string | undefined): string {
  if (home === undefined || home === '' || home === '/') return path;
  return path === home ? '~' : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
