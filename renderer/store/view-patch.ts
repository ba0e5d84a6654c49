import type { ThreadView, ViewPatch } from '../../shared/contract.ts';
import { patchedList } from '../../shared/list-patch.ts';

/** The view after a patch; null when the patch was made for another view. Rows that stay are the same objects. */
export function patchedView(view: ThreadView, patch: ViewPatch): ThreadView | null {
  const messages = patchedList(view.messages, patch.messages);
  const steps = patchedList(view.steps, patch.steps);
  const turns = patchedList(view.turns, patch.turns);
  const gaps = patchedList(view.gaps, patch.gaps);
  if (messages === null || steps === null || turns === null || gaps === null) return null;
  const { head, status, standing, bad, notices, keeps, can, version } = patch.facts;
  return { head, status, standing, gaps, bad, notices, keeps, can, version, messages, steps, turns };
}
