import { TurnbackError } from '../../shared/errors.ts';
import { redoable, type UndoPoint, undoable } from '../../shared/undo-point.ts';
import type { Backend } from './backend.ts';
import type { Core } from './core.ts';
import { type LogRecord, records } from './records.ts';
import { travelFiles } from './travel-files.ts';
import { accept } from './turn.ts';

/** The commands of a session whose snapshots are on. */
export const COMMANDS = ['undo', 'redo'] as const;
export type CommandName = (typeof COMMANDS)[number];

const WAIT = 'Wait until the turn ends, then try again.';
const STANDS = 'A revert stands. Run unrevert, or send a prompt, first.';

const isPoint = (record: LogRecord): boolean => record.type === 'turnback/undo-point';

/** Moves the files of the last turn between its two trees and writes the log. Gives how many were put back. */
async function move(core: Core, backend: Backend, point: UndoPoint, to: 'from' | 'to', log: readonly LogRecord[]): Promise<number> {
  const tree = point[to];
  const { repository } = core;
  if (repository === null) throw new TurnbackError('SNAPSHOTS_OFF');
  if (tree === null || point.files.length === 0) {
    await core.append(() => log);
    return 0;
  }
  const targets = new Map(point.files.map((path) => [path, tree]));
  return (await travelFiles(core, { backend, repository, targets, log: () => log, mark: isPoint })).count;
}

async function undo(core: Core, backend: Backend): Promise<string> {
  const { messages, undoPoint: point } = core.fold;
  if (!undoable(point, messages)) return 'Nothing to undo.';
  const removed = messages.slice(point.keep);
  const count = await move(core, backend, point, 'from', [
    records.transcript(point.keep, []),
    { ...point, state: 'undone', messages: removed },
  ]);
  return `Undid the last turn. Files restored: ${count}.`;
}

async function redo(core: Core, backend: Backend): Promise<string> {
  const { messages, undoPoint: point } = core.fold;
  if (!redoable(point, messages)) return 'Nothing to redo.';
  const { messages: removed, ...rest } = point;
  await move(core, backend, point, 'to', [{ ...rest, state: 'done' }, records.transcript(point.keep, removed)]);
  return 'Redid the last turn.';
}

/**
 * Runs a command and records it as the harness does: input, applied, events (formats/tanstack.md 11.4). `enter` waits for the gate and
 * gives what leaves it, or null when a turn runs. Checks come in the harness's order: not idle, a standing revert, nothing to do (11.1).
 */
export async function runCommand(
  core: Core,
  backend: Backend,
  name: CommandName,
  enter: () => Promise<(() => void) | null>,
): Promise<string> {
  const inputId = await accept(core, { op: 'command', name });
  const operationId = core.clock.id('op-command');
  const leave = await enter();
  try {
    if (leave !== null) await core.refresh();
    await core.append(() => [
      { type: 'harness.input.applied', inputId, operationId, attempt: 1 },
      records.custom(operationId, 'harness.input.applied', { inputId, operationId }, core.clock.now()),
      records.custom(operationId, 'harness.operation.started', { operationId, kind: 'command' }, core.clock.now()),
    ]);
    const result = leave === null ? WAIT : core.fold.revert !== null ? STANDS : await (name === 'undo' ? undo : redo)(core, backend);
    core.custom(operationId, 'harness.command.result', { name, result });
    await finished(core, operationId, 'completed');
    return result;
  } catch (error) {
    await finished(core, operationId, 'failed').catch(() => undefined);
    throw error;
  } finally {
    leave?.();
  }
}

const finished = (core: Core, operationId: string, status: string): Promise<void> =>
  core.append(() => [records.custom(operationId, 'harness.operation.finished', { operationId, status }, core.clock.now())]);
