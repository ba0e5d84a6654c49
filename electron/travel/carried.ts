import { isRefusal } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { isBinary } from '../snapshots/merge.ts';
import type { Blobs } from './blobs.ts';
import type { Chain } from './chains.ts';
import { asDrifted, contentFor } from './choose.ts';
import { type Content, sameContent } from './content.ts';
import type { DraftFile } from './draft.ts';
import type { Layer } from './peel.ts';

/** What somebody else left at a path between two changes of the thread, and the newer of them took away there. */
interface Between {
  path: TreePath;
  content: Content;
  /** What the older change had left. */
  base: Content;
  /** The place of the newer change. */
  position: number;
}

/** Lines of larger files are not compared: the same bytes elsewhere are found all the same. */
const MOST_COMPARED = 1024 * 1024;

const realLayers = (chain: Chain | undefined): Layer[] =>
  chain === undefined || 'why' in chain ? [] : chain.layers.filter((layer) => !layer.bystander && !sameContent(layer.before, layer.after));

const sameBytes = (a: Content, b: Content): boolean => a.kind !== 'absent' && a.kind === b.kind && 'oid' in b && a.oid === b.oid;

function betweensOf(chains: ReadonlyMap<TreePath, Chain>): Between[] {
  return [...chains].flatMap(([path, chain]) => {
    const real = realLayers(chain);
    return real.flatMap((newer, at): Between[] => {
      const older = real[at + 1];
      const content = newer.before;
      if (older === undefined || content.kind === 'absent') return [];
      if (sameBytes(content, older.after) || sameBytes(content, newer.after)) return [];
      return [{ path, content, base: older.after, position: newer.position }];
    });
  });
}

/** Tells whether a content is, or grew out of, what was left between two changes. Reads each content once. */
class Likeness {
  readonly #blobs: Blobs;
  readonly #lines = new Map<string, ReadonlySet<string> | null>();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** The same bytes; or, as git tells a file that moved, half of the lines, and one of those that came in between among them. */
  async holds({ path, content, base }: Between, other: Content, at: TreePath): Promise<boolean> {
    if (sameBytes(content, other)) return true;
    if (content.kind !== 'file' || other.kind !== 'file') return false;
    const [then, now] = [await this.#linesOf(content.oid, path), await this.#linesOf(other.oid, at)];
    if (then === null || now === null) return false;
    const known = base.kind === 'file' ? await this.#linesOf(base.oid, path) : null;
    if (then.size > now.size * 2 || now.size > then.size * 2) return false;
    const kept = [...then].filter((line) => now.has(line));
    return kept.length * 2 >= Math.max(then.size, now.size) && kept.some((line) => !known?.has(line));
  }

  async #linesOf(oid: string, path: TreePath): Promise<ReadonlySet<string> | null> {
    const known = this.#lines.get(oid);
    if (known !== undefined) return known;
    const lines = await this.#read(oid, path);
    this.#lines.set(oid, lines);
    return lines;
  }

  async #read(oid: string, path: TreePath): Promise<ReadonlySet<string> | null> {
    const size = await this.#blobs.size(oid, path);
    if (size === null || size > MOST_COMPARED) return null;
    try {
      const bytes = await this.#blobs.read(oid, path);
      // As latin1, so that every byte counts; blank lines are alike everywhere.
      return isBinary(bytes)
        ? null
        : new Set(
            bytes
              .toString('latin1')
              .split('\n')
              .filter((line) => line.trim() !== ''),
          );
    } catch (thrown) {
      if (isRefusal(thrown, 'TREE_MISSING')) return null;
      throw thrown;
    }
  }
}

/** Did a change of the path bring there what was taken away elsewhere: the same bytes, or as a file that it made? */
async function received(between: Between, path: TreePath, layers: readonly Layer[], alike: Likeness): Promise<boolean> {
  if (path === between.path) return false;
  const since = layers.filter((layer) => layer.position >= between.position);
  if (since.some((layer) => sameBytes(layer.after, between.content))) return true;
  for (const { before, after } of since) if (before.kind === 'absent' && (await alike.holds(between, after, path))) return true;
  return false;
}

/** May one of the paths hold what was left at another path, so that what becomes of it depends on what becomes of that one? */
export async function mayHoldOthers(chains: ReadonlyMap<TreePath, Chain>, paths: ReadonlySet<TreePath>, blobs: Blobs): Promise<boolean> {
  const alike = new Likeness(blobs);
  for (const between of betweensOf(chains)) {
    for (const path of paths) if (await received(between, path, realLayers(chains.get(path)), alike)) return true;
  }
  return false;
}

/**
 * Preselects that a file stays which holds what somebody else left under another name, when going back would leave that in no
 * file: a step moved it there, and at its old place it cannot come back. True when that changed what is preselected.
 */
export async function keepCarried(files: readonly DraftFile[], chains: ReadonlyMap<TreePath, Chain>, blobs: Blobs): Promise<boolean> {
  const alike = new Likeness(blobs);
  const planned = new Map(files.map((file) => [file.path, file] as const));
  const left = (between: Between, file: DraftFile): Promise<boolean> => alike.holds(between, contentFor(file, file.choice), file.path);
  const there = files.filter((file) => file.disk.kind !== 'absent').map((file) => ({ file, layers: realLayers(chains.get(file.path)) }));
  const stay = new Map<DraftFile, string>();
  for (const between of betweensOf(chains)) {
    const own = planned.get(between.path);
    // A merge takes out what the agent did and leaves the rest.
    if (own?.choice === 'merge' || (own !== undefined && (await left(between, own)))) continue;
    const holders: DraftFile[] = [];
    for (const { file, layers } of there) {
      if (!layers.some((layer) => layer.position >= between.position)) continue;
      if ((await received(between, file.path, layers, alike)) && (await alike.holds(between, file.disk, file.path))) holders.push(file);
    }
    const stays = await Promise.all(holders.map((file) => left(between, file)));
    if (holders.length === 0 || stays.includes(true)) continue;
    const why = `It holds what was changed since in ${showTreePath(between.path)}, and nothing else would if it went.`;
    for (const file of holders) if (!stay.has(file)) stay.set(file, why);
  }
  for (const [file, why] of stay) Object.assign(file, { drift: true, choice: 'keep', why, choices: asDrifted(file.choices) });
  return stay.size > 0;
}
