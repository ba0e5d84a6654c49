import type { DiskState } from '../../electron/snapshots/disk.ts';
import type { Content } from '../../electron/travel/content.ts';
import type { DraftFile } from '../../electron/travel/draft.ts';
import type { Layer } from '../../electron/travel/peel.ts';
import type { World } from '../../electron/travel/world.ts';

/** Contents are named by a letter; the id is that letter forty times. */
export const file = (letter: string, executable = false, mode: number | null = null): Content => ({
  kind: 'file',
  oid: letter.repeat(40),
  executable,
  mode,
});
export const link = (letter: string): Content => ({ kind: 'link', oid: letter.repeat(40) });

export const layer = (before: Content, after: Content, more: Partial<Layer> = {}): Layer => ({
  before,
  after,
  bystander: false,
  own: false,
  from: 'step 1',
  position: 1,
  trees: null,
  ...more,
});

/** What a disk says about a content. */
export function stateOf(content: Content): DiskState {
  if (content.kind === 'absent') return { kind: 'absent' };
  if (content.kind === 'link') return { kind: 'link', oid: content.oid, target: Buffer.from('t') };
  return { kind: 'file', mode: content.executable ? 0o755 : 0o644, size: 1, mtimeMs: 0, oid: content.oid };
}

/** A path that has not drifted: `b` on disk, `a` wanted. */
export function draftFile(path: string, more: Partial<DraftFile> = {}): DraftFile {
  const disk = more.disk ?? file('b');
  const target = more.target ?? file('a');
  const merged = more.merged === undefined ? target : more.merged;
  const peeled = { target, targetOwn: false, byTravel: false, merged, drift: false, clash: null, at: null };
  const verdict = { drift: false, choice: 'write' as const, choices: ['write', 'keep'] as DraftFile['choices'], why: null };
  return { ...verdict, path, state: stateOf(disk), disk, target, merged, peeled, layers: [], ...more };
}

/** A drifted one, with every choice. */
export const drifted = (path: string, more: Partial<DraftFile> = {}): DraftFile =>
  draftFile(path, {
    drift: true,
    choice: 'merge',
    choices: ['merge', 'keep', 'overwrite'],
    merged: file('m'),
    why: 'It drifted.',
    ...more,
  });

/** A world of these disk states; every content has the given size, nothing else is known. */
export function fakeWorld(disk: Readonly<Record<string, DiskState>>, more: Partial<World> = {}): World {
  return {
    platform: 'linux',
    disk: async (path) => disk[path] ?? { kind: 'absent' },
    exactName: async () => true,
    filesIn: async () => [],
    ignored: async () => new Set(),
    size: async () => 10,
    linkTarget: async () => 'beside',
    merge: () => async () => ({ clean: false, why: 'conflict' }),
    others: async () => new Map(),
    ...more,
  };
}
