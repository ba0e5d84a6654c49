import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import type { Via } from '../host/via.ts';
import { purgeSnapshots } from '../recorder/purge.ts';
import { repositoryName } from '../recorder/repository-name.ts';
import { objectFolder } from '../snapshots/object-folder.ts';
import { EXIT, type Exit, openNamed, type Session } from './session.ts';

/**
 * `turnback purge THREAD`: what removing the snapshots that our recorder made of a thread would free; with `--yes` it removes them.
 * Only the repository of this very thread goes: its name must be the one that the recorder gives to it. A thread whose repository
 * is gone already is done.
 */
export async function purge(session: Session): Promise<Exit> {
  const { id } = await openNamed(session);
  const { reader, storeReason } = await session.desk.open(id);
  const via = await session.desk.viaOf(id);
  if (via !== null) return purgeThere(session, via);
  if (reader.elsewhere?.() && storeReason !== null) throw TurnbackError.of(storeReason);
  const recorded = reader.recorded?.() ?? null;
  const folder = recorded && path.join(recorded.dataDir, recorded.repository);
  if (
    recorded === null ||
    folder === null ||
    repositoryName({ ...recorded, tenantId: recorded.tenantId ?? undefined }) !== recorded.repository
  ) {
    throw new TurnbackError('NOT_OURS_TO_PURGE', { path: folder ?? reader.objectFolders()[0] ?? 'none are known' });
  }
  const { loose, packs, bytes } = await objectFolder(path.join(folder, 'objects'));
  const { root, dataDir, threadId, tenantId } = recorded;
  if (session.args.yes) await purgeSnapshots({ root, dataDir }, { threadId, ...(tenantId !== null && { tenantId }) });
  session.json({ repository: folder, bytes, objects: loose, packs, removed: session.args.yes });
  const size = `${(bytes / 1_000_000).toFixed(1)} MB in ${loose} objects and ${packs} packs`;
  if (session.args.yes) session.print(`Removed ${folder} (${size}). The conversation stays; its files cannot go back any more.\n`);
  else session.print(`${folder} holds ${size}. Nothing was removed; --yes removes it. The thread's files cannot go back after that.\n`);
  return EXIT.done;
}

/** The same on another side, where sizes are not asked for. */
async function purgeThere({ args, json, print }: Session, via: Via): Promise<Exit> {
  const repository = via.store.gitDir;
  if (args.yes) await via.purge();
  json({ repository, bytes: null, objects: null, packs: null, removed: args.yes });
  const there = `${repository} behind ${via.where.backend}`;
  if (args.yes) print(`Removed ${there}. The conversation stays; its files cannot go back any more.\n`);
  else print(`${there}: nothing was removed; --yes removes it. The thread's files cannot go back after that.\n`);
  return EXIT.done;
}
