import type { TreePath } from '../../../shared/tree-path.ts';

/** The content of a file at one moment: the id of its blob, or null where there was no file. */
export type Known = string | null;

/** Something that the log tells about files, in its order. */
export type Happening =
  /** A step begins: what is known now is its state before. */
  | { kind: 'step'; step: string }
  /** A tool of the step wrote a file. Undefined: the log does not say what it held. */
  | { kind: 'edit'; step: string; path: TreePath; before: Known | undefined; after: Known | undefined }
  /** What files held at a prompt. `update`: adds only those that this prompt's checkpoint did not name yet. */
  | { kind: 'checkpoint'; prompt: string; update: boolean; files: ReadonlyMap<TreePath, Known> };

/** The states around one step. `from`: what differs from the end of the step before; `to`: what its tools wrote. */
export interface StepStates {
  from: Map<TreePath, Known>;
  to: Map<TreePath, Known>;
  /** Paths that its tools wrote. */
  listed: readonly TreePath[];
  /** Of these, the ones whose content the log does not tell. */
  unknown: readonly TreePath[];
}

/** What each file held before the log first changed it: where that is known, no state has to guess. */
function firstStates(happenings: readonly Happening[]): Map<TreePath, Known> {
  const first = new Map<TreePath, Known | undefined>();
  for (const one of happenings) {
    if (one.kind === 'step') continue;
    const told = one.kind === 'edit' ? new Map([[one.path, one.before]]) : one.files;
    for (const [path, state] of told) if (!first.has(path)) first.set(path, state);
  }
  const known = new Map<TreePath, Known>();
  for (const [path, state] of first) if (state !== undefined) known.set(path, state);
  return known;
}

/** Most steps have no states and no paths of their own: they share these, which are never written. */
const NONE = new Map<TreePath, Known>();
const NO_PATHS: readonly TreePath[] = [];

const own = (states: Map<TreePath, Known>): Map<TreePath, Known> => (states === NONE ? new Map() : states);

/** The fold of `knownFiles` while it runs. */
class KnownFiles {
  readonly first: Map<TreePath, Known>;
  readonly steps = new Map<string, StepStates>();
  readonly #now: Map<TreePath, Known>;
  /** The paths that each prompt's checkpoints named. */
  readonly #named = new Map<string, Set<TreePath>>();
  /** What changed from outside since the last step: it belongs to the state that the next one starts from. */
  #outside = new Map<TreePath, Known>();

  constructor(first: Map<TreePath, Known>) {
    this.first = first;
    this.#now = new Map(first);
  }

  step(id: string): StepStates {
    const step = this.steps.get(id) ?? { from: NONE, to: NONE, listed: NO_PATHS, unknown: NO_PATHS };
    this.steps.set(id, step);
    for (const [path, state] of this.#outside) if (!step.to.has(path)) step.from = own(step.from).set(path, state);
    if (this.#outside.size > 0) this.#outside = new Map();
    return step;
  }

  checkpoint(prompt: string, update: boolean, files: ReadonlyMap<TreePath, Known>): void {
    const named = this.#named.get(prompt);
    const seen = named ?? new Set();
    this.#named.set(prompt, seen);
    for (const [path, state] of files) {
      // Repeated within a turn, it still tells of the turn's start.
      if ((update || named !== undefined) && seen.has(path)) continue;
      seen.add(path);
      if (this.#now.get(path) === state) continue;
      this.#now.set(path, state);
      this.#outside.set(path, state);
    }
  }

  edit(id: string, path: TreePath, before: Known | undefined, after: Known | undefined): void {
    const step = this.step(id);
    if (before !== undefined && this.#now.get(path) !== before) {
      this.#now.set(path, before);
      if (!step.to.has(path)) step.from = own(step.from).set(path, before);
    }
    if (!step.listed.includes(path)) step.listed = [...step.listed, path];
    if (after === undefined || !this.#now.has(path)) {
      step.unknown = [...step.unknown, path];
      return;
    }
    this.#now.set(path, after);
    step.to = own(step.to).set(path, after);
  }
}

/**
 * The files around every step, from checkpoints and the results of file tools (formats/opencode-and-claude-code.md 2.3, 2.4 and
 * fact 8: there is no state of a whole tree, so only files that a tool touched are in it). A file that is found to hold something
 * else than was known was changed from outside (a shell command, a person): the change lies between two steps, in neither.
 */
export function knownFiles(happenings: readonly Happening[]): { first: Map<TreePath, Known>; steps: Map<string, StepStates> } {
  const fold = new KnownFiles(firstStates(happenings));
  for (const one of happenings) {
    if (one.kind === 'step') fold.step(one.step);
    else if (one.kind === 'checkpoint') fold.checkpoint(one.prompt, one.update, one.files);
    else fold.edit(one.step, one.path, one.before, one.after);
  }
  return { first: fold.first, steps: fold.steps };
}
