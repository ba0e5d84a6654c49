import type { FileSystem } from './file-system.ts';
import { allHistories } from './history-file.ts';
import { readEntry } from './journal.ts';
import type { TravelRecord } from './record.ts';

const oidOf = (content: TravelRecord['files'][number]['before']): string[] => (content.kind === 'absent' ? [] : [content.oid]);

/** Every content that a travel names: what stood there, what it left, what others had left. */
export function contentsOfRecord(record: TravelRecord): Set<string> {
  const files = [...record.files, ...record.ended].flatMap((file) => [file.before, file.after]);
  const now = record.now?.files.map((file) => file.content) ?? [];
  return new Set([...files, ...now].flatMap(oidOf));
}

/** Every content that a travel with a snapshot names: what it wrote by merging is in our store and in no pinned tree. `without`: a thread that is being forgotten. */
export async function contentsNeeded(fs: FileSystem, ownData: string, without: string | null = null): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  for (const { thread, entries } of await allHistories(fs, ownData)) {
    if (thread === without) continue;
    for (const line of entries) {
      const record = line.cleaned === undefined ? await readEntry(fs, ownData, line.id) : null;
      if (record !== null) for (const oid of contentsOfRecord(record)) needed.add(oid);
    }
  }
  return needed;
}
