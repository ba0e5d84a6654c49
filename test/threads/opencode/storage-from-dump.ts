import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { OpencodeDump } from '../../scenarios/opencode.ts';

/** The project that every session of such a tree belongs to. */
export const PROJECT = 'b9241510eaebac83980f9c7b61fad64ff79eb8ad';

/** Writes a recorded session as the JSON tree of OpenCode 1.1.65: the same shapes, with the ids inside (formats/opencode 1.4). */
export async function storageFromDump(data: string, dump: OpencodeDump): Promise<string> {
  const storage = path.join(data, 'storage');
  const put = async (name: string, value: object): Promise<void> => {
    await mkdir(path.dirname(path.join(storage, name)), { recursive: true });
    await writeFile(path.join(storage, name), JSON.stringify(value, null, 2));
  };
  await put(`project/${PROJECT}.json`, { id: PROJECT, worktree: '/workspace/scratch-oc', vcs: 'git', sandboxes: [], time: { created: 1 } });
  for (const row of dump.session) {
    const { id, directory, title, version, permission } = row;
    const time = { created: row['time_created'], updated: row['time_updated'] };
    const parent = row['parent_id'] == null ? {} : { parentID: row['parent_id'] };
    const revert = typeof row['revert'] === 'object' && row['revert'] !== null ? { revert: row['revert'] } : {};
    await put(`session/${PROJECT}/${id}.json`, {
      id,
      version,
      projectID: PROJECT,
      directory,
      title,
      permission,
      time,
      ...parent,
      ...revert,
    });
  }
  for (const { id, session_id: sessionID, data: message, parts } of dump.messages) {
    await put(`message/${sessionID}/${id}.json`, { id, sessionID, ...message });
    for (const part of parts) await put(`part/${id}/${part.id}.json`, { id: part.id, sessionID, messageID: id, ...part.data });
  }
  await writeFile(path.join(storage, 'migration'), '2');
  await mkdir(path.join(data, 'snapshot', PROJECT, 'objects'), { recursive: true });
  // A tree that looks freshly written would be taken for one in use.
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of [...(await readdir(storage, { recursive: true })), '.']) await utimes(path.join(storage, name), hourAgo, hourAgo);
  return storage;
}
