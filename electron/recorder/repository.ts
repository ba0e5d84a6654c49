import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { type RawChange, rawChanges } from '../snapshots/diff.ts';
import { formatOfId, type ObjectFormat } from '../snapshots/object-id.ts';
import { ObjectReader, type TreeEntry } from '../snapshots/objects.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import { editTree } from '../snapshots/tree-edit.ts';
import type { Backend, PutBack, Skipped } from './backend.ts';
import { queueOf } from './repository-queue.ts';
import type { Serial } from './serial.ts';

/**
 * The line by which a repository of the harness is known (formats/tanstack.md 9.3), and what keeps bytes as they are where it does not:
 * attributes of a workspace can also name encodings and drivers.
 */
const ATTRIBUTES = '* -text -ident -filter\n* !eol !working-tree-encoding !diff !merge\n';

/** Never in a snapshot, whatever the workspace's ignore files say (seed: "The snapshots skip … `.env` files"). */
const EXCLUDE = '.env\n.env.*\n';

const FORMAT: ObjectFormat = 'sha1';

export interface RepositoryOptions {
  backend: Backend;
  root: string;
  gitDir: string;
  /** Names this session. */
  owner: string;
  /** Throws when this session may not use the repository any more. */
  check(): Promise<void>;
  /** Learns each path once that git would not take into a snapshot. */
  onLeftOut(paths: readonly TreePath[]): void;
}

/** The absolute path of a workspace file, on the workspace's side. */
export const absolutePath = (root: string, path: TreePath): string => `${root === '/' ? '' : root}/${path}`;

/** The snapshot repository of one thread, open for its one writer. Git commands of one repository run one after another. */
export class Repository {
  readonly store: SnapshotStore;
  readonly objects: ObjectReader;
  readonly root: string;
  readonly #backend: Backend;
  readonly #queue: Serial;
  /** The part of a ref's name that is this session's own: a lock that a crash left behind is never in its way. */
  readonly #owner: string;
  readonly #pinned = new Set<string>();
  readonly #leftOut = new Set<TreePath>();
  readonly #onLeftOut: (paths: readonly TreePath[]) => void;
  readonly #check: () => Promise<void>;

  private constructor(o: RepositoryOptions) {
    this.#backend = o.backend;
    this.#onLeftOut = o.onLeftOut;
    this.#check = o.check;
    this.root = o.root;
    this.#queue = queueOf(o.gitDir);
    this.#owner = o.owner;
    this.store = { git: o.backend.git, gitDir: o.gitDir, format: FORMAT, objectFolders: [] };
    this.objects = new ObjectReader(this.store);
  }

  /** Opens the repository, made if it is not there. Throws NO_GIT or GIT_FAILED. */
  static async open(o: RepositoryOptions): Promise<Repository> {
    const { backend, gitDir } = o;
    const repository = new Repository(o);
    await repository.#queue.run(async () => {
      // First, so that the folders are made for their owner only.
      for (const [name, content] of Object.entries({ attributes: ATTRIBUTES, exclude: EXCLUDE })) {
        const file = `${gitDir}/info/${name}`;
        if ((await backend.readFile(file))?.toString('utf8') !== content) await backend.writeFile(file, Buffer.from(content));
      }
      if ((await backend.readFile(`${gitDir}/HEAD`)) === null) {
        const args = ['-c', `init.defaultObjectFormat=${FORMAT}`, 'init', '--bare', '-q', '--template='];
        await backend.git.run({ name: 'init', args, gitDir });
      }
    });
    return repository;
  }

  /** A snapshot of the workspace now: the id of its tree, kept from every gc by a ref of ours. */
  async track(signal?: AbortSignal): Promise<string> {
    await this.#check();
    const capture = { store: this.store, root: this.root, indexFile: `${this.store.gitDir}/index`, signal };
    const tree = await this.#queue.run(() => this.#backend.capture({ ...capture, onLeftOut: (paths) => this.#tellLeftOut(paths) }));
    await this.pin(tree);
    return tree;
  }

  /** Keeps a tree by a ref of ours; a tree that this session kept before costs nothing. */
  async pin(tree: string): Promise<void> {
    if (this.#pinned.has(tree)) return;
    if (formatOfId(tree) !== FORMAT) throw new TurnbackError('TREE_MISSING', { tree });
    const args = ['update-ref', '--no-deref', `refs/turnback/${this.#owner}/${tree}`, tree];
    await this.#queue.run(() => this.store.git.run({ name: 'update-ref', args, gitDir: this.store.gitDir }));
    this.#pinned.add(tree);
  }

  /** The files that differ between two snapshots, in git's order; repositories in the workspace are no files. Throws TREE_MISSING. */
  async changed(from: string, to: string): Promise<RawChange[]> {
    if (from === to) return [];
    const isFile = (entry: TreeEntry | null): boolean => entry !== null && entry.mode !== '160000';
    return (await this.#queue.run(() => rawChanges(this.store, from, to))).filter(({ before, after }) => isFile(before) || isFile(after));
  }

  /** What the snapshot holds at the path. Throws TREE_MISSING. */
  entry(tree: string, path: TreePath): Promise<TreeEntry | null> {
    return this.#queue.run(() => this.objects.entry(tree, path));
  }

  /** A snapshot that is `base` with these paths replaced, kept as all are. */
  async compose(base: string, changes: ReadonlyMap<TreePath, TreeEntry | null>): Promise<string> {
    if (changes.size === 0) return base;
    const tree = await this.#queue.run(() =>
      editTree({
        base,
        changes,
        lines: (folder) => this.objects.lines(folder),
        write: async (bytes) => {
          const args = ['hash-object', '-t', 'tree', '-w', '--stdin'];
          const { stdout } = await this.store.git.run({ name: 'hash-object', args, gitDir: this.store.gitDir, stdin: bytes });
          return stdout.toString('latin1').trim();
        },
      }),
    );
    await this.pin(tree);
    return tree;
  }

  /** The unified diff of two snapshots; binary files without their bytes (formats/tanstack.md 9.4). Throws TREE_MISSING. */
  async patch(from: string, to: string): Promise<string> {
    for (const tree of [from, to])
      if (!(await this.#queue.run(() => this.objects.hasTree(tree)))) throw new TurnbackError('TREE_MISSING', { tree });
    const args = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', from, to, '--'];
    return (await this.#queue.run(() => this.store.git.run({ name: 'diff', args, gitDir: this.store.gitDir }))).stdout.toString('utf8');
  }

  /** Puts workspace files as the entries say; see {@link Backend.putBack}. */
  async putBack(files: readonly PutBack[]): Promise<Skipped[]> {
    await this.#check();
    return this.#queue.run(() => this.#backend.putBack({ store: this.store, root: this.root, files }));
  }

  /** Ends what runs; the snapshots stay. */
  close(): Promise<void> {
    return this.#queue.run(() => this.objects.close());
  }

  #tellLeftOut(paths: readonly TreePath[]): void {
    const fresh = paths.filter((path) => !this.#leftOut.has(path));
    for (const path of fresh) this.#leftOut.add(path);
    if (fresh.length > 0) this.#onLeftOut(fresh);
  }
}
