/**
 * What a log of DSH (format 3, plain) says, written from formats/dsh.md (sections 2, 4 and 6) alone: turns, steps, and the messages
 * that a recall took back. It shares no code with Turnback.
 */
interface DshEvent {
  type: string;
  seq: number;
  data: Record<string, unknown>;
  surfaceOp?: 'append' | { op: 'replace'; startSeq: number; endSeq: number };
  sourceEventSeqs?: number[];
}

export interface DshReference {
  turns: { turn: number; steps: number; open: boolean }[];
  /** Ids of the human's and the model's messages, in order, with whether a recall took them back. */
  messages: { id: string; role: 'user' | 'assistant'; recalled: boolean }[];
}

const messageOf = (event: DshEvent): Record<string, unknown> =>
  (event.data['message'] as Record<string, unknown> | undefined) ?? event.data;

export function dshReference(text: string): DshReference {
  const events = text
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as DshEvent);
  const turns: DshReference['turns'] = [];
  const recalled = new Set<number>();
  for (const event of events) {
    const turn = turns.at(-1);
    if (event.type === 'turn/start') turns.push({ turn: event.data['turn'] as number, steps: 0, open: true });
    else if (event.type === 'step/start' && turn) turn.steps += 1;
    else if (event.type === 'turn/end' && turn) turn.open = false;
    else if (
      event.type === 'system/message' &&
      String(messageOf(event)['id']).startsWith('recall:') &&
      typeof event.surfaceOp === 'object'
    ) {
      for (const seq of event.sourceEventSeqs ?? []) recalled.add(seq);
    }
  }
  const messages = events.flatMap((event): DshReference['messages'] => {
    const source = (messageOf(event)['source'] as { kind?: string } | undefined)?.kind;
    const role = event.type === 'user/message' && source === 'user' ? 'user' : event.type === 'assistant/message' ? 'assistant' : null;
    return role === null ? [] : [{ id: String(messageOf(event)['id']), role, recalled: recalled.has(event.seq) }];
  });
  return { turns, messages };
}
