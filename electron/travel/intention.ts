import type { Reason } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';
import type { Piece, RecallShown, SideEffect } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { RecallList, RecallSpan } from '../threads/source.ts';
import type { Scoped } from './chains.ts';
import type { Content } from './content.ts';
import type { HunkText } from './hunks.ts';
import type { Overlay } from './overlay.ts';
import type { PendingRecall } from './pending-recall.ts';
import type { TravelRecord } from './record.ts';
import type { TravelRequest } from './travel-context.ts';

/**
 * What happens to the conversation: nothing, a batch in the agent's log, a new overlay of ours, a tombstone in the agent's log, or a
 * recall that is planned (null drops it).
 */
export type MessagesIntention =
  | { how: 'none' }
  | { how: 'append' }
  | { how: 'overlay'; after(entry: string, at: number): Overlay }
  | { how: 'recall'; span: RecallSpan }
  | { how: 'pending'; after(entry: string, at: number): PendingRecall | null };

/** What only a recall has: what it shows, and the lists that its files are put back from, newest turn first; null leaves the files. */
export interface RecallPart {
  shown: RecallShown;
  lists: readonly RecallList[] | null;
  mayBeBack: ReadonlySet<number>;
}

/** What only a partial travel has: the piece, and for a single change the whole file without it, as the step left it. */
export interface PiecePart {
  step: Step;
  piece: Piece;
  hunk: HunkText | null;
  without: Buffer | null;
  /** What the newest step or travel above it that changed the path left there; null where there is none. */
  known: Content | null;
}

/** What a travel is about, before anybody looks at the disk. */
export interface Intention {
  request: TravelRequest;
  target: { messageId: string | null; stop: number | null; words: string };
  turns: number[];
  messages: number;
  sideEffects: SideEffect[];
  notes: string[];
  refusal: Reason | null;
  /** The files that it is about; null when files are out of scope. */
  scoped: Scoped | null;
  conversation: MessagesIntention;
  /** Steps whose messages go or come. */
  covers: string[];
  supersedes: string | null;
  /** Layers from this place on belong to the revert that stands: what it hides comes back first. */
  standingFrom: number | null;
  /** A revert that the agent made and that this travel ends. */
  ended: Scoped | null;
  /** The paths that the agent's own record of it would list, in its order. */
  listed: readonly TreePath[] | null;
  /** A tree of the agent's to build its snapshot of the files on. */
  base: string | null;
  /** The travels that it takes back, newest first. */
  takes: readonly TravelRecord[];
  recall?: RecallPart;
  piece?: PiecePart;
}
