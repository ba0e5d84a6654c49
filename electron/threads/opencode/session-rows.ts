import type { DatabaseSync } from 'node:sqlite';
import { asList, asName, asNumber, asRecord, type Loose, parseRecord } from '../loose.ts';
import { columnOr, numberOr, type SqlRow, type Tables } from './opencode-database.ts';
import type { SessionRow } from './rows.ts';
import { worktreeOf } from './worktree.ts';

/** Sessions of a database with their projects, in one query: all of them, or the one that is named. */
export function sessionRows(db: DatabaseSync, tables: Tables, id: string | null = null): SessionRow[] {
  const [session, project] = [tables.get('session'), tables.get('project')];
  const texts = ['id', 'project_id', 'parent_id', 'directory', 'path', 'title', 'permission', 'revert'].map(
    (name) => `${columnOr(session, 's', name)} as ${name}`,
  );
  const found = db
    .prepare(
      `select ${texts.join(', ')}, ${numberOr(session, 's', 'time_updated')} as time_updated, p.id as project,
         ${columnOr(project, 'p', 'worktree')} as worktree, ${columnOr(project, 'p', 'vcs')} as vcs, ${columnOr(project, 'p', 'sandboxes')} as sandboxes
       from session s left join project p on p.id = s.project_id ${id === null ? '' : 'where s.id = ?'}`,
    )
    .all(...(id === null ? [] : [id]));
  return found.flatMap((row) => rowFrom(row) ?? []);
}

function rowFrom(row: SqlRow): SessionRow | null {
  const id = asName(row['id']);
  if (id === null) return null;
  return sessionFrom({
    id,
    projectId: asName(row['project_id']) ?? '',
    parentId: asName(row['parent_id']),
    title: asName(row['title']),
    directory: asName(row['directory']),
    path: typeof row['path'] === 'string' ? row['path'] : null,
    permission: parseList(row['permission']),
    revert: recordOf(row['revert']),
    updatedAt: asNumber(row['time_updated']),
    project:
      row['project'] == null
        ? null
        : { worktree: asName(row['worktree']), vcs: asName(row['vcs']), sandboxes: parseList(row['sandboxes']) },
  });
}

/** A session from what either layout says of it. `path` is null where the version has none. */
export function sessionFrom(said: {
  id: string;
  projectId: string;
  parentId: string | null;
  title: string | null;
  directory: string | null;
  path: string | null;
  permission: readonly unknown[];
  revert: Loose | null;
  updatedAt: number | null;
  project: { worktree: string | null; vcs: string | null; sandboxes: readonly unknown[] } | null;
}): SessionRow {
  const { id, projectId, parentId, title, directory, path, revert, updatedAt, project } = said;
  const git = project ? project.vcs === 'git' : projectId !== 'global' && projectId !== '';
  const sandboxes = (project?.sandboxes ?? []).flatMap((folder) => asName(folder) ?? []);
  const worktree = worktreeOf({ directory, path, git, worktree: project?.worktree ?? null, sandboxes });
  return { id, projectId, parentId, title, directory, worktree, git, byRun: isByRun(said.permission), revert, updatedAt };
}

/** `opencode run` takes the tools away that would ask a person; no other way to start a session does. */
function isByRun(permission: readonly unknown[]): boolean {
  return permission.some((rule) => {
    const { permission: name, action } = asRecord(rule) ?? {};
    return name === 'question' && action === 'deny';
  });
}

const recordOf = (json: unknown): Loose | null => {
  const parsed = parseRecord(json);
  return 'record' in parsed ? parsed.record : null;
};

function parseList(json: unknown): readonly unknown[] {
  const parsed = typeof json === 'string' ? parseRecord(`{"list":${json}}`) : null;
  return parsed && 'record' in parsed ? asList(parsed.record['list']) : [];
}
