import { isRefusal, type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';
import type { Piece } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { objectId } from '../snapshots/object-id.ts';
import { scopeOfRevert } from './chains.ts';
import type { Content } from './content.ts';
import { notIdle, occupied, workspaceRefusal } from './gate.ts';
import { type HunkText, hunksOf } from './hunks.ts';
import { standingSources } from './intend-revert.ts';
import type { Intention, PiecePart } from './intention.ts';
import { notesFor } from './notes.ts';
import type { Layer } from './peel.ts';
import { reverseHunk } from './reverse-hunk.ts';
import type { Situation } from './situation.ts';
import { type ChangeSource, stepSource } from './sources-of-change.ts';
import type { TravelRequest } from './travel-context.ts';

/** A file that holds more is not taken apart by lines. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Words for the lines of a change, as the step left them: "line 7", "lines 3–5". */
export function linesWords({ before, after }: Pick<HunkText, 'before' | 'after'>): string {
  const { start, lines } = after.lines > 0 ? after : before;
  return lines > 1 ? `lines ${start}–${start + lines - 1}` : `line ${start}`;
}

function pieceWords({ path, side }: Piece, step: Step, hunk: HunkText | null): string {
  const file = showTreePath(path);
  if (hunk !== null) return `${linesWords(hunk)} of ${file} from step ${step.index}`;
  return side === 'out' ? `${file} from step ${step.index}` : `${file} as it was ${side} step ${step.index}`;
}

/** Every step and travel above a place that changed the path, lowest first. */
function sourcesAbove(situation: Situation, place: number, path: TreePath): ChangeSource[] {
  const { thread, records, context } = situation;
  const { agents } = standingSources(situation);
  const { sources } = scopeOfRevert(thread, 0, { records, which: 'all' }, agents === null ? [] : [agents], context.thread.objects);
  return sources.filter((source) => source.position > place && source.paths.has(path)).sort((a, b) => a.position - b.position);
}

/** What the newest step or travel that changed the path left there; null when that is not known. */
async function lastLeft(above: readonly ChangeSource[], path: TreePath): Promise<Content | null> {
  try {
    return (await above.findLast((source) => source.broken === null)?.layer(path))?.after ?? null;
  } catch (thrown) {
    if (isRefusal(thrown, 'TREE_MISSING')) return null;
    throw thrown;
  }
}

/** A revert that stands owns the files that it wrote: taking it back, here or in the agent, puts back exactly those. */
function standingTouches({ thread, standing }: Situation, path: TreePath): boolean {
  if (standing === null) return false;
  const wrote = standing.by === 'us' ? standing.stack.flatMap((record) => record.files.map((file) => file.path)) : [];
  return standing.by === 'other' || [...wrote, ...(thread.standing?.files ?? [])].includes(path);
}

async function refusalOf(situation: Situation, piece: Piece, step: Step, own: ChangeSource): Promise<Reason | null> {
  const { objects, storeReason } = situation.context.thread;
  const common = notIdle(situation) ?? (await occupied(situation));
  if (common !== null) return common;
  if (objects === null) return storeReason ?? reason('NO_SNAPSHOTS');
  if (step.captured !== null && step.captured !== true) {
    return reason('NOT_CAPTURED', { step: step.index, cause: step.captured.message.replace(/\.$/, '') });
  }
  if (own.broken !== null) return reason('NOT_CAPTURED', { step: step.index, cause: own.broken.replace(/\.$/, '') });
  if (!own.paths.has(piece.path)) return reason('FILE_NOT_IN_STEP', { step: step.index, path: showTreePath(piece.path) });
  return standingTouches(situation, piece.path) ? reason('REVERT_STANDS') : workspaceRefusal(situation);
}

/** The change that is meant, and the whole file without it. */
async function hunkPart(situation: Situation, piece: Piece, step: Step): Promise<{ hunk: HunkText; part: PiecePart } | Reason> {
  const { store, objects } = situation.context.thread;
  const { from, to } = step;
  const file = showTreePath(piece.path);
  const unknown = reason('HUNK_UNKNOWN', { step: step.index, path: file });
  if (store === null || objects === null || from === null || to === null) return unknown;
  const hunks = await hunksOf(store, { from, to, path: piece.path });
  if ('code' in hunks) return hunks;
  const hunk = hunks.find((one) => one.id === piece.hunk);
  const entry = await objects.entry(to, piece.path);
  if (hunk === undefined || entry === null) return unknown;
  const info = await objects.info(entry.oid);
  if (info !== null && info.size > MOST_BYTES)
    return reason('HUNK_NOT_TEXT', { path: file, cause: `it is larger than ${MOST_BYTES} bytes` });
  const base = (await objects.blob(entry.oid)).toString('latin1');
  const without = reverseHunk(base, base, hunk);
  if (!('text' in without)) return unknown;
  return { hunk, part: { step, piece, hunk, without: Buffer.from(without.text, 'latin1'), known: null } };
}

/** A snapshot that is gone is why this piece cannot come back. */
function missing(thrown: unknown): Reason {
  if (isRefusal(thrown, 'TREE_MISSING')) return thrown.reason;
  throw thrown;
}

/**
 * The step as a source of change of this one file: what shall be taken out. For the state after it that is what happened between it and
 * the next change that is known, which was nobody's that we know, so a merge leaves it.
 */
function sourceOf(own: ChangeSource, part: PiecePart, above: readonly ChangeSource[], format: 'sha1' | 'sha256'): ChangeSource {
  const { without, piece } = part;
  const layerOf = async (path: TreePath): Promise<Layer | null> => {
    const layer = await own.layer(path);
    if (layer === null) return null;
    if (without !== null) {
      const before: Content = layer.after.kind === 'file' ? { ...layer.after, oid: objectId('blob', without, format) } : layer.before;
      return { ...layer, before, bystander: false, trees: null };
    }
    // Who asks for this very file means it, whoever changed it in the step.
    if (piece.side !== 'after') return { ...layer, bystander: false };
    const next = above[0] === undefined ? layer.before : ((await above[0].layer(path))?.before ?? layer.before);
    return { ...layer, before: layer.after, after: next, bystander: true, trees: null };
  };
  return { ...own, paths: new Set([piece.path]), layer: layerOf };
}

/**
 * Bringing back one file, or one change of it, from a step. Files only; the conversation stays. Throws UNKNOWN_STEP, and BAD_REQUEST
 * for a request that names no piece.
 */
export async function intendPartial(situation: Situation, request: TravelRequest): Promise<Intention> {
  const { thread, context } = situation;
  const piece = request.piece ?? null;
  if (piece === null) throw new TurnbackError('BAD_REQUEST', { call: 'travel', cause: 'it names no file' });
  if (piece.hunk !== null && piece.side !== 'out') {
    throw new TurnbackError('BAD_REQUEST', { call: 'travel', cause: 'a single change can only be taken out' });
  }
  const step = thread.steps.find((one) => one.id === piece.step);
  if (step === undefined) throw new TurnbackError('UNKNOWN_STEP', { id: piece.step });
  const own = stepSource(thread, step, context.thread.objects);
  let refusal = await refusalOf(situation, piece, step, own);
  let part: PiecePart = { step, piece, hunk: null, without: null, known: null };
  let hunk: HunkText | null = null;
  if (refusal === null && piece.hunk !== null) {
    const found = await hunkPart(situation, piece, step).catch(missing);
    if ('code' in found) refusal = found;
    else ({ hunk, part } = found);
  }
  const above = sourcesAbove(situation, own.position, piece.path);
  if (refusal === null) part = { ...part, known: await lastLeft(above, piece.path) };
  const source = sourceOf(own, part, above, context.thread.store?.format ?? 'sha1');
  return {
    request,
    target: { messageId: null, stop: null, words: pieceWords(piece, step, hunk) },
    turns: step.turn === null ? [] : [step.turn],
    messages: 0,
    sideEffects: [],
    notes: await notesFor(situation, false, true),
    refusal,
    // Without its step's trees there is nothing to look at.
    scoped:
      refusal === null
        ? { paths: new Map([[piece.path, source.position]]), sources: piece.side === 'out' ? [source] : [source, ...above] }
        : null,
    conversation: { how: 'none' },
    covers: [],
    supersedes: null,
    standingFrom: null,
    ended: null,
    listed: null,
    base: null,
    takes: [],
    piece: part,
  };
}
