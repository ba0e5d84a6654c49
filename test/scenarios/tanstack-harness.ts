import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Json, LogMessage, TanstackScenario } from './tanstack.ts';

/**
 * What the harness of era B itself does with files and log on revert, unrevert, undo and redo, by real git. It is written
 * from the format description alone and shares no code with Turnback, so that results can be compared.
 */
export async function harnessRestore(t: TanstackScenario, target: string, from: string, only?: readonly string[]): Promise<number> {
  const parts = (await t.git('diff', '--name-status', '-z', '--no-renames', from, target)).split('\0').filter(Boolean);
  const removed: string[] = [];
  const restored: string[] = [];
  for (let k = 0; k + 1 < parts.length; k += 2) {
    const name = parts[k + 1] ?? '';
    if (only === undefined || only.includes(name)) (parts[k] === 'D' ? removed : restored).push(name);
  }
  if (removed.length > 0) {
    const list = path.join(t.gitDir, 'restore-removed');
    await writeFile(list, removed.join('\0'));
    await t.git('add', '-A');
    await t.git('--literal-pathspecs', 'rm', '-q', '-f', '--ignore-unmatch', `--pathspec-from-file=${list}`, '--pathspec-file-nul');
  }
  if (restored.length > 0) {
    const list = path.join(t.gitDir, 'restore-restored');
    await writeFile(list, restored.join('\0'));
    await t.git('--literal-pathspecs', 'checkout', target, `--pathspec-from-file=${list}`, '--pathspec-file-nul');
  }
  return removed.length + restored.length;
}

function callsOf(messages: readonly LogMessage[]): Set<string> {
  const ids = new Set<string>();
  for (const message of messages) {
    for (const call of (message['toolCalls'] as { id: string }[] | undefined) ?? []) ids.add(call.id);
  }
  return ids;
}

/** The batch that the harness would append for a revert to the message, after it restored the files. */
export async function harnessRevert(t: TanstackScenario, messageId: string): Promise<Json[]> {
  const at = t.messages.findIndex((message) => message['id'] === messageId);
  if (at < 0) throw new Error(`unknown_message ${messageId}`);
  if (t.revert !== null) await harnessUnrevert(t);
  const calls = callsOf(t.messages.slice(at + 1));
  const steps = t.steps.filter((step) => step.toolCallIds.some((id) => calls.has(id)));
  const revert: NonNullable<TanstackScenario['revert']> = { messageId };
  const first = steps[0];
  if (first !== undefined) {
    const files = [...new Set(steps.flatMap((step) => step.files))];
    const now = await t.track();
    await harnessRestore(t, first.from, now, files);
    revert.files = { now, files };
  }
  t.revert = revert;
  const batch = [{ type: 'harness.revert', revert }, t.custom('session', 'harness.revert', { messageId })];
  for (const record of batch) await t.append(record);
  return batch;
}

export async function harnessUnrevert(t: TanstackScenario): Promise<void> {
  if (t.revert === null) return;
  const { files } = t.revert;
  if (files) await harnessRestore(t, files.now, await t.track(), files.files);
  t.revert = null;
  await t.append({ type: 'harness.revert', revert: null });
  await t.append(t.custom('session', 'harness.revert', { messageId: null }));
}

async function command(t: TanstackScenario, name: 'undo' | 'redo', work: () => Promise<string>): Promise<string> {
  const inputId = t.id('in');
  const operationId = t.id('op-command');
  await t.append({ type: 'harness.input', inputId, input: { op: 'command', name }, at: t.now() });
  await t.append({ type: 'harness.input.applied', inputId, operationId, attempt: 1 });
  await t.append(t.custom(operationId, 'harness.operation.started', { operationId, kind: 'command' }));
  const result = await work();
  await t.append(t.custom(operationId, 'harness.command.result', { name, result }));
  await t.append(t.custom(operationId, 'harness.operation.finished', { operationId, status: 'completed' }));
  return result;
}

export interface Undone {
  start: string;
  end: string;
  messages: LogMessage[];
}

/** `/undo`: the files between the turn's two trees and the messages from the last user message on. */
export async function harnessUndo(t: TanstackScenario, turn: { start: string; end: string }): Promise<{ result: string; undone: Undone }> {
  const keep = t.messages.findLastIndex((message) => message.role === 'user');
  const undone = { ...turn, messages: t.messages.slice(keep) };
  const result = await command(t, 'undo', async () => {
    const count = await harnessRestore(t, turn.start, turn.end);
    await t.transcript(keep);
    return `Undid the last turn. Files restored: ${count}.`;
  });
  return { result, undone };
}

export async function harnessRedo(t: TanstackScenario, undone: Undone): Promise<string> {
  return command(t, 'redo', async () => {
    await harnessRestore(t, undone.end, undone.start);
    await t.transcript(t.messages.length, ...undone.messages);
    return 'Redid the last turn.';
  });
}
