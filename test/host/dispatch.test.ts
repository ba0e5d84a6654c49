import { expect, test } from 'vitest';
import { dispatch } from '../../electron/host/dispatch.ts';
import { createEmitter } from '../../electron/host/emitter.ts';
import { answerSchema, type CallName, calls, type Handlers } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { inputsOf } from './bad-inputs.ts';

type Made = (input: never) => Promise<unknown>;

/** Handlers of which one is given; all others fail the test when they are reached. */
function handlers(name: string, made: Made): Handlers {
  const table = Object.fromEntries(
    Object.keys(calls).map((call) => [call, () => Promise.reject(new Error(`${call} must not be reached`))]),
  );
  return { ...table, [name]: made } as unknown as Handlers;
}

const reports: string[] = [];
const report = (what: string): void => void reports.push(what);

test('a good call gives its value, without keys the contract does not know', async () => {
  const answer = await dispatch(
    handlers('thread.close', async () => ({ extra: 1 })),
    'thread.close',
    { thread: 't', more: 2 },
    report,
  );
  expect(answer).toEqual({ ok: true, value: {} });
});

test.each(['', 'nope', 'constructor', '__proto__', 'toString', 'thread.open ', 7, null, undefined, {}, ['threads.list']])(
  'the name %j is no call',
  async (name) => {
    const answer = await dispatch(
      handlers('', async () => null),
      name,
      {},
      report,
    );
    expect(answer).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
  },
);

test.each(Object.keys(calls))('%s refuses input of another form, and the handler is not reached', async (name) => {
  const table = handlers('', async () => null);
  for (const input of [null, undefined, 7, 'text', [], true]) {
    const answer = await dispatch(table, name, input, report);
    expect(answer).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
    expect(answerSchema.safeParse(answer).success).toBe(true);
  }
});

test.each(Object.keys(calls).filter((name) => name !== 'dialog.open' && name !== 'patch.save'))(
  '%s: an answer that does not fit the contract is kept back and told',
  async (name) => {
    const input = SAMPLES[name] ?? inputsOf(calls[name as CallName].input).good;
    reports.length = 0;
    const answer = await dispatch(
      handlers(name, async () => 'not an answer'),
      name,
      input,
      report,
    );
    expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
    expect(reports).toEqual([`the answer to ${name} does not fit its schema`]);
  },
);

const travel = { thread: 't', kind: 'revert', stop: 1, entry: null, scope: 'both' };
const range = { kind: 'step', step: 's' };
const SAMPLES: Record<string, unknown> = {
  'threads.locate': { path: '/x' },
  'thread.open': { thread: 't', root: null, data: null },
  'thread.steps': { thread: 't' },
  'thread.message': { thread: 't', message: 'm' },
  'thread.close': { thread: 't' },
  'diff.files': { thread: 't', range },
  'diff.file': { thread: 't', range, path: 'a', anyway: false },
  'patch.text': { thread: 't', range },
  'travel.preview': travel,
  'travel.run': { ...travel, operation: 'o', drift: 'merge', choices: {}, fingerprint: 'f' },
  'travel.history': { thread: 't' },
  'travel.recover': { entry: 'e', how: 'finish' },
  cancel: { operation: 'o' },
  'folder.list': { path: null },
  'clipboard.write': { text: '' },
  'shell.reveal': { thread: 't', path: 'a' },
  'shell.link': { url: 'https://example.org' },
};

test('an error of ours crosses with its code and sentence and is no report', async () => {
  reports.length = 0;
  const table = handlers('threads.list', async () => {
    throw new TurnbackError('NOT_IDLE');
  });
  expect(await dispatch(table, 'threads.list', {}, report)).toEqual({
    ok: false,
    error: { code: 'NOT_IDLE', message: 'Wait until the turn ends, then try again.' },
  });
  expect(reports).toEqual([]);
});

test('any other error crosses as one line without its stack, and is told in full', async () => {
  reports.length = 0;
  const table = handlers('threads.list', () => {
    const error = new Error('boom\n    at secret (/home/me/file.ts:1:1)');
    throw error;
  });
  const answer = await dispatch(table, 'threads.list', {}, report);
  expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
  expect(JSON.stringify(answer)).toContain('boom');
  expect(JSON.stringify(answer)).not.toMatch(/secret|file\.ts/);
  expect(reports).toEqual(['threads.list']);
});

test('a prototype key among the choices reaches no object', async () => {
  let seen: unknown;
  const table = handlers('travel.run', async (input) => {
    seen = input;
    throw new TurnbackError('CANCELLED');
  });
  const input = JSON.parse(JSON.stringify(SAMPLES['travel.run']).replace('"choices":{}', '"choices":{"__proto__":"keep","a":"merge"}'));
  await dispatch(table, 'travel.run', input, report);
  const { choices } = seen as { choices: Record<string, unknown> };
  expect(Object.getPrototypeOf(choices)).toBe(Object.prototype);
  expect(choices['a']).toBe('merge');
});

test('events are checked: a good one is pushed, a bad or unknown one is told and not pushed', () => {
  const pushed: unknown[] = [];
  reports.length = 0;
  const emit = createEmitter((event, payload) => pushed.push([event, payload]), report);
  emit('thread.changed', { thread: 't', extra: 1 });
  emit('files.changed', { thread: 't', path: 'a', change: 'moved' });
  emit('constructor' as never, {});
  expect(pushed).toEqual([['thread.changed', { thread: 't' }]]);
  expect(reports).toHaveLength(2);
});
