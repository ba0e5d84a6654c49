import type { ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { Piece, Plan, Scope, TravelKind, TravelResult } from '../../shared/plan.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { countOf } from './count-words.ts';
import { heedingSignals } from './heeding-signals.ts';
import { EXIT, type Exit, leavesOut, openNamed, type Session, stopNamed } from './session.ts';

const VERB = { restore: 'restore', delete: 'delete', recreate: 'bring back' } as const;

/** A plan as text for people. */
export function printPlan(session: Session, plan: Plan): void {
  const count = plan.files.length;
  session.print(
    `${count} file${count === 1 ? '' : 's'}, ${plan.messages} message${plan.messages === 1 ? '' : 's'}, turns ${plan.turns.join(', ') || 'none'}\n`,
  );
  for (const file of plan.files) {
    const drift = file.drift ? `  changed since: ${file.choice}` : '';
    const why = file.why ? ` (${file.why})` : '';
    session.print(`  ${VERB[file.verb]} ${showTreePath(file.path)}${drift}${why}\n`);
  }
  if (plan.sideEffects.length > 0) session.print('Cannot be undone:\n');
  for (const effect of plan.sideEffects) session.print(`  turn ${effect.turn}  ${effect.tool}: ${effect.summary}\n`);
  if (plan.skipped.length > 0) session.print('Left alone:\n');
  for (const skipped of plan.skipped) session.print(`  ${showTreePath(skipped.path)}: ${skipped.why}\n`);
  if (plan.recall !== undefined && plan.scope === 'messages' && plan.recall.changed.length > 0) {
    session.print('Changed in these turns, and left as they are (--restore-files puts them back):\n');
    for (const { turn, path } of plan.recall.changed) session.print(`  turn ${turn}  ${showTreePath(path)}\n`);
  }
  for (const note of plan.notes) session.print(`${note}\n`);
  if (plan.refusal) session.print(`Refused: ${plan.refusal.message}\n`);
}

/** A plan as `preview` gives it with `--json`. */
export function planJson({ target, turns, files, sideEffects, skipped, notes, refusal, recall }: Plan): object {
  return {
    target,
    turns,
    files: files.map(({ path, verb, drift, choice, why }) => ({ path, verb, drift, choice, why })),
    sideEffects,
    skipped,
    notes,
    refusal,
    ...(recall && { recall }),
  };
}

/** The scope that was named; a recall leaves the files as they are unless it is asked to restore them (seed, files). */
function scopeOf({ args }: Session, view: ThreadView): Scope {
  return args.scope ?? (view.head.source === 'dsh' && !args.restoreFiles ? 'messages' : 'both');
}

/** `turnback preview THREAD MESSAGE` */
export async function preview(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const stop = stopNamed(view, session.args.words[1] ?? '');
  const plan = await session.desk.preview(id, { kind: 'revert', stop, entry: null, scope: scopeOf(session, view) });
  session.json(planJson(plan));
  printPlan(session, plan);
  return plan.refusal ? EXIT.refused : EXIT.done;
}

/** Makes a travel and tells how it ended. */
export async function travel(
  session: Session,
  kind: TravelKind,
  where: { stop?: number; entry?: string; piece?: Piece; extra?: object } = {},
): Promise<Exit> {
  const { desk, args } = session;
  const { id, view } = await openNamed(session, { evenGone: kind === 'restore' || kind === 'unrevert' });
  const scope: Scope = kind === 'revert' ? scopeOf(session, view) : 'both';
  const request = { kind, stop: where.stop ?? null, entry: where.entry ?? null, scope, piece: where.piece ?? null };
  const result = await heedingSignals(session.say, (signal) =>
    desk.run(id, request, {
      drift: args.drift,
      choices: {},
      fingerprint: null,
      evenBusy: args.evenBusy,
      signal,
      onProgress: (done, total, label) => {
        if (total > 20) session.progress(`\r${label} ${done} of ${total}${done === total ? '\n' : ''}`);
      },
    }),
  );
  session.json({ ...result, ...where.extra });
  printResult(session, result);
  return leavesOut(result) ? EXIT.skipped : EXIT.done;
}

/** How a travel ended, as text for people. */
export function printResult(session: Session, result: TravelResult): void {
  session.print(`${result.message}\n`);
  for (const file of result.files) session.print(`  ${file.outcome} ${showTreePath(file.path)}${file.why ? `: ${file.why}` : ''}\n`);
}

/** `turnback revert THREAD MESSAGE` */
export async function revert(session: Session): Promise<Exit> {
  const { view } = await openNamed(session);
  return travel(session, 'revert', { stop: stopNamed(view, session.args.words[1] ?? '') });
}

/** `turnback take-back THREAD MESSAGE`: to the stop before a user's message, whose text comes back. */
export async function takeBack(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const stop = stopNamed(view, session.args.words[1] ?? '');
  const message = view.messages.find((one) => one.stop === stop);
  if (message?.role !== 'user') throw new TurnbackError('NOT_A_PROMPT', { id: session.args.words[1] ?? '' });
  const { parts } = await session.desk.body(id, message.id);
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
  const exit = await travel(session, 'revert', { stop: stop - 1, extra: { text } });
  session.print(`\n${text}\n`);
  return exit;
}

/** `turnback unrevert THREAD` */
export const unrevert = (session: Session): Promise<Exit> => travel(session, 'unrevert');
/** `turnback undo THREAD` */
export const undo = (session: Session): Promise<Exit> => travel(session, 'undo');
/** `turnback redo THREAD` */
export const redo = (session: Session): Promise<Exit> => travel(session, 'redo');
/** `turnback restore THREAD ENTRY` */
export const restore = (session: Session): Promise<Exit> => travel(session, 'restore', { entry: session.args.words[1] ?? '' });

/** `turnback history THREAD` */
export async function history(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session, { evenGone: true });
  for (const { code, message } of view.notices) if (code === 'LOG_GONE') session.say(message);
  const entries = await session.desk.history(id);
  session.json({ entries });
  for (const entry of entries) {
    const can = entry.can === true ? '' : `  (cannot come back: ${entry.can.message})`;
    session.print(
      `${entry.id}  ${new Date(entry.at).toISOString()}  ${entry.kind === 'partial' ? 'partial:' : `${entry.kind} to`} ${entry.target}, ${countOf(entry.files, 'file')}${can}\n`,
    );
  }
  if (entries.length === 0) session.say('No travel was made in this thread yet.');
  return EXIT.done;
}
