import { TurnbackError } from '../../shared/errors.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import type { Backend } from './backend.ts';
import type { Core } from './core.ts';
import type { ThreadFold } from './fold.ts';
import { type LogRecord, revertRecords, type StepRecord } from './records.ts';
import { travelFiles } from './travel-files.ts';
import { firstStates } from './undo-trees.ts';

const isRevert = (record: LogRecord): boolean => record.type === 'harness.revert';

/**
 * The files of the steps whose calls stand after the message, each with the tree before the first such step: "Each file goes back to
 * its state before the first of these calls" (seed). Every step that the log holds counts, so at least the last 500.
 */
export const targetsAfter = (fold: ThreadFold, at: number): Map<TreePath, string> => firstStates(stepsAfter(fold, at));

/** The steps whose calls stand after a place in the transcript. */
export function stepsAfter(fold: ThreadFold, at: number): StepRecord[] {
  const calls = new Set(fold.messages.slice(at + 1).flatMap((message) => (message.toolCalls ?? []).map((call) => call.id)));
  return fold.steps.filter((step) => step.toolCallIds.some((id) => calls.has(id)));
}

/** Goes back to a message that is in the log; inside the gate (formats/tanstack.md 12.2, steps 4 to 6). */
export async function revertTo(core: Core, backend: Backend, messageId: string): Promise<void> {
  await unrevert(core, backend);
  const { repository } = core;
  const targets = repository === null ? new Map<TreePath, string>() : targetsAfter(core.fold, core.fold.indexOf(messageId));
  if (repository === null || targets.size === 0) {
    await core.append(() => revertRecords({ messageId }, core.clock.now()));
    return;
  }
  const files = [...targets.keys()];
  await travelFiles(core, {
    backend,
    repository,
    targets,
    log: ({ now }) => revertRecords({ messageId, files: { now, files } }, core.clock.now()),
    mark: isRevert,
  });
}

/** Ends a standing revert and brings its files back as they were when it started; nothing when none stands (12.3). */
export async function unrevert(core: Core, backend: Backend): Promise<void> {
  const { revert } = core.fold;
  if (revert === null) return;
  const log = (): LogRecord[] => revertRecords(null, core.clock.now());
  if (revert.files === undefined || revert.files.files.length === 0) {
    await core.append(log);
    return;
  }
  const { repository } = core;
  if (repository === null) throw new TurnbackError('SNAPSHOTS_OFF');
  const { now, files } = revert.files;
  await travelFiles(core, { backend, repository, targets: new Map(files.map((path) => [path, now])), log, mark: isRevert });
}
