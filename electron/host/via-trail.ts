import type { TravelKind } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { redoable, undoable } from '../../shared/undo-point.ts';
import { ThreadFold } from '../recorder/fold.ts';
import type { LogEntry } from '../recorder/log-file.ts';
import type { LogRecord, StepRecord } from '../recorder/records.ts';
import { stepsAfter, targetsAfter } from '../recorder/revert.ts';
import type { TreeEntry } from '../snapshots/objects.ts';

/** What was done to a path: by a step, or by a travel that left it as a tree has it (null: unknown). */
type Deed = { step: StepRecord } | { tree: string | null };

/** Where the files of a travel go: for each path the tree that tells its state, and the steps that are taken out. */
export interface Targets {
  trees: Map<TreePath, string>;
  covered: ReadonlySet<StepRecord>;
}

type EntryOf = (tree: string, path: TreePath) => Promise<TreeEntry | null>;
const same = (a: TreeEntry | null, b: TreeEntry | null): boolean => a?.oid === b?.oid && a?.mode === b?.mode;

/** The records of a recorded thread, with what they did to each file: whether somebody else changed it since can be told from that. */
export class ViaTrail {
  readonly fold: ThreadFold;
  readonly #deeds = new Map<TreePath, Deed[]>();

  constructor(threadId: string, entries: readonly LogEntry[]) {
    this.fold = new ThreadFold(threadId);
    for (const { record } of entries) this.#add(record);
  }

  /** What the recorder would put back, in the order in which it would: a revert that stands ends first (formats/tanstack.md 12.2). */
  targets(kind: TravelKind, messageId: string | null): Targets {
    const { fold } = this;
    const { undoPoint: point, messages } = fold;
    const to = (files: readonly TreePath[], tree: string | null): Map<TreePath, string> =>
      new Map(tree === null ? [] : files.map((path) => [path, tree]));
    const standing = to(fold.revert?.files?.files ?? [], fold.revert?.files?.now ?? null);
    if (kind === 'unrevert') return { trees: standing, covered: new Set() };
    if (kind === 'undo' && undoable(point, messages))
      return { trees: to(point.files, point.from), covered: new Set(stepsAfter(fold, point.keep - 1)) };
    if (kind === 'redo' && redoable(point, messages)) return { trees: to(point.files, point.to), covered: new Set() };
    const at = kind === 'revert' && messageId !== null ? fold.indexOf(messageId) : -1;
    if (at < 0) return { trees: new Map(), covered: new Set() };
    return { trees: new Map([...standing, ...targetsAfter(fold, at)]), covered: new Set(stepsAfter(fold, at)) };
  }

  /**
   * Why putting the path back would lose a change of somebody else: since the last step or travel, or between two steps that are taken
   * out. Null when it loses none.
   */
  async drift(path: TreePath, now: string, covered: ReadonlySet<StepRecord>, entryOf: EntryOf): Promise<string | null> {
    let last: string | null = null;
    let before: StepRecord | null = null;
    let between = false;
    for (const deed of this.#deeds.get(path) ?? []) {
      last = 'step' in deed ? deed.step.to : deed.tree;
      if (!('step' in deed) || !covered.has(deed.step)) continue;
      // A travel between two steps that both still count was taken back itself.
      if (before !== null && !same(await entryOf(before.to, path), await entryOf(deed.step.from, path))) between = true;
      before = deed.step;
    }
    if (last === null || !same(await entryOf(last, path), await entryOf(now, path))) return 'It was changed there since.';
    return between ? 'It was changed there between two steps that go back.' : null;
  }

  #add(record: LogRecord): void {
    const { fold } = this;
    const [before, steps] = [fold.revert, fold.steps.length];
    fold.add(record);
    const thread = record['thread'];
    if (typeof thread === 'string' && thread !== fold.threadId) return;
    const step = fold.steps.length > steps ? fold.steps.at(-1) : undefined;
    if (step !== undefined) for (const path of step.files) this.#did(path, { step });
    if (record.type === 'harness.revert') this.#reverted(before);
    const point = record.type === 'turnback/undo-point' ? fold.undoPoint : null;
    for (const path of point?.files ?? []) this.#did(path, { tree: (point?.state === 'undone' ? point.from : point?.to) ?? null });
  }

  #reverted(before: ThreadFold['revert']): void {
    const { revert } = this.fold;
    if (revert === null) {
      for (const path of before?.files?.files ?? []) this.#did(path, { tree: before?.files?.now ?? null });
      return;
    }
    const targets = targetsAfter(this.fold, this.fold.indexOf(revert.messageId));
    for (const path of revert.files?.files ?? []) this.#did(path, { tree: targets.get(path) ?? null });
  }

  #did(path: TreePath, deed: Deed): void {
    const deeds = this.#deeds.get(path) ?? [];
    deeds.push(deed);
    this.#deeds.set(path, deeds);
  }
}
