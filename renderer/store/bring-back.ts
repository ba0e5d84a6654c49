import type { Range } from '../../shared/contract.ts';
import { reason } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';
import type { Hunk, Piece } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { changesStore } from './changes-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { sessionStore } from './session-store.ts';
import { showFailure } from './toast-store.ts';
import { beginTravel, planAgain } from './travel.ts';
import { travelStore } from './travel-store.ts';

/** A changed block as an editor shows it: its first line, from 1, and how many lines it has, on both sides. */
export type Block = Pick<Hunk, 'before' | 'after'>;

function stepsOf(range: Range): readonly Step[] {
  const { index, view } = sessionStore.getState();
  const step = (id: string): Step | undefined => index.steps.get(id);
  if (range.kind === 'step') return [step(range.step)].filter((one) => one !== undefined);
  if (range.kind === 'turn') return index.stepsOfTurn.get(range.turn) ?? [];
  if (range.kind !== 'steps') return [];
  const [from, to] = [step(range.from)?.index ?? 0, step(range.to)?.index ?? -1];
  return (view?.steps ?? []).filter((one) => one.index >= from && one.index <= to && one.hidden === null);
}

/** The step of what is shown that changed the file; words for why there is not one; null where bringing back is not what one looks at. */
export function stepToBringBack(range: Range | null, path: TreePath): Step | string | null {
  if (range === null || (range.kind !== 'step' && range.kind !== 'turn' && range.kind !== 'steps')) return null;
  const { index, filling } = sessionStore.getState();
  const changed = stepsOf(range).filter((step) => step.files?.some((file) => file.path === path));
  const [first, ...more] = changed;
  if (first === undefined) return filling ? 'The steps are still being read.' : 'No step that is shown lists this file.';
  if (more.length === 0) return index.steps.get(first.id) ?? first;
  const last = more.pop();
  return `Steps ${[first, ...more].map((step) => step.index).join(', ')} and ${last?.index} changed it. Choose one of them first.`;
}

/** Why the file that is looked at cannot be brought back from here; null when it can. */
export function bringBackOff(path: TreePath | null = changesStore.getState().file): string | null {
  if (path === null) return 'No file is shown.';
  const step = stepToBringBack(changesStore.getState().range, path);
  if (step === null) return 'Choose a step or a turn first: its files and changes can be brought back.';
  return typeof step === 'string' ? step : null;
}

const titleOf = (path: TreePath, step: Step): string => `${showTreePath(path)} from step ${step.index}`;

function begin(piece: Piece, title: string): Promise<void> {
  return beginTravel({ kind: 'partial', stop: null, entry: null, scope: 'files', piece }, title);
}

/** Asks about bringing a file back from the step that is shown. */
export async function bringBackFile(path: TreePath | null = changesStore.getState().file): Promise<void> {
  const step = path === null ? null : stepToBringBack(changesStore.getState().range, path);
  if (path === null || step === null || typeof step === 'string') return;
  await begin({ step: step.id, path, hunk: null, side: 'out' }, titleOf(path, step));
}

const touches = (a: Hunk['after'], b: Hunk['after']): boolean =>
  a.start < b.start + Math.max(1, b.lines) && b.start < a.start + Math.max(1, a.lines);

/** Asks about bringing one changed block back. The step's own diff says which change it belongs to. */
export async function bringBackBlock(path: TreePath, block: Block): Promise<void> {
  const thread = sessionStore.getState().id;
  const step = stepToBringBack(changesStore.getState().range, path);
  if (thread === null || step === null || typeof step === 'string') return;
  try {
    const { hunks, why } = await call('travel.hunks', { thread, step: step.id, path });
    const side = block.after.lines > 0 ? 'after' : 'before';
    const found = hunks.find((hunk) => touches(hunk[side], block[side]));
    if (found === undefined) showFailure(why ?? reason('HUNK_UNKNOWN', { step: step.index, path: showTreePath(path) }));
    else await begin({ step: step.id, path, hunk: found.id, side: 'out' }, `a change of ${titleOf(path, step)}`);
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** Asks about the whole file instead, where its one change cannot come back alone. */
export async function bringWholeFile(): Promise<void> {
  const piece = travelStore.getState().gate?.request.piece;
  const step = piece === undefined ? undefined : sessionStore.getState().index.steps.get(piece.step);
  if (piece !== undefined && step !== undefined) await begin({ ...piece, hunk: null }, titleOf(piece.path, step));
}

/** Chooses in the gate what the file comes back as. */
export async function choosePieceSide(side: Piece['side']): Promise<void> {
  const { gate } = travelStore.getState();
  if (gate?.request.piece != null) await planAgain({ piece: { ...gate.request.piece, side } });
}
