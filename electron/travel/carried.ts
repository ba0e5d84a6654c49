import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { Blobs } from './blobs.ts';
import type { Chain } from './chains.ts';
import { asDrifted, contentFor } from './choose.ts';
import { type Content, sameContent } from './content.ts';
import type { DraftFile } from './draft.ts';
import { type Between, Likeness, sameBytes } from './likeness.ts';
import type { Layer } from './peel.ts';

const realLayers = (chain: Chain | undefined): Layer[] =>
  chain === undefined || 'why' in chain ? [] : chain.layers.filter((layer) => !layer.bystander && !sameContent(layer.before, layer.after));

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

/** Did a change of the path bring there what was taken away elsewhere: the same bytes, or as a file that it made? */
async function received(between: Between, path: TreePath, layers: readonly Layer[], alike: Likeness): Promise<boolean> {
  if (path === between.path) return false;
  const since = layers.filter((layer) => layer.position >= between.position);
  if (since.some((layer) => sameBytes(layer.after, between.content))) return true;
  for (const { before, after } of since) if (before.kind === 'absent' && (await alike.holds(between, after, path))) return true;
  return false;
}

/** Finds the files that something came to, by its bytes and by its lines, however many there are. */
class Receivers {
  readonly #files: readonly { file: DraftFile; layers: readonly Layer[] }[];
  readonly #alike: Likeness;
  #index: Map<string, Set<number>> | null = null;

  constructor(files: readonly DraftFile[], chains: ReadonlyMap<TreePath, Chain>, alike: Likeness) {
    const there = files.filter((file) => file.disk.kind !== 'absent');
    this.#files = there.map((file) => ({ file, layers: realLayers(chains.get(file.path)) }));
    this.#alike = alike;
  }

  /** In the order of the plan. */
  async of(between: Between): Promise<DraftFile[]> {
    this.#index ??= await this.#made();
    const keys = [...(await this.#alike.cameIn(between)), bytesKey(between.content)];
    const places = new Set(keys.flatMap((key) => [...(this.#index?.get(key) ?? [])]));
    const found: DraftFile[] = [];
    for (const place of [...places].sort((a, b) => a - b)) {
      const one = this.#files[place];
      if (one && (await received(between, one.file.path, one.layers, this.#alike))) found.push(one.file);
    }
    return found;
  }

  async #made(): Promise<Map<string, Set<number>>> {
    const index = new Map<string, Set<number>>();
    for (const [place, { file, layers }] of this.#files.entries()) {
      for (const { before, after } of layers) {
        const lines = before.kind === 'absent' ? await this.#alike.linesOf(after, file.path) : null;
        for (const key of [...(lines ?? []), bytesKey(after)]) {
          const places = index.get(key);
          if (places) places.add(place);
          else index.set(key, new Set([place]));
        }
      }
    }
    return index;
  }
}

/** No line: it has a line end. */
const bytesKey = (content: Content): string => `\n${'oid' in content ? content.oid : ''}`;

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
  const receivers = new Receivers(files, chains, alike);
  const stay = new Map<DraftFile, string>();
  for (const between of betweensOf(chains)) {
    const own = planned.get(between.path);
    // A merge takes out what the agent did and leaves the rest.
    if (own?.choice === 'merge' || (own !== undefined && (await left(between, own)))) continue;
    const holders: DraftFile[] = [];
    for (const file of await receivers.of(between)) if (await alike.holds(between, file.disk, file.path)) holders.push(file);
    const stays = await Promise.all(holders.map((file) => left(between, file)));
    if (holders.length === 0 || stays.includes(true)) continue;
    const why = `It holds what was changed since in ${showTreePath(between.path)}, and nothing else would if it went.`;
    for (const file of holders) if (!stay.has(file)) stay.set(file, why);
  }
  for (const [file, why] of stay) Object.assign(file, { drift: true, choice: 'keep', why, choices: asDrifted(file.choices) });
  return stay.size > 0;
}
