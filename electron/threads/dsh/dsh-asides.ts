import { reason } from '../../../shared/errors.ts';
import type { Message, MessageBody } from '../../../shared/model.ts';
import { type DshEvent, fields, list, text } from './dsh-event.ts';

/** Events that are drawn as something else: boundaries as turns and steps, calls and chunks in their message, titles on top. */
const DRAWN = new Set([
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'tool/call',
  'assistant/chunk',
  'session/title',
  'session/end-seed',
]);

/** Does this event have a place among the messages although it is none: queue, todos, approvals, sub-agents, modes? */
export const isAside = (event: DshEvent): boolean => !DRAWN.has(event.type);

const words = (value: unknown): string =>
  list(value)
    .map(fields)
    .flatMap((block) => text(block['text']) ?? [])
    .join(' ');

/** One event in a few words. */
function aboutOf(event: DshEvent): string {
  const data = fields(event.data);
  if (event.type === 'agent/inbox/spliced') {
    const queued = list(data['inserted']).map((item) => words(fields(item)['content']));
    return queued.length > 0 ? `queued: ${queued.join('; ')}` : 'taken from the queue';
  }
  if (event.type === 'todo/write') {
    const todos = list(data['todos']).map(fields);
    return `todos: ${todos.map((todo) => `${text(todo['content']) ?? text(todo['title']) ?? '?'}${todo['status'] ? ` (${String(todo['status'])})` : ''}`).join('; ')}`;
  }
  const value = ['preset', 'mode', 'policy', 'model', 'name', 'summary', 'status'].flatMap((key) => text(data[key]) ?? [])[0];
  return value === undefined ? event.type : `${event.type}: ${value}`;
}

/** The bytes of the words for such an event. */
export const aboutBytes = (event: DshEvent): number => event.cut?.shown ?? Buffer.byteLength(aboutOf(event));

const BETWEEN = ' · ';
const WITHOUT_ID = reason('STOP_WITHOUT_ID');

/** The row of a run of such events, by the first of them; it is no place to stand. */
export function asideRow(first: DshEvent, events: readonly DshEvent[], turn: number | null): Message {
  const about = events.map(aboutOf).join(BETWEEN);
  return {
    stop: null,
    id: `seq:${first.seq}`,
    role: 'system',
    turn,
    step: null,
    at: first.time,
    excerpt: about.slice(0, 240),
    bytes: events.reduce((sum, event) => sum + aboutBytes(event), Buffer.byteLength(BETWEEN) * (events.length - 1)),
    images: 0,
    thinking: false,
    tools: [],
    hidden: null,
    divider: null,
    canStand: WITHOUT_ID,
  };
}

/** The events of such a row as the log has them. */
export function asideBody(id: string, events: readonly DshEvent[]): MessageBody {
  return {
    id,
    parts: events.map(({ line: _line, ...event }) => ({ kind: 'raw', type: event.type, json: JSON.stringify(event, null, 2) })),
  };
}
