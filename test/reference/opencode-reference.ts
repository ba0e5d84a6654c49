import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * What OpenCode's data folder says about one session, slowly and simply, written from formats/opencode-and-claude-code.md (Part 1)
 * alone. It shares no code with Turnback, so that both can be compared. It reads everything anew for each question.
 */

type Json = Record<string, unknown>;

interface Stored {
  id: string;
  at: number;
  data: Json;
  parts: Json[];
  dropped: boolean;
  /** Where the event log, if there is one, first names it and takes it away. */
  born: number;
  gone: number;
}

type Hidden = 'reverted' | 'dropped' | null;

export interface OpencodeStep {
  id: string;
  turn: string | null;
  from: string | null;
  to: string | null;
  calls: string[];
  /** Files that tools of it say they wrote, absolute. */
  wrote: string[];
  /** Every tool of it says what it wrote: none is a shell or a sub-agent. */
  tells: boolean;
  hidden: Hidden;
}

export interface OpencodeReference {
  messages: { id: string; role: string; hidden: Hidden }[];
  turns: { id: string; prompt: string; steps: string[]; hidden: Hidden }[];
  steps: OpencodeStep[];
  /** What the marker of a standing revert says: the first message that it hides, and the tree before it. */
  marker: { messageId: string; partId: string | null; now: string | null } | null;
  parent: string | null;
  /** Sessions that a call of this one started: the call and the session. */
  children: Map<string, string>;
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const json = (value: string): Json => JSON.parse(value) as Json;
const byTime = (a: Stored, b: Stored): number => a.at - b.at || (a.id < b.id ? -1 : 1);
const created = (data: Json): number => Number((data['time'] as { created?: number } | undefined)?.created ?? 0);
const files = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

/** 1.3 and 1.6: rows of a classic session, and what the event log still holds of the messages that a prompt removed. */
function classicRows(db: DatabaseSync, session: string): Stored[] {
  const rows = db.prepare('select id, time_created as at, data from message where session_id = ?').all(session);
  const stored = rows.map(({ id, at, data }): Stored => {
    const parts = db.prepare('select id, data from part where message_id = ? order by id').all(id as string);
    const list = parts.map((part) => ({ ...json(part['data'] as string), id: part['id'] }));
    return { id: id as string, at: at as number, data: json(data as string), parts: list, dropped: false, born: -1, gone: Infinity };
  });
  const events = db.prepare('select seq, type, data from event where aggregate_id = ? order by seq').all(session);
  const infos = new Map<string, Json>();
  const parts = new Map<string, Json>();
  const born = new Map<string, number>();
  const gone = new Map<string, number>();
  for (const { seq, type, data: raw } of events) {
    const data = json(raw as string);
    if (type === 'message.updated.1') {
      const info = data['info'] as Json;
      infos.set(String(info['id']), info);
      if (!born.has(String(info['id']))) born.set(String(info['id']), seq as number);
    } else if (type === 'message.part.updated.1') parts.set(String((data['part'] as Json)['id']), data['part'] as Json);
    else if (type === 'message.removed.1') gone.set(String(data['messageID']), seq as number);
  }
  for (const [id, seq] of gone) {
    const info = infos.get(id);
    if (info === undefined || stored.some((one) => one.id === id)) continue;
    const own = [...parts.values()].filter((part) => part['messageID'] === id).sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
    stored.push({ id, at: created(info), data: info, parts: own, dropped: true, born: -1, gone: seq });
  }
  for (const row of stored) row.born = born.get(row.id) ?? -1;
  return stored.sort(byTime);
}

/** 1.7: rows of the new runtime, in the shape of classic ones; a turn is what follows a user's row. */
function runtimeRows(db: DatabaseSync, session: string): Stored[] {
  const rows = db.prepare('select id, type, time_created as at, data from session_message where session_id = ? order by seq').all(session);
  let user: string | null = null;
  return rows.flatMap(({ id, type, at, data: raw }): Stored[] => {
    if (type !== 'user' && type !== 'assistant') return [];
    const data = json(raw as string);
    if (type === 'user') user = id as string;
    const snapshot = (data['snapshot'] ?? {}) as Json;
    const content = (data['content'] ?? []) as Json[];
    const parts =
      type === 'user'
        ? [{ type: 'text', text: data['text'] }]
        : [
            { type: 'step-start', snapshot: snapshot['start'] },
            ...content.map((item) =>
              item['type'] === 'tool' ? { type: 'tool', callID: item['id'], tool: item['name'], state: item['state'] } : item,
            ),
            ...(data['finish'] == null && snapshot['end'] === undefined ? [] : [{ type: 'step-finish', snapshot: snapshot['end'] }]),
          ];
    return [{ id: id as string, at: at as number, data: { role: type, parentID: user }, parts, dropped: false, born: -1, gone: Infinity }];
  });
}

/** 1.4: the files of the JSON era. A message whose file is gone is gone; its parts are orphans. */
function jsonRows(storage: string, session: string): Stored[] {
  const folder = path.join(storage, 'message', session);
  const read = (...names: string[]): Json => json(readFileSync(path.join(storage, ...names), 'utf8'));
  return files(folder)
    .map((name): Stored => {
      const data = read('message', session, name);
      const id = String(data['id']);
      const parts = files(path.join(storage, 'part', id)).map((part) => read('part', id, part));
      return { id, at: created(data), data, parts, dropped: false, born: -1, gone: Infinity };
    })
    .sort(byTime);
}

interface Found {
  rows: Stored[];
  session: Json;
}

/** Every database and the JSON tree, the database first. */
function find(dataDir: string, session: string): Found {
  for (const name of files(dataDir).filter((one) => /^opencode.*\.db$/.test(one))) {
    const db = new DatabaseSync(path.join(dataDir, name), { readOnly: true });
    try {
      const row = db.prepare('select parent_id as parentID, revert, permission from session where id = ?').get(session);
      if (row === undefined) continue;
      const runtime = runtimeRows(db, session);
      const [revert, permission] = ['revert', 'permission'].map((name) => (typeof row[name] === 'string' ? json(row[name]) : null));
      return { rows: runtime.length > 0 ? runtime : classicRows(db, session), session: { parentID: row['parentID'], revert, permission } };
    } finally {
      db.close();
    }
  }
  const storage = path.join(dataDir, 'storage');
  for (const project of files(path.join(storage, 'session'))) {
    const file = path.join(storage, 'session', project, `${session}.json`);
    if (existsSync(file)) return { rows: jsonRows(storage, session), session: json(readFileSync(file, 'utf8')) };
  }
  throw new Error(`no session ${session} in ${dataDir}`);
}

const ofType = (message: Stored, type: string): Json[] => message.parts.filter((part) => part['type'] === type);

export function opencodeReference(dataDir: string, sessionId: string): OpencodeReference {
  const { rows, session } = find(dataDir, sessionId);
  const revert = session['revert'] as Json | null | undefined;
  const boundary = rows.findIndex((row) => !row.dropped && row.id === revert?.['messageID']);
  const hiddenAt = (at: number): Hidden => (rows[at]?.dropped ? 'dropped' : boundary >= 0 && at >= boundary ? 'reverted' : null);
  const hiddenOf = (row: Stored): Hidden => hiddenAt(rows.indexOf(row));
  const prompts = rows.filter((row) => row.data['role'] === 'user');
  const answers = rows.filter((row) => row.data['role'] === 'assistant');
  const turnOf = (row: Stored): string | null => prompts.find((prompt) => prompt.id === row.data['parentID'])?.id ?? null;
  const startOf = (row: Stored | undefined): string | null => (row ? text(ofType(row, 'step-start')[0]?.['snapshot']) : null);
  const endOf = (row: Stored): string | null => text(ofType(row, 'step-finish').at(-1)?.['snapshot']);
  // The step after it, of those that were made before it was dropped.
  const after = (row: Stored): Stored | undefined => answers.slice(answers.indexOf(row) + 1).find((one) => one.born < row.gone);
  const toOf = (row: Stored): string | null => {
    const cutOff = startOf(row) !== null && ofType(row, 'step-finish').length === 0;
    // Without a tool that writes it left what it found; else the start of the next one tells it (1.3, special shapes).
    const next = ofType(row, 'tool').some((part) => part['tool'] !== 'read') ? startOf(after(row)) : fromOf(row);
    return endOf(row) ?? (cutOff ? next : null);
  };
  const fromOf = (row: Stored): string | null => {
    const before = answers.slice(0, answers.indexOf(row)).findLast((one) => turnOf(one) === turnOf(row) && one.gone > row.born);
    return (before && turnOf(row) !== null ? toOf(before) : null) ?? startOf(row);
  };
  const steps = answers.map((row): OpencodeStep => {
    const calls = ofType(row, 'tool').map((part) => String(part['callID']));
    const wrote = ofType(row, 'tool').flatMap((part) => {
      const { status, input } = (part['state'] ?? {}) as { status?: string; input?: Json };
      return ['write', 'edit'].includes(String(part['tool'])) && status === 'completed'
        ? [String(input?.['filePath'] ?? input?.['path'])]
        : [];
    });
    const tells = ofType(row, 'tool').every((part) => ['read', 'write', 'edit'].includes(String(part['tool'])));
    return { id: row.id, turn: turnOf(row), from: fromOf(row), to: toOf(row), calls, wrote, tells, hidden: hiddenOf(row) };
  });
  const children = new Map<string, string>();
  for (const part of answers.flatMap((row) => ofType(row, 'tool'))) {
    const state = (part['state'] ?? {}) as Json;
    const child = part['tool'] === 'task' ? /ses_[0-9A-Za-z]+/.exec(String(state['output'] ?? ''))?.[0] : undefined;
    if (child !== undefined) children.set(String(part['callID']), child);
  }
  // `run` may not ask (the samples), and wraps a prompt that holds a blank in quotes (1.3).
  const byRun = JSON.stringify(session['permission'] ?? []).includes('{"permission":"question","pattern":"*","action":"deny"}');
  const said = (row: Stored): string => {
    const own = ofType(row, 'text').filter((part) => part['synthetic'] !== true && part['ignored'] !== true);
    const words = own.map((part) => String(part['text'])).join('\n');
    return byRun && /^".* .*"$/s.test(words) ? words.slice(1, -1) : words;
  };
  return {
    messages: rows.map((row) => ({ id: row.id, role: String(row.data['role']), hidden: hiddenOf(row) })),
    turns: prompts.map((row) => ({
      id: row.id,
      prompt: said(row),
      steps: steps.filter((step) => step.turn === row.id).map((step) => step.id),
      hidden: hiddenOf(row),
    })),
    steps,
    marker:
      revert && boundary >= 0
        ? { messageId: String(revert['messageID']), partId: text(revert['partID']), now: text(revert['snapshot']) }
        : null,
    parent: text(session['parentID'] ?? null),
    children,
  };
}

/** A tree as a list: a path and a word for what stands there. */
export type OpencodeTree = ReadonlyMap<string, string>;

/** Ten facts 4: every path that differs, renames not looked for. */
export function changedPaths(from: OpencodeTree, to: OpencodeTree): string[] {
  return [...new Set([...from.keys(), ...to.keys()])].filter((name) => from.get(name) !== to.get(name)).sort();
}

/**
 * What going back to before these steps leaves, when it overwrites what drifted (ten facts 2, 4 and 5; rules 2, 3 and 7 of Part 3): each
 * path that changed in a step gets what stood there before the first of them; nothing else is touched. What a step without trees says it
 * wrote stays. No file ever takes the place of a folder here.
 */
export function opencodeRevert(
  steps: readonly OpencodeStep[],
  root: string,
  now: OpencodeTree,
  trees: (id: string) => OpencodeTree,
): { verbs: Map<string, string>; others: Set<string>; skipped: string[]; after: Map<string, string> } {
  const targets = new Map<string, string | undefined>();
  const [own, skipped] = [new Set<string>(), new Set<string>()];
  for (const { from, to, wrote, tells } of steps) {
    const said = wrote.map((file) => path.relative(root, file));
    if (from === null || to === null || from === to) for (const name of said) skipped.add(name);
    if (from === null || to === null) continue;
    for (const name of changedPaths(trees(from), trees(to))) {
      if (!targets.has(name)) targets.set(name, trees(from).get(name));
      // A step keeps what its own run changed (seed 1): where all its tools say what they wrote, the rest is somebody else's.
      if (!tells || said.includes(name)) own.add(name);
    }
  }
  const verbs = new Map<string, string>();
  const after = new Map(now);
  for (const [name, want] of targets) {
    const have = now.get(name);
    if (have === want || skipped.has(name)) continue;
    verbs.set(name, want === undefined ? 'delete' : have === undefined ? 'recreate' : 'restore');
    if (want === undefined) after.delete(name);
    else after.set(name, want);
  }
  const others = new Set([...targets.keys()].filter((name) => !own.has(name)));
  return { verbs, others, skipped: [...skipped].sort(), after };
}
