/** Lists that J and K move in; the one that had the focus last is moved in. */
export type ListName = 'transcript' | 'steps' | 'files' | 'threads';

const lists = new Map<ListName, (direction: -1 | 1) => void>();
let current: ListName = 'transcript';

/** Registers a mounted list; the result takes it away. */
export function registerList(name: ListName, move: (direction: -1 | 1) => void): () => void {
  lists.set(name, move);
  return () => {
    if (lists.get(name) === move) lists.delete(name);
  };
}

/** To be called when a list gets the focus. */
export function listFocused(name: ListName): void {
  current = name;
}

/** Moves in the focused list; false when no list is mounted. */
export function moveInList(direction: -1 | 1): boolean {
  const move = lists.get(current) ?? [...lists.values()][0];
  move?.(direction);
  return move !== undefined;
}
