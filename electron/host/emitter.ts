import { type EventName, events } from '../../shared/contract.ts';
import type { Report } from './dispatch.ts';

/** Sends an event to the renderer, checked against the contract. */
export type Emit = (event: EventName, payload: unknown) => void;

const tell: Report = (what, thrown) => console.error(`turnback: ${what}:`, thrown);

/**
 * An `Emit` over a host's push. A payload that does not fit is reported and not sent: an event must never make the
 * travel fail that told about itself.
 */
export function createEmitter(push: (event: EventName, payload: unknown) => void, report: Report = tell): Emit {
  return (event, payload) => {
    const made = Object.hasOwn(events, event) ? events[event].safeParse(payload) : null;
    if (made?.success) push(event, made.data);
    else report(`the event ${event} does not fit its schema`, made?.error ?? 'there is no such event');
  };
}
