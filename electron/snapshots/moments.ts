import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { reasonSchema, TurnbackError } from '../../shared/errors.ts';
import { readRegular } from './regular-file.ts';

/** A larger file of moments is not one that we wrote. */
const MOST_BYTES = 256 << 20;

/**
 * The workspace of a session at one moment that its agent told us about: `prompt` before a turn, `before` and `after` a call,
 * `end` of a turn. A moment that could not be kept has no tree, and says why.
 */
export const momentSchema = z.object({
  version: z.literal(1),
  at: z.number(),
  event: z.enum(['prompt', 'before', 'after', 'end']),
  call: z.string().nullable(),
  root: z.string(),
  tree: z.string().nullable(),
  failed: reasonSchema.nullable(),
});
export type Moment = z.infer<typeof momentSchema>;

/** Where the moments of a session are kept in our own data folder. Throws USAGE for a name that no agent gives to a session. */
export function momentsFile(ownData: string, session: string): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(session)) throw new TurnbackError('USAGE', { what: `${session} cannot name a session.` });
  return path.join(ownData, 'recorded', 'sessions', `${session}.jsonl`);
}

/** Adds a moment, one line in one write; durable when it resolves. */
export async function appendMoment(ownData: string, session: string, moment: Moment): Promise<void> {
  const file = momentsFile(ownData, session);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a', 0o600);
  try {
    await handle.appendFile(`${JSON.stringify(moment)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The moments of a session in the order in which they were kept; empty when none were. A line that a crash cut off is passed over. */
export async function readMoments(ownData: string, session: string): Promise<Moment[]> {
  let text: string;
  try {
    text = (await readRegular(momentsFile(ownData, session), MOST_BYTES)).toString('utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    const moment = momentSchema.safeParse(parse(line));
    return moment.success ? [moment.data] : [];
  });
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The empty end of the file, or a line that a crash cut off.
    return null;
  }
}
