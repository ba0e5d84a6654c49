import { bytesOfTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { RawChange } from '../snapshots/diff.ts';
import type { Backend } from './backend.ts';
import type { Core } from './core.ts';
import { fileChanges } from './file-changes.ts';
import type { LogEntry } from './log-file.ts';
import { FileChanged } from './recorder-events.ts';
import type { LogRecord } from './records.ts';
import type { Repository } from './repository.ts';
import { textOfRecord, travelJournal } from './travel-journal.ts';

const same = (a: RawChange['before'], b: RawChange['before']): boolean => a?.oid === b?.oid && a?.mode === b?.mode;

/** Which of the paths differ from what their target tree holds, against the files now. */
async function changesTo(repository: Repository, now: string, targets: ReadonlyMap<TreePath, string>): Promise<RawChange[]> {
  const changes: RawChange[] = [];
  for (const [path, tree] of targets) {
    const [before, after] = [await repository.entry(now, path), await repository.entry(tree, path)];
    if (!same(before, after) && before?.mode !== '160000' && after?.mode !== '160000') changes.push({ path, before, after });
  }
  return changes.sort((a, b) => Buffer.compare(bytesOfTreePath(a.path), bytesOfTreePath(b.path)));
}

/**
 * Puts files back as trees hold them and then writes the log, so that either both are done or neither. `targets` says for each path
 * which tree tells its state; other files are not touched. `log` makes the batch from the tree of the files as they were; its first
 * record that `mark` finds is what a recovery looks for. Gives how many files changed.
 */
export async function travelFiles(
  core: Core,
  o: {
    backend: Backend;
    repository: Repository;
    targets: ReadonlyMap<TreePath, string>;
    log(o: { now: string; count: number }): readonly LogRecord[];
    mark(record: LogRecord): boolean;
  },
): Promise<{ now: string; count: number }> {
  const { backend, repository, targets } = o;
  const { gitDir } = repository.store;
  const now = await repository.track();
  const wanted = await changesTo(repository, now, targets);
  const batch = (count: number): readonly LogRecord[] => o.log({ now, count });
  const expects = batch(0).find(o.mark);
  const journal = { now, files: wanted.map(({ path }) => path), seq: core.seq, expects: expects ? textOfRecord(expects) : '' };
  await travelJournal.write(backend, gitDir, journal);
  let changes: RawChange[] = [];
  try {
    const skipped = await repository.putBack(wanted.map(({ path, before, after }) => ({ path, entry: after, before })));
    const left = new Set(skipped.map(({ path }) => path));
    changes = wanted.filter(({ path }) => !left.has(path));
    core.skipped(skipped);
    await core.append(() => batch(changes.length));
  } catch (error) {
    await repository.putBack(wanted.map(({ path, before, after }) => ({ path, entry: before, before: after })));
    await travelJournal.clear(backend, gitDir);
    throw error;
  }
  await travelJournal.clear(backend, gitDir);
  try {
    for (const file of await fileChanges(repository, { from: now, changes })) core.emitter.emit(FileChanged, file);
  } catch (error) {
    core.failed(error);
  }
  return { now, count: changes.length };
}

/**
 * Finishes what a crash interrupted: when the log does not have the record of the journal, the files go back to how they were before.
 * `entries` are the records that the log holds.
 */
export async function recoverTravel(o: { backend: Backend; repository: Repository; entries: readonly LogEntry[] }): Promise<void> {
  const { gitDir } = o.repository.store;
  const journal = await travelJournal.read(o.backend, gitDir);
  if (journal === null) return;
  const landed = o.entries.some(({ seq, record }) => seq > journal.seq && textOfRecord(record) === journal.expects);
  if (!landed) {
    const targets = new Map(journal.files.map((path) => [path, journal.now]));
    const wanted = await changesTo(o.repository, await o.repository.track(), targets);
    await o.repository.putBack(wanted.map(({ path, before, after }) => ({ path, entry: after, before })));
  }
  await travelJournal.clear(o.backend, gitDir);
}
