import type { Step, Thread, ToolCall } from '../../shared/model.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import { contentOfEntry } from './content.ts';
import type { Layer } from './peel.ts';
import type { TravelRecord } from './record.ts';

/** Something that changed files at one place of the thread's history: a step of the agent, or a travel of ours. */
export interface ChangeSource {
  /** Its place: steps have their index, travels lie between them. Later is larger. */
  position: number;
  paths: ReadonlySet<TreePath>;
  /** Why nothing can be taken through it, in words; null when it can. */
  broken: string | null;
  /** Both sides of a path that it changed. Null for a submodule. Throws TREE_MISSING. */
  layer(path: TreePath): Promise<Layer | null>;
}

const indexes = new WeakMap<Thread, ReadonlyMap<string, ToolCall>>();

/** Every tool call of the thread by id; made once a fold. */
function callIndex(thread: Thread): ReadonlyMap<string, ToolCall> {
  let index = indexes.get(thread);
  if (index === undefined) {
    index = new Map(thread.messages.flatMap((message) => message.tools.map((call) => [call.id, call] as const)));
    indexes.set(thread, index);
  }
  return index;
}

/** Every path that a tool of the step says it wrote, whatever the snapshots hold. */
export function wroteIn(thread: Thread, step: Step): TreePath[] {
  return (callsOf(thread, step) ?? []).flatMap((call) => (call.status === 'failed' ? [] : (call.wrote ?? [])));
}

/** The calls of a step. Null where the log does not hold one of them. */
function callsOf(thread: Thread, step: Step): ToolCall[] | null {
  const own = step.toolCallIds.map((id) => callIndex(thread).get(id));
  return own.every((call) => call !== undefined) ? own : null;
}

/**
 * The paths that a step's tools say they wrote, when all of them say so; null when one does not (a shell) or when the log's
 * own list is believed instead. What the trees show beyond them was changed by somebody else during the step.
 */
function claimsOf(thread: Thread, step: Step): ReadonlySet<TreePath> | null {
  if (step.listed !== null) return null;
  const calls = callsOf(thread, step);
  if (calls === null || calls.some((call) => call.wrote === null)) return null;
  return new Set(calls.flatMap((call) => call.wrote ?? []));
}

/** Every path that is known of a step: from the log, from its trees, from its tools. */
function pathsOfStep(thread: Thread, step: Step): TreePath[] {
  if (step.listed !== null) return step.listed;
  const seen = step.files?.map((file) => file.path) ?? [];
  if (step.captured === null || step.captured === true) return seen;
  return [...seen, ...(callsOf(thread, step) ?? []).flatMap((call) => call.wrote ?? [])];
}

/** A step as a source of change. */
export function stepSource(thread: Thread, step: Step, objects: ObjectReader | null): ChangeSource {
  const { from, to } = step;
  const claims = claimsOf(thread, step);
  const words = `step ${step.index}`;
  const whyNot = step.captured !== null && step.captured !== true ? step.captured.message : null;
  const noTrees = objects === null || from === null || to === null;
  return {
    position: step.index,
    paths: new Set(pathsOfStep(thread, step)),
    broken: whyNot ?? (noTrees ? `Step ${step.index} has no snapshots.` : null),
    async layer(path) {
      if (objects === null || from === null || to === null) return null;
      const [before, after] = [contentOfEntry(await objects.entry(from, path)), contentOfEntry(await objects.entry(to, path))];
      if (before === null || after === null) return null;
      return {
        before,
        after,
        bystander: claims !== null && !claims.has(path),
        own: false,
        from: words,
        position: step.index,
        trees: { before: from, after: to },
      };
    },
  };
}

/** Two trees as a source of change: what undo and redo act on. */
export function treesSource(
  trees: { position: number; from: string | null; to: string | null; files: readonly TreePath[]; words: string },
  objects: ObjectReader | null,
): ChangeSource {
  const { from, to, words } = trees;
  return {
    position: trees.position,
    paths: new Set(trees.files),
    broken: objects === null || from === null || to === null ? 'The last turn has no snapshots.' : null,
    async layer(path) {
      if (objects === null || from === null || to === null) return null;
      const [before, after] = [contentOfEntry(await objects.entry(from, path)), contentOfEntry(await objects.entry(to, path))];
      return (
        before &&
        after && { before, after, bystander: false, own: false, from: words, position: trees.position, trees: { before: from, after: to } }
      );
    },
  };
}

function fixedSource(
  position: number,
  files: readonly Pick<Layer, 'before' | 'after'>[],
  paths: readonly TreePath[],
  own: boolean,
  from: string,
): ChangeSource {
  const layers = new Map(paths.map((path, at) => [path, files[at]] as const));
  return {
    position,
    paths: new Set(paths),
    broken: null,
    async layer(path) {
      const layer = layers.get(path);
      if (layer === undefined) throw new Error(`${showTreePath(path)} is not in this travel`);
      return { before: layer.before, after: layer.after, bystander: false, own, travel: own, from, position, trees: null };
    },
  };
}

/** Where a travel lies among the steps: above the newest one that it saw; below all when that one is not there any more. */
function positionOf(thread: Thread, record: TravelRecord): number {
  return (thread.steps.find((step) => step.id === record.afterStep)?.index ?? 0) + 0.5;
}

/** The travels of a thread as sources of change, oldest first; what an ended revert of the agent left lies just below its travel. */
export function travelSources(thread: Thread, records: readonly TravelRecord[]): { record: TravelRecord; sources: ChangeSource[] }[] {
  return records.map((record, at) => {
    const position = positionOf(thread, record) + at * 1e-6;
    const words = `the ${record.kind} of ${new Date(record.at).toISOString()}`;
    const own = fixedSource(
      position + 5e-7,
      record.files,
      record.files.map((file) => file.path),
      true,
      words,
    );
    const ended = fixedSource(
      position,
      record.ended,
      record.ended.map((file) => file.path),
      false,
      "the agent's own revert",
    );
    return { record, sources: record.ended.length === 0 ? [own] : [ended, own] };
  });
}

/**
 * A revert that the agent itself made and that stands: above every step, and above the last travel of ours that is in the log,
 * which it replaced. Our travels since that leave the log alone count as later.
 */
export function standingSource(
  thread: Thread,
  standing: { now: string; files: readonly TreePath[]; target: string },
  records: readonly TravelRecord[],
  objects: ObjectReader | null,
): ChangeSource {
  const { now, target, files } = standing;
  const replaced = travelSources(thread, records).findLast(({ record }) => record.messages.how === 'append');
  const below = replaced?.sources.at(-1)?.position ?? (thread.steps.at(-1)?.index ?? 0) + 0.25;
  return treesSource({ position: below + 2e-7, from: now, to: target, files, words: "the agent's own revert" }, objects);
}
