import { CallError, type Client } from '../../shared/client.ts';
import type { CallName, Input, Output } from '../../shared/contract.ts';
import { type Reason, reason, reasonOf } from '../../shared/errors.ts';

let connected: Client | null = null;

/** Gives the actions the client they call; the window does it once at start, tests do it with a client of their own. */
export function connect(client: Client): void {
  connected = client;
}

/** The connected client. Throws before `connect`. */
export function host(): Client {
  if (connected === null) throw new CallError(reason('NOT_AVAILABLE_HERE', { what: 'The engine' }));
  return connected;
}

export function call<N extends CallName>(name: N, input: Input<N>): Promise<Output<N>> {
  return host().call(name, input);
}

/** The code and sentence of anything thrown by a call. */
export function reasonOfThrown(thrown: unknown): Reason {
  return thrown instanceof CallError ? thrown.reason : reasonOf(thrown);
}
