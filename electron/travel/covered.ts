import type { Message, Thread } from '../../shared/model.ts';
import type { SideEffect } from '../../shared/plan.ts';

const inConversation = (message: Message): message is Message & { stop: number } =>
  message.stop !== null && (message.hidden === null || message.hidden.reason === 'reverted');

/** The messages after a stop, those that a standing revert hides included. */
export function messagesAfter(thread: Thread, stop: number): Message[] {
  return thread.messages.filter((message) => inConversation(message) && message.stop > stop);
}

/** The last stop of the conversation. */
export function lastStop(thread: Thread): number {
  return thread.messages.reduce((last, message) => (inConversation(message) ? Math.max(last, message.stop) : last), 0);
}

/** The turns that messages belong to, in order. */
export function turnsOf(messages: readonly Message[]): number[] {
  return [...new Set(messages.flatMap((message) => message.turn ?? []))];
}

/** What the calls of these messages may have done that no file list shows, in their own words. */
export function sideEffectsOf(messages: readonly Message[]): SideEffect[] {
  return messages.flatMap((message) =>
    message.tools
      // A call that never ran did nothing.
      .filter((call) => call.sideEffect !== null && call.status !== 'requested' && call.status !== 'needs-approval')
      .map((call) => ({ turn: message.turn ?? 0, tool: call.name, summary: call.summary })),
  );
}

/** Words for a stop: "before turn 3", "message 12". */
export function stopWords(thread: Thread, stop: number): string {
  const turn = thread.turns.find((one) => one.firstStop === stop && one.hidden?.reason !== 'dropped');
  return turn ? `before turn ${turn.index}` : `message ${stop}`;
}
