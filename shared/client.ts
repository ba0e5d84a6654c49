import { answerSchema, type CallName, calls, type EventName, events, type Input, type Output, type Payload } from './contract.ts';
import { type ErrorCode, type Reason, reason } from './errors.ts';
import { type Parsed, parseAtOnce, parseInPieces } from './parse-in-pieces.ts';

/** What a host must give: two functions. Values are plain JSON. */
export interface Transport {
  invoke(call: string, input: unknown): Promise<unknown>;
  /** Calls back for each pushed event; the result ends it. */
  subscribe(listener: (event: string, payload: unknown) => void): () => void;
}

/** A call that the host refused, with the code and sentence it gave. */
export class CallError extends Error {
  readonly code: ErrorCode;
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason.message);
    this.name = 'CallError';
    this.code = reason.code;
    this.reason = reason;
  }
}

export interface Client {
  call<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>>;
  on<N extends EventName>(name: N, listener: (payload: Payload<N>) => void): () => void;
}

export interface ClientOptions {
  /** Lets a window draw and answer while a long answer is checked; without it an answer is checked at once. */
  pause?: () => Promise<void>;
}

/** The typed client over a transport. Answers and events are checked; one that does not fit is a `BAD_REQUEST` error. */
export function createClient(transport: Transport, { pause }: ClientOptions = {}): Client {
  const check = async (name: CallName, value: unknown): Promise<Parsed> => {
    const schema = calls[name].output;
    return pause === undefined ? parseAtOnce(schema, value) : parseInPieces(schema, value, pause);
  };
  return {
    async call(name, input) {
      const answer = answerSchema.safeParse(await transport.invoke(name, input));
      if (!answer.success) throw new CallError(reason('BAD_REQUEST', { call: name, cause: 'the answer has no known form' }));
      if (!answer.data.ok) throw new CallError(answer.data.error);
      const checked = await check(name, answer.data.value);
      if (!checked.ok) throw new CallError(reason('BAD_REQUEST', { call: name, cause: checked.why }));
      return checked.value as Output<typeof name>;
    },
    on(name, listener) {
      return transport.subscribe((event, payload) => {
        if (event !== name) return;
        const parsed = events[name].safeParse(payload);
        if (parsed.success) listener(parsed.data as Payload<typeof name>);
      });
    },
  };
}
