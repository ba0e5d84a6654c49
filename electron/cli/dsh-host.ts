import { readFile } from 'node:fs/promises';
import { TurnbackError } from '../../shared/errors.ts';
import type { Arguments } from './arguments.ts';

/**
 * The running DSH web host that the flags name, as environment variables: there the engine looks for it, and so does a viewer that we
 * start. The token comes from a file or from the environment, never from an argument, which every program on the machine can read.
 * Throws FILE_UNREADABLE.
 */
export async function dshHostOf({ dshUrl, dshTokenFile }: Pick<Arguments, 'dshUrl' | 'dshTokenFile'>): Promise<Record<string, string>> {
  const named: Record<string, string> = {};
  if (dshUrl !== null) named['TURNBACK_DSH_URL'] = dshUrl;
  if (dshTokenFile === null) return named;
  try {
    named['TURNBACK_DSH_TOKEN'] = (await readFile(dshTokenFile, 'utf8')).trim();
  } catch (thrown) {
    throw new TurnbackError('FILE_UNREADABLE', { path: dshTokenFile, cause: thrown instanceof Error ? thrown.message : String(thrown) });
  }
  return named;
}
