import { useMemo } from 'react';
import type { Message } from '../../shared/model.ts';
import { linesOf } from '../steps/step-words.ts';
import { useSession } from '../store/session-store.ts';
import { pathsOfStep } from '../store/thread-index.ts';

export interface StepCounts {
  files: number;
  /** Null while they are not counted. */
  lines: { added: number | null; removed: number | null } | null;
  notCaptured: boolean;
}

/** What the steps of a message changed; null when it made none that changed a file. */
export function useStepCounts(message: Message): StepCounts | null {
  const steps = useSession((state) => (message.stop === null ? undefined : state.index.stepsAt.get(message.stop)));
  return useMemo(() => {
    if (steps === undefined) return null;
    const paths = new Set(steps.flatMap(pathsOfStep));
    const notCaptured = steps.some((step) => step.captured !== null && step.captured !== true);
    if (paths.size === 0 && !notCaptured) return null;
    return {
      files: paths.size,
      lines: linesOf(...steps),
      notCaptured,
    };
  }, [steps]);
}
