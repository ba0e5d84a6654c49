import { type Reason, reason } from './errors.ts';
import type { Message } from './model.ts';

/**
 * Why the conversation cannot stand after the message at that place of the list, with the nearest stops where it can; null where it
 * can, and for a place that has no message.
 */
export function whyNoStop(messages: readonly Pick<Message, 'stop' | 'canStand'>[], at: number): Reason | null {
  const why = messages[at]?.canStand ?? true;
  if (why === true) return null;
  if (why.code !== 'STOP_WITHOUT_ID' && why.code !== 'STOP_NOT_BEFORE_PROMPT') return why;
  const nearest = (step: -1 | 1): string[] => {
    for (let place = at + step; place >= 0 && place < messages.length; place += step) {
      const { stop, canStand } = messages[place] ?? { stop: null, canStand: why };
      if (stop !== null && canStand === true) return [`message ${stop} (stop:${stop})`];
    }
    return [];
  };
  const stops = [...nearest(-1), ...nearest(1)];
  return stops.length === 0 ? why : reason(why.code, { stops: stops.join(' or ') });
}
