import { type Command, commands } from './commands.ts';

/** What the user chose in place of the table's keys, by command id. */
export type ChosenKeys = Readonly<Record<string, readonly string[]>>;

const chosenFor = (id: string, chosen: ChosenKeys): readonly string[] | null => (Object.hasOwn(chosen, id) ? (chosen[id] ?? null) : null);

/** The command of each chord. What the user chose wins over the table's own keys, which the others then go without. */
export function commandsByKeys(chosen: ChosenKeys, table: readonly Command[] = commands): Map<string, Command> {
  const byKeys = new Map<string, Command>();
  for (const command of table) {
    for (const keys of chosenFor(command.id, chosen) ?? []) if (!byKeys.has(keys)) byKeys.set(keys, command);
  }
  for (const command of table) {
    if (chosenFor(command.id, chosen) !== null) continue;
    for (const keys of command.keys) if (!byKeys.has(keys)) byKeys.set(keys, command);
  }
  return byKeys;
}

/** The keys that run a command now, the one to show first. */
export function keysOf(command: Command, chosen: ChosenKeys, table: readonly Command[] = commands): string[] {
  const own = chosenFor(command.id, chosen) ?? command.keys;
  const byKeys = commandsByKeys(chosen, table);
  return own.filter((keys) => byKeys.get(keys)?.id === command.id);
}

/** What is shown where a part of the window names one of the table's keys: the key that its command has now, null when it has none. */
export function shownKeys(keys: string, chosen: ChosenKeys, table: readonly Command[] = commands): string | null {
  const owner = table.find((command) => command.keys.includes(keys));
  if (owner === undefined || Object.keys(chosen).length === 0) return keys;
  const now = keysOf(owner, chosen, table);
  return now.includes(keys) ? keys : (now[0] ?? null);
}

/** The choice with these keys for a command; without the command when they are the table's own. */
export function withKeys(chosen: ChosenKeys, command: Command, keys: readonly string[]): Record<string, string[]> {
  const { [command.id]: _before, ...others } = chosen;
  const rest = Object.fromEntries(Object.entries(others).map(([id, list]) => [id, [...list]]));
  const same = keys.length === command.keys.length && keys.every((one, at) => one === command.keys[at]);
  return same ? rest : { ...rest, [command.id]: [...keys] };
}

/** The choice in which a chord belongs to one command and to no other any more. */
export function withChord(
  chosen: ChosenKeys,
  command: Command,
  keys: readonly string[],
  table: readonly Command[] = commands,
): Record<string, string[]> {
  let next = withKeys(chosen, command, keys);
  for (const other of table) {
    if (other.id === command.id) continue;
    const list = chosenFor(other.id, next);
    if (list?.some((one) => keys.includes(one)))
      next = withKeys(
        next,
        other,
        list.filter((one) => !keys.includes(one)),
      );
  }
  return next;
}
