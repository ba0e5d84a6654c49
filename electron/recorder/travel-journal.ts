import { z } from 'zod';
import { TurnbackError } from '../../shared/errors.ts';
import type { Backend } from './backend.ts';
import type { LogRecord } from './records.ts';

const journalSchema = z.object({
  version: z.literal(1),
  /** The tree that holds the files as they were before. */
  now: z.string(),
  files: z.array(z.string()),
  /** Position of the log's last record before it. */
  seq: z.number(),
  /** The record that says in the log that it was done, as JSON text. */
  expects: z.string(),
});
export type TravelJournal = z.infer<typeof journalSchema>;

const pathOf = (gitDir: string): string => `${gitDir}/turnback-travel.json`;

/** The record as JSON text, to be found again in a log. */
export const textOfRecord = (record: LogRecord): string => JSON.stringify(record);

/**
 * What is being put back, kept beside the snapshots from before the first file is touched until the log has the record: after a crash
 * the next session knows whether to take it back.
 */
export const travelJournal = {
  async write(backend: Backend, gitDir: string, journal: Omit<TravelJournal, 'version'>): Promise<void> {
    await backend.writeFile(pathOf(gitDir), Buffer.from(JSON.stringify({ version: 1, ...journal })));
  },
  async read(backend: Backend, gitDir: string): Promise<TravelJournal | null> {
    const bytes = await backend.readFile(pathOf(gitDir));
    if (bytes === null) return null;
    try {
      return journalSchema.parse(JSON.parse(bytes.toString('utf8')));
    } catch (error) {
      throw new TurnbackError('RECOVERY_FAILED', { path: pathOf(gitDir), cause: 'it cannot be read' }, { cause: error });
    }
  },
  clear: (backend: Backend, gitDir: string): Promise<void> => backend.remove(pathOf(gitDir)),
};
