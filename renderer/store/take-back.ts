import type { Message, MessageBody } from '../../shared/model.ts';
import { call, reasonOfThrown } from './host.ts';
import { copyText } from './patch.ts';
import { sessionStore } from './session-store.ts';
import { positionOfStop } from './stops.ts';
import { showFailure } from './toast-store.ts';
import { beginTravel } from './travel.ts';
import { usualScope } from './usual-scope.ts';

/** The text of a message, without thinking and tool output. */
export const textOfBody = (body: MessageBody): string =>
  body.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');

/** Puts the whole text of a message on the clipboard. */
export async function copyMessage(message: Message, what: string): Promise<void> {
  const thread = sessionStore.getState().id;
  if (thread === null) return;
  try {
    await copyText(textOfBody(await call('thread.message', { thread, message: message.id })), what);
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
  }
}

/** The stop just before a message; null when the message is no place to stand. */
export function stopBefore(message: Message): number | null {
  const { stops } = sessionStore.getState().index;
  if (message.stop === null) return null;
  return stops[positionOfStop(stops, message.stop) - 1]?.stop ?? null;
}

/** Goes to the stop before a prompt. Its text goes to the clipboard first, so that it can be asked again in other words. */
export async function takeBack(message: Message): Promise<void> {
  const stop = stopBefore(message);
  if (stop === null) return;
  await copyMessage(message, 'Prompt');
  await beginTravel({ kind: 'revert', stop, entry: null, scope: usualScope() });
}
