import type { Step } from '../../shared/model.ts';

/** Lines of a step over all its files; null while the snapshots were not asked, or when nothing can be counted. */
export function linesOf(step: Step): { added: number; removed: number } | null {
  if (step.files === null) return null;
  let added = 0;
  let removed = 0;
  for (const file of step.files) {
    added += file.added ?? 0;
    removed += file.removed ?? 0;
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
