import { type Answer, type CallName, calls, type Handlers } from '../../shared/contract.ts';
import { type Reason, reason, reasonOf } from '../../shared/errors.ts';

/** Where failures that are ours to mend are told, with their stack; the renderer gets the sentence alone. */
export type Report = (what: string, thrown: unknown) => void;

const tell: Report = (what, thrown) => console.error(`turnback: ${what}:`, thrown);

const refused = (error: Reason): Answer => ({ ok: false, error });

/** The name, when it is one of the contract; a name such as `constructor` is not. */
function callNamed(call: unknown): CallName | null {
  return typeof call === 'string' && Object.hasOwn(calls, call) ? (call as CallName) : null;
}

/** One line without control characters, so that no stack and no terminal escape crosses the boundary. */
function oneLine(error: Reason): Reason {
  if (error.code !== 'INTERNAL') return error;
  const [first = ''] = error.message.split('\n');
  return { code: error.code, message: first.slice(0, 500) };
}

/**
 * Runs one call for whichever host: the name, the input and the output are checked against the contract, and whatever is
 * thrown comes back as a code and a sentence. Never rejects.
 */
export async function dispatch(handlers: Handlers, call: unknown, input: unknown, report: Report = tell): Promise<Answer> {
  const name = callNamed(call);
  if (name === null) {
    const shown = typeof call === 'string' ? call.slice(0, 80) : typeof call;
    return refused(reason('BAD_REQUEST', { call: shown, cause: 'there is no such call' }));
  }
  const given = calls[name].input.safeParse(input);
  if (!given.success) {
    const issue = given.error.issues[0];
    const at = issue === undefined || issue.path.length === 0 ? 'the input' : issue.path.join('.');
    return refused(reason('BAD_REQUEST', { call: name, cause: `${at}: ${issue?.message ?? 'not understood'}` }));
  }
  try {
    const handler = handlers[name] as (input: unknown) => Promise<unknown>;
    const made = calls[name].output.safeParse(await handler(given.data));
    if (made.success) return { ok: true, value: made.data };
    report(`the answer to ${name} does not fit its schema`, made.error);
    return refused(reason('INTERNAL', { cause: `the answer to ${name} has no known form` }));
  } catch (thrown) {
    const error = reasonOf(thrown);
    if (error.code === 'INTERNAL') report(name, thrown);
    return refused(oneLine(error));
  }
}
