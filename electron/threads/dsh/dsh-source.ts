import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { causeOf, TurnbackError } from '../../../shared/errors.ts';
import type { ThreadHead } from '../../../shared/model.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { fileMayHold } from '../file-may-hold.ts';
import type { Listing, Source } from '../source.ts';
import type { DshHeader } from './dsh-event.ts';
import { titleOf } from './dsh-fold.ts';
import { type Generation, generationOf, liveGeneration, sessionsFolder } from './dsh-layout.ts';
import { readLog } from './dsh-log.ts';
import { DshReader } from './dsh-reader.ts';

/** A listing reads no more of each log than this: the header and, as a rule, the first prompt and title. */
const HEAD_BYTES = 64 * 1024;
/** Nor does it unpack more of one frame. */
const HEAD_UNPACKED = 4 * 1024 * 1024;

/** The head of a thread from the header of its log and what a listing knows of the file. */
export function headOf(
  generation: Generation,
  header: DshHeader,
  facts: { title: string | null; size: number; mtimeMs: number },
): ThreadHead {
  return {
    id: `dsh:${header.id}`,
    source: 'dsh',
    title: facts.title,
    root: header.cwd ?? null,
    log: generation.file,
    threadId: header.id,
    parent: typeof header.parentSession === 'string' ? header.parentSession : null,
    updatedAt: Math.round(facts.mtimeMs),
    size: facts.size,
  };
}

async function readHead(generation: Generation): Promise<ThreadHead | null> {
  const handle = await openRegular(generation.file);
  try {
    const { size, mtimeMs } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, HEAD_BYTES)), 0, Math.min(size, HEAD_BYTES), 0);
    const log = readLog(buffer.subarray(0, bytesRead), generation.zstd, HEAD_UNPACKED);
    return log && headOf(generation, log.header, { title: titleOf(log.events), size, mtimeMs });
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(folder, entry.name));
  } catch {
    return [];
  }
}

/** Heads of the sessions in these folders; a session that cannot be read is a problem of its own. */
async function headsIn(folders: readonly string[]): Promise<Listing> {
  const listing: Listing = { threads: [], problems: [] };
  for (const folder of folders) {
    try {
      const generation = await liveGeneration(folder);
      const head = generation && (await readHead(generation));
      if (head) listing.threads.push(head);
      else if (generation) listing.problems.push({ path: generation.file, message: 'The log has no header that is known.' });
    } catch (thrown) {
      listing.problems.push({ path: folder, message: causeOf(thrown) });
    }
  }
  return listing;
}

/** The session folders at or below a folder: the folder itself, a project's, the sessions folder's, or a home's. */
async function sessionFolders(folder: string, depth: number): Promise<string[]> {
  if (await liveGeneration(folder)) return [folder];
  if (depth === 0) return [];
  const below = await Promise.all((await namesIn(folder)).map((name) => sessionFolders(name, depth - 1)));
  return below.flat();
}

async function foldersAt(named: string): Promise<string[]> {
  const inside = path.basename(named) === 'sessions' || path.basename(path.dirname(named)) === 'sessions';
  if (inside) return sessionFolders(named, 2);
  if (await liveGeneration(named)) return [named];
  return sessionFolders(path.join(named, 'sessions'), 2).catch(() => []);
}

/** DeepSeek Harness: session logs of formats 0 to 4 (formats/dsh.md). */
export const dsh: Source = {
  kind: 'dsh',
  async list(places) {
    const projects = await namesIn(sessionsFolder(places));
    return headsIn((await Promise.all(projects.map(namesIn))).flat());
  },
  async locate(named) {
    const found = await stat(named);
    if (found.isDirectory()) return (await headsIn(await foldersAt(named))).threads;
    const zstd = named.endsWith('.zstd');
    const generation = generationOf(named) ?? (/\.jsonl(\.zstd)?$/.test(named) ? { file: named, version: 0, zstd } : null);
    const head = generation && (await readHead(generation));
    return head ? [head] : [];
  },
  async mayHold(log, words, signal) {
    return !log.endsWith('.jsonl') || fileMayHold(log, words, signal);
  },
  async open(head, options) {
    const generation = generationOf(head.log) ?? { file: head.log, version: 0, zstd: head.log.endsWith('.zstd') };
    if (!(await stat(head.log)).isFile()) throw new TurnbackError('NOT_A_LOG', { path: head.log, cause: 'it is no file' });
    return new DshReader(generation, head, options);
  },
};
