import { randomBytes } from 'node:crypto';
import { type ErrorCode, TurnbackError } from '../../shared/errors.ts';
import type { Outcome, Plan, TravelResult } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { FileChanged, FilesSkipped } from '../recorder/recorder-events.ts';
import { absolutePath } from '../recorder/repository.ts';
import type { Session } from '../recorder/session.ts';
import { stopWords } from '../travel/covered.ts';
import type { RunOptions } from '../travel/travel.ts';
import type { TravelRequest } from '../travel/travel-context.ts';
import { planVia, type ViaContext, type ViaPlan } from './via-plan.ts';

/** The answers of the recorder's commands by which nothing was done, and the code of each. */
const NOT_DONE: Readonly<Record<string, ErrorCode>> = {
  'Wait until the turn ends, then try again.': 'NOT_IDLE',
  'A revert stands. Run unrevert, or send a prompt, first.': 'REVERT_STANDS',
  'Nothing to undo.': 'NOTHING_TO_UNDO',
  'Nothing to redo.': 'NOTHING_TO_REDO',
};

/** The recorder there puts files back whole, so a file that was changed since goes only where that was asked for. */
function refuseDrift({ files }: Plan, { drift, choices }: RunOptions): void {
  const drifted = files.filter((file) => file.drift);
  const lost = drifted.filter(({ path }) => (Object.hasOwn(choices, path) ? choices[path] : drift) !== 'overwrite');
  if (lost.length === 0) return;
  const paths = lost
    .slice(0, 3)
    .map(({ path }) => showTreePath(path))
    .join(', ');
  throw new TurnbackError(drift === 'fail' ? 'DRIFTED' : 'DRIFTED_ELSEWHERE', { count: lost.length, paths });
}

async function carryOut(
  session: Session,
  kind: TravelRequest['kind'],
  messageId: string | null,
): Promise<{ entry: string; said: string | null }> {
  if (kind === 'undo' || kind === 'redo') {
    const said = await session.runCommand({ name: kind });
    const code = NOT_DONE[said];
    if (code !== undefined) throw new TurnbackError(code);
    return { entry: `via-${randomBytes(6).toString('hex')}`, said };
  }
  const { inputId, status, reason } = await (kind === 'unrevert' ? session.unrevert() : session.revert({ messageId: messageId ?? '' }));
  if (status === 'accepted') return { entry: inputId, said: null };
  throw reason === 'busy' ? new TurnbackError('NOT_IDLE') : new TurnbackError('UNKNOWN_MESSAGE', { id: messageId ?? '' });
}

function sentence(context: ViaContext, { kind, stop }: TravelRequest, outcomes: readonly Outcome[]): string {
  const back = outcomes.filter(({ outcome }) => outcome !== 'skipped').length;
  const skipped = outcomes.length - back;
  const words = stopWords(context.thread.thread(), stop ?? 0);
  const head =
    kind === 'unrevert' ? 'Took the revert back.' : `Reverted: the thread stands ${words.startsWith('before') ? words : `at ${words}`}.`;
  return `${head} ${back} file${back === 1 ? '' : 's'} put back.${skipped > 0 ? ` ${skipped} skipped.` : ''}`;
}

async function runHeld(
  context: ViaContext,
  session: Session,
  request: TravelRequest,
  options: RunOptions,
  confirmed: ViaPlan,
): Promise<TravelResult> {
  const { plan } = await planVia(context, request, { held: true, signal: options.signal });
  if (plan.refusal !== null) throw TurnbackError.of(plan.refusal);
  if ((options.fingerprint ?? confirmed.plan.fingerprint) !== plan.fingerprint)
    throw new TurnbackError('PLAN_STALE', { path: 'The conversation, or a file there,' });
  refuseDrift(plan, options);
  if (options.signal?.aborted) throw new TurnbackError('CANCELLED');
  const above = absolutePath(context.via.root, '');
  const skipped = new Map<TreePath, string>();
  session.on(FilesSkipped, ({ files }) => {
    for (const { path, why } of files) skipped.set(path, why);
  });
  session.on(FileChanged, ({ path, change }) => options.onFile?.(path.startsWith(above) ? path.slice(above.length) : path, change));
  const { entry, said } = await carryOut(session, request.kind, confirmed.messageId);
  for (const { path, why } of plan.skipped) skipped.set(path, skipped.get(path) ?? why);
  const files = [...plan.files, ...plan.skipped.map(({ path }) => ({ path, verb: 'recreate' }))].map(({ path, verb }): Outcome => {
    const why = skipped.get(path) ?? null;
    return { path, outcome: why !== null ? 'skipped' : verb === 'delete' ? 'deleted' : 'written', why };
  });
  return { entry, message: said ?? sentence(context, request, files), log: 'appended', files };
}

/**
 * Makes the travel by the recorder's own session on the other side: its leases, its journal, its records and texts. Nothing is written
 * when the plan is refused, is not the confirmed one (PLAN_STALE), or would lose a change (DRIFTED_ELSEWHERE; DRIFTED under policy `fail`).
 */
export async function runVia(context: ViaContext, request: TravelRequest, options: RunOptions): Promise<TravelResult> {
  const seen = await planVia(context, request, { held: false, signal: options.signal });
  if (seen.plan.refusal !== null) throw TurnbackError.of(seen.plan.refusal);
  const session = await context.via.session(context.thread.head.log);
  try {
    return await runHeld(context, session, request, options, seen);
  } finally {
    await session.close();
    await context.thread.refresh();
  }
}
