import { type Reason, reason } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { Blobs } from './blobs.ts';
import type { Chain } from './chains.ts';
import { sameContent } from './content.ts';
import { type Draft, draftOf } from './draft.ts';
import { linesWords } from './intend-partial.ts';
import type { PiecePart } from './intention.ts';
import type { MergeText } from './merge-content.ts';
import { reverseHunk } from './reverse-hunk.ts';
import type { World } from './world.ts';

/** Takes the one change out of what stands there, in place of merging by lines. `onLost` hears in how many places it fits when that is not one. */
function hunkMerge(part: PiecePart, blobs: Blobs, path: TreePath, onLost: (places: number) => void): MergeText {
  return async (base, ours) => {
    if (part.hunk === null) return { clean: false, why: 'conflict' };
    const [then, now] = [await blobs.read(base, path), await blobs.read(ours, path)];
    const found = reverseHunk(then.toString('latin1'), now.toString('latin1'), part.hunk);
    if ('text' in found) return { clean: true, oid: blobs.add(Buffer.from(found.text, 'latin1')) };
    onLost(found.places);
    return { clean: false, why: 'conflict' };
  };
}

/** In words that speak of this step alone: what goes and what stays where the file was changed since. */
function speak({ step, piece, hunk, known }: PiecePart, draft: Draft): void {
  for (const file of draft.files) {
    if (!file.drift) continue;
    // Said of something between two steps, or after the last: that it is nobody's we know is all there is to say.
    if (piece.side === 'after' && file.peeled.at?.position === step.index) file.why = 'It was changed since, by no step of this thread.';
    if (file.choice !== 'merge' || piece.side !== 'out') continue;
    const what = hunk === null ? `what step ${step.index} changed goes` : 'this change goes';
    const byAgent = known !== null && sameContent(file.disk, known);
    file.why = byAgent
      ? `Later steps or travels changed it, too; ${what}, and theirs stays.`
      : `It was changed since; ${what}, and the rest stays.`;
  }
}

/**
 * Looks at the one path of a partial travel. A single change comes with the file as the disk has it: it is found there and goes, or
 * HUNK_NOT_FOUND or HUNK_AMBIGUOUS says why not. Only reads.
 */
export async function pieceDraft(o: {
  part: PiecePart;
  chains: ReadonlyMap<TreePath, Chain>;
  world: World;
  blobs: Blobs;
  signal: AbortSignal | undefined;
}): Promise<{ draft: Draft; refusal: Reason | null }> {
  const { part, chains, world, blobs, signal } = o;
  const { hunk, without, piece } = part;
  if (hunk === null || without === null) {
    const draft = await draftOf(world, chains, signal);
    speak(part, draft);
    return { draft, refusal: null };
  }
  blobs.add(without);
  let places = 0;
  const merge = (path: TreePath): MergeText =>
    hunkMerge(part, blobs, path, (found) => {
      places = found;
    });
  const draft = await draftOf({ ...world, merge }, chains, signal);
  speak(part, draft);
  const [file] = draft.files;
  if (file === undefined) return { draft, refusal: null };
  // The whole file without the change would lose what came later.
  if (file.drift) file.choices = file.choices.filter((choice) => choice !== 'overwrite');
  if (file.peeled.clash === null) return { draft, refusal: null };
  const facts = { path: showTreePath(piece.path), lines: linesWords(hunk), places };
  return { draft, refusal: reason(places > 1 ? 'HUNK_AMBIGUOUS' : 'HUNK_NOT_FOUND', facts) };
}
