import { causeOf, TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { diskPath, diskState } from '../snapshots/disk.ts';
import { eachOf } from '../snapshots/each-of.ts';
import type { ObjectFormat } from '../snapshots/object-id.ts';
import { Budget } from './budget.ts';
import { type Content, contentOfDisk, sameContent } from './content.ts';
import type { FileSystem } from './file-system.ts';
import { foldersAbove } from './folder-groups.ts';
import { onCancel } from './on-cancel.ts';
import { isMissing } from './own-files.ts';
import { inFolder, type PinnedFolder, splitPath } from './pinned-folder.ts';
import { allFoldersAbove, clearFolder, type FolderModes, makeFolders, removeEmptied, removeIfEmpty } from './travel-folders.ts';
import { type Change, type Facts, factsAt, factsFit, placeFile, sameFacts, stageFile, temporaryName, unstage } from './write-file.ts';

/** A content that is there. */
type Present = Exclude<Content, { kind: 'absent' }>;
type Write = Change & { want: Present };

const isWrite = (change: Change): change is Write => change.want.kind !== 'absent';

interface ApplyOptions {
  fs: FileSystem;
  root: string;
  /** Names the temporary files. */
  token: string;
  format: ObjectFormat;
  changes: readonly Change[];
  bytes(content: Present, path: TreePath): Promise<Buffer>;
  /** How many those are, null where that cannot be told. */
  size(content: Present, path: TreePath): Promise<number | null>;
  folders: FolderModes;
  /** Every path that this travel deletes, also those that are gone already: folders that this empties go, too. */
  gone: readonly TreePath[];
  /** Honoured until the first path is placed. */
  signal?: AbortSignal | undefined;
  /** Lets go of a git that says nothing, for a call that was cancelled. */
  letGo?: (() => void) | undefined;
  onProgress?: ((done: number) => void) | undefined;
}

/** Folders, and files in one folder, that are worked on at the same time. */
const WIDTH = 8;
const FILES = 32;
/** Bytes of new contents that are held at the same time. */
const HELD = 64 * 1024 * 1024;

/** What the system says of a failed call, without the call and the place by which we reach the file. */
const systemWords = (thrown: unknown): string => causeOf(thrown).replace(/^(E[A-Z0-9]+: [^,]+), [a-z]+.*$/s, '$1');

/** A failure with the path it happened at; our own errors speak for themselves. */
function failedAt(path: TreePath, thrown: unknown): unknown {
  if (thrown instanceof TurnbackError) return thrown;
  return new TurnbackError('WRITE_FAILED', { path: showTreePath(path), cause: systemWords(thrown) }, { cause: thrown });
}

/**
 * Brings paths from what stands there to what shall stand there: every new content is written aside and made durable
 * before anything is replaced; then files are placed, deletes come last, and folders that this emptied go. Where a file and a
 * folder change places the deletes that make room come before. A path that is not what was seen throws PLAN_STALE. On a
 * failure no temporary file stays, but what was placed stays placed: the caller knows how to go back. CANCELLED before the first one is.
 */
export async function applyChanges(options: ApplyOptions): Promise<void> {
  const { fs, root, changes, folders } = options;
  const deletes = changes.filter((change) => change.want.kind === 'absent');
  const deleted = new Set(deletes.map((change) => change.path));
  const isLate = ({ path, seen }: Change): boolean => seen.kind === 'folder' || foldersAbove(path).some((above) => deleted.has(above));
  const writes = changes.filter(isWrite);
  const [early, late] = [writes.filter((change) => !isLate(change)), writes.filter(isLate)];
  const facts = await lookAgain(options);
  const staged: { folder: TreePath; index: number }[] = [];
  const made: TreePath[] = [];
  let done = 0;
  const progress = (): void => options.onProgress?.(++done);
  try {
    const stage = async (): Promise<void> => {
      for (const folder of new Set(early.map((change) => splitPath(change.path).folder))) {
        made.push(...(await makeFolders(fs, root, folder, folders)));
      }
      await stageAll(options, early, (change) => splitPath(change.path).folder, staged);
      await stageAll(options, late, (change) => stagingFolder(change.path, deleted, new Set(late.map((one) => one.path))), staged);
    };
    await onCancel(options.signal, () => options.letGo?.(), stage);
    if (options.signal?.aborted) throw new TurnbackError('CANCELLED');
    // One after the other, so that nothing of ours comes between a last look and the act.
    await inFoldersOf(options, early, 1, async (pinned, change) => {
      await breathe(done);
      await pinned.check();
      const place = pinned.at(splitPath(change.path).name);
      await mustBeUnchanged(options, place, change, facts);
      await placeFile(fs, pinned.at(temporaryName(options.token, change.index)), place, change);
      progress();
    });
    await inFoldersOf(options, deletes, 1, async (pinned, change) => {
      await breathe(done);
      await pinned.check();
      const place = pinned.at(splitPath(change.path).name);
      await mustBeUnchanged(options, place, change, facts);
      await fs.unlink(place);
      progress();
    });
    for (const change of late) await placeLate(options, change, staged, progress);
    await removeEmptied(fs, root, options.gone, folders);
    await syncAll(options, changes);
  } catch (thrown) {
    for (const { folder, index } of staged) await dropStaged(options, folder, index);
    for (const folder of made.reverse()) await removeIfEmpty(fs, root, folder);
    throw thrown;
  }
}

/** The facts of every path, after making sure that it still holds what the plan says. */
async function lookAgain({ fs, root, format, changes }: ApplyOptions): Promise<ReadonlyMap<TreePath, Facts>> {
  const facts = new Map<TreePath, Facts>();
  await eachOf(changes, { width: WIDTH, signal: undefined }, async ({ path, from, seen }) => {
    const now = await factsAt(fs, diskPath(root, path));
    facts.set(path, now);
    if (factsFit(now, seen)) return;
    const content = contentOfDisk(await diskState(root, path, format)) ?? (seen.kind === 'blocked' ? from : null);
    if (content === null || !sameContent(content, from)) throw new TurnbackError('PLAN_STALE', { path: showTreePath(path) });
  });
  return facts;
}

/** Right before a path is written: still what it was. Facts may change without its content (a link count), so those only ask for a second look. */
async function mustBeUnchanged(options: ApplyOptions, place: Buffer, change: Change, facts: ReadonlyMap<TreePath, Facts>): Promise<void> {
  const { fs, root, format } = options;
  if (sameFacts(facts.get(change.path) ?? 'absent', await factsAt(fs, place))) return;
  const content = contentOfDisk(await diskState(root, change.path, format));
  if (content === null || !sameContent(content, change.from)) throw new TurnbackError('PLAN_STALE', { path: showTreePath(change.path) });
}

/** Lets others have their turn now and then: placing a file takes no time, but hundreds do. */
async function breathe(done: number): Promise<void> {
  if (done % 32 === 31) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs the work for each change with its folder pinned, folder by folder, so many at a time. */
async function inFoldersOf<C extends Change>(
  options: ApplyOptions,
  changes: readonly C[],
  width: number,
  work: (pinned: PinnedFolder, change: C) => Promise<void>,
  folderOf = (change: C): TreePath => splitPath(change.path).folder,
): Promise<void> {
  const groups = new Map<TreePath, C[]>();
  for (const change of changes) {
    const folder = folderOf(change);
    const group = groups.get(folder);
    if (group) group.push(change);
    else groups.set(folder, [change]);
  }
  await eachOf([...groups], { width: Math.min(width, WIDTH), signal: undefined }, async ([folder, group]) => {
    await inFolder(options.fs, options.root, folder, (pinned) =>
      eachOf(group, { width, signal: undefined }, async (change) => {
        try {
          await work(pinned, change);
        } catch (thrown) {
          throw failedAt(change.path, thrown);
        }
      }),
    ).catch((thrown: unknown) => {
      throw failedAt(group[0]?.path ?? folder, thrown);
    });
  });
}

async function stageAll(
  options: ApplyOptions,
  changes: readonly Write[],
  folderOf: (change: Write) => TreePath,
  staged: { folder: TreePath; index: number }[],
): Promise<void> {
  const held = new Budget(HELD);
  await inFoldersOf(
    options,
    changes,
    FILES,
    async (pinned, change) => {
      if (options.signal?.aborted) throw new TurnbackError('CANCELLED');
      await held.spend((await options.size(change.want, change.path)) ?? HELD, async () => {
        const bytes = await options.bytes(change.want, change.path);
        staged.push({ folder: folderOf(change), index: change.index });
        await stageFile(options.fs, pinned, options.token, change, bytes);
      });
    },
    folderOf,
  );
}

/** The nearest folder above that exists and stays, for a file whose own folder cannot be made yet. */
function stagingFolder(path: TreePath, deleted: ReadonlySet<TreePath>, late: ReadonlySet<TreePath>): TreePath {
  const above = foldersAbove(path);
  const first = above.findIndex((folder) => deleted.has(folder) || late.has(folder));
  return first < 0 ? splitPath(path).folder : (above[first - 1] ?? '');
}

async function placeLate(
  options: ApplyOptions,
  change: Change,
  staged: readonly { folder: TreePath; index: number }[],
  progress: () => void,
): Promise<void> {
  const { fs, root, token, folders } = options;
  const { folder, name } = splitPath(change.path);
  const from = staged.find((one) => one.index === change.index)?.folder ?? folder;
  try {
    if (change.seen.kind === 'folder') await clearFolder(fs, root, change.path);
    await makeFolders(fs, root, folder, folders);
    await inFolder(fs, root, from, (source) =>
      inFolder(fs, root, folder, async (target) => {
        await target.check();
        await placeFile(fs, source.at(temporaryName(token, change.index)), target.at(name), { ...change, from: { kind: 'absent' } });
      }),
    );
    progress();
  } catch (thrown) {
    throw failedAt(change.path, thrown);
  }
}

/** Makes the renames and deletes durable: every folder that they happened in and that is still there. */
async function syncAll({ fs, root }: ApplyOptions, changes: readonly Change[]): Promise<void> {
  const folders = new Set(changes.map((change) => splitPath(change.path).folder));
  await eachOf([...folders], { width: WIDTH, signal: undefined }, async (folder) => {
    try {
      await inFolder(fs, root, folder, (pinned) => pinned.sync());
    } catch (thrown) {
      // A folder that is gone, or that a file took the place of, has nothing to sync; the one above it was synced then.
      if (!isMissing(thrown) && !(thrown instanceof TurnbackError)) throw failedAt(folder, thrown);
    }
  });
}

/** A temporary file that cannot be removed is no reason to hide what failed before; recovery looks for it again. */
async function dropStaged({ fs, root, token }: ApplyOptions, folder: TreePath, index: number): Promise<void> {
  try {
    await inFolder(fs, root, folder, (pinned) => unstage(fs, pinned, token, index));
  } catch {
    // What failed before is what there is to say.
  }
}

/** Removes every temporary file of a travel that a crash left in the folders of its paths. */
export async function removeTemporaries(fs: FileSystem, root: string, token: string, paths: Iterable<TreePath>): Promise<void> {
  for (const folder of ['', ...allFoldersAbove(paths)]) {
    try {
      await inFolder(fs, root, folder, async (pinned) => {
        for (const name of await fs.readdir(pinned.at(Buffer.from('.')))) {
          if (name.toString('latin1').startsWith(`.turnback-${token}-`)) await fs.unlink(pinned.at(name));
        }
      });
    } catch (thrown) {
      // The folder is gone or a link by now: what was in it went with it, or never was.
      if (!isMissing(thrown) && !(thrown instanceof TurnbackError)) throw thrown;
    }
  }
}
