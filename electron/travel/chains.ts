import { isRefusal } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import type { Layer } from './peel.ts';
import type { TravelRecord } from './record.ts';
import { type ChangeSource, stepSource, travelSources } from './sources-of-change.ts';

/** The changes of one path that a travel takes out, newest first, or why it cannot. */
export type Chain = { layers: Layer[] } | { why: string };

/** Which paths a travel is about, and everything that changed them since. */
export interface Scoped {
  /** A path, and the place of the oldest change that goes. */
  paths: ReadonlyMap<TreePath, number>;
  /** Every source that may lie above those places, in any order. */
  sources: readonly ChangeSource[];
}

const GONE = new Set(['dropped', 'undone', 'compacted', 'recalled']);

/** Is the step part of the conversation, be it hidden by a revert that stands? */
export function inConversation(step: Step): step is Step & { stop: number } {
  return step.stop !== null && (step.hidden === null || !GONE.has(step.hidden.reason));
}

/** The steps after a stop, in the order of the log. */
export function stepsAfter(thread: Thread, stop: number): Step[] {
  return thread.steps.filter((step) => inConversation(step) && step.stop > stop);
}

/** Does the travel take back, at the path, the one at this place among the records: itself, or an older one with all that lies above? */
function takesBack(travel: TravelRecord, path: TreePath, records: readonly TravelRecord[], place: number): boolean {
  if (travel.kind !== 'restore' && travel.kind !== 'unrevert') return false;
  const has = ({ files }: Pick<TravelRecord, 'files'>): boolean => files.some((file) => file.path === path);
  return has(travel) && records.some((record, at) => at <= place && travel.takes.includes(record.entry) && has(record));
}

/** Was what a travel did to the path taken back since, by one that was not taken back itself? `records`: oldest first. */
export function takenBack(record: TravelRecord, path: TreePath, records: readonly TravelRecord[]): boolean {
  const standing: TravelRecord[] = [];
  const gone = (place: number): boolean => standing.some((travel) => takesBack(travel, path, records, place));
  const own = records.indexOf(record);
  for (let place = records.length - 1; place > own; place--) {
    const travel = records[place];
    if (travel !== undefined && !gone(place)) standing.push(travel);
  }
  return gone(own);
}

/**
 * Does a travel go when these steps go? What was brought back from a step that stays is the user's own wish and stays, too: it counts
 * as their edit, unless they took it back themselves.
 */
export function goesWith(record: TravelRecord, steps: readonly Step[], records: readonly TravelRecord[]): boolean {
  const { piece } = record;
  return piece === null || steps.some((step) => step.id === piece.step) || takenBack(record, piece.path, records);
}

/**
 * What a revert to the stop is about: the paths that the steps after it list, and above each path's oldest such step every
 * step and travel that changed it. A step that was dropped counts where a travel of ours took its files back: both are in the
 * history of the disk, and without both it would not add up.
 */
export function scopeOfRevert(
  thread: Thread,
  stop: number,
  o: { records: readonly TravelRecord[]; which: 'all' | 'of these steps' },
  extra: readonly ChangeSource[],
  objects: ObjectReader | null,
): Scoped {
  const { records } = o;
  const covered = new Set(records.flatMap((record) => record.covers));
  const steps = stepsAfter(thread, stop);
  const after = steps.map((step) => stepSource(thread, step, objects));
  const dropped = thread.steps
    .filter((step) => !inConversation(step) && covered.has(step.id))
    .map((step) => stepSource(thread, step, objects))
    .filter((source) => source.broken === null);
  const paths = new Map<TreePath, number>();
  for (const source of after) for (const path of source.paths) if (!paths.has(path)) paths.set(path, source.position);
  const going = travelSources(thread, records).filter(({ record }) => o.which === 'all' || goesWith(record, steps, records));
  const travels = going.flatMap(({ sources }) => sources);
  return { paths, sources: [...after, ...dropped, ...travels, ...extra] };
}

/** What taking back some of these sources is about: their paths, and what lies above each. */
export function scopeOfSources(taken: readonly ChangeSource[], above: readonly ChangeSource[]): Scoped {
  const paths = new Map<TreePath, number>();
  for (const source of taken) {
    for (const path of source.paths) paths.set(path, Math.min(source.position, paths.get(path) ?? Number.POSITIVE_INFINITY));
  }
  return { paths, sources: [...new Set([...taken, ...above])] };
}

/** The chain of every path, or of those asked for. A tree that is gone is that path's reason, not an error. */
export async function chainsOf(scoped: Scoped, only?: ReadonlySet<TreePath>): Promise<Map<TreePath, Chain>> {
  const newestFirst = [...scoped.sources].sort((a, b) => b.position - a.position);
  const byPath = new Map<TreePath, ChangeSource[]>();
  for (const source of newestFirst) {
    for (const path of source.paths) {
      const lowest = scoped.paths.get(path);
      if (lowest === undefined || source.position < lowest || (only && !only.has(path))) continue;
      const known = byPath.get(path);
      if (known) known.push(source);
      else byPath.set(path, [source]);
    }
  }
  const chains = new Map<TreePath, Chain>();
  await Promise.all([...byPath].map(async ([path, sources]) => void chains.set(path, await chainOf(path, sources))));
  // In the order in which the log first names the paths, not in that of the answers.
  const ordered = new Map<TreePath, Chain>();
  for (const path of scoped.paths.keys()) {
    const chain = chains.get(path);
    if (chain) ordered.set(path, chain);
  }
  return ordered;
}

async function chainOf(path: TreePath, sources: readonly ChangeSource[]): Promise<Chain> {
  const broken = sources.find((source) => source.broken !== null);
  if (broken?.broken) return { why: broken.broken };
  const layers: Layer[] = [];
  for (const source of sources) {
    try {
      const layer = await source.layer(path);
      if (layer === null) return { why: 'It is a submodule; its content is not in the snapshots.' };
      layers.push(layer);
    } catch (thrown) {
      if (isRefusal(thrown, 'TREE_MISSING')) return { why: thrown.message };
      throw thrown;
    }
  }
  return { layers };
}
