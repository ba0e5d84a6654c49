import { reason, TurnbackError } from '../../../shared/errors.ts';
import type { LineReader } from '../line-reader.ts';
import { asName, type Loose, parseRecord } from '../loose.ts';
import type { Entry } from './claude-log.ts';

/** The whole record of an entry, read from its log again. LOG_UNREADABLE when another one stands there by now. */
export async function recordAgain(entry: Entry, lines: LineReader): Promise<Loose> {
  const parsed = parseRecord(await lines.read(entry));
  if ('record' in parsed && asName(parsed.record['uuid']) === entry.tree.uuid) return parsed.record;
  throw new TurnbackError('LOG_UNREADABLE', { path: lines.file, cause: reason('LOG_MOVED', { path: lines.file }).message });
}
