import { setImmediate as breathe } from 'node:timers/promises';
import { type Answer, type CallName, calls, type Handlers } from '../../shared/contract.ts';
import { type Reason, reason, reasonOf } from '../../shared/errors.ts';
import { parseInPieces } from '../../shared/parse-in-pieces.ts';

/** Where failures that are ours to mend are told, with their stack; the renderer gets the sentence alone. */
export type Report = (what: string, thrown: unknown) => void;

/** Characters of a sentence that crosses. */
const LONGEST = 4000;

const tell: Report = (what, thrown) => console.error(`turnback: ${what}:`, thrown);

const refused = (error: Reason): Answer => ({ ok: false, error });

/** The name, when it is one of the contract; a name such as `constructor` is not. */
function callNamed(call: unknown): CallName | null {
  return typeof call === 'string' && Object.hasOwn(calls, call) ? (call as CallName) : null;
}

/** Text of a stranger, such as a key of the input, as part of a sentence. */
const shortOf = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/**
 * A sentence that can be shown: a failure of ours as one line, so that no stack crosses the boundary, and none so long that what
 * somebody sent in comes back whole.
 */
function toShow(error: Reason): Reason {
  const [first = ''] = error.message.split('\n');
  return { code: error.code, message: error.code === 'INTERNAL' ? first.slice(0, 500) : error.message.slice(0, LONGEST) };
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
    const at = issue === undefined || issue.path.length === 0 ? 'the input' : shortOf(issue.path.map(String).join('.'));
    return refused(reason('BAD_REQUEST', { call: name, cause: `${at}: ${shortOf(issue?.message ?? 'not understood')}` }));
  }
  try {
    const handler = handlers[name] as (input: unknown) => Promise<unknown>;
    const { output } = calls[name];
    const value = await handler(given.data);
    // The view of a long thread is checked part by part: other calls are answered meanwhile.
    const made = await parseInPieces(output, value, breathe);
    if (made.ok) return { ok: true, value: made.value };
    report(`the answer to ${name} does not fit its schema`, output.safeParse(value).error);
    return refused(reason('INTERNAL', { cause: `the answer to ${name} has no known form` }));
  } catch (thrown) {
    const error = reasonOf(thrown);
    if (error.code === 'INTERNAL') report(name, thrown);
    return refused(toShow(error));
  }
}
