import type { EventType } from './emitter.ts';

/** A file changed: in a step without a tool having reported it, or by undo, redo, revert and unrevert. */
export interface FileChange {
  /** Never `moved`: a moved file is one deleted and one created. */
  change: 'created' | 'updated' | 'deleted';
  /** Absolute path on the side where the workspace is. */
  path: string;
  /** Unified diff of this file; binary files as git writes them without their bytes. */
  patch: string;
  /** Only when the step has exactly one call of a tool that does not report its files. */
  toolCallId?: string;
}

/** At most 100 for each model step and for each undo, redo, revert and unrevert (seed "Undo a turn", known limits). */
export const FileChanged: EventType<FileChange> = { name: 'file-changed' };

export interface SnapshotFailure {
  /** `snapshots: …`, with git's own words or the reason. */
  message: string;
}

/** A snapshot could not be taken; the turn goes on. */
export const SnapshotFailed: EventType<SnapshotFailure> = { name: 'tanstack/snapshots:failed' };

export interface SkippedFiles {
  /** Tree path and why it was left as it is. */
  files: { path: string; why: string }[];
}

/** Files that undo, redo, revert or unrevert had to leave alone: a parent that became a link, a folder of yours in the way. */
export const FilesSkipped: EventType<SkippedFiles> = { name: 'files-skipped' };
