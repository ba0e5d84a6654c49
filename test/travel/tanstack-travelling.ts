import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import type { FileSystem } from '../../electron/travel/file-system.ts';
import type { RunOptions } from '../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../electron/travel/travel-context.ts';
import { type ScenarioOptions, type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

/** Options as the command line has them by default. */
export const DEFAULTS: RunOptions = { drift: 'merge', choices: {}, fingerprint: null };

export const revertTo = (stop: number, scope: TravelRequest['scope'] = 'both'): TravelRequest => ({
  kind: 'revert',
  stop,
  entry: null,
  scope,
});
export const UNREVERT: TravelRequest = { kind: 'unrevert', stop: null, entry: null, scope: 'both' };
export const UNDO: TravelRequest = { kind: 'undo', stop: null, entry: null, scope: 'both' };
export const REDO: TravelRequest = { kind: 'redo', stop: null, entry: null, scope: 'both' };
export const restoreOf = (entry: string): TravelRequest => ({ kind: 'restore', stop: null, entry, scope: 'files' });

/** Opens the scenario's thread afresh, as a program that was just started does. */
export async function openScenario(t: TanstackScenario, git: Git = createGit()): Promise<OpenThread> {
  const places = { home: t.env['HOME'] ?? t.folder, env: {} };
  const [head] = await tanstack.locate(t.log, places);
  if (!head) throw new Error(`no thread at ${t.log}`);
  const ownData = path.join(t.folder, 'own-data');
  const reader = await tanstack.open(head, { root: t.root, data: t.dataDir, places, ownData });
  await reader.read();
  return OpenThread.open({ reader, git, ownData, id: head.id });
}

export interface Travelling {
  t: TanstackScenario;
  /** A context over a thread that was opened just now. */
  context(parts?: { fs?: FileSystem; git?: Git }): Promise<TravelContext>;
}

/** A fresh scenario with contexts that close when the test ends. */
export async function travelling(options: ScenarioOptions = {}): Promise<Travelling> {
  const t = await tanstackScenario(await tempFolder(), options);
  return {
    t,
    async context(parts = {}) {
      const git = parts.git ?? createGit();
      const thread = await openScenario(t, git);
      onTestFinished(() => thread.close());
      return { thread, ownData: path.join(t.folder, 'own-data'), git, now: () => 1_800_000_000_000, ...(parts.fs && { fs: parts.fs }) };
    },
  };
}

/** What a tool does that writes these files. */
export const put = (files: Record<string, string>) => (root: string) => writeFiles(root, files);

/** A file that holds 0, then 1 and 2 by a turn each. `answer`: the message after the first of them. */
export async function twoEdits(): Promise<Travelling & { answer: string }> {
  const made = await travelling();
  await writeFiles(made.t.root, { x: '0\n' });
  const { answerId } = await made.t.turn('one', [{ tool: 'edit_file', edit: put({ x: '1\n' }) }]);
  await made.t.turn('two', [{ tool: 'edit_file', edit: put({ x: '2\n' }) }]);
  return { ...made, answer: answerId };
}

/** The stop after the message with this id. */
export function stopOf(context: TravelContext, messageId: string): number {
  const stop = context.thread.thread().messages.find((message) => message.id === messageId)?.stop;
  if (stop == null) throw new Error(`nobody can stand at ${messageId}`);
  return stop;
}
