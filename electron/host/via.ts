import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { safePath } from '../../shared/safe-path.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Backend } from '../recorder/backend.ts';
import { commandBackend } from '../recorder/command-backend.ts';
import { jsonlLog, logIdOf, logPath } from '../recorder/log.ts';
import type { LogEntry } from '../recorder/log-file.ts';
import { purgeSnapshots } from '../recorder/purge.ts';
import { checkFolders, repositoryName, rootOf } from '../recorder/repository-name.ts';
import type { Session } from '../recorder/session.ts';
import { snapshots } from '../recorder/snapshots.ts';
import { ObjectReader, type TreeEntry } from '../snapshots/objects.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import { editTree } from '../snapshots/tree-edit.ts';
import type { ElsewhereSnapshots } from '../threads/source.ts';
import type { OtherSide } from '../threads/thread.ts';

/** Milliseconds in which a side must answer at first: the viewer waits for it. */
const ANSWER_MS = 20_000;
/** The files there are not captured again for each file that is looked at. */
const FRESH_MS = 2000;

const PATHS_A_CALL = 200;

/** The recorder's own repository only: one of this name, of this thread, is not asked for what another holds. */
function checkNames(where: ElsewhereSnapshots): void {
  checkFolders(where);
  if (repositoryName({ ...where, tenantId: where.tenantId ?? undefined }) !== where.repository)
    throw new TurnbackError('NO_STORE', { path: where.repository, cause: "it is not named as this thread's own" });
}

/** What a command reaches of one thread: the recorder's workspace and snapshots on the other side (seed, "In a sandbox"). */
export class Via implements OtherSide {
  readonly where: ElsewhereSnapshots;
  readonly store: SnapshotStore;
  readonly #backend: Backend;
  #recent: { at: number; tree: Promise<string> } | null = null;

  private constructor(where: ElsewhereSnapshots, backend: Backend, gitDir: string) {
    this.where = where;
    this.#backend = backend;
    this.store = { git: backend.git, gitDir, format: 'sha1', objectFolders: [] };
  }

  /**
   * Looks whether the command reaches the thread's repository. Throws BACKEND_FAILED when it reaches nothing (within 20 s), NO_STORE when
   * the repository is not there, NO_GIT.
   */
  static async open(where: ElsewhereSnapshots, prefix: readonly string[]): Promise<Via> {
    checkNames(where);
    const gitDir = `${rootOf(where.dataDir)}/${where.repository}`;
    const there = await commandBackend({ prefix, timeout: ANSWER_MS }).isFolder(gitDir);
    if (!there) throw new TurnbackError('NO_STORE', { path: gitDir, cause: `it is not on the side that ${prefix.join(' ')} reaches` });
    const backend = commandBackend({ prefix });
    try {
      await backend.git.version();
    } catch (thrown) {
      // As for the recorder: a git that cannot even tell its version is no git (formats/tanstack.md 9.3).
      if (thrown instanceof TurnbackError && thrown.code !== 'GIT_FAILED') throw thrown;
      throw new TurnbackError('NO_GIT', {}, { cause: thrown });
    }
    return new Via(where, backend, gitDir);
  }

  get root(): string {
    return rootOf(this.where.root);
  }

  /** A tree of the files there now, kept by no ref, taken with an index of our own; `recent`: one of the last two seconds will do. */
  treeNow(o: { recent: boolean; signal?: AbortSignal | undefined }): Promise<string> {
    const { store, root } = this;
    if (o.recent && this.#recent !== null && Date.now() - this.#recent.at < FRESH_MS) return this.#recent.tree;
    const indexFile = `${store.gitDir}/viewer-index`;
    const tree = this.#backend.capture({ store, root, indexFile, signal: o.signal, onLeftOut: () => undefined });
    this.#recent = { at: Date.now(), tree };
    tree.catch(() => {
      this.#recent = null;
    });
    return tree;
  }

  /** The tree that has `to`'s state at these paths and `from`'s everywhere else. Throws TREE_MISSING. */
  async mixed(from: string, to: string, only: readonly TreePath[]): Promise<string> {
    const { git, gitDir } = this.store;
    const objects = new ObjectReader(this.store);
    try {
      const changes = new Map<TreePath, TreeEntry | null>();
      for (const file of only) changes.set(file, await objects.entry(to, file));
      return await editTree({
        base: from,
        changes,
        lines: (folder) => objects.lines(folder),
        write: async (stdin) => {
          const args = ['hash-object', '-t', 'tree', '-w', '--stdin'];
          return (await git.run({ name: 'hash-object', args, gitDir, stdin })).stdout.toString('latin1').trim();
        },
      });
    } finally {
      await objects.close();
    }
  }

  /** Which of the paths there are files, or folders with files in them, be they ignored or not: what no snapshot tells. */
  async stands(paths: readonly TreePath[]): Promise<TreePath[]> {
    const { git, gitDir } = this.store;
    const found: TreePath[] = [];
    // A name that is no text cannot be an argument, and one that leads out is none to ask about; the recorder finds it out itself.
    const asked = paths.filter((one) => one.isWellFormed() && safePath(one, 'linux') === true);
    for (let at = 0; at < asked.length; at += PATHS_A_CALL) {
      const { stdout } = await git.run({
        name: 'ls-files',
        args: ['ls-files', '-z', '--others', '--', ...asked.slice(at, at + PATHS_A_CALL)],
        gitDir,
        workTree: this.root,
        env: { GIT_INDEX_FILE: `${gitDir}/no-index`, GIT_LITERAL_PATHSPECS: '1' },
      });
      found.push(...stdout.toString('utf8').split('\0').filter(Boolean));
    }
    return found;
  }

  /** The records of the thread's log. */
  records(log: string): Promise<LogEntry[]> {
    const { folder, logId } = this.#place(log);
    return jsonlLog({ folder }).read({ logId });
  }

  /** The recorder's own session, which holds the leases of log and repository until it is closed. Throws RECORDING_HELD. */
  async session(log: string): Promise<Session> {
    const { folder } = this.#place(log);
    const { root, dataDir, threadId, tenantId } = this.where;
    const history = snapshots({ root, dataDir, backend: this.#backend });
    const session = await history.open({ threadId, log: jsonlLog({ folder }), ...(tenantId !== null && { tenantId }) });
    if (session.repository === this.store.gitDir) return session;
    await session.close();
    throw new TurnbackError('SNAPSHOTS_OFF');
  }

  /** Removes the thread's repository there. */
  purge(): Promise<void> {
    const { root, dataDir, threadId, tenantId } = this.where;
    return purgeSnapshots({ root, dataDir, backend: this.#backend }, { threadId, ...(tenantId !== null && { tenantId }) });
  }

  /** The save folder and id by which the recorder finds this very log. */
  #place(log: string): { folder: string; logId: string } {
    const { threadId, tenantId } = this.where;
    const logId = logIdOf({ logId: threadId, tenantId: tenantId ?? undefined });
    const folder = path.resolve(log, ...(tenantId === null ? ['..', '..'] : ['..', '..', '..', '..']));
    if (logPath(folder, logId) === path.resolve(log)) return { folder, logId };
    throw new TurnbackError('NOT_SUPPORTED', {
      what: 'Travelling',
      cause: `its log is not where its recorder keeps it (${logPath(folder, logId)})`,
    });
  }
}
