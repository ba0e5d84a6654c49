import type { ToolCall } from '../../../shared/model.ts';
import { treePathIn } from '../recorded-path.ts';
import { type CallFacts, SUBJECT } from './part-facts.ts';

const SUMMARY = 200;

/** Where the paths of a call are looked at from. */
export interface CallPlace {
  /** The worktree as recorded: claims become tree paths below it. */
  root: string | null;
  cwd: string | null;
  /** The step may still be running: a call that has not ended is not lost. */
  live: boolean;
  children: ReadonlySet<string>;
}

/** One call as the model knows it; `id` is unique in the thread. */
export function toolCall(id: string, facts: CallFacts, place: CallPlace): ToolCall {
  const ended = facts.status === 'done' || facts.status === 'failed';
  return {
    id,
    name: facts.name,
    summary: oneLine(facts.subject.kind === 'path' ? (inside(place, facts.subject.text) ?? facts.subject.text) : facts.subject.text),
    status: ended || place.live ? facts.status : 'lost',
    // A file outside the worktree is in no tree, so no revert reaches it.
    sideEffect: facts.sideEffect ?? (wroteOutside(facts, place) ? 'other' : null),
    wrote: wrote(facts, place),
    durationMs: facts.durationMs,
    outputBytes: facts.outputBytes,
    child: facts.children.find((child) => place.children.has(child)) ?? null,
  };
}

/** True when a call may have changed files. A file tool that failed wrote nothing, unless its step was cut off around it. */
export function mayHaveWritten(facts: CallFacts, ended: boolean): boolean {
  if (facts.status === 'requested') return false;
  if (facts.claims === null) return true;
  return facts.claims.length > 0 && (facts.status !== 'failed' || !ended);
}

function wrote(facts: CallFacts, place: CallPlace): string[] | null {
  if (facts.claims === null) return null;
  if (facts.status === 'failed' || facts.status === 'requested') return [];
  return [...new Set(facts.claims.flatMap((named) => inside(place, named) ?? []))];
}

function wroteOutside(facts: CallFacts, place: CallPlace): boolean {
  return (facts.status === 'done' || facts.status === 'running') && (facts.claims ?? []).some((named) => inside(place, named) === null);
}

function inside(place: CallPlace, named: string): string | null {
  return place.root === null ? null : treePathIn(place.root, place.cwd ?? place.root, named);
}

function oneLine(text: string): string {
  const line = text
    .slice(0, SUBJECT)
    .replace(/\s*[\r\n]+\s*/g, ' ↵ ')
    .trim();
  const points = [...line];
  return points.length <= SUMMARY ? line : `${points.slice(0, SUMMARY - 1).join('')}…`;
}
