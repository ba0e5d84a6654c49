import { createHash } from 'node:crypto';
import { TurnbackError } from '../../shared/errors.ts';

/** Which repository: one for each thread of each tenant on each workspace. */
export interface RepositoryKey {
  /** The workspace folder, absolute on its side. */
  root: string;
  /** Left out: the default tenant. */
  tenantId?: string | undefined;
  threadId: string;
}

/** The same folder by the same words: without slashes at its end. */
export function rootOf(root: string): string {
  return root.length > 1 ? root.replace(/[/\\]+$/, '') || '/' : root;
}

/**
 * The folder name below `dataDir`: the SHA-1, in hex, of root, tenant and thread with a NUL between them. The harness's own name is
 * the SHA-1 of the root alone (formats/tanstack.md 9.2), so the two never meet, and this one too can be checked against a root.
 */
export function repositoryName(key: RepositoryKey): string {
  for (const [name, value] of [
    ['tenantId', key.tenantId],
    ['threadId', key.threadId],
  ] as const) {
    if (value === '' || value?.includes('\0'))
      throw new TurnbackError('BAD_OPTION', { name, cause: 'it must be plain text and not empty' });
  }
  return createHash('sha1')
    .update(`${rootOf(key.root)}\0${key.tenantId ?? ''}\0${key.threadId}`)
    .digest('hex');
}

const isAbsolute = (path: string): boolean => path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith('\\\\');

/** Throws BAD_OPTION for folders that are not absolute, or snapshots that would lie in the workspace they are of. */
export function checkFolders(o: { root: string; dataDir: string }): void {
  for (const name of ['root', 'dataDir'] as const) {
    if (!isAbsolute(o[name]) || o[name].includes('\0'))
      throw new TurnbackError('BAD_OPTION', { name, cause: 'it must be an absolute path' });
  }
  const [root, dataDir] = [rootOf(o.root), rootOf(o.dataDir)];
  if (dataDir === root || dataDir.startsWith(`${root}/`) || dataDir.startsWith(`${root}\\`))
    throw new TurnbackError('BAD_OPTION', {
      name: 'dataDir',
      cause: 'it lies in the workspace, whose snapshots would then hold themselves',
    });
}
