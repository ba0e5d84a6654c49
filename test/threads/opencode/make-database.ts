import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The tables of OpenCode 1.18.33 that a session lives in, with the columns that the real ones have. */
const SCHEMA = `
  create table project (id text primary key, worktree text not null, vcs text, name text, time_created integer not null,
    time_updated integer not null, sandboxes text not null);
  create table session (id text primary key, project_id text not null, parent_id text, slug text not null, directory text not null, path text,
    title text not null, version text not null, revert text, permission text, time_created integer not null, time_updated integer not null,
    time_archived integer);
  create table message (id text primary key, session_id text not null, time_created integer not null, time_updated integer not null, data text not null);
  create table part (id text primary key, message_id text not null, session_id text not null, time_created integer not null,
    time_updated integer not null, data text not null);
  create table event (id text primary key, aggregate_id text not null, seq integer not null, type text not null, data text not null);
  create table session_message (id text primary key, session_id text not null, type text not null, seq integer not null,
    time_created integer not null, time_updated integer not null, data text not null);
  create table credential (id text primary key, value text);
  create index part_session_idx on part (session_id);
`;

export interface SessionSpec {
  id: string;
  directory: string;
  worktree?: string;
  vcs?: string | null;
  project?: string;
  parent?: string;
  path?: string | null;
  title?: string;
  revert?: unknown;
  permission?: unknown;
  updated?: number;
}

/** A part as JSON, or the very text of its row. */
export type PartSpec = Readonly<Record<string, unknown>> | string;

/** A database as OpenCode writes it: rows in the order in which they are added, one millisecond apart. */
export class MadeDatabase {
  readonly file: string;
  readonly db: DatabaseSync;
  #clock: number;
  #parts = 0;

  constructor(file: string, clock: number) {
    this.file = file;
    this.#clock = clock;
    this.db = new DatabaseSync(file);
    this.db.exec('pragma journal_mode = wal; pragma synchronous = off;');
    this.db.exec(SCHEMA);
  }

  session(spec: SessionSpec): void {
    const { id, directory, worktree = directory, vcs = 'git', project = vcs === null ? 'global' : 'p1' } = spec;
    // The snapshot repository of a version before 1.18: there, though it holds nothing.
    if (/^\w+$/.test(project) && vcs === 'git')
      mkdirSync(path.join(path.dirname(this.file), 'snapshot', project, 'objects'), { recursive: true });
    const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
    this.db.prepare('insert or ignore into project values (?, ?, ?, null, 1, 1, ?)').run(project, vcs === null ? '/' : worktree, vcs, '[]');
    this.db
      .prepare('insert into session values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, null)')
      .run(
        id,
        project,
        spec.parent ?? null,
        'slug',
        directory,
        spec.path === undefined ? '' : spec.path,
        spec.title ?? 'A title',
        '1.18.33',
        json(spec.revert),
        json(spec.permission),
        1,
        spec.updated ?? this.#clock,
      );
  }

  /** A message with its parts; `data` may be the very text of the row. */
  message(session: string, id: string, data: Readonly<Record<string, unknown>> | string, parts: readonly PartSpec[] = []): void {
    const at = this.#tick();
    this.db
      .prepare('insert into message values (?, ?, ?, ?, ?)')
      .run(id, session, at, at, typeof data === 'string' ? data : JSON.stringify(data));
    for (const part of parts) this.part(session, id, part);
  }

  part(session: string, message: string, part: PartSpec): void {
    this.#parts += 1;
    const at = this.#tick();
    this.db
      .prepare('insert into part values (?, ?, ?, ?, ?, ?)')
      .run(`prt_${String(this.#parts).padStart(8, '0')}`, message, session, at, at, typeof part === 'string' ? part : JSON.stringify(part));
  }

  event(session: string, seq: number, type: string, data: unknown): void {
    this.db.prepare('insert into event values (?, ?, ?, ?, ?)').run(`evt_${seq}`, session, seq, type, JSON.stringify(data));
  }

  /** One turn in the classic form: a prompt, then one answer a step. Ids are `<name>_u`, `<name>_1`, ... */
  turn(
    session: string,
    name: string,
    prompt: string,
    steps: readonly (readonly PartSpec[])[],
    last: Readonly<Record<string, unknown>> = {},
  ): void {
    this.message(session, `${name}_u`, { role: 'user' }, [{ type: 'text', text: prompt }]);
    for (const [at, parts] of steps.entries()) {
      const end = at === steps.length - 1;
      const completed = this.#clock + 1;
      const data = {
        role: 'assistant',
        parentID: `${name}_u`,
        finish: end ? 'stop' : 'tool-calls',
        time: { completed },
        ...(end ? last : {}),
      };
      this.message(session, `${name}_${at + 1}`, data, parts);
    }
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }
}

/** A new database in the known place below a home. */
export async function makeDatabase(home: string, name = 'opencode.db', clock = 1_700_000_000_000): Promise<MadeDatabase> {
  const folder = path.join(home, '.local', 'share', 'opencode');
  await mkdir(folder, { recursive: true });
  return new MadeDatabase(path.join(folder, name), clock);
}

/** A tree id that is easy to tell: forty times one digit. */
export const tree = (digit: string): string => digit.repeat(40);

export const start = (snapshot?: string): PartSpec => ({ type: 'step-start', ...(snapshot === undefined ? {} : { snapshot }) });
export const finish = (snapshot?: string): PartSpec => ({
  type: 'step-finish',
  reason: 'tool-calls',
  ...(snapshot === undefined ? {} : { snapshot }),
});
export const says = (text: string): PartSpec => ({ type: 'text', text });

let calls = 0;
export function call(tool: string, input: Readonly<Record<string, unknown>>, state: Readonly<Record<string, unknown>> = {}): PartSpec {
  calls += 1;
  return {
    type: 'tool',
    tool,
    callID: `call_${calls}`,
    state: { status: 'completed', input, output: 'ok', metadata: {}, time: { start: 10, end: 30 }, ...state },
  };
}
