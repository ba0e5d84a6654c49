import { TurnbackError } from '../../shared/errors.ts';
import type { Choice, DriftPolicy, Plan, TravelResult } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { TravelContext, TravelRequest } from './travel-context.ts';

export interface RunOptions {
  drift: DriftPolicy;
  /** Choices by path; they outrank `drift`. */
  choices: Readonly<Record<string, Choice>>;
  /** The plan that was confirmed; null runs whatever the plan is now. */
  fingerprint: string | null;
  /** Honoured until the first file is written; after that a travel completes or rolls back. */
  signal?: AbortSignal;
  onProgress?: (done: number, total: number, label: string) => void;
  onFile?: (path: TreePath, change: 'created' | 'updated' | 'deleted') => void;
}

/** The plan of a travel: pure reading. What stands in the way is its `refusal`, not an error. */
export async function previewTravel(_context: TravelContext, request: TravelRequest, _signal?: AbortSignal): Promise<Plan> {
  throw new TurnbackError('NOT_SUPPORTED', { what: request.kind });
}

/** Makes the travel: all of it or nothing. Throws the refusal, or what failed after everything was put back. */
export async function runTravel(_context: TravelContext, request: TravelRequest, _options: RunOptions): Promise<TravelResult> {
  throw new TurnbackError('NOT_SUPPORTED', { what: request.kind });
}
