import type { Range } from '../../shared/contract.ts';
import { type ErrorCode, type Reason, reason } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import type { Plan } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { stepsOfRange } from '../diff/empty-words.ts';
import { changesStore, noChanges } from './changes-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { knownNames } from './known-names.ts';
import { throughLens } from './lens-store.ts';
import { sessionStore } from './session-store.ts';

let newest = 0;

const sameRange = (a: Range | null, b: Range | null): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A stop in a few words, null being the files on disk: "Start", "Message 4", "Now". */
export const nameOfStop = (stop: number | null): string => (stop === null ? 'Now' : stop === 0 ? 'Start' : `Message ${stop}`);

/** The title of a range, in the words of the steps and turns. */
export function titleOfRange(range: Range): string {
  const { index } = sessionStore.getState();
  const step = (id: string): string => String(index.steps.get(id)?.index ?? id);
  switch (range.kind) {
    case 'step':
      return `Step ${step(range.step)}`;
    case 'turn':
      return `Turn ${range.turn}`;
    case 'steps':
      return `Steps ${step(range.from)} to ${step(range.to)}`;
    case 'between':
      return `After step ${step(range.from)} against after step ${step(range.to)}`;
    case 'since':
      return `Since step ${step(range.step)}`;
    case 'stops':
      return `${nameOfStop(range.from)} → ${nameOfStop(range.to).toLowerCase()}`;
    case 'plan':
      return range.stop === 0 ? 'If you go back to the start' : `If you go back to message ${range.stop}`;
  }
}

/** Files of a range that the view already holds. */
function knownFiles(range: Range): readonly FileChange[] | null {
  const { index } = sessionStore.getState();
  if (range.kind === 'step') return index.steps.get(range.step)?.files ?? null;
  if (range.kind !== 'turn') return null;
  // Where one step of a turn changed files, its changes are those of the turn.
  const steps = index.stepsOfTurn.get(range.turn) ?? [];
  const changed = steps.filter((step) => step.files === null || step.files.length > 0);
  return changed.length === 1 && steps.every((step) => step.captured === true) ? (changed[0]?.files ?? null) : null;
}

const keepFile = (files: readonly FileChange[]): TreePath | null => {
  const { file } = changesStore.getState();
  return file !== null && files.some((entry) => entry.path === file) ? file : (files[0]?.path ?? null);
};

/** Refusals which say no more than that there is no file to change. */
const NONE: ReadonlySet<ErrorCode> = new Set(['NO_FILES_AFTER', 'FILES_ALREADY_THERE', 'NOTHING_AFTER']);

const failedWith = ({ code }: Reason): 'ready' | 'failed' => (NONE.has(code) ? 'ready' : 'failed');

/** Shows the files of a range. Asking for another range meanwhile makes this answer void. */
export async function showRange(range: Range | null): Promise<void> {
  newest += 1;
  const mine = newest;
  const { id: thread, partial } = sessionStore.getState();
  if (range === null || thread === null) {
    changesStore.setState(noChanges);
    return;
  }
  if (partial !== null) {
    // Its steps have other names in the whole log.
    changesStore.setState({ ...noChanges, phase: 'failed', error: reason('LOG_READING') });
    return;
  }
  const title = titleOfRange(range);
  const whole = knownFiles(range);
  const known = whole === null ? null : throughLens(whole);
  if (known !== null) {
    changesStore.setState({ range, title, phase: 'ready', files: known, error: null, file: keepFile(known) });
    return;
  }
  const again = sameRange(range, changesStore.getState().range);
  changesStore.setState(again ? { title, phase: 'loading', error: null } : { range, title, phase: 'loading', files: [], error: null });
  try {
    const files = throughLens((await call('diff.files', { thread, range })).files);
    if (mine === newest) changesStore.setState({ phase: 'ready', files, file: keepFile(files) });
  } catch (thrown) {
    if (mine !== newest) return;
    const error = reasonOfThrown(thrown);
    // What a step that was not captured changed has names at least.
    const files =
      error.code === 'NOT_CAPTURED' ? throughLens(knownNames(stepsOfRange(range, sessionStore.getState().view?.steps ?? []))) : [];
    changesStore.setState({ phase: files.length > 0 ? 'ready' : failedWith(error), files, error, file: keepFile(files) });
  }
}

const changeOfVerb = { restore: 'modified', delete: 'deleted', recreate: 'created' } as const;

/** Shows what a plan would do to the files on disk, or why it is refused where it names none. */
export function showPlan(stop: number, plan: Plan): void {
  newest += 1;
  const range: Range = { kind: 'plan', stop };
  const files = throughLens(
    plan.files.map(({ path, verb, added, removed, binary, choice }): FileChange => {
      // What stays as it is has no lines that would change.
      const lines = choice === 'keep' ? { added: 0, removed: 0 } : { added, removed };
      return { path, change: changeOfVerb[verb], ...lines, binary };
    }),
  );
  const error = plan.files.length === 0 ? plan.refusal : null;
  const phase = error === null ? 'ready' : failedWith(error);
  changesStore.setState({ range, title: titleOfRange(range), phase, files, error, file: keepFile(files) });
}

export function selectFile(path: TreePath): void {
  changesStore.setState((state) => ({ file: path, fileAsked: state.fileAsked + 1 }));
}

/** The next or previous file of the list; stays at the ends. */
export function stepFile(direction: -1 | 1): void {
  const { files, file } = changesStore.getState();
  const at = files.findIndex((entry) => entry.path === file);
  const next = files[Math.min(Math.max(at + direction, 0), files.length - 1)];
  if (next !== undefined) selectFile(next.path);
}
