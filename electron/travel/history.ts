import { reason } from '../../shared/errors.ts';
import type { Can } from '../../shared/model.ts';
import type { HistoryEntry } from '../../shared/plan.ts';
import { pins } from '../snapshots/store.ts';
import { nodeFileSystem } from './file-system.ts';
import { cleanedUp, type HistoryLine, readHistory, readRecords } from './history-file.ts';
import { benchOf } from './prepare.ts';
import type { TravelContext } from './travel-context.ts';

/** The travels of a thread, newest first, each with whether its files can come back. */
export async function historyOf(context: TravelContext): Promise<HistoryEntry[]> {
  const fs = context.fs ?? nodeFileSystem;
  const { id } = context.thread.head;
  const lines = await readHistory(fs, context.ownData, id);
  if (lines.length === 0) return [];
  const records = new Set((await readRecords(fs, context.ownData, id)).map((record) => record.entry));
  const bench = await benchOf(context);
  try {
    const pinned = new Map(bench === null ? [] : (await pins(bench.safety)).map(({ name, tree }) => [name, tree] as const));
    const can = (line: HistoryLine): Can => {
      if (line.files === 0) return reason('NOTHING_WRITTEN');
      if (line.cleaned !== undefined) return cleanedUp(line.cleaned);
      if (bench === null) return context.thread.rootReason ?? reason('UNKNOWN_WORKSPACE');
      return records.has(line.id) && line.tree !== null && pinned.get(line.id) === line.tree ? true : reason('SAFETY_GONE');
    };
    return lines.reverse().map((line) => {
      const { tree: _tree, cleaned: _cleaned, ...shown } = line;
      return { ...shown, can: can(line) };
    });
  } finally {
    await bench?.close();
  }
}
