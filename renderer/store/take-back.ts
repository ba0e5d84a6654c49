import type { Message, MessageBody } from '../../shared/model.ts';
import { call, reasonOfThrown } from './host.ts';
import { copyText } from './patch.ts';
import { sessionStore } from './session-store.ts';
import { positionOfStop } from './stops.ts';
import { takenBackStore } from './taken-back-store.ts';
import { showFailure } from './toast-store.ts';
import { beginTravel } from './travel.ts';
import { travelStore } from './travel-store.ts';
import { usualScope } from './usual-scope.ts';

/** The text of a message, without thinking and tool output. */
export const textOfBody = (body: MessageBody): string =>
  body.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');

/** Puts the whole text of a message on the clipboard; gives it, or null when it cannot be read. */
export async function copyMessage(message: Message, what: string): Promise<string | null> {
  const thread = sessionStore.getState().id;
  if (thread === null) return null;
  try {
    const text = textOfBody(await call('thread.message', { thread, message: message.id }));
    await copyText(text, what);
    return text;
  } catch (thrown) {
    showFailure(reasonOfThrown(thrown));
    return null;
  }
}

/** The stop just before a message; null when the message is no place to stand. */
export function stopBefore(message: Message): number | null {
  const { stops } = sessionStore.getState().index;
  if (message.stop === null) return null;
  return stops[positionOfStop(stops, message.stop) - 1]?.stop ?? null;
}

// A travel that was given up takes nothing back.
travelStore.subscribe((now, before) => {
  if (before.gate !== null && now.gate === null && now.last === before.last) takenBackStore.setState({ text: null });
});

export const forgetTakenBack = (): void => takenBackStore.setState({ text: null });

/**
 * Goes to the stop before a prompt. Its text goes to the clipboard first, and stays to be copied while the revert stands, so that it can
 * be asked again in other words.
 */
export async function takeBack(message: Message): Promise<void> {
  const stop = stopBefore(message);
  if (stop === null) return;
  takenBackStore.setState({ text: await copyMessage(message, 'Prompt') });
  await beginTravel({ kind: 'revert', stop, entry: null, scope: usualScope() });
}
