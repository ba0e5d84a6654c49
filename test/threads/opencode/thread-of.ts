import path from 'node:path';
import type { Thread } from '../../../shared/model.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { call, type MadeDatabase, makeDatabase } from './make-database.ts';
import { openSession } from './open-sample.ts';

/** The workspace of made threads. */
export const W = '/w';

/** A `write` call of a file in the workspace. */
export const write = (file: string, state = {}): ReturnType<typeof call> =>
  call('write', { filePath: path.posix.join(W, file), content: '' }, state);

/** One line a step: its id, the first digit of its trees, and why it is not captured. */
export const trees = (thread: Thread): string[] =>
  thread.steps.map((step) => {
    const why = step.captured === null ? '' : step.captured === true ? ' yes' : ` ${step.captured.code}`;
    return `${step.id} ${step.from?.[0] ?? '-'}>${step.to?.[0] ?? '-'}${why}`;
  });

/** A thread made by `build`, read once; the owner's connection is closed before. */
export async function threadOf(build: (made: MadeDatabase) => void, id = 'ses_1'): Promise<Thread> {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  build(made);
  made.db.close();
  return (await openSession(folder, path.join(folder, 'own'), id, null)).thread();
}
