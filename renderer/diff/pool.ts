/** Things that are dear to make and can be used again, such as editors. */
export interface Pool<K extends string, T> {
  /** One of the kind: a free one, else a new one, else null because `limit` are in use. */
  take(kind: K): T | null;
  give(kind: K, item: T): void;
  /** Calls back once when something was given back after a `take` that gave null; the result ends the wait. */
  whenFree(run: () => void): () => void;
  live(): number;
}

/** A pool of at most `limit` live items over all kinds; a free one of another kind gives way to a new one. */
export function createPool<K extends string, T>(limit: number, make: (kind: K) => T, end: (item: T) => void): Pool<K, T> {
  const free: { kind: K; item: T }[] = [];
  const waiting = new Set<() => void>();
  let used = 0;
  return {
    take(kind) {
      const at = free.findLastIndex((entry) => entry.kind === kind);
      const found = at >= 0 ? free.splice(at, 1)[0] : undefined;
      if (found === undefined && used + free.length >= limit) {
        const other = free.shift();
        if (other === undefined) return null;
        end(other.item);
      }
      used += 1;
      return found?.item ?? make(kind);
    },
    give(kind, item) {
      used -= 1;
      free.push({ kind, item });
      const next = waiting.values().next().value;
      if (next === undefined) return;
      waiting.delete(next);
      next();
    },
    whenFree(run) {
      waiting.add(run);
      return () => {
        waiting.delete(run);
      };
    },
    live: () => used + free.length,
  };
}
