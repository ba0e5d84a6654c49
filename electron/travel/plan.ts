import { type Reason, reason } from '../../shared/errors.ts';
import type { Plan, PlanFile } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { contentFor } from './choose.ts';
import type { Draft, DraftFile } from './draft.ts';
import type { Intention } from './intention.ts';
import type { LineCounts } from './line-counts.ts';
import { otherNamesNote } from './other-names.ts';

/** What happens to the path when it is written. */
function verbOf(file: DraftFile): PlanFile['verb'] {
  const written = contentFor(file, file.choice === 'keep' ? 'overwrite' : file.choice);
  if (written.kind === 'absent') return 'delete';
  return file.disk.kind === 'absent' ? 'recreate' : 'restore';
}

/**
 * Why a travel that is about files has none that it could write; null when it has some, or when messages go anyway and no file
 * was meant to.
 */
export function filesRefusal(intention: Intention, draft: Draft | null): Reason | null {
  if (draft === null) return null;
  const { files, skipped, already } = draft;
  if (files.some((file) => file.choices.some((choice) => choice !== 'keep'))) return null;
  const first = skipped[0] ?? files.map(({ path, why }) => ({ path, why: why ?? '' }))[0];
  if (first) {
    return reason('NOTHING_CAN_GO_BACK', { count: files.length + skipped.length, path: showTreePath(first.path), cause: first.why });
  }
  if (intention.conversation.how !== 'none') return null;
  return already.length > 0 ? reason('FILES_ALREADY_THERE') : reason('NO_FILES_AFTER');
}

/** The plan that people see and confirm. */
export function planOf(intention: Intention, draft: Draft | null, counts: ReadonlyMap<TreePath, LineCounts>, fingerprint: string): Plan {
  const { request, target } = intention;
  const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
  const files = (draft?.files ?? []).map((file): PlanFile => {
    const { added, removed, binary } = counts.get(file.path) ?? { added: null, removed: null, binary: false };
    const { path, drift, choice, choices, why } = file;
    return { path, verb: verbOf(file), drift, choice, choices: [...choices], why, added, removed, binary };
  });
  const refusal = intention.refusal ?? filesRefusal(intention, draft);
  const otherNames = refusal === null ? otherNamesNote(draft?.files ?? []) : null;
  return {
    kind: request.kind,
    target: { messageId: target.messageId, stop: target.stop },
    scope: request.scope,
    turns: intention.turns,
    messages: intention.messages,
    files: files.sort(byPath),
    sideEffects: intention.sideEffects,
    skipped: [...(draft?.skipped ?? [])].sort(byPath),
    notes: otherNames === null ? intention.notes : [...intention.notes, otherNames],
    refusal,
    ...(intention.recall && { recall: intention.recall.shown }),
    fingerprint,
  };
}
