import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { type TanstackDatabase, tanstackDatabase } from '../../scenarios/tanstack-sqlite.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { applied, event, input, say, settled, transcript, user } from './hand-log.ts';

/** A SQLite store in the place of the opencode fork, held open by its owner. */
export interface SqliteLab {
  folder: string;
  db: TanstackDatabase;
  open(threadId?: string, options?: { root?: string; data?: string }): Promise<ThreadReader>;
}

export async function sqliteLab(prefix = ''): Promise<SqliteLab> {
  const folder = await tempFolder();
  const db = await tanstackDatabase(path.join(folder, 'home', '.local', 'share', 'opencode'), 'agent.db', prefix);
  onTestFinished(() => db.close());
  const places = { home: path.join(folder, 'home'), env: {} };
  const open: SqliteLab['open'] = async (threadId = 'ses_1', options = {}) => {
    const heads = await tanstack.locate(db.file, places);
    const head = heads.find((one) => one.threadId === threadId);
    if (!head) throw new Error(`no thread ${threadId} among ${heads.map((one) => one.threadId).join(', ')}`);
    const ownData = path.join(folder, 'own');
    const reader = await tanstack.open(head, { root: options.root ?? null, data: options.data ?? null, places, ownData });
    await reader.read();
    return reader;
  };
  return { folder, db, open };
}

/** A settled turn with one message of each side. */
export function turn(db: TanstackDatabase, n: number, keep: number, logId = 'ses_1'): void {
  db.append(logId, input(`in${n}`), applied(`in${n}`), transcript(keep, user(`u${n}`)));
  db.append(logId, event({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'x', delta: 'y', timestamp: 4 }));
  db.append(logId, transcript(keep + 1, say(`a${n}`)), settled(`in${n}`));
}
