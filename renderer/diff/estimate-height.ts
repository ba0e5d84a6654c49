import type { FileChange } from '../../shared/model.ts';

export const LINE_HEIGHT = 18;
export const HEADER_HEIGHT = 32;
/** Space below the body of a file. */
export const SECTION_GAP = 8;
/** Height of a body that is a card or a sentence instead of an editor. */
export const CARD_HEIGHT = 96;
const COLLAPSED_REGION = 24;
const CONTEXT_LINES = 3;
/** Lines that one hunk holds, on average, where only the counts are known. */
const LINES_PER_HUNK = 6;
const MOST_HUNKS = 12;

/** How tall a file's body will be, in CSS pixels, from its counts alone; the real height replaces it once measured. */
export function estimateBodyHeight(file: FileChange, layout: 'split' | 'inline'): number {
  if (file.binary || file.change === 'mode' || file.change === 'kind') return CARD_HEIGHT;
  if (file.added === null || file.removed === null) return CARD_HEIGHT;
  if (file.change === 'created' || file.change === 'deleted') return Math.max(1, file.added + file.removed) * LINE_HEIGHT;
  const changed = layout === 'split' ? Math.max(file.added, file.removed) : file.added + file.removed;
  const hunks = Math.min(MOST_HUNKS, Math.max(1, Math.ceil(changed / LINES_PER_HUNK)));
  return (changed + hunks * CONTEXT_LINES * 2) * LINE_HEIGHT + (hunks + 1) * COLLAPSED_REGION;
}

/** The whole section: header, body unless folded, and the space below. */
export function sectionHeight(body: number, folded: boolean): number {
  return folded ? HEADER_HEIGHT + 1 : HEADER_HEIGHT + body + SECTION_GAP;
}
