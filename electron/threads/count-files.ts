import type { Step } from '../../shared/model.ts';

/** How many files the steps changed; null while the snapshots were not asked about each of them, or did not capture one. */
export function countFiles(steps: readonly Step[]): number | null {
  const files = new Set<string>();
  for (const step of steps) {
    if (step.files === null || step.captured !== true) return null;
    for (const { path } of step.files) files.add(path);
  }
  return files.size;
}
