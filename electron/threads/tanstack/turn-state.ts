import type { Turn } from '../../../shared/model.ts';
import { type InputState, isChat, startsTurn } from './inputs.ts';
import type { Entry } from './message-entry.ts';

/** One prompt and all that follows until the next one: its runs are the prompt, later answers to its questions, and nudges. */
export interface TurnState {
  readonly index: number;
  /** The inputs that ran in it, in order; empty for a turn that only its user message tells of (a fork, another writer). */
  readonly runs: InputState[];
  /** Its first user message, for a turn without an input. */
  prompt: string;
  startedAt: number | null;
  /** Id of that message. */
  messageId: string | null;
  /** How many messages the transcript held when it began: where a turn without messages lies. */
  readonly before: number;
}

/** The turns of a thread, built from the positions of its inputs (`formats/tanstack.md`, derived views). */
export class Turns {
  readonly all: TurnState[] = [];
  /** The turn that runs at this position of the log. */
  current: TurnState | null = null;
  readonly #byInput = new Map<InputState, TurnState>();

  /**
   * A chat input was applied, perhaps again (another attempt), where the transcript holds `before` messages, the last of
   * them of the turn `open`: an answer to a question or a nudge goes on with that one.
   */
  applied(input: InputState, before: number, open: TurnState | null): void {
    if (!isChat(input)) return;
    const known = this.#byInput.get(input) ?? (startsTurn(input) ? null : open);
    this.current = known ?? this.#begin(input, before);
    if (this.#byInput.has(input)) return;
    this.current.runs.push(input);
    this.#byInput.set(input, this.current);
  }

  /** A chat input ended, or joined another one. */
  ended(input: InputState): void {
    if (this.current?.runs.at(-1) === input) this.current = null;
  }

  /** The turn that a new message behind one of the turn `open` belongs to; a prompt outside of any run starts one. */
  turnFor(entry: Entry, before: number, open: TurnState | null, pending: InputState | null): TurnState | null {
    if (this.current) return this.current;
    const { role, reset } = entry.content;
    if (role !== 'user' || reset || entry.head) return open;
    const turn = this.#begin(pending, before);
    if (pending === null) {
      turn.prompt = entry.content.excerpt;
      turn.startedAt = entry.content.at;
      turn.messageId = entry.content.id;
    }
    return turn;
  }

  #begin(input: InputState | null, before: number): TurnState {
    const turn: TurnState = {
      index: this.all.length + 1,
      runs: input ? [input] : [],
      prompt: input?.prompt || input?.op || '',
      startedAt: input?.at ?? null,
      messageId: null,
      before,
    };
    if (input) this.#byInput.set(input, turn);
    this.all.push(turn);
    return turn;
  }
}

/** The id of a turn: the operation of its first run (the last attempt of it), else its user message's. */
export function turnId(turn: TurnState): string {
  const [first] = turn.runs;
  return first?.operationId ?? first?.inputId ?? turn.messageId ?? `turn-${turn.index}`;
}

/** How the turn's last run ended. `latest`: no later turn has begun. */
export function turnStatus(turn: TurnState, latest: boolean): Turn['status'] {
  const run = turn.runs.at(-1);
  if (run === undefined) return 'unknown';
  if (run.status === 'settled') {
    const { outcome } = run;
    return outcome === 'completed' || outcome === 'failed' || outcome === 'aborted' || outcome === 'interrupted' ? outcome : 'unknown';
  }
  return latest && (run.status === 'applied' || run.status === 'pending') ? 'running' : 'unknown';
}
