import type { Transport } from '../../shared/client.ts';
import type { CallName, Input, Output } from '../../shared/contract.ts';
import { type Reason, reason } from '../../shared/errors.ts';

type Answers = { [N in CallName]?: (input: Input<N>) => Output<N> | Promise<Output<N>> };

/** Thrown by an answer to refuse the call. */
export class Refusal extends Error {
  readonly reason: Reason;

  constructor(refused: Reason) {
    super(refused.message);
    this.reason = refused;
  }
}

/** A host made of the answers a test gives; a call without one is refused. It keeps every call that was made. */
export class FakeHost implements Transport {
  readonly asked: { call: string; input: unknown }[] = [];
  readonly #answers: Answers;
  readonly #listeners = new Set<(event: string, payload: unknown) => void>();

  constructor(answers: Answers) {
    this.#answers = answers;
  }

  /** How often a call was made. */
  times(call: CallName): number {
    return this.asked.filter((entry) => entry.call === call).length;
  }

  push(event: string, payload: unknown): void {
    for (const listener of this.#listeners) listener(event, payload);
  }

  async invoke(call: string, input: unknown): Promise<unknown> {
    this.asked.push({ call, input });
    const answer = this.#answers[call as CallName] as ((input: unknown) => unknown) | undefined;
    if (answer === undefined) return { ok: false, error: reason('NOT_AVAILABLE_HERE', { what: call }) };
    try {
      return { ok: true, value: await answer(input) };
    } catch (thrown) {
      if (thrown instanceof Refusal) return { ok: false, error: thrown.reason };
      throw thrown;
    }
  }

  subscribe(listener: (event: string, payload: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }
}
