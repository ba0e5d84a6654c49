import type { ErrorCode, Reason } from '../../shared/errors.ts';
import type { TravelKind } from '../../shared/plan.ts';

/** What a refused travel offers in place of its button. */
export type WayOut = 'again' | 'files-only' | 'messages-only' | 'whole-file' | 'drop' | 'locate' | 'unrevert' | 'history' | 'none';

const WAYS: Partial<Record<ErrorCode, WayOut>> = {
  STOP_FIRST_MESSAGE: 'files-only',
  STOP_WITHOUT_ID: 'files-only',
  STOP_DROPPED: 'files-only',
  NO_WORKSPACE: 'locate',
  UNKNOWN_WORKSPACE: 'locate',
  WRONG_WORKSPACE: 'locate',
  REVERT_STANDS: 'unrevert',
  REVERT_FINAL: 'history',
  NOT_RESTORABLE: 'messages-only',
  CONFLICT: 'messages-only',
  OUTSIDE_WORKSPACE: 'messages-only',
  RECALL_PLANNED: 'drop',
  HUNK_NOT_FOUND: 'whole-file',
  HUNK_AMBIGUOUS: 'whole-file',
  HUNK_NOT_TEXT: 'whole-file',
  CHANGES_NOT_READY: 'again',
  HOST_UNREACHABLE: 'again',
  NOT_IDLE: 'again',
  LOG_RUNNING: 'again',
  LOG_WAITING: 'again',
  LOG_LIVE: 'again',
  FOLDER_BUSY: 'again',
  LOG_TORN: 'again',
  LOG_MOVED: 'again',
  STORE_BUSY: 'again',
  LEASE_HELD: 'again',
  PLAN_STALE: 'again',
  DISK_FULL: 'again',
  WRITE_FAILED: 'again',
  GIT_FAILED: 'again',
  INTERNAL: 'again',
};

export const WAY_WORDS = {
  again: 'Try again',
  'files-only': 'Revert only the files',
  'messages-only': 'Leave the files',
  'whole-file': 'Bring the whole file back…',
  drop: 'Drop the plan',
  locate: 'Locate folder…',
  unrevert: 'Unrevert first',
  history: 'Open the history',
} as const satisfies Record<Exclude<WayOut, 'none'>, string>;

/** The next step out of a refusal. A way that is the refused travel itself is none. */
export function wayOutOf(reason: Reason, kind: TravelKind): WayOut {
  const way = WAYS[reason.code] ?? 'none';
  if (way === 'unrevert' && kind === 'unrevert') return 'none';
  if (way === 'files-only' && kind !== 'revert' && kind !== 'recall') return 'none';
  return way;
}
