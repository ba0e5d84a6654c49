import { BytePattern } from '../byte-pattern.ts';
import type { OnBytes } from '../source.ts';
import type { LogInput } from './log-input.ts';
import type { Entry } from './message-entry.ts';
import type { RecordRef } from './record.ts';

/** The ids of the rows whose records may hold one of the words, each once, in the order of the log. */
export async function* candidateRows(
  rows: ReadonlyMap<string, Entry>,
  input: LogInput,
  words: readonly string[],
  options: { signal?: AbortSignal | undefined; onBytes?: OnBytes | undefined },
): AsyncGenerator<string> {
  const places: { ref: RecordRef; of: string }[] = [];
  for (const [id, entry] of rows) for (const ref of entry.raw?.places ?? [entry.place.ref]) places.push({ ref, of: id });
  const given = new Set<string>();
  const found = input.matching?.(places, new BytePattern(words), options.signal, options.onBytes) ?? places.map(({ of }) => of);
  for await (const id of found) {
    if (given.has(id)) continue;
    given.add(id);
    yield id;
  }
}
