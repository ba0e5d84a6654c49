import path from 'node:path';
import { type ErrorCode, type Reason, reason, reasonOf } from '../../shared/errors.ts';
import type { ForgetPlan } from '../../shared/own-data.ts';
import { lendersGone, namedFolders } from '../snapshots/lenders.ts';
import { type ObjectFolder, objectFolder } from '../snapshots/object-folder.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import type { OpenThread } from '../threads/thread.ts';

/** The health of a thread's log, workspace and snapshots. */
export interface Health {
  git: { version: string } | Reason;
  log: { path: string; bytes: number | null; unreadable: number };
  root: string | null;
  folders: ObjectFolder[];
  /**
   * Trees that the log names: `missing` ones, `expired` among them (their step is older than agents keep snapshots), and `broken` ones,
   * which are there but lack something that they name. `unreachable` ones are neither: a folder that their store borrows from is not there.
   */
  trees: { named: number; missing: string[]; expired: number; broken: string[]; unreachable: string[] };
  stepsNotCaptured: number;
  /** What Turnback itself keeps of the thread: travels, those that can be undone, bytes of their safety snapshots and of what was read. */
  own: { entries: number; undoable: number; bytes: number; read: number };
  /** Everything that is off, as sentences with codes. Empty: all is well. */
  problems: Reason[];
  /** What is as it is for this kind of thread, and good to know. */
  remarks: Reason[];
}

/** Nothing is broken where these are said: the source keeps no more, or the thread was recorded like that. */
const NORMAL: ReadonlySet<ErrorCode> = new Set([
  'NO_SNAPSHOTS',
  'NO_SNAPSHOTS_DSH',
  'CHANGES_NOT_KEPT',
  'SUBFOLDER_SNAPSHOTS',
  'STEPS_END_LATER',
  'REVERT_INSIDE_TURN',
]);

/** OpenCode removes snapshots after seven days (formats/opencode-and-claude-code.md); git's own gc takes two weeks for what no ref names. */
const EXPIRES = 7 * 86_400_000;

/**
 * Looks at everything a travel of this thread needs, reading only. A foreign store is reported on, never repaired. `own`: what Turnback
 * keeps of it.
 */
export async function healthOf(thread: OpenThread, own: Pick<ForgetPlan, 'entries' | 'undoable' | 'bytes'>): Promise<Health> {
  await thread.fill();
  const model = thread.thread();
  const problems = model.notices.filter((notice) => !NORMAL.has(notice.code));
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
  const gone = new Set(missing);
  const broken =
    thread.store === null
      ? []
      : await brokenTrees(
          thread.store,
          named.filter((tree) => !gone.has(tree)),
        );
  const lost = [...missing, ...broken];
  const away = lost.length === 0 || thread.store === null ? [] : await lendersGone(thread.store.objectFolders);
  const unreachable = away.length === 0 ? [] : lost;
  if (away.length > 0) {
    missing.length = 0;
    broken.length = 0;
  }
  for (const tree of unreachable) problems.push(reason('TREE_UNREACHABLE', { tree, path: namedFolders(away) }));
  for (const tree of missing) problems.push(reason('TREE_MISSING', { tree }));
  for (const tree of broken) problems.push(reason('TREE_BROKEN', { tree }));
  const long = new Set<number | null>(
    model.turns.filter(({ startedAt }) => startedAt !== null && startedAt < Date.now() - EXPIRES).map((turn) => turn.index),
  );
  const old = new Set(model.steps.filter((step) => long.has(step.turn)).flatMap((step) => [step.from, step.to]));
  const quarantine = thread.store !== null && thread.side === null ? await objectFolder(path.join(thread.store.gitDir, 'objects')) : null;
  return {
    git,
    log: { path: model.head.log, bytes: model.head.size, unreadable: model.bad.length },
    root: thread.root ?? thread.side?.root ?? null,
    folders: await Promise.all(thread.reader.objectFolders().map(objectFolder)),
    trees: { named: named.length, missing, expired: missing.filter((tree) => old.has(tree)).length, broken, unreachable },
    stepsNotCaptured: model.steps.filter((step) => step.captured !== null && step.captured !== true).length,
    own: { entries: own.entries, undoable: own.undoable, bytes: own.bytes, read: quarantine?.bytes ?? 0 },
    problems,
    remarks: model.notices.filter((notice) => NORMAL.has(notice.code)),
  };
}

/** Trees that lack something below them. Most threads have none: then all are asked at once. */
async function brokenTrees(store: SnapshotStore, trees: readonly string[]): Promise<string[]> {
  if (trees.length === 0 || (await isWhole(store, trees))) return [];
  const broken: string[] = [];
  for (const tree of trees) if (!(await isWhole(store, [tree]))) broken.push(tree);
  return broken;
}

async function isWhole(store: SnapshotStore, trees: readonly string[]): Promise<boolean> {
  const args = ['rev-list', '--objects', '--quiet', '--stdin'];
  const stdin = Buffer.from(trees.map((tree) => `${tree}\n`).join(''));
  const { exit } = await store.git.run({ name: 'rev-list', args, gitDir: store.gitDir, stdin, okExits: [0, 128] });
  return exit === 0;
}
