import type { ThreadView } from '../../shared/contract.ts';
import { call } from './host.ts';
import { sessionStore } from './session-store.ts';
import { patchedView } from './view-patch.ts';

export interface ReadView {
  /** With every step's files, from the snapshots. */
  steps: boolean;
  operation: string;
}

function whole(thread: string, { steps, operation }: ReadView): Promise<ThreadView> {
  return steps ? call('thread.steps', { thread, operation }) : call('thread.open', { thread, root: null, data: null, operation });
}

/** The open thread as it is now: only what changed crosses the boundary where the host knows which version is here. */
export async function readView(thread: string, options: ReadView): Promise<ThreadView> {
  const { view } = sessionStore.getState();
  if (view === null || view.head.id !== thread || view.version === undefined) return whole(thread, options);
  const { steps, operation } = options;
  const answer = await call('thread.changes', { thread, version: view.version, steps, operation });
  if (answer.kind === 'whole') return answer.view;
  // Another reading may have come in between; then the changes are those of a view that is not here any more.
  const now = sessionStore.getState().view;
  if (answer.kind === 'same') return now?.version === view.version ? now : whole(thread, options);
  const next = now?.version === view.version ? patchedView(now, answer.patch) : null;
  return next ?? whole(thread, options);
}
