import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { Message, Part } from '../../shared/model.ts';
import { readBody } from '../store/bodies.ts';
import { bodiesStore } from '../store/bodies-store.ts';
import { sessionStore } from '../store/session-store.ts';

type Output = Extract<Part, { kind: 'output' }>;

/** The message itself and the tool messages right after it, where a log keeps outputs apart. */
function holdersOf(message: Message): Message[] {
  const { view, index } = sessionStore.getState();
  const holders = [message];
  const at = index.rowOf.get(message.id);
  if (view === null || at === undefined) return holders;
  for (let row = at + 1; row < view.messages.length; row++) {
    const next = view.messages[row];
    if (next?.role !== 'tool') break;
    holders.push(next);
  }
  return holders;
}

/** The output of a call, read from where the log keeps it; null while it is not there. */
export function useOutput(callId: string, message: Message): Output | null {
  const holders = useMemo(() => holdersOf(message), [message]);
  useEffect(() => {
    for (const holder of holders) void readBody(holder);
  }, [holders]);
  return useStore(bodiesStore, ({ bodies }) => {
    for (const holder of holders) {
      const part = bodies.get(holder.id)?.body?.parts.find((one): one is Output => one.kind === 'output' && one.callId === callId);
      if (part !== undefined) return part;
    }
    return null;
  });
}
