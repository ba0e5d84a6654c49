import { TurnbackError } from '../../shared/errors.ts';
import type { Backend } from './backend.ts';
import { type Clock, machineClock } from './clock.ts';
import { Core } from './core.ts';
import { ThreadFold } from './fold.ts';
import { Lease } from './lease.ts';
import { localBackend } from './local-backend.ts';
import { type LogStore, logIdOf } from './log.ts';
import type { LogRecord } from './records.ts';
import type { Reporting } from './reporting.ts';
import { Repository } from './repository.ts';
import { checkFolders, repositoryName, rootOf } from './repository-name.ts';
import { settleOpenTurns } from './restart.ts';
import { Session } from './session.ts';
import { recoverTravel } from './travel-files.ts';

export interface SnapshotsOptions {
  /** The workspace folder, absolute. May be left out when each thread names its own. */
  root?: string;
  /** The folder for the snapshot repositories, absolute and outside `root`: one for each thread of each tenant. */
  dataDir: string;
  /** Where workspace, repositories and git are; default this machine. Paths are those of that side. */
  backend?: Backend;
  /** Tools that name the files they change (by `step.reportFile`), or change none. */
  reporting?: Reporting;
  /** Milliseconds after which a silent owner of a repository may be followed by another; default 30 s. */
  leaseTtl?: number;
}

export interface OpenThread {
  threadId: string;
  /** Left out: the default tenant. */
  tenantId?: string;
  /** Where the session's records go. */
  log: LogStore;
  /** This thread's own workspace, where it has one. */
  root?: string;
  /** Who sends the prompts; recorded with them. */
  user?: { id: string };
  clock?: Clock;
}

/** Snapshots of a workspace at each model step, and what they make possible: `undo`, `redo`, `revert`, `unrevert`, `diff`. */
export interface History {
  /**
   * Opens a thread for recording. Throws RECORDING_HELD while another session has it. Without git the session works, snapshots are off
   * and `SnapshotFailed` says so.
   */
  open(options: OpenThread): Promise<Session>;
  /** {@link Session.diff} in whichever open session has the snapshot. */
  diff(from: string, to?: string): Promise<{ files: string[]; patch: string }>;
}

/** Our first record of a log: which workspace it is about and where its snapshots are. `-elsewhere`: the paths are those of another machine. */
function workspaceRecord(o: {
  root: string;
  dataDir: string;
  repository: string;
  tenantId: string | undefined;
  backend: Backend;
}): LogRecord {
  const { backend, tenantId, ...paths } = o;
  return {
    type: backend.name === null ? 'turnback/workspace' : 'turnback/workspace-elsewhere',
    ...paths,
    ...(tenantId !== undefined && { tenantId }),
    ...(backend.name !== null && { backend: backend.name }),
  };
}

/**
 * The recorder for any agent loop (seed "Undo a turn").
 *
 * ```ts
 * const history = snapshots({ root, dataDir });
 * const session = await history.open({ threadId: 'fix-login', log: jsonlLog({ folder: save }) });
 * await session.send('Fix the login form.', async (turn) => {
 *   for (let done = false; !done; ) {
 *     done = await turn.step(async (step) => {
 *       const answer = await model(await session.transcript());
 *       await step.assistant(answer);
 *       for (const call of answer.toolCalls) await step.tool(call.id, ({ report }) => tools[call.name](call.arguments, report));
 *       return answer.toolCalls.length === 0;
 *     });
 *   }
 * });
 * await session.runCommand({ name: 'undo' });
 * ```
 *
 * A step keeps only what its own run changed; the rule for tools that name their files and tools that do not is at `Attribution`.
 */
export function snapshots(options: SnapshotsOptions): History {
  const backend = options.backend ?? localBackend();
  const dataDir = rootOf(options.dataDir);
  const sessions = new Set<Session>();
  if (options.root !== undefined) checkFolders({ root: options.root, dataDir });

  const openRepository = async (core: Core, name: string): Promise<{ lease: Lease; repository: Repository } | null> => {
    try {
      await backend.git.version();
    } catch (error) {
      // A git that cannot even tell its version is no git (formats/tanstack.md 9.3).
      const none = error instanceof TurnbackError && error.code === 'GIT_FAILED';
      core.failed(none ? new TurnbackError('NO_GIT', {}, { cause: error }) : error);
      return null;
    }
    const gitDir = `${dataDir}/${name}`;
    const what = `The snapshots of ${core.threadId}`;
    let lease: Lease | null = null;
    try {
      lease = await Lease.take(backend, gitDir, { what, ...(options.leaseTtl !== undefined && { ttl: options.leaseTtl }) });
      const held = lease;
      const onLeftOut = (paths: readonly string[]): void =>
        core.skipped(
          paths.map((path) => ({
            path,
            why: 'Git takes no snapshot of it: it is a repository without a commit, or has a name git refuses.',
          })),
        );
      return {
        lease,
        repository: await Repository.open({ backend, root: core.root, gitDir, owner: lease.owner, check: () => held.check(), onLeftOut }),
      };
    } catch (error) {
      await lease?.release();
      if (error instanceof TurnbackError && error.code === 'RECORDING_HELD') throw error;
      core.failed(error);
      return null;
    }
  };

  const open = async (o: OpenThread): Promise<Session> => {
    const root = rootOf(o.root ?? options.root ?? '');
    if (root === '')
      throw new TurnbackError('BAD_OPTION', { name: 'root', cause: 'neither the recorder nor the thread names a workspace' });
    checkFolders({ root, dataDir });
    const name = repositoryName({ root, tenantId: o.tenantId, threadId: o.threadId });
    if (!(await backend.isFolder(root))) throw new TurnbackError('NO_WORKSPACE', { path: root });
    const log = await o.log.open({ logId: logIdOf({ tenantId: o.tenantId, logId: o.threadId }) });
    const fold = new ThreadFold(o.threadId);
    const tenant = o.tenantId === undefined ? {} : { tenantId: o.tenantId };
    const principal = o.user || o.tenantId !== undefined ? { ...o.user, ...tenant } : null;
    const core = new Core({
      threadId: o.threadId,
      root,
      clock: o.clock ?? machineClock(),
      reporting: options.reporting,
      principal,
      fold,
      log,
    });
    let opened: Awaited<ReturnType<typeof openRepository>> = null;
    try {
      const entries = await core.refresh();
      opened = await openRepository(core, name);
      core.repository = opened?.repository ?? null;
      if (opened) await recoverTravel({ backend, repository: opened.repository, entries });
      if (fold.workspace === null)
        await core.append(() => [workspaceRecord({ root, dataDir, repository: name, tenantId: o.tenantId, backend })]);
      await settleOpenTurns(core);
    } catch (error) {
      await opened?.repository.close();
      await opened?.lease.release();
      await log.close();
      throw error;
    }
    const held = opened;
    const session = new Session({
      core,
      backend,
      tenantId: o.tenantId,
      onClose: async () => {
        sessions.delete(session);
        await held?.repository.close();
        await held?.lease.release();
      },
    });
    sessions.add(session);
    return session;
  };

  const diff = async (from: string, to?: string): Promise<{ files: string[]; patch: string }> => {
    const able = [...sessions].filter((session) => session.commands.length > 0);
    if (able.length === 0 && sessions.size > 0) throw new TurnbackError('SNAPSHOTS_OFF');
    for (const session of able) if (await session.has(from)) return session.diff(from, to);
    throw new TurnbackError('TREE_MISSING', { tree: from });
  };

  return { open, diff };
}
