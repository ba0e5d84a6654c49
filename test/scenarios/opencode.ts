import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { SessionRow } from '../../electron/threads/opencode/rows.ts';

/** A state of the recorded thread, see `test/fixtures/opencode/README.md`. */
export type OpencodeState = 't1' | 't2' | 'before_revert' | 'after_revert' | 'after_unrevert' | 'after_revert_prompt';

export const OPENCODE_STATES: readonly OpencodeState[] = [
  't1',
  't2',
  'before_revert',
  'after_revert',
  'after_unrevert',
  'after_revert_prompt',
];

export interface OpencodeSample {
  /** A home folder that holds nothing but the sample. */
  home: string;
  /** `home/.local/share/opencode`, byte for byte as the tool left it. */
  dataDir: string;
  db: string;
  /** The workspace rebuilt, with the user's repository as its `.git`. Not the path that the thread recorded: name it with `root`. */
  root: string;
  sessionId: string;
  /** The true files of the workspace at that moment, by tree path (ignored ones too). */
  files: ReadonlyMap<string, Buffer>;
}

const ARCHIVE = path.join(import.meta.dirname, '../fixtures/opencode/opencode-1.18.33-states.tar.gz');
const run = promisify(execFile);

/** The files of a state as `worktree.json` names them. */
export async function filesOfState(folder: string): Promise<Map<string, Buffer>> {
  const listed: Record<string, { bytes: number; text?: string; base64?: string }> = JSON.parse(
    await readFile(path.join(folder, 'worktree.json'), 'utf8'),
  );
  const files = new Map<string, Buffer>();
  for (const [name, { bytes, text, base64 }] of Object.entries(listed)) {
    const content = base64 === undefined ? Buffer.from(text ?? '', 'utf8') : Buffer.from(base64, 'base64');
    if (content.length !== bytes) throw new Error(`${name}: ${content.length} bytes, worktree.json says ${bytes}`);
    files.set(name, content);
  }
  return files;
}

/** Unpacks one state below `folder`: data folder in a home of its own, and the workspace with the user's repository. */
export async function unpackOpencodeSample(folder: string, state: OpencodeState): Promise<OpencodeSample> {
  const unpacked = path.join(folder, 'unpacked');
  await mkdir(unpacked, { recursive: true });
  await run('tar', ['-xzf', ARCHIVE, '-C', unpacked, `v1.18.33/${state}`, 'v1.18.33/project.git']);
  const from = path.join(unpacked, 'v1.18.33', state);
  const home = path.join(folder, 'home');
  const dataDir = path.join(home, '.local', 'share', 'opencode');
  const root = path.join(folder, 'workspace');
  await mkdir(path.dirname(dataDir), { recursive: true });
  // Times stay: a database that looks freshly written would be taken for one in use.
  await cp(path.join(from, 'opencode'), dataDir, { recursive: true, preserveTimestamps: true });
  const files = await filesOfState(from);
  for (const [name, content] of files) {
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, content, { mode: 0o644 });
  }
  await cp(path.join(unpacked, 'v1.18.33', 'project.git'), path.join(root, '.git'), { recursive: true, preserveTimestamps: true });
  const dump: { session: { id: string }[] } = JSON.parse(await readFile(path.join(from, 'dump.json'), 'utf8'));
  await rm(unpacked, { recursive: true });
  return { home, dataDir, db: path.join(dataDir, 'opencode.db'), root, sessionId: dump.session[0]?.id ?? '', files };
}

/** The recorded session, messages and parts of a state as plain JSON (`dump.json`). */
export interface OpencodeDump {
  session: Record<string, unknown>[];
  messages: { id: string; session_id: string; time_created: number; data: Record<string, unknown>; parts: DumpPart[] }[];
}
export interface DumpPart {
  id: string;
  data: Record<string, unknown>;
}

export async function readOpencodeDump(folder: string, state: OpencodeState): Promise<OpencodeDump> {
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', ARCHIVE, '-C', folder, `v1.18.33/${state}/dump.json`]);
  const dump: OpencodeDump = JSON.parse(await readFile(path.join(folder, 'v1.18.33', state, 'dump.json'), 'utf8'));
  await rm(path.join(folder, 'v1.18.33'), { recursive: true });
  return dump;
}

/** The row of a session in which nothing was done yet. */
export const SESSION_ROW: SessionRow = {
  id: 'ses_1',
  projectId: 'p',
  parentId: null,
  title: null,
  directory: '/w',
  worktree: '/w',
  git: true,
  byRun: true,
  revert: null,
  updatedAt: null,
};
