import type { FileChange, Step } from '../../shared/model.ts';
import { pathsOfStep } from './thread-index.ts';

/** The files that steps are known to have changed, once each, where no snapshot tells more than their names. */
export function knownNames(steps: readonly Step[]): FileChange[] {
  const files = new Map<string, FileChange>();
  for (const step of steps) {
    const known = new Map(step.files?.map((file) => [file.path, file]));
    for (const path of pathsOfStep(step)) {
      const { change = 'modified', binary = false } = known.get(path) ?? {};
      files.set(path, { path, change, added: null, removed: null, binary });
    }
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
