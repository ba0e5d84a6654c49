import { type Content, sameContent } from './content.ts';
import { type Clash, type MergeText, mergeContent } from './merge-content.ts';

/** One change of a path that is known from both sides: by a step of the agent, or by a travel of ours. */
export interface Layer {
  /** What stood there before the change and what it left. */
  before: Content;
  after: Content;
  /** The snapshot lists the path, but every tool of the step says what it wrote and none wrote this: somebody else's change. */
  bystander: boolean;
  /** `before` comes from our own safety snapshot of this disk, not from a foreign store. */
  own: boolean;
  /** A travel of ours made the change, not the agent. */
  travel?: boolean;
  /** Words for where the change comes from: "step 3". */
  from: string;
  /** Its place in the thread: steps have their index, travels lie between them. */
  position: number;
  /** The trees that hold both sides, in the agent's store; null for a travel of ours. */
  trees: { before: string; after: string } | null;
}

export interface Peeled {
  /** What `overwrite` writes: the state before the oldest layer, whatever came since. */
  target: Content;
  /** May `target` be believed to be the user's own (a link that leads out of the workspace, say)? */
  targetOwn: boolean;
  /**
   * What stays when only the agent's changes are taken out; null when they cannot be. Where nothing stands on disk and only the newer
   * ones can be taken out: what stays then.
   */
  merged: Content | null;
  /** All that goes was done by travels of ours, nothing by the agent. */
  byTravel: boolean;
  /** Disk and layers do not fit together: somebody else changed the path, too. */
  drift: boolean;
  clash: Clash | null;
  /** The layer that the path could not be peeled through, or the bystander's. */
  at: Layer | null;
}

const realOf = (layers: readonly Layer[]): Layer[] => layers.filter((layer) => !sameContent(layer.before, layer.after));

/** Nothing needs to happen: no layer changes the path, or the disk is already at the target. */
export function isAsWanted(disk: Content, layers: readonly Layer[]): boolean {
  const oldest = realOf(layers).at(-1);
  return oldest === undefined || sameContent(disk, oldest.before);
}

/**
 * Takes layers off what stands on disk, newest first (design.md, "Which content a path gets"). While disk and layers fit
 * exactly the answer is exact; where they do not, a three-way merge takes each layer's change out of what is there.
 * Null when nothing needs to happen.
 */
export async function peel(disk: Content, layers: readonly Layer[], text: MergeText): Promise<Peeled | null> {
  const real = realOf(layers);
  const oldest = real.at(-1);
  if (oldest === undefined || isAsWanted(disk, layers)) return null;
  const fits = real.every((layer, at) => sameContent(at === 0 ? disk : (real[at - 1]?.before ?? disk), layer.after));
  const bystander = real.find((layer) => layer.bystander) ?? null;
  const base = { target: oldest.before, targetOwn: oldest.own, byTravel: real.every((layer) => layer.travel === true) };
  if (fits && bystander === null) return { ...base, merged: oldest.before, drift: false, clash: null, at: null };
  let ours = disk;
  for (const layer of real) {
    if (layer.bystander) continue;
    const merged = await mergeContent(layer.after, ours, layer.before, text);
    if (!merged.clean) {
      // A file that the agent took away comes back as far as it can: what others changed in it is in no other file.
      const far = disk.kind === 'absent' && ours.kind !== 'absent' ? ours : null;
      return { ...base, merged: far, drift: true, clash: merged.why, at: layer };
    }
    ours = merged.content;
  }
  return { ...base, merged: ours, drift: true, clash: null, at: bystander };
}
