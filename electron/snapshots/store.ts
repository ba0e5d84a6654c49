import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { alternatesFile } from './alternates.ts';
import { syncFile, syncFolder, writeDurably } from './durable.ts';
import type { Git } from './git.ts';
import { formatOfId, type ObjectFormat } from './object-id.ts';
import { takeIntoUse } from './quarantines.ts';

/** A git dir of our own. What it reads may be foreign; its config, hooks and attributes never are. */
export interface SnapshotStore {
  readonly git: Git;
  readonly gitDir: string;
  readonly format: ObjectFormat;
  /** Foreign object folders that it reads through alternates. */
  readonly objectFolders: readonly string[];
}

/** Attributes that outrank every `.gitattributes` of a workspace: bytes go in and out as they are and no driver runs. */
const ATTRIBUTES = '* -text !eol !ident !filter !working-tree-encoding !diff !merge\n';

/** Names that no snapshot of ours holds, whatever the workspace's own ignore files say. */
const EXCLUDES = '.env\n.env.*\n';

/** What a system says of a rename to a folder that holds something. */
const IN_PLACE: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES']);

function configOf(format: ObjectFormat): string {
  // What git itself writes there, refs and indexes, is for the user alone, whatever the umask.
  const core = '\tbare = true\n\tlogAllRefUpdates = false\n\tsharedRepository = 0600\n';
  return format === 'sha1'
    ? `[core]\n\trepositoryformatversion = 0\n${core}`
    : `[core]\n\trepositoryformatversion = 1\n${core}[extensions]\n\tobjectFormat = sha256\n`;
}

async function contentOf(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * A bare repository made by hand: `git init` would copy templates. Built aside and renamed into place, so that two
 * processes may do it at once; an existing one gets missing or changed files back.
 */
async function makeStore(gitDir: string, format: ObjectFormat, folders: readonly string[]): Promise<void> {
  const files: Record<string, string> = {
    HEAD: 'ref: refs/heads/none\n',
    config: configOf(format),
    'info/attributes': ATTRIBUTES,
    'info/exclude': EXCLUDES,
    ...(folders.length === 0 ? {} : { 'objects/info/alternates': alternatesFile(folders) }),
  };
  const build = async (at: string): Promise<void> => {
    for (const folder of ['', 'info', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/turnback'])
      await mkdir(path.join(at, folder), { recursive: true, mode: 0o700 });
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(at, name);
      if ((await contentOf(file)) !== content) await writeDurably(file, content);
    }
  };
  if ((await contentOf(path.join(gitDir, 'HEAD'))) !== null) return build(gitDir);
  await mkdir(path.dirname(gitDir), { recursive: true, mode: 0o700 });
  const aside = `${gitDir}.${randomBytes(6).toString('hex')}.new`;
  try {
    await build(aside);
    await rename(aside, gitDir);
    await syncFolder(path.dirname(gitDir));
  } catch (error) {
    await rm(aside, { recursive: true, force: true });
    // Another process was first, or a crash left a folder without HEAD: fill in what it lacks.
    if (IN_PLACE.has((error as NodeJS.ErrnoException).code)) await build(gitDir);
    else throw error;
  }
}

const keyOf = (...parts: readonly string[]): string => createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 32);

/**
 * The repository through which foreign trees are read: clean, bare and ours, its alternates pointing at the foreign
 * object folders (formats/opencode-and-claude-code.md 1.5, "Robust reading"). What those borrow is followed by git.
 * Safe to call again and from two processes. Nothing is written to the foreign folders.
 */
export async function openQuarantine(o: {
  git: Git;
  ownData: string;
  objectFolders: readonly string[];
  format: ObjectFormat;
}): Promise<SnapshotStore> {
  const folders = o.objectFolders.map((folder) => path.resolve(folder));
  const gitDir = path.join(path.resolve(o.ownData), 'quarantine', `${keyOf(o.format, ...folders)}.git`);
  await takeIntoUse(gitDir, () => makeStore(gitDir, o.format, folders));
  return { git: o.git, gitDir, format: o.format, objectFolders: folders };
}

/** The repository that keeps what Turnback saves of a workspace before it writes there. It borrows nothing. */
export async function openSafetyStore(o: { git: Git; ownData: string; root: string; format?: ObjectFormat }): Promise<SnapshotStore> {
  const format = o.format ?? 'sha1';
  const name = format === 'sha1' ? keyOf(o.root) : `${keyOf(o.root)}-sha256`;
  const gitDir = path.join(path.resolve(o.ownData), 'safety', `${name}.git`);
  await makeStore(gitDir, format, []);
  return { git: o.git, gitDir, format, objectFolders: [] };
}

/** The git dir that `openRecordedStore` opens; it exists once something was recorded. */
export function recordedStore(ownData: string, root: string): string {
  return path.join(path.resolve(ownData), 'recorded', `${keyOf(root)}.git`);
}

/** The index by which hooks know which files of the workspace they kept already. */
export const recordedIndex = ({ gitDir }: SnapshotStore): string => path.join(gitDir, 'turnback-index');

/** The repository that keeps what an agent's hooks record of a workspace. It borrows nothing. */
export async function openRecordedStore(o: { git: Git; ownData: string; root: string }): Promise<SnapshotStore> {
  const gitDir = recordedStore(o.ownData, o.root);
  await makeStore(gitDir, 'sha1', []);
  return { git: o.git, gitDir, format: 'sha1', objectFolders: [] };
}

/** `refs/turnback/<name>`; names are ours, so a strange one is a mistake of ours. */
function refOf(name: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_][A-Za-z0-9_-]*)*$/.test(name) || /\.lock(?:\/|$)/.test(name))
    throw new TurnbackError('INTERNAL', { cause: `${name} cannot name a pin` });
  return `refs/turnback/${name}`;
}

/** Keeps a tree from every gc by a ref of ours; durable when it resolves. */
export async function pin(store: SnapshotStore, name: string, tree: string, signal?: AbortSignal): Promise<void> {
  return setRef(store, refOf(name), tree, signal);
}

/** The one more tree that a store keeps besides its pins: contents that records name and no pinned tree holds. Null keeps none. */
export async function keepContents(store: SnapshotStore, tree: string | null): Promise<void> {
  const ref = 'refs/turnback-keep/contents';
  if (tree !== null) return setRef(store, ref, tree);
  await store.git.run({ name: 'update-ref', args: ['update-ref', '--no-deref', '-d', ref], gitDir: store.gitDir });
}

async function setRef(store: SnapshotStore, ref: string, tree: string, signal?: AbortSignal): Promise<void> {
  if (formatOfId(tree) !== store.format) throw new TurnbackError('INTERNAL', { cause: `${tree} is no tree id of this store` });
  await store.git.run({ name: 'update-ref', args: ['update-ref', '--no-deref', ref, tree], gitDir: store.gitDir, signal });
  // Git before 2.36 does not sync refs. A ref that a gc packed and that has this value already is no file of its own.
  const loose = path.join(store.gitDir, ref);
  const file = (await contentOf(loose)) === null ? path.join(store.gitDir, 'packed-refs') : loose;
  await syncFile(file);
  for (let folder = path.dirname(file); folder.length >= store.gitDir.length; folder = path.dirname(folder)) await syncFolder(folder);
}

/** Lets a tree go. Not an error when nothing has that name. `timeoutMs`: no longer than this, then GIT_FAILED. */
export async function unpin(store: SnapshotStore, name: string, timeoutMs?: number): Promise<void> {
  const args = ['update-ref', '--no-deref', '-d', refOf(name)];
  await store.git.run({ name: 'update-ref', args, gitDir: store.gitDir, ...(timeoutMs !== undefined && { timeoutMs }) });
}

/** Every tree that is kept, by name. */
export async function pins(store: SnapshotStore): Promise<{ name: string; tree: string }[]> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/turnback/'];
  const { stdout } = await store.git.run({ name: 'for-each-ref', args, gitDir: store.gitDir });
  const lines = stdout.toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const space = line.indexOf(' ');
    return { name: line.slice(space + 1 + 'refs/turnback/'.length), tree: line.slice(0, space) };
  });
}
