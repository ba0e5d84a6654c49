import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { Backend } from '../../electron/recorder/backend.ts';
import { jsonlLog, type LogStore, logIdOf } from '../../electron/recorder/log.ts';
import { type FileChange, FileChanged, FilesSkipped, SnapshotFailed } from '../../electron/recorder/recorder-events.ts';
import type { LogRecord } from '../../electron/recorder/records.ts';
import type { Reporting } from '../../electron/recorder/reporting.ts';
import type { Session } from '../../electron/recorder/session.ts';
import { type History, type OpenThread, snapshots } from '../../electron/recorder/snapshots.ts';
import type { Step } from '../../electron/recorder/step.ts';
import type { Turn } from '../../electron/recorder/turn.ts';
import { type FileSpec, tempFolder, writeFiles } from '../scenarios/temp.ts';

/** A shell command in a folder, as an agent's bash tool runs it. */
export async function sh(cwd: string, command: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], { cwd });
  return stdout;
}

/** A folder with a workspace, a place for snapshots and a place for logs, and a recorder over them. */
export class Recording {
  readonly folder: string;
  readonly root: string;
  readonly dataDir: string;
  readonly save: string;
  readonly log: LogStore;
  readonly history: History;
  readonly events: FileChange[] = [];
  readonly failures: string[] = [];
  readonly skipped: { path: string; why: string }[] = [];
  #calls = 0;

  private constructor(folder: string, options: { backend?: Backend; reporting?: Reporting }) {
    this.folder = folder;
    this.root = path.join(folder, 'work');
    this.dataDir = path.join(folder, 'data');
    this.save = path.join(folder, 'save');
    this.log = jsonlLog({ folder: this.save });
    this.history = snapshots({ root: this.root, dataDir: this.dataDir, ...options });
  }

  static async make(
    files: Readonly<Record<string, FileSpec>> = {},
    options: { backend?: Backend; reporting?: Reporting } = {},
  ): Promise<Recording> {
    const recording = new Recording(await tempFolder('recorder-'), options);
    await mkdir(recording.root);
    await writeFiles(recording.root, files);
    return recording;
  }

  /** The same folders with a recorder of its own, as after a restart. */
  again(options: { backend?: Backend; reporting?: Reporting } = {}): Recording {
    return new Recording(this.folder, options);
  }

  async open(options: Partial<OpenThread> = {}): Promise<Session> {
    const session = await this.history.open({ threadId: 'fix-login', log: this.log, ...options });
    session.on(FileChanged, (event) => this.events.push(event));
    session.on(SnapshotFailed, ({ message }) => this.failures.push(message));
    session.on(FilesSkipped, ({ files }) => this.skipped.push(...files));
    // A session that a test made fail fails to close too; what it held is given back all the same.
    onTestFinished(() => session.close().catch(() => undefined));
    return session;
  }

  /** One step with one call: `edit_file` reports what it writes (null removes); `bash` runs in the workspace and reports nothing. */
  async step(turn: Turn, what: { edit: Readonly<Record<string, string | null>> } | { bash: string }): Promise<string> {
    const id = this.callId();
    await turn.step(async (step) => {
      await step.assistant({ content: null, toolCalls: [{ id, name: 'edit' in what ? 'edit_file' : 'bash', arguments: what }] });
      await this.call(step, id, what);
    });
    return id;
  }

  async call(step: Step, id: string, what: { edit: Readonly<Record<string, string | null>> } | { bash: string }): Promise<void> {
    await step.tool(id, async ({ report }) => {
      if ('bash' in what) return sh(this.root, what.bash);
      for (const [name, content] of Object.entries(what.edit)) {
        await this.write(name, content);
        report(name);
      }
      return 'ok';
    });
  }

  /** A turn of one step for each entry, and a short answer. */
  async turn(
    session: Session,
    prompt: string,
    ...steps: ({ edit: Readonly<Record<string, string | null>> } | { bash: string })[]
  ): Promise<void> {
    await session.send(prompt, async (turn) => {
      for (const step of steps) await this.step(turn, step);
      await turn.answer('Done.');
    });
  }

  callId(): string {
    this.#calls += 1;
    return `call_${this.#calls}`;
  }

  /** Writes a file as anybody may, null removes it. */
  async write(name: string, content: string | Uint8Array | null): Promise<void> {
    const file = path.join(this.root, name);
    if (content === null) return rm(file);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }

  /** The text of a workspace file, null when there is none. */
  async text(name: string): Promise<string | null> {
    try {
      return await readFile(path.join(this.root, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  chmod(name: string, mode: number): Promise<void> {
    return chmod(path.join(this.root, name), mode);
  }

  async records(type?: string, threadId = 'fix-login', tenantId?: string): Promise<LogRecord[]> {
    const entries = await this.log.read({ logId: logIdOf({ tenantId, logId: threadId }) });
    return entries.map(({ record }) => record).filter((record) => type === undefined || record.type === type);
  }

  /** `change path` of each event so far, paths relative to the workspace; forgets them. */
  takeEvents(): string[] {
    return this.events.splice(0).map(({ change, path: file }) => `${change} ${path.relative(this.root, file)}`);
  }

  /** Runs git on the snapshot repository of a session. */
  async git(session: Session, ...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('git', [`--git-dir=${session.repository}`, ...args], { maxBuffer: 1e8 });
    return stdout;
  }
}

/** The texts of a transcript: `role: text`. */
export async function said(session: Session): Promise<string[]> {
  return (await session.transcript()).map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  );
}

/** The id of the n-th message of a role, from 1. */
export async function messageId(session: Session, role: 'user' | 'assistant', n: number): Promise<string> {
  const id = (await session.transcript()).filter((message) => message.role === role)[n - 1]?.id;
  if (id === undefined) throw new Error(`there is no ${role} message ${n}`);
  return id;
}
