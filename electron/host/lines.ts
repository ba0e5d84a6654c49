import { TurnbackError } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { diskState, readDisk } from '../snapshots/disk.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import { type FileLines, type FileState, fileLines, MOST_BYTES } from '../threads/file-lines.ts';
import { isLive, refuseNotCaptured, stepsUpTo, treeAtStop } from '../threads/tree-at-stop.ts';
import { type ChangesContext, snapshotsOf, treeOnDisk, workspaceOf } from './changes.ts';

/** When to look at a file: at a stop, just after the step with an id, or (null) now, as it is on disk. */
export type LinesAt = number | string | null;

/** The steps that led to the moment, and the tree that holds the file then; null for the disk. */
function wayTo(thread: Thread, at: LinesAt, path: TreePath): { steps: Step[]; tree: string | null } {
  if (at === null) {
    const { standing } = thread;
    // What a standing revert took back is not on disk, unless it left the files (or this one) as they were.
    const back = standing !== null && (standing.files === null || standing.files.includes(path));
    return { steps: thread.steps.filter((step) => step.hidden === null || (!back && isLive(step))), tree: null };
  }
  if (typeof at === 'number') {
    const tree = treeAtStop(thread, at);
    if (tree === null) throw new TurnbackError('NO_SNAPSHOTS');
    const last = stepsUpTo(thread, at).at(-1)?.index ?? 0;
    return { steps: thread.steps.filter((step) => isLive(step) && step.index <= last), tree };
  }
  const step = thread.steps.find((one) => one.id === at);
  if (step === undefined) throw new TurnbackError('UNKNOWN_STEP', { id: at });
  refuseNotCaptured(step);
  if (step.to === null) throw new TurnbackError('NOT_CAPTURED', { step: step.index, cause: 'the agent recorded no snapshot for it' });
  return { steps: thread.steps.filter((one) => one === step || (isLive(one) && one.index < step.index)), tree: step.to };
}

async function inTree(objects: ObjectReader, tree: string, path: TreePath): Promise<FileState> {
  const entry = await objects.entry(tree, path);
  if (entry === null) return null;
  if (entry.mode === '160000') return { mode: entry.mode, bytes: Buffer.alloc(0) };
  return { mode: entry.mode, bytes: await objects.blob(entry.oid, MOST_BYTES) };
}

async function onDisk(context: ChangesContext, path: TreePath): Promise<FileState> {
  const root = workspaceOf(context);
  const state = await diskState(root, path);
  if (state.kind === 'link') return { mode: '120000', bytes: Buffer.alloc(0) };
  if (state.kind === 'absent') return null;
  if (state.kind !== 'file') throw new TurnbackError('NO_LINES', { path: showTreePath(path), cause: 'it is no regular file' });
  const bytes = await readDisk(root, path, MOST_BYTES);
  return bytes === null ? null : { mode: '100644', bytes };
}

/** Who wrote each line of a file at a moment. NO_LINES, NOT_CAPTURED, NO_SNAPSHOTS, UNKNOWN_STEP, UNKNOWN_MESSAGE, TOO_LARGE, CANCELLED. */
export async function linesOfFile(context: ChangesContext, path: TreePath, at: LinesAt, signal?: AbortSignal): Promise<FileLines> {
  await context.thread.fill(signal);
  const thread = context.thread.thread();
  const { objects } = snapshotsOf(context);
  const { steps, tree } = wayTo(thread, at, path);
  const end = tree ?? (context.via ? await treeOnDisk(context, signal) : null);
  const state = end === null ? await onDisk(context, path) : await inTree(objects, end, path);
  return fileLines({ thread, steps, objects, path, end: state, signal });
}
