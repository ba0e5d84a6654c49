import type { Outcome, TravelKind, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { TravelRecord } from './record.ts';

const files = (count: number): string => `${count} file${count === 1 ? '' : 's'}`;

/** The seed's words where it has them; else what happened and what stayed, so that a kept file never reads as success. */
function sentence(record: TravelRecord, outcomes: readonly Outcome[]): string {
  const count = (...wanted: Outcome['outcome'][]): number => outcomes.filter((one) => wanted.includes(one.outcome)).length;
  const back = count('written', 'deleted', 'merged');
  const kept = count('kept');
  const skipped = count('skipped');
  const rest = [kept > 0 ? `${kept} kept as ${kept === 1 ? 'it is' : 'they are'}` : '', skipped > 0 ? `${skipped} skipped` : ''].filter(
    Boolean,
  );
  const tail = rest.length === 0 ? '' : ` ${rest.join(', ')}.`;
  const { words } = record.target;
  const at = words.startsWith('before') ? words : `at ${words}`;
  const reverted = record.scope === 'files' ? `Reverted the files to how they were ${at}.` : `Reverted: the thread stands ${at}.`;
  const said: Record<TravelKind, string> = {
    revert: `${reverted} ${files(back)} put back.${tail}`,
    unrevert: `Took the revert back. ${files(back)} put back.${tail}`,
    undo: `Undid the last turn. Files restored: ${back}.`,
    redo: 'Redid the last turn.',
    restore: `Brought the files back as they were ${words}. ${files(back)} put back.${tail}`,
    recall: `Recalled ${words}. ${files(back)} put back.${tail}`,
  };
  return said[record.kind];
}

/** What a travel that ended tells. `changed`: paths that somebody changed while it was interrupted, and that stayed. */
export function resultOf(record: TravelRecord, changed: readonly TreePath[]): TravelResult {
  const done = record.files.map((file): Outcome => {
    if (changed.includes(file.path)) return { path: file.path, outcome: 'kept', why: 'It was changed after the interruption.' };
    return { path: file.path, outcome: file.outcome, why: null };
  });
  const outcomes = [...done, ...record.left].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const how = { none: 'none', append: 'appended', overlay: 'overlay' } as const;
  return { entry: record.entry, message: sentence(record, outcomes), log: how[record.messages.how], files: outcomes };
}
