import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Reason, reason, reasonOf } from '../../shared/errors.ts';
import type { OpenThread } from '../threads/thread.ts';

/** What one object folder of the agent holds; sizes in bytes. */
export interface FolderHealth {
  path: string;
  loose: number;
  packs: number;
  bytes: number;
}

/** The health of a thread's log, workspace and snapshots. */
export interface Health {
  git: { version: string } | Reason;
  log: { path: string; bytes: number | null; unreadable: number };
  root: string | null;
  folders: FolderHealth[];
  trees: { named: number; missing: string[] };
  stepsNotCaptured: number;
  /** Everything that is off, as sentences with codes. Empty: all is well. */
  problems: Reason[];
}

/** Looks at everything a travel of this thread needs, reading only. A foreign store is reported on, never repaired. */
export async function healthOf(thread: OpenThread): Promise<Health> {
  await thread.fill();
  const model = thread.thread();
  const problems = [...model.notices];
  let git: Health['git'];
  try {
    git = { version: (await thread.git.version()).text };
  } catch (thrown) {
    git = reasonOf(thrown);
    if (!problems.some((one) => one.code === reasonOf(thrown).code)) problems.push(reasonOf(thrown));
  }
  const named = [...new Set(model.steps.flatMap((step) => [step.from, step.to]))].filter((tree) => tree !== null);
  const missing: string[] = [];
  if (thread.objects) for (const tree of named) if (!(await thread.objects.hasTree(tree))) missing.push(tree);
  for (const tree of missing) problems.push(reason('TREE_MISSING', { tree }));
  return {
    git,
    log: { path: model.head.log, bytes: model.head.size, unreadable: model.bad.length },
    root: thread.root ?? thread.side?.root ?? null,
    folders: await Promise.all(thread.reader.objectFolders().map(folderHealth)),
    trees: { named: named.length, missing },
    stepsNotCaptured: model.steps.filter((step) => step.captured !== null && step.captured !== true).length,
    problems,
  };
}

/** What an object folder holds. Only reads; what is gone meanwhile counts as nothing. */
export async function folderHealth(folder: string): Promise<FolderHealth> {
  const health: FolderHealth = { path: folder, loose: 0, packs: 0, bytes: 0 };
  for (const name of await namesIn(folder)) {
    if (name === 'info') continue;
    for (const file of await namesIn(path.join(folder, name))) {
      const size = await sizeOf(path.join(folder, name, file));
      health.bytes += size;
      if (name === 'pack') health.packs += file.endsWith('.pack') ? 1 : 0;
      else health.loose += 1;
    }
  }
  return health;
}

/** Another program may move objects into packs while we look: what is gone counts as nothing. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
