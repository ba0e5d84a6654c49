import { type Reason, reason } from '../../shared/errors.ts';
import type { Can, FileChange, Step, Thread, ToolCall } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { changesOf } from '../snapshots/diff.ts';
import { lendersGone, namedFolders } from '../snapshots/lenders.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import { isMisread, trueNames } from '../snapshots/true-names.ts';

/** What the snapshots say about one step. */
export interface StepFiles {
  files: FileChange[];
  captured: Can;
  /** The paths that the log's list means, where it could not name them. */
  listed?: TreePath[];
}

interface Asked {
  step: Step;
  wrote: string[];
  /** A shell call may delete half a workspace; a file tool does not. */
  shell: boolean;
}

/** Deletions from which a shrunken tree is looked at: fewer are an ordinary step. */
const MANY_DELETIONS = 10;

/**
 * The changed files of every step with counts, and whether the step was captured at all. A step is checked, not believed:
 * equal trees although tools wrote, a tree that is missing or has lost most of its files, an id that was never recorded.
 */
export async function stepFiles(
  thread: Thread,
  store: SnapshotStore | null,
  objects: ObjectReader | null,
  storeReason: Reason | null,
  signal?: AbortSignal,
): Promise<Map<string, StepFiles>> {
  const calls = new Map<string, ToolCall>();
  for (const message of thread.messages) for (const call of message.tools) calls.set(call.id, call);
  const result = new Map<string, StepFiles>();
  const asked: Asked[] = [];
  for (const step of thread.steps) {
    const own = step.toolCallIds
      .flatMap((id) => calls.get(id) ?? [])
      .filter((call) => call.status !== 'failed' && call.status !== 'requested');
    const wrote = own.flatMap((call) => call.wrote ?? []);
    const early = withoutTrees(step, wrote, store, storeReason);
    if (early) result.set(step.id, early);
    else asked.push({ step, wrote, shell: own.some((call) => call.wrote === null) });
  }
  if (store === null || asked.length === 0) return result;
  const pairs = asked.map(({ step }) => ({
    from: step.from ?? '',
    to: step.to ?? '',
    only: isMisread(step.listed ?? []) ? null : step.listed,
  }));
  const changes = await changesOf(store, pairs, signal);
  const lost = changes.some((answer) => !Array.isArray(answer) && answer.code === 'TREE_MISSING');
  const gone = lost ? await lendersGone(store.objectFolders) : [];
  for (const [at, question] of asked.entries()) {
    const answer = changes[at] ?? [];
    if (Array.isArray(answer)) {
      const named = namedIn(question.step, answer);
      result.set(question.step.id, { ...named, captured: await judge(question, named.files, objects) });
    } else result.set(question.step.id, { files: listedOnly(question.step), captured: outOfReach(question.step, answer, gone) });
  }
  return result;
}

/** The files of a step; where its list could not name them, all that the trees change was asked for. */
function namedIn({ listed }: Step, files: FileChange[]): Pick<StepFiles, 'files' | 'listed'> {
  if (listed === null || !isMisread(listed)) return { files };
  const names = trueNames(
    listed,
    files.map((file) => file.path),
  );
  const own = new Set(names);
  return { files: files.filter((file) => own.has(file.path)), listed: names };
}

/** The answer that needs no tree: nothing recorded, or no store to ask. */
function withoutTrees(step: Step, wrote: readonly string[], store: SnapshotStore | null, storeReason: Reason | null): StepFiles | null {
  if (step.captured !== null && step.captured !== true) return { files: step.files ?? listedOnly(step), captured: step.captured };
  if (step.from === null || step.to === null) {
    if (step.files !== null && step.captured === true) return { files: step.files, captured: true };
    return { files: listedOnly(step), captured: wrote.length > 0 ? reason('TREE_EMPTY') : true };
  }
  // Equal ids of a step that wrote nothing say all there is, be the tree there or not.
  if (step.from === step.to && wrote.length === 0) return { files: [], captured: true };
  return store === null ? { files: listedOnly(step), captured: storeReason ?? reason('NO_SNAPSHOTS') } : null;
}

/** What is missing while a folder is that the store borrows from need not have expired: it may lie there. */
function outOfReach({ to }: Step, why: Reason, gone: readonly string[]): Reason {
  if (why.code !== 'TREE_MISSING' || gone.length === 0) return why;
  return reason('TREE_UNREACHABLE', { tree: to ?? '', path: namedFolders(gone) });
}

/** Paths the log lists, while no tree says what happened to them. */
function listedOnly(step: Step): FileChange[] {
  return (step.listed ?? []).map((path) => ({ path, change: 'modified', added: null, removed: null, binary: false }));
}

async function judge({ step, wrote, shell }: Asked, files: readonly FileChange[], objects: ObjectReader | null): Promise<Can> {
  if (step.from === step.to && wrote.length > 0) return reason('TREES_EQUAL', { files: wrote.slice(0, 3).join(', ') });
  const deleted = files.filter((file) => file.change === 'deleted').length;
  if (shell || deleted < MANY_DELETIONS || objects === null || step.from === null || step.to === null) return true;
  const [before, after] = [await objects.count(step.from), await objects.count(step.to)];
  return after * 2 < before ? reason('TREE_SHRUNK', { before, after }) : true;
}
