import { messageText } from './message-entry.ts';
import { firstOf, type JsonObject, numberField, objectField, textField, timeField } from './record.ts';

const PROMPT = 240;

/** The records that make up the life of an input. */
export const INPUT_TYPES: ReadonlySet<string> = new Set([
  'harness.input',
  'harness.input.applied',
  'harness.input.joined',
  'harness.input.rejected',
  'harness.input.abort',
  'harness.input.delivery',
  'harness.input.settled',
]);

const CHAT = new Set(['prompt', 'steer', 'followUp', 'continue', 'resolve']);
/** They work on a thread until they settle; the rest of the known ones never settles and is no work. */
const WORK = new Set([...CHAT, 'agent', 'agentMessage', 'reset']);
const NEVER_SETTLE = new Set([
  'command',
  'cancel',
  'cancelInput',
  'setDelivery',
  'answer',
  'config',
  'configure',
  'background',
  'revert',
  'unrevert',
]);

export interface InputState {
  readonly inputId: string;
  readonly op: string;
  /** The first words of its message. */
  readonly prompt: string;
  /** Name of a command. */
  readonly name: string | null;
  readonly at: number | null;
  status: 'pending' | 'applied' | 'joined' | 'rejected' | 'settled';
  operationId: string | null;
  attempt: number;
  abortRequested: boolean;
  into: string | null;
  outcome: string | null;
}

/** A turn of the thread starts, goes on or is answered by these. */
export function isChat(input: InputState): boolean {
  return CHAT.has(input.op);
}

/** A prompt of a person, in contrast to an answer to a question or a nudge to go on. */
export function startsTurn(input: InputState): boolean {
  return isChat(input) && input.op !== 'continue' && input.op !== 'resolve';
}

/** Work that has not ended. An operation that Turnback does not know counts as work: it may be. */
export function isOpen(input: InputState): boolean {
  if (input.status !== 'pending' && input.status !== 'applied') return false;
  return WORK.has(input.op) || !NEVER_SETTLE.has(input.op);
}

/** What callers sent to one thread, folded from the `harness.input` records (`formats/tanstack.md`, inputs). */
export class Inputs {
  readonly byId = new Map<string, InputState>();
  readonly #open = new Set<InputState>();

  /** Folds one record of the `harness.input` family; gives the input whose state changed, or null. */
  apply(type: string, record: JsonObject): InputState | null {
    const id = textField(record, 'inputId');
    if (id === null) return null;
    if (type === 'harness.input') return this.#accept(id, record);
    const input = this.byId.get(id);
    if (input === undefined) return null;
    this.#change(input, type, record);
    if (isOpen(input)) this.#open.add(input);
    else this.#open.delete(input);
    return input;
  }

  /** Inputs that are still at work, in the order they came. */
  get open(): InputState[] {
    return [...this.#open];
  }

  /** The first record of an id wins; later ones are ignored, as the harness does. */
  #accept(id: string, record: JsonObject): InputState | null {
    if (this.byId.has(id)) return null;
    const sent = objectField(record, 'input') ?? {};
    const input: InputState = {
      inputId: id,
      op: textField(sent, 'op') ?? 'unknown',
      prompt: firstOf(promptText(sent), PROMPT),
      name: textField(sent, 'name'),
      at: timeField(record, 'at'),
      status: 'pending',
      operationId: null,
      attempt: 0,
      abortRequested: false,
      into: null,
      outcome: null,
    };
    this.byId.set(id, input);
    if (isOpen(input)) this.#open.add(input);
    return input;
  }

  #change(input: InputState, type: string, record: JsonObject): void {
    switch (type) {
      case 'harness.input.applied':
        input.status = 'applied';
        input.operationId = textField(record, 'operationId') ?? input.operationId;
        input.attempt = numberField(record, 'attempt') ?? input.attempt + 1;
        break;
      case 'harness.input.joined':
        input.status = 'joined';
        input.into = textField(record, 'into');
        break;
      case 'harness.input.rejected':
        input.status = 'rejected';
        break;
      case 'harness.input.settled':
        input.status = 'settled';
        input.outcome = textField(record, 'outcome');
        break;
      case 'harness.input.abort':
        input.abortRequested = true;
        break;
      default:
    }
  }
}

function promptText(sent: JsonObject): string {
  return textField(sent, 'message') ?? messageText({ content: sent['message'] });
}
