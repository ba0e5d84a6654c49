import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { claudeCode } from '../../electron/threads/claude-code/claude-source.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';

const FIXTURES = path.resolve(import.meta.dirname, '../fixtures/claude-code');

/** The folder that the fixtures' sessions ran in; it exists on no machine. */
export const RECORDED_ROOT = '/workspace/scratch-cc';

export type ClaudeSession = 'interactive' | 'print';

/** The true files of a recorded moment, by tree path. */
export async function trueFiles(session: ClaudeSession, state: string): Promise<Map<string, Buffer>> {
  const text = await readFile(path.join(FIXTURES, session, 'worktree', `${state}.json`), 'utf8');
  const files = JSON.parse(text) as Record<string, { text?: string; base64?: string }>;
  return new Map(
    Object.entries(files).map(([name, file]) => [
      name,
      file.text === undefined ? Buffer.from(file.base64 ?? '', 'base64') : Buffer.from(file.text),
    ]),
  );
}

async function linesAt(session: ClaudeSession, state: string): Promise<number> {
  const index = JSON.parse(await readFile(path.join(FIXTURES, 'index.json'), 'utf8')) as {
    sessions: Record<string, { states: { state: string; jsonlLines: number }[] }>;
  };
  const name = session === 'interactive' ? 'C-interactive' : 'A-print-no-checkpoint';
  const found = index.sessions[name]?.states.find((one) => one.state === state);
  if (!found) throw new Error(`no state ${state}`);
  return found.jsonlLines;
}

export interface ClaudeSample {
  home: string;
  log: string;
  root: string;
}

/** A home with the session as it stood at a recorded moment, and a workspace with the true files of it, below `folder`. */
export async function claudeSample(folder: string, session: ClaudeSession, state: string): Promise<ClaudeSample> {
  const home = path.join(folder, 'home');
  await cp(path.join(FIXTURES, session, 'dot-claude'), path.join(home, '.claude'), { recursive: true });
  const id = session === 'interactive' ? 'dd634337-4c1e-4e05-b25e-17544c2c384d' : '69243408-c88e-40fc-a5d6-d1e272beb64f';
  const log = path.join(home, '.claude/projects/-workspace-scratch-cc', `${id}.jsonl`);
  const lines = (await readFile(log, 'utf8')).split('\n').slice(0, await linesAt(session, state));
  await writeFile(log, `${lines.join('\n')}\n`);
  const root = path.join(folder, 'workspace');
  for (const [name, bytes] of await trueFiles(session, state)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), bytes);
  }
  return { home, log, root };
}

/** A reader on a log, read once and closed with the test. */
export async function openClaude(log: string, ownData: string, root: string | null): Promise<ThreadReader> {
  const places = { home: '/nobody', env: {} };
  const [head] = await claudeCode.locate(log, places);
  if (!head) throw new Error(`${log} is no log of Claude Code`);
  const reader = await claudeCode.open(head, { root, data: null, places, ownData });
  onTestFinished(() => reader.close());
  await reader.read();
  return reader;
}
