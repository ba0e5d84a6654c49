import type { FileChange, Step } from '../../shared/model.ts';

/** A file whose name is all that is known: no snapshot holds what was in it. */
export const isUncounted = (file: FileChange): boolean => !file.binary && file.added === null && file.removed === null;

/** Lines of steps over all their files, null where they are not known; null for all while the snapshots were not asked. */
export function linesOf(...steps: readonly Step[]): { added: number | null; removed: number | null } | null {
  let added = 0;
  let removed = 0;
  for (const { files } of steps) {
    if (files === null) return null;
    if (files.some(isUncounted)) return { added: null, removed: null };
    for (const file of files) {
      added += file.added ?? 0;
      removed += file.removed ?? 0;
    }
  }
  return { added, removed };
}

/** The tools of a step, each once with how often it ran: "edit ×3, bash". */
export function toolsText(step: Step): string {
  const times = new Map<string, number>();
  for (const tool of step.tools) times.set(tool, (times.get(tool) ?? 0) + 1);
  if (times.size === 0) return 'no tools';
  return [...times].map(([tool, often]) => (often === 1 ? tool : `${tool} ×${often}`)).join(', ');
}

/** How many files a step changed, as far as it is known. */
export const fileCountOf = (step: Step): number | null => step.files?.length ?? step.listed?.length ?? null;
