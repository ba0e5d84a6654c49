import type { FileDiff, Range } from '../../shared/contract.ts';
import { call } from '../store/host.ts';
import { sessionStore } from '../store/session-store.ts';

/** Characters of text that are kept of what was fetched ahead. */
const MOST_KEPT = 8_000_000;

const kept = new Map<string, FileDiff>();
const coming = new Map<string, Promise<FileDiff>>();
let size = 0;

/** A step between two snapshots never changes; anything else (a turn that grows, files on disk) is asked for each time. */
function keyOf(thread: string, range: Range, path: string): string | null {
  if (range.kind !== 'step') return null;
  const step = sessionStore.getState().index.steps.get(range.step);
  return step?.from == null || step.to === null ? null : JSON.stringify([thread, step.from, step.to, path]);
}

const sizeOf = ({ before, after }: FileDiff): number => (before?.text?.length ?? 0) + (after?.text?.length ?? 0);

function keep(key: string, diff: FileDiff): void {
  kept.set(key, diff);
  size += sizeOf(diff);
  for (const [oldest, dropped] of kept) {
    if (size <= MOST_KEPT) return;
    kept.delete(oldest);
    size -= sizeOf(dropped);
  }
}

/** The sides of a file of a step, if they were fetched before. */
export function knownDiff(thread: string, range: Range, path: string): FileDiff | null {
  const key = keyOf(thread, range, path);
  return key === null ? null : (kept.get(key) ?? null);
}

/** Both sides of one file of a range. */
export function fetchDiff(thread: string, range: Range, path: string, anyway: boolean): Promise<FileDiff> {
  const key = anyway ? null : keyOf(thread, range, path);
  return (key === null ? undefined : coming.get(key)) ?? call('diff.file', { thread, range, path, anyway });
}

/** Lets go of what was fetched ahead; a thread that is closed needs it no more. */
export function forgetDiffs(): void {
  kept.clear();
  coming.clear();
  size = 0;
}

/** Fetches a file of a step ahead of its use. One that fails is asked for again when it is looked at, and says so there. */
export function prefetchDiff(thread: string, step: string, path: string): void {
  const range: Range = { kind: 'step', step };
  const key = keyOf(thread, range, path);
  if (key === null || kept.has(key) || coming.has(key)) return;
  const answer = call('diff.file', { thread, range, path, anyway: false });
  coming.set(key, answer);
  const end = (): void => void coming.delete(key);
  answer.then((diff) => {
    if (coming.get(key) === answer) keep(key, diff);
    end();
  }, end);
}
