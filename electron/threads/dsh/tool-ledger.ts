import { type DshEvent, fields, list, sourcesOf, text } from './dsh-event.ts';
import { messageOf } from './surface.ts';

interface Call {
  name: string | null;
  arguments: string | null;
  /** The `tool/call` event; null while the call was only advertised. */
  started: number | null;
  settled: boolean;
}

/** The tool calls of the open step: advertised by a message, started, answered once each (formats/dsh.md, tools). */
export class ToolLedger {
  #calls = new Map<string, Call>();

  /** The calls that an assistant message announces; ids are unique within the step. */
  advertise(content: readonly unknown[]): string | null {
    for (const item of content) {
      const block = fields(item);
      const id = text(block['id']);
      if (block['type'] !== 'tool-call' || id === null) continue;
      if (this.#calls.has(id)) return `assistant/message repeats tool call ${id}`;
      this.#calls.set(id, { name: text(block['name']), arguments: text(block['arguments']), started: null, settled: false });
    }
    return null;
  }

  start(seq: number, id: string | null, name: string | null, input: string | null): string | null {
    const call = id === null ? undefined : this.#calls.get(id);
    if (!call || call.name !== name || call.arguments !== input) return `tool/call ${id} does not match an advertised tool call`;
    if (call.started !== null) return `tool/call ${id} starts twice`;
    call.started = seq;
    return null;
  }

  settle(event: DshEvent, version: number): string | null {
    const id = resultCallId(event, version);
    const call = id === null ? undefined : this.#calls.get(id);
    if (!call) return `tool/result ${id} does not match an advertised tool call`;
    if (call.settled) return `tool/result ${id} settles a tool call twice`;
    const sources = sourcesOf(event);
    if (call.started !== null && sources !== null && sources.length > 0 && !sources.includes(call.started)) {
      return `tool/result ${id} does not cite its tool call`;
    }
    call.settled = true;
    return null;
  }

  /** The first call that has no answer yet, started or not. */
  unresolved(): string | null {
    for (const [id, call] of this.#calls) if (!call.settled) return id;
    return null;
  }

  /** Every call without an answer, in the order in which they were announced. */
  open(): { id: string; name: string | null; started: number | null }[] {
    return [...this.#calls].filter(([, call]) => !call.settled).map(([id, call]) => ({ id, name: call.name, started: call.started }));
  }

  endStep(): void {
    this.#calls = new Map();
  }
}

/** The call that a `tool/result` answers: in its only block up to format 3, on the message itself from format 4 on. */
export function resultCallId(event: DshEvent, version: number): string | null {
  const message = messageOf(event);
  if (version >= 4) return text(message['toolCallId']);
  return text(fields(list(message['content'])[0])['toolCallId']);
}
