import type { Message } from '../../shared/model.ts';
import { type BodyEntry, bodiesStore } from './bodies-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { sessionStore } from './session-store.ts';

const LIMIT = 300;

/** What changes when a message grows while it streams. */
export const markOf = (message: Message): string =>
  `${message.bytes}/${message.tools.map((tool) => `${tool.status}${tool.outputBytes ?? ''}`).join(',')}`;

function put(id: string, entry: BodyEntry): void {
  const bodies = new Map(bodiesStore.getState().bodies);
  bodies.delete(id);
  bodies.set(id, entry);
  for (const oldest of bodies.keys()) {
    if (bodies.size <= LIMIT) break;
    bodies.delete(oldest);
  }
  bodiesStore.setState({ bodies });
}

/** Reads the whole content of a message unless it is there or on its way. A failed one is read again only with `again`. */
export async function readBody(message: Message, again = false): Promise<void> {
  const thread = sessionStore.getState().id;
  const mark = markOf(message);
  const known = bodiesStore.getState().bodies.get(message.id);
  if (thread === null || (known?.mark === mark && !again)) return;
  put(message.id, { phase: 'loading', body: known?.body ?? null, error: null, mark });
  const still = (): boolean => sessionStore.getState().id === thread && bodiesStore.getState().bodies.get(message.id)?.mark === mark;
  try {
    const body = await call('thread.message', { thread, message: message.id });
    if (still()) put(message.id, { phase: 'ready', body, error: null, mark });
  } catch (thrown) {
    if (still()) put(message.id, { phase: 'failed', body: known?.body ?? null, error: reasonOfThrown(thrown), mark });
  }
}

export function forgetBodies(): void {
  bodiesStore.setState({ bodies: new Map() });
}
