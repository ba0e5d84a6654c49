import { asName, asRecord, type Loose } from '../loose.ts';

/** What a checkpoint says about files at one prompt: the name of a backup, or null where there was no file. */
export interface FileHistory {
  /** The prompt that it belongs to. */
  prompt: string;
  /** Adds files that the tool touched for the first time, just before it did. */
  update: boolean;
  /** By the path that the record gives: relative to the session's folder. */
  backups: Map<string, string | null>;
}

const BACKUP = /^[0-9a-f]{1,64}@v\d{1,9}$/;

function backupOf(value: unknown): string | null | undefined {
  const name = asRecord(value)?.['backupFileName'];
  if (name === null) return null;
  return typeof name === 'string' && BACKUP.test(name) ? name : undefined;
}

/** The checkpoint in a record of either form (formats/opencode-and-claude-code.md 2.4); null for every other record. */
export function fileHistory(record: Loose): FileHistory | null {
  if (record['type'] === 'file-history-delta') {
    const [prompt, file] = [asName(record['snapshotMessageId']), asName(record['trackingPath'])];
    const backup = backupOf(record['backup']);
    if (prompt === null || file === null || backup === undefined) return null;
    return { prompt, update: true, backups: new Map([[file, backup]]) };
  }
  if (record['type'] !== 'file-history-snapshot') return null;
  const snapshot = asRecord(record['snapshot']);
  const prompt = asName(snapshot?.['messageId']) ?? asName(record['messageId']);
  const files = asRecord(snapshot?.['trackedFileBackups']);
  if (prompt === null || files === null) return null;
  const backups = new Map<string, string | null>();
  for (const [file, value] of Object.entries(files)) {
    const backup = backupOf(value);
    if (backup !== undefined) backups.set(file, backup);
  }
  return { prompt, update: record['isSnapshotUpdate'] === true, backups };
}
