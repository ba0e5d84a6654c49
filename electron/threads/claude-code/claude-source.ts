import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../../shared/errors.ts';
import type { Problem, ThreadHead } from '../../../shared/model.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { fileMayHold } from '../file-may-hold.ts';
import { asName, type Loose, parseRecord } from '../loose.ts';
import type { Listing, Places, Source } from '../source.ts';
import { claudeFolder, placeOfLog } from './claude-places.ts';
import { ClaudeReader } from './claude-reader.ts';
import { textOf, treeRecord } from './claude-record.ts';
import { forgetClaude } from './forget-claude.ts';

/** A listing reads no more of each log than this: the first prompt, and the folder that the session ran in. */
const HEAD_BYTES = 60 * 1024;
const TITLE = 240;

/** What the first lines of a log say; null when they are of no session of Claude Code. */
function headIn(lines: readonly string[]): { cwd: string | null; title: string | null } | null {
  let known = false;
  let cwd: string | null = null;
  let title: string | null = null;
  for (const line of lines) {
    const parsed = parseRecord(line);
    const record: Loose = 'record' in parsed ? parsed.record : {};
    const type = asName(record['type']);
    if (type === null) continue;
    known ||= asName(record['sessionId']) !== null && (asName(record['uuid']) !== null || BOOKS.has(type));
    known ||= type === 'file-history-snapshot' && record['snapshot'] !== undefined;
    cwd ??= asName(record['cwd']);
    if (title === null && treeRecord(record)?.user === 'prompt') title = textOf(record).slice(0, TITLE);
    if (cwd !== null && title !== null) break;
  }
  return known ? { cwd, title } : null;
}

/** Records that hang on no tree (formats/opencode-and-claude-code.md 2.2): a session that was only opened has nothing else. */
const BOOKS = new Set(['mode', 'permission-mode', 'last-prompt', 'queue-operation', 'summary', 'custom-title', 'ai-title', 'cost-state']);

async function headOf(log: string): Promise<ThreadHead | null> {
  const handle = await openRegular(log);
  try {
    const found = await handle.stat();
    const bytes = Buffer.alloc(Math.min(found.size, HEAD_BYTES));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const head = headIn(bytes.toString('utf8', 0, bytesRead).split('\n'));
    if (head === null) return null;
    const { sessionId, agentId } = placeOfLog(log);
    const threadId = agentId ?? sessionId;
    return {
      id: `claude-code:${threadId}`,
      source: 'claude-code',
      title: head.title,
      root: head.cwd,
      log,
      threadId,
      parent: agentId === null ? null : sessionId,
      updatedAt: Math.round(found.mtimeMs),
      size: found.size,
    };
  } finally {
    await handle.close();
  }
}

async function entriesOf(folder: string): Promise<{ folders: string[]; logs: string[] }> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const named = (kind: (entry: (typeof entries)[number]) => boolean): string[] =>
      entries.filter(kind).map((entry) => path.join(folder, entry.name));
    return { folders: named((entry) => entry.isDirectory()), logs: named((entry) => entry.isFile() && entry.name.endsWith('.jsonl')) };
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return { folders: [], logs: [] };
    throw error;
  }
}

/** The sessions of one project's folder, each followed by its sub-agents. */
async function headsOfProject(folder: string, problems: Problem[]): Promise<ThreadHead[]> {
  const { folders, logs } = await entriesOf(folder);
  const inner = await Promise.all(folders.map((session) => entriesOf(path.join(session, 'subagents'))));
  const heads: ThreadHead[] = [];
  for (const log of [...logs, ...inner.flatMap((one) => one.logs)]) {
    try {
      const head = await headOf(log);
      if (head) heads.push(head);
    } catch (error) {
      problems.push({ path: log, message: error instanceof Error ? error.message : String(error) });
    }
  }
  return heads;
}

async function headsOfProjects(folder: string): Promise<Listing> {
  const listing: Listing = { threads: [], problems: [] };
  for (const project of (await entriesOf(folder)).folders) listing.threads.push(...(await headsOfProject(project, listing.problems)));
  return listing;
}

/** The threads in a folder: Claude Code's own, its projects, or one project's. A workspace is found by what its threads say. */
async function headsInFolder(folder: string): Promise<ThreadHead[]> {
  const projects = path.basename(folder) === 'projects' ? folder : path.join(folder, 'projects');
  const all = (await headsOfProjects(projects)).threads;
  return all.length > 0 ? all : headsOfProject(folder, []);
}

/** Claude Code: session logs, file backups and the logs of sub-agents (formats/opencode-and-claude-code.md Part 2). Never written to. */
export const claudeCode: Source = {
  kind: 'claude-code',
  list: (places: Places) => headsOfProjects(path.join(claudeFolder(places), 'projects')),
  async locate(named) {
    const file = path.resolve(named);
    if ((await stat(file)).isDirectory()) return headsInFolder(file);
    const head = file.endsWith('.jsonl') ? await headOf(file) : null;
    return head ? [head] : [];
  },
  async open(head, options) {
    if (!(await stat(head.log)).isFile()) throw new TurnbackError('NOT_A_LOG', { path: head.log, cause: 'it is no file' });
    return new ClaudeReader(head, options);
  },
  mayHold: (log, words, signal) => fileMayHold(log, words, signal),
  forget: forgetClaude,
};
