import { reason } from '../../shared/errors.ts';
import { safeLink, safePath } from '../../shared/safe-path.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { DiskState } from '../snapshots/disk.ts';
import { eachOf } from '../snapshots/each-of.ts';
import { namedFolders } from '../snapshots/lenders.ts';
import { MOST_BYTES } from './blobs.ts';
import type { Chain } from './chains.ts';
import { ABSENT, type Content, contentOfDisk } from './content.ts';
import { type Verdict, verdictOn } from './drift.ts';
import { foldersAbove } from './folder-groups.ts';
import { isAsWanted, type Layer, type Peeled, peel } from './peel.ts';
import type { World } from './world.ts';

/** One path of a travel, with all that could be written there. */
export interface DraftFile extends Verdict {
  path: TreePath;
  /** What stands on disk, and the same as a content: nothing where a folder stands or a file above must go first. */
  state: DiskState;
  disk: Content;
  target: Content;
  merged: Content | null;
  peeled: Peeled;
  layers: readonly Layer[];
}

export interface Draft {
  files: DraftFile[];
  skipped: { path: TreePath; why: string }[];
  /** Paths that already are as the travel would leave them. */
  already: TreePath[];
}

/** Paths that are looked at together: their questions to the stores go out in one batch. */
const WIDTH = 256;

type Left = { why: string } | 'already';

/** `below`: the file above the path that has to go first, and what becomes of the path where that one stays. */
type Looked = { file: DraftFile; below: { above: TreePath; stays: Left } | null } | Left;

/** Looks at every path of a travel: what stands there, what shall, and what may be chosen. Only reads. */
export async function draftOf(world: World, chains: ReadonlyMap<TreePath, Chain>, signal?: AbortSignal): Promise<Draft> {
  const looked = new Map<TreePath, Looked>();
  await eachOf([...chains], { width: WIDTH, signal }, async ([path, chain]) => {
    looked.set(path, await lookAt(world, path, chain, chains));
  });
  const draft: Draft = { files: [], skipped: [], already: [] };
  for (const path of chains.keys()) {
    const found = settled(looked, path);
    if (found === 'already') draft.already.push(path);
    else if ('why' in found) draft.skipped.push({ path, why: found.why });
    else draft.files.push(found.file);
  }
  await judgeDrift(world, draft.files);
  return draft;
}

/** What was found, after the file above it was looked at, too. One that is left as it is leaves no room below it. */
function settled(looked: ReadonlyMap<TreePath, Looked>, path: TreePath): { file: DraftFile } | Left {
  const found = looked.get(path) ?? 'already';
  if (found === 'already' || 'why' in found || found.below === null) return found;
  const above = looked.get(found.below.above) ?? 'already';
  return above !== 'already' && 'file' in above ? found : found.below.stays;
}

async function lookAt(world: World, path: TreePath, chain: Chain, chains: ReadonlyMap<TreePath, Chain>): Promise<Looked> {
  const safe = safePath(path, world.platform);
  if (safe !== true) return { why: safe };
  if ('why' in chain) return chain;
  let state = await world.disk(path);
  if (state.kind === 'other') return { why: `It is ${state.what} now.` };
  let below: Extract<Looked, { file: DraftFile }>['below'] = null;
  if (state.kind === 'blocked') {
    // Below a file there is nothing: where nothing shall be, it is as it should be, whosever that file is.
    const stays: Left = state.empty && isAsWanted(ABSENT, chain.layers) ? 'already' : { why: state.why };
    const above = await mayGiveWay(world, path, chains);
    if (above === null) return stays;
    below = { above, stays };
    state = { kind: 'absent' };
  }
  if (state.kind !== 'absent' && !(await world.exactName(path))) {
    return { why: 'Another file on this disk has the same name but for case or Unicode form.' };
  }
  const disk = contentOfDisk(state);
  if (disk === null) return { why: 'It cannot be read.' };
  const peeled = await peel(disk, chain.layers, world.merge(path));
  if (peeled === null) return 'already';
  const { target, targetOwn } = peeled;
  const whyNot = await unwritable(world, path, target, targetOwn);
  const mergedToo = peeled.merged === null || (await unwritable(world, path, peeled.merged, targetOwn)) === null;
  // Where even the exact state cannot be written, nothing is gained by offering half of it.
  if (whyNot !== null) return { why: whyNot };
  const merged = mergedToo ? peeled.merged : null;
  const open: Verdict = { drift: peeled.drift, choice: 'keep', choices: ['keep'], why: null };
  return { file: { ...open, path, state, disk, target, merged, peeled: { ...peeled, merged }, layers: chain.layers }, below };
}

/** The file or link above the path that stands in its way, where it is part of the travel itself: whether both can go is decided later. */
async function mayGiveWay(world: World, path: TreePath, chains: ReadonlyMap<TreePath, Chain>): Promise<TreePath | null> {
  for (const above of foldersAbove(path)) {
    const { kind } = await world.disk(above);
    if (kind === 'folder') continue;
    const chain = chains.get(above);
    return (kind === 'file' || kind === 'link') && chain !== undefined && 'layers' in chain ? above : null;
  }
  return null;
}

async function unwritable(world: World, path: TreePath, content: Content, own: boolean): Promise<string | null> {
  if (content.kind === 'absent') return null;
  const size = await world.size(content, path);
  if (size === null) {
    const gone = (await world.lendersGone?.()) ?? [];
    if (gone.length > 0) return reason('CONTENT_UNREACHABLE', { path: namedFolders(gone) }).message;
    return 'Its content is gone from the snapshots: it has expired or was removed.';
  }
  if (size > MOST_BYTES) return `It is larger than ${MOST_BYTES} bytes.`;
  // What stood on this disk before may stand there again; a foreign store may not plant a link that leads out.
  if (content.kind !== 'link' || own) return null;
  const safe = safeLink(path, await world.linkTarget(content, path), world.platform);
  return safe === true ? null : safe;
}

async function judgeDrift(world: World, files: DraftFile[]): Promise<void> {
  const drifted = files.filter((file) => file.peeled.drift).map((file) => file.path);
  const ignored = drifted.length === 0 ? new Set<TreePath>() : await world.ignored(drifted);
  const others = drifted.length === 0 ? new Map<TreePath, string>() : await world.others(drifted);
  for (const file of files) {
    Object.assign(file, verdictOn(file.disk, file.peeled, ignored.has(file.path)));
    const who = others.get(file.path);
    if (file.drift && who !== undefined) file.why = [file.why, who].filter(Boolean).join(' ');
  }
}
