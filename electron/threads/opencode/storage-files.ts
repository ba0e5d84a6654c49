import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { asList, asName, asNumber, asRecord, asText, type Loose, parseRecord } from '../loose.ts';
import type { SessionRow } from './rows.ts';
import { sessionFrom } from './session-rows.ts';

/** A file larger than this is no record of OpenCode's. */
const MAX_FILE = 256 * 1024 * 1024;
const AT_ONCE = 16;

/** Names in a folder; none where the folder is missing. */
export async function namesIn(folder: string, suffix = ''): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith(suffix)).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}

/** One JSON file of the tree, or why it cannot be read. */
export async function readRecord(file: string): Promise<{ record: Loose; text: string } | { why: string; bytes: number }> {
  let bytes = 0;
  try {
    const found = await stat(file);
    bytes = found.size;
    if (!found.isFile()) return { why: 'it is not a file', bytes };
    if (bytes > MAX_FILE) return { why: 'it is too large', bytes };
    const text = await readFile(file, 'utf8');
    const parsed = parseRecord(text);
    return 'record' in parsed ? { record: parsed.record, text } : { why: parsed.why, bytes };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error), bytes };
  }
}

/** The same work on many items, a few at a time, results in order. */
export async function few<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return results;
}

/** A session of the JSON tree and the file it is in (formats/opencode 1.4). */
export interface StoredSession {
  file: string;
  session: SessionRow;
}

/** All sessions of a JSON tree. Files that cannot be read are problems. */
export async function storedSessions(
  storage: string,
): Promise<{ sessions: StoredSession[]; problems: { path: string; message: string }[] }> {
  const projects = await storedProjects(storage);
  const files: string[] = [];
  for (const project of await namesIn(path.join(storage, 'session'))) {
    for (const name of await namesIn(path.join(storage, 'session', project), '.json'))
      files.push(path.join(storage, 'session', project, name));
  }
  const problems: { path: string; message: string }[] = [];
  const sessions = await few(files, async (file) => {
    const read = await readRecord(file);
    if ('why' in read) problems.push({ path: file, message: read.why });
    const session = 'record' in read ? sessionOf(read.record, projects) : null;
    return session ? [{ file, session }] : [];
  });
  return { sessions: sessions.flat(), problems };
}

/** The session in one file of the tree, or null when it holds none. */
export async function storedSession(storage: string, file: string): Promise<SessionRow | null> {
  const read = await readRecord(file);
  return 'record' in read ? sessionOf(read.record, await storedProjects(storage)) : null;
}

async function storedProjects(storage: string): Promise<Map<string, Loose>> {
  const projects = new Map<string, Loose>();
  const files = (await namesIn(path.join(storage, 'project'), '.json')).map((name) => path.join(storage, 'project', name));
  for (const read of await few(files, readRecord)) {
    const id = 'record' in read ? asName(read.record['id']) : null;
    if (id !== null && 'record' in read) projects.set(id, read.record);
  }
  return projects;
}

function sessionOf(record: Loose, projects: ReadonlyMap<string, Loose>): SessionRow | null {
  const id = asName(record['id']);
  if (id === null) return null;
  const projectId = asName(record['projectID']) ?? '';
  const project = projects.get(projectId) ?? null;
  return sessionFrom({
    id,
    projectId,
    parentId: asName(record['parentID']),
    title: asName(record['title']),
    directory: asName(record['directory']),
    path: asText(record['path']),
    permission: asList(record['permission']),
    revert: asRecord(record['revert']),
    updatedAt: asNumber(asRecord(record['time'])?.['updated']),
    project: project && { worktree: asName(project['worktree']), vcs: asName(project['vcs']), sandboxes: asList(project['sandboxes']) },
  });
}
