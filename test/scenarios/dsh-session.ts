import { appendFile, readFile, utimes, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import { type DshLog, readLog } from '../../electron/threads/dsh/dsh-log.ts';
import { dsh } from '../../electron/threads/dsh/dsh-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import type { FileSystem } from '../../electron/travel/file-system.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { copyDshSample, type DshSample, dshFixtures } from './dsh.ts';
import { tempFolder, writeFiles } from './temp.ts';

type Line = Record<string, unknown> & { type: string; seq?: number; data?: Record<string, unknown> };

/** A copy of a recorded session in a home of its own, with a workspace and our data folder. */
export interface DshSession {
  folder: string;
  home: string;
  log: string;
  root: string;
  ownData: string;
  sessionId: string;
  /** The address and token of a host for the engine to ask; set them before a thread is opened. */
  env: Record<string, string>;
  bytes(): Promise<Buffer>;
  read(): Promise<DshLog>;
  /** Appends events as DSH does, numbered on. Plain logs only. */
  append(...events: Omit<Line, 'seq'>[]): Promise<void>;
  /** A context over the thread opened afresh. */
  context(parts?: { fs?: FileSystem; now?: () => number; git?: Git }): Promise<TravelContext>;
}

/** The workspace of sample a at a moment. */
export async function notesFiles(state: 'beforeTurn1' | 'afterTurn3'): Promise<Record<string, Buffer>> {
  const all = JSON.parse(await readFile(path.join(dshFixtures, 'workspace-files.json'), 'utf8')) as {
    'session-sample-a': Record<typeof state, Record<string, string | null>>;
  };
  const entries = Object.entries(all['session-sample-a'][state]);
  return Object.fromEntries(entries.flatMap(([name, text]) => (text === null ? [] : [[name, Buffer.from(text, 'base64')]])));
}

/** Copies a sample; sample a gets its workspace as it was at the end. `change` rewrites the events of a plain log, which are then numbered anew. */
export async function dshSession(
  sample: DshSample,
  form: 'v0-plain' | 'v0-zstd' | 'v3-plain' | 'v3-zstd' = 'v3-plain',
  change?: (lines: Line[]) => Line[],
): Promise<DshSession> {
  const folder = await tempFolder();
  const home = path.join(folder, 'home');
  const log = await copyDshSample(home, sample, form);
  const root = path.join(folder, 'workspace');
  await writeFiles(root, sample.startsWith('session-sample-a') ? await notesFiles('afterTurn3') : { 'list.txt': 'one\ntwo\nthree\n' });
  const ownData = path.join(folder, 'own-data');
  const env: Record<string, string> = {};
  const linesOf = async (): Promise<Line[]> =>
    (await readFile(log, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  if (change) {
    const [header, ...events] = await linesOf();
    const numbered = change(events).map((event, seq) => ({ ...event, seq }));
    await writeFile(log, [header, ...numbered].map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
  // A log that rests is looked at once; a fresh one would be watched for a moment, each time.
  const rest = (): Promise<void> => utimes(log, 1_796_000_000, 1_796_000_000);
  await rest();
  return {
    folder,
    home,
    log,
    root,
    ownData,
    sessionId: sample,
    env,
    bytes: () => readFile(log),
    async read() {
      const found = readLog(await readFile(log), log.endsWith('.zstd'));
      if (!found) throw new Error('no log');
      return found;
    },
    async append(...events) {
      const first = (await linesOf()).length - 1;
      await appendFile(
        log,
        events.map((event, at) => `${JSON.stringify({ ...event, seq: first + at, time: 1_796_030_000_000 + at })}\n`).join(''),
      );
      await rest();
    },
    async context(parts = {}) {
      const places = { home, env };
      const [head] = await dsh.locate(log, places);
      if (!head) throw new Error('not located');
      const reader = await dsh.open(head, { root, data: null, places, ownData });
      await reader.read();
      const git = parts.git ?? createGit();
      const thread = await OpenThread.open({ reader, git, ownData, id: head.id });
      onTestFinished(() => thread.close());
      return { thread, ownData, git, now: parts.now ?? Date.now, ...(parts.fs && { fs: parts.fs }) };
    },
  };
}

/** Sample b, killed in turn 2, without the step that wrote a file: its last step is open with a shell call that was never answered. */
export function openWithoutWrites(form: 'plain' = 'plain'): Promise<DshSession> {
  return dshSession('session-sample-b-open', `v3-${form}`, (events) =>
    events
      .filter((event) => (event.seq ?? 0) < 32 || (event.seq ?? 0) > 36)
      .map((event) => ((event.seq ?? 0) > 36 ? { ...event, data: { ...event.data, step: 1 } } : event)),
  );
}

let prompts = 0;

/** What DSH appends when the user sends a prompt: a turn with an open step and the message in it. */
export function promptEvents(turn: number, text: string): Omit<Line, 'seq'>[] {
  prompts += 1;
  const message = { role: 'user', source: { kind: 'user' }, content: [{ type: 'text', text }], id: `prompt-${prompts}` };
  return [
    { type: 'agent/inbox/spliced', data: { target: 'next-turn', start: 0, inserted: [message] } },
    { type: 'turn/start', data: { turn } },
    { type: 'agent/inbox/spliced', data: { target: 'next-turn', start: 0, removedCount: 1, inserted: [] } },
    { type: 'step/start', data: { turn, step: 1 } },
    { type: 'user/message', data: message, surfaceOp: 'append' },
  ];
}

/** The answer and the end of such a turn. */
export function answerEvents(turn: number, text: string): Omit<Line, 'seq'>[] {
  const message = {
    id: `answer-${turn}`,
    role: 'assistant',
    source: { kind: 'model', provider: 'p', model: 'm' },
    content: [{ type: 'text', text }],
  };
  return [
    { type: 'assistant/message', data: { turn, step: 1, message, stream: [] }, surfaceOp: 'append' },
    { type: 'step/end', data: { turn, step: 1 } },
    { type: 'turn/end', data: { turn, reason: { kind: 'completed' } } },
  ];
}

export interface RecordedChange {
  event: { v3Seq: number };
  summary: {
    turn: number;
    files: { path: string; added: number; deleted: number; binary?: boolean; oversized?: boolean }[];
    total: number;
  };
  diffs: Record<string, unknown>[];
}
export type RecordedChanges = Record<string, RecordedChange[]>;

/** What the real service gave for sample a. */
export async function recordedChanges(): Promise<RecordedChanges> {
  return JSON.parse(await readFile(path.join(dshFixtures, 'workspace-changes.json'), 'utf8')) as RecordedChanges;
}

/** The recorded lists without the files that no list can bring back: a variant that can be restored whole. */
export async function restorableChanges(without: readonly string[] = ['bin.dat', 'moved.txt']): Promise<RecordedChanges> {
  const all = await recordedChanges();
  for (const one of all['session-sample-a'] ?? []) {
    one.diffs = one.diffs.filter((diff) => !without.includes(String(diff['path'])));
    one.summary.files = one.summary.files.filter((file) => !without.includes(file.path));
    one.summary.total = one.summary.files.length;
  }
  return all;
}

export interface FakeHost {
  env: { TURNBACK_DSH_URL: string; TURNBACK_DSH_TOKEN: string };
  /** Every request path so far. */
  asked: string[];
  /** Answers everything with this instead. */
  instead: { status: number; body: string } | null;
  /** Hangs up when a diff is asked for. */
  loseDiffs: boolean;
}

/** A DSH web host on this machine that holds these lists (formats/dsh.md 5.4), until the test ends. */
export async function fakeHost(changes: RecordedChanges): Promise<FakeHost> {
  const token = 'a token with spaces / and +';
  const asked: string[] = [];
  const host: FakeHost = { env: { TURNBACK_DSH_URL: '', TURNBACK_DSH_TOKEN: token }, asked, instead: null, loseDiffs: false };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    asked.push(url.pathname + url.search);
    const send = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    if (host.loseDiffs && url.pathname === '/api/changes.diff') return void request.socket.destroy();
    if (host.instead !== null) return send(host.instead.status, host.instead.body);
    if (request.headers.authorization !== `Bearer ${token}`) return send(401, {});
    const one = changes[url.searchParams.get('sessionId') ?? '']?.find(
      (entry) => entry.event.v3Seq === Number(url.searchParams.get('seq')),
    );
    if (one === undefined) return send(404, {});
    const { turn, files, total } = one.summary;
    if (url.pathname === '/api/changes.summary') return send(200, { turn, files, total, added: 0, deleted: 0 });
    const diff = url.pathname === '/api/changes.diff' ? one.diffs[Number(url.searchParams.get('index'))] : undefined;
    return diff === undefined ? send(404, {}) : send(200, diff);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  host.env.TURNBACK_DSH_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return host;
}
