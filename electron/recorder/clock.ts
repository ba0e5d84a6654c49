import { randomInt } from 'node:crypto';

/** Where a session gets its time and its ids from; tests and the sample give their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** A new id that starts with the given word, in the form the harness uses (formats/tanstack.md 2). */
  id(kind: 'in' | 'op-chat' | 'op-command' | 'msg' | 'call'): string;
}

/** The machine's clock; ids are unlike any other's. */
export function machineClock(): Clock {
  let last = 0;
  return {
    now: () => Date.now(),
    id: (kind) => {
      last += 1;
      const random = randomInt(36 ** 7)
        .toString(36)
        .padStart(7, '0');
      const time = Date.now().toString(36);
      return kind.startsWith('op-') ? `${kind}-${time}${random}-${last}` : `${kind}-${time}-${random}`;
    },
  };
}
