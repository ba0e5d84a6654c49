import { createHash } from 'node:crypto';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { OpenThread } from '../threads/thread.ts';
import type { Draft } from './draft.ts';
import type { Intention } from './intention.ts';
import { endOf } from './log-end.ts';
import type { Situation } from './situation.ts';

/** What a plan was made from, piece by piece, so that a change can be named. */
type Pieces = ReadonlyMap<string, string>;

const CONVERSATION = 'The conversation';
/** Previews that are remembered for a thread. */
const REMEMBERED = 32;
const remembered = new WeakMap<OpenThread, Map<string, Pieces>>();

function piecesOf(situation: Situation, intention: Intention, draft: Draft | null): Map<string, string> {
  const { context } = situation;
  const { request } = intention;
  const position = endOf(context.thread);
  const pieces = new Map<string, string>();
  pieces.set(CONVERSATION, JSON.stringify([request, position, context.thread.root, intention.refusal?.code ?? null]));
  const add = (path: TreePath, ...facts: unknown[]): void => void pieces.set(showTreePath(path), JSON.stringify(facts));
  for (const file of draft?.files ?? []) add(file.path, file.state.kind, file.disk, file.target, file.merged, file.choice, file.choices);
  for (const skipped of draft?.skipped ?? []) add(skipped.path, skipped.why);
  return pieces;
}

/** Names the exact plan and the state of disk and log that it was made from; remembers its pieces for {@link checkFingerprint}. */
export function fingerprintOf(situation: Situation, intention: Intention, draft: Draft | null): string {
  const pieces = piecesOf(situation, intention, draft);
  const hash = createHash('sha256');
  for (const [name, facts] of [...pieces].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${name}\0${facts}\0`);
  const fingerprint = hash.digest('hex').slice(0, 40);
  const known = remembered.get(situation.context.thread) ?? new Map<string, Pieces>();
  remembered.set(situation.context.thread, known);
  known.delete(fingerprint);
  known.set(fingerprint, pieces);
  for (const oldest of [...known.keys()].slice(0, -REMEMBERED)) known.delete(oldest);
  return fingerprint;
}

/** Throws PLAN_STALE, naming what changed, when the plan is not the one that was confirmed. */
export function checkFingerprint(confirmed: string, situation: Situation, intention: Intention, draft: Draft | null): void {
  if (fingerprintOf(situation, intention, draft) === confirmed) return;
  const before = remembered.get(situation.context.thread)?.get(confirmed);
  const now = piecesOf(situation, intention, draft);
  // A process that did not make the preview cannot tell what it was made from.
  if (before === undefined) throw new TurnbackError('PLAN_STALE', { path: 'Something' });
  const names = [...now.keys(), ...before.keys()];
  const changed = names.find((name) => name !== CONVERSATION && now.get(name) !== before.get(name));
  throw new TurnbackError('PLAN_STALE', { path: changed ?? CONVERSATION });
}
