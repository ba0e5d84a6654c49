import path from 'node:path';
import type { Git } from '../snapshots/git.ts';
import type { ObjectFormat } from '../snapshots/object-id.ts';
import { ObjectReader } from '../snapshots/objects.ts';
import { openSafetyStore, type SnapshotStore } from '../snapshots/store.ts';
import { Blobs } from './blobs.ts';

/** A workspace with our safety store and every place where contents are read from, for as long as one call needs them. */
export interface Bench {
  root: string;
  format: ObjectFormat;
  safety: SnapshotStore;
  blobs: Blobs;
  /** A folder of ours for temporary files. */
  tmp: string;
  /** For a call that was cancelled: whoever waits for git is told CANCELLED, where others ask it too only if it says nothing. */
  letGo(): void;
  close(): Promise<void>;
}

/** Opens the bench. `objects` are the agent's, null when there are none. */
export async function openBench(o: {
  git: Git;
  ownData: string;
  root: string;
  format: ObjectFormat;
  objects: ObjectReader | null;
}): Promise<Bench> {
  const { git, ownData, root, format, objects } = o;
  const safety = await openSafetyStore({ git, ownData, root, format });
  const kept = new ObjectReader(safety);
  const blobs = new Blobs({ format, readers: [objects, kept], root });
  const letGo = (): void => {
    void objects?.leaveSilent();
    // Nobody else reads through this one.
    void kept.close();
  };
  return { root, format, safety, blobs, tmp: path.join(ownData, 'tmp'), letGo, close: () => kept.close() };
}
