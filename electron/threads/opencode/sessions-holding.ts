import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { BytePattern } from '../byte-pattern.ts';
import { asName } from '../loose.ts';
import { withSqliteCopy } from '../sqlite-copy.ts';
import { isOpencode, tablesOf } from './opencode-database.ts';
import { Pace } from './pace.ts';

/**
 * The sessions of a database whose parts may hold every one of the words; true where the database keeps conversations in other
 * tables, too, so that each has to be opened. Throws LOG_UNREADABLE, NOT_FOUND, NO_SQLITE, CANCELLED.
 */
export async function sessionsHolding(
  file: string,
  words: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlySet<string> | boolean> {
  const tmp = await mkdtemp(path.join(os.tmpdir(), 'turnback-'));
  try {
    return await withSqliteCopy(file, tmp, async (db) => {
      const tables = tablesOf(db);
      if (!isOpencode(tables) || !tables.get('part')?.has('session_id')) return true;
      const pace = new Pace(signal);
      const patterns = words.map((word) => new BytePattern([word]));
      const held = new Map<string, Set<number>>();
      for (const row of db.prepare('select session_id, data from part').iterate()) {
        const [id, data] = [asName(row['session_id']), row['data']];
        if (id === null || typeof data !== 'string') continue;
        const bytes = Buffer.from(data);
        for (const [nth, pattern] of patterns.entries()) {
          if (held.get(id)?.has(nth) || !pattern.inBytes(bytes)) continue;
          held.set(id, (held.get(id) ?? new Set()).add(nth));
        }
        if (pace.due) await pace.rest();
      }
      // Sessions without classic parts are kept in other tables: only opening them tells.
      const classic = new Set(
        db
          .prepare('select distinct session_id from part')
          .all()
          .flatMap((row) => asName(row['session_id']) ?? []),
      );
      const all = db
        .prepare('select id from session')
        .all()
        .flatMap((row) => asName(row['id']) ?? []);
      return new Set(all.filter((id) => !classic.has(id) || held.get(id)?.size === words.length));
    });
  } finally {
    await rm(tmp, { recursive: true, force: true, maxRetries: 3 });
  }
}
