import type { z } from 'zod';
import { TurnbackError } from '../../shared/errors.ts';
import type { FileSystem } from './file-system.ts';
import { readOwn } from './own-files.ts';

/** What a file of ours keeps about travels; null when there is none. Throws HISTORY_UNREADABLE, with what is off, for one of another form. */
export async function readKept<T>(fs: FileSystem, file: string, schema: z.ZodType<T>): Promise<T | null> {
  const text = await readOwn(fs, file);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TurnbackError('HISTORY_UNREADABLE', { path: file, cause: 'it is not JSON' }, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const causes = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter((part) => part !== '').join(': '));
  throw new TurnbackError('HISTORY_UNREADABLE', { path: file, cause: causes.slice(0, 1).join() });
}
