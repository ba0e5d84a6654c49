import type { LineRun } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { Step, Thread } from '../../shared/model.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import { sideOf } from '../snapshots/side.ts';
import { LineComparer } from './line-changes.ts';
import { type LineOwner, OwnedLines } from './owned-lines.ts';

/** A file with more bytes or lines has no owners of lines: a list that long is read by nobody. */
export const MOST_BYTES = 4 * 1024 * 1024;
const MOST_LINES = 50_000;
/** Steps that changed one file; what lies before them is told as not known. */
const MOST_STEPS = 2_000;

/** What stands at the path at some moment; null when nothing does. */
export type FileState = { mode: string; bytes: Buffer } | null;

export interface FileLines {
  text: readonly string[];
  runs: LineRun[];
}

export interface FileLinesQuestion {
  thread: Thread;
  /** The steps that led to the end, in the order of the log, filled. */
  steps: readonly Step[];
  objects: ObjectReader;
  path: TreePath;
  end: FileState;
  signal?: AbortSignal | undefined;
}

const BEFORE: LineOwner = { who: 'before', step: null, turn: null };
const OUTSIDE: LineOwner = { who: 'you', step: null, turn: null };

/** The lines of a state, without their line ends; text when it has none: why. */
function linesOf(state: FileState): readonly string[] | string {
  if (state === null) return [];
  if (state.mode === '120000') return 'it is a link';
  if (state.mode === '160000') return 'it is a submodule';
  if (state.bytes.length > MOST_BYTES) return `it is larger than ${MOST_BYTES} bytes`;
  const { text } = sideOf(state, state.bytes, { anyway: true });
  if (text === null) return 'it is binary';
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  if (lines.length > MOST_LINES) return `it has more than ${MOST_LINES} lines`;
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

const isKnown = (step: Step): boolean => step.captured === true || step.captured === null;

/** May a step that was not captured have changed the path? Only where all that it did is known, it may not. */
function mayTouch(thread: Thread, step: Step, path: TreePath): boolean {
  if (step.listed !== null) return step.listed.includes(path);
  const ids = new Set(step.toolCallIds);
  const calls = thread.messages.flatMap((message) => message.tools.filter((call) => ids.has(call.id)));
  return calls.length === 0 || calls.some((call) => call.wrote === null || call.wrote.includes(path));
}

async function stateIn(objects: ObjectReader, tree: string, path: TreePath): Promise<{ key: string; state: FileState }> {
  const entry = await objects.entry(tree, path);
  if (entry === null) return { key: '', state: null };
  const key = `${entry.mode} ${entry.oid}`;
  if (entry.mode === '160000') return { key, state: { mode: entry.mode, bytes: Buffer.alloc(0) } };
  const { size } = (await objects.info(entry.oid)) ?? { size: 0 };
  // One byte over says enough of what is too large to be read.
  const bytes = size > MOST_BYTES ? Buffer.alloc(MOST_BYTES + 1) : await objects.blob(entry.oid);
  return { key, state: { mode: entry.mode, bytes } };
}

/**
 * Who wrote each line of a file, from the states that its steps left: lines that a step changed are the step's; lines that changed from one
 * of its steps to the next, or after the last, are of somebody outside of the thread (`you`), lines from before the first step `before`.
 * Where a step that was not captured may have changed the file, the lines that differ are `unknown`. Line ends do not count.
 * Throws NO_LINES for a file that has none to tell apart, CANCELLED, TREE_MISSING.
 */
export async function fileLines({ thread, steps, objects, path, end, signal }: FileLinesQuestion): Promise<FileLines> {
  const last = linesOf(end);
  if (typeof last === 'string' || end === null)
    throw new TurnbackError('NO_LINES', { path: showTreePath(path), cause: typeof last === 'string' ? last : 'it is not there' });
  const owned = new OwnedLines(new LineComparer());
  let known: string | null = null;
  /** Who the next difference belongs to, when no step is seen to make it. */
  let between = BEFORE;
  const become = (key: string, state: FileState, owner: LineOwner): boolean => {
    const lines = linesOf(state);
    if (key !== known && typeof lines !== 'string') owned.become(lines, owner);
    else if (typeof lines === 'string') owned.become([], owner);
    known = key;
    return typeof lines !== 'string' || lines === 'it is binary';
  };
  const touching = steps.filter((step) => (isKnown(step) ? step.files?.some((file) => file.path === path) : mayTouch(thread, step, path)));
  /** What the first step found, unless steps that were not captured, or too many, lie before anything that is known. */
  let first = steps.find((step) => isKnown(step) && step.from !== null);
  const seed = async (): Promise<void> => {
    const tree = first?.from ?? null;
    first = undefined;
    if (tree === null) return;
    if (!(await objects.hasTree(tree))) {
      between = unknownBy(undefined);
      return;
    }
    const found = await stateIn(objects, tree, path);
    become(found.key, found.state, between);
    between = OUTSIDE;
  };
  if (touching.length > MOST_STEPS) {
    between = unknownBy(touching.at(-MOST_STEPS - 1));
    first = undefined;
  }
  for (const step of touching.slice(-MOST_STEPS)) {
    if (signal?.aborted) throw new TurnbackError('CANCELLED');
    if (first !== undefined && first.index <= step.index) await seed();
    if (!isKnown(step) || step.from === null || step.to === null) {
      between = unknownBy(step);
      continue;
    }
    const [from, to] = [await stateIn(objects, step.from, path), await stateIn(objects, step.to, path)];
    become(from.key, from.state, between);
    const told = become(to.key, to.state, { who: 'step', step: step.id, turn: step.turn });
    between = told ? OUTSIDE : unknownBy(step);
  }
  await seed();
  owned.become(last, between);
  return { text: last, runs: owned.runs() };
}

const unknownBy = (step: Step | undefined): LineOwner => ({ who: 'unknown', step: step?.id ?? null, turn: step?.turn ?? null });
