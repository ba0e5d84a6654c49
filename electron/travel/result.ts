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
  const filesToo = back > 0 ? ` ${files(back)} put back.${tail}` : tail;
  // Merged, a file is not exactly as it was at that step.
  const mixed = count('merged') > 0 && words.includes(' as it was ') ? ' What was changed since stays in it.' : '';
  const said: Record<TravelKind, string> = {
    revert: `${reverted} ${files(back)} put back.${tail}`,
    unrevert: `Took the revert back. ${files(back)} put back.${tail}`,
    undo: `Undid the last turn. Files restored: ${back}.`,
    redo: 'Redid the last turn.',
    restore: `Brought the files back as they were ${words}. ${files(back)} put back.${tail}`,
    recall: `${recalled(record)}${filesToo}`,
    partial: back > 0 ? `Brought back ${words}.${mixed}` : `Nothing was brought back: ${words}.${tail}`,
  };
  return dropped(record) ? `The planned recall was dropped.${filesToo}` : said[record.kind];
}

/** What a recall did: it took effect, it waits for the agent, or only files went back. */
function recalled({ messages, target: { words } }: TravelRecord): string {
  const at = words.startsWith('before') ? words : `at ${words}`;
  if (messages.how === 'recall') return `Recalled: the thread stands ${at}.`;
  if (messages.how === 'pending') return 'Recall planned, not yet effective: it takes effect when DSH opens the next step.';
  return `The files are as they were ${at}.`;
}

const dropped = ({ messages }: TravelRecord): boolean => messages.how === 'pending' && messages.after === null;

/** What a travel that ended tells. `changed`: paths that somebody changed while it was interrupted, and that stayed. */
export function resultOf(record: TravelRecord, changed: readonly TreePath[]): TravelResult {
  const done = record.files.map((file): Outcome => {
    if (changed.includes(file.path)) return { path: file.path, outcome: 'kept', why: 'It was changed after the interruption.' };
    return { path: file.path, outcome: file.outcome, why: null };
  });
  const outcomes = [...done, ...record.left].sort((a, b) => (a.path < b.path ? -1 : 1));
  const how = { none: 'none', append: 'appended', overlay: 'overlay', recall: 'appended', pending: 'pending' } as const;
  const log = dropped(record) ? 'none' : how[record.messages.how];
  return { entry: record.entry, message: sentence(record, outcomes), log, files: outcomes };
}
