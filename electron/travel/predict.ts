import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { TravelContext } from './travel-context.ts';

/** What a revert to the stop would leave at the path, with the preselected choice; null where there would be no file. */
export async function predictedFile(
  _context: TravelContext,
  _stop: number,
  _path: TreePath,
): Promise<{ mode: string; bytes: Buffer } | null> {
  throw new TurnbackError('NOT_SUPPORTED', { what: 'A prediction' });
}
