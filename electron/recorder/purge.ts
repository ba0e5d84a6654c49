import type { Backend } from './backend.ts';
import { Lease } from './lease.ts';
import { localBackend } from './local-backend.ts';
import { checkFolders, repositoryName, rootOf } from './repository-name.ts';
import { queueOf } from './repository-queue.ts';

/**
 * Removes the snapshot repository of a thread and nothing else; resolves also when there is none (seed, "Remove the snapshots of a
 * thread"). Call it after the sessions of the thread closed. Waits for the git commands of that repository in this process. Throws
 * RECORDING_HELD while another session records the thread.
 */
export async function purgeSnapshots(
  options: { root: string; dataDir: string; backend?: Backend },
  thread: { tenantId?: string; threadId: string },
): Promise<void> {
  checkFolders(options);
  const backend = options.backend ?? localBackend();
  const gitDir = `${rootOf(options.dataDir)}/${repositoryName({ root: options.root, ...thread })}`;
  await queueOf(gitDir).run(async () => {
    if (!(await backend.isFolder(gitDir))) return;
    const lease = await Lease.take(backend, gitDir, { what: `The snapshots of ${thread.threadId}` });
    try {
      await backend.remove(gitDir);
    } finally {
      await lease.release();
    }
  });
}
