import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import { dispatch } from '../../electron/host/dispatch.ts';
import { createEmitter } from '../../electron/host/emitter.ts';
import { createEngine, type Engine } from '../../electron/host/engine.ts';
import { answerSchema, type CallName, calls, type EventName, events, type Handlers } from '../../shared/contract.ts';
import { record } from '../figures.ts';
import { type TanstackScenario, tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { inputsOf, ODD } from './bad-inputs.ts';

const NAMES = Object.keys(calls) as CallName[];
/** A call that makes something each time it is asked with an input of the right form, and needs none. */
const MAKES: ReadonlySet<CallName> = new Set(['sample.make']);

let folder = '';
let made: TanstackScenario;
let engine: Engine;
let hints: Record<string, unknown> = {};
let refused = 0;
let answered = 0;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-boundary-')));
  made = await tanstackScenario(folder, { events: false });
  await writeFiles(made.root, { 'a.txt': '1\n' });
  const turn = await made.turn('edit', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { 'a.txt': '2\n' }) }]);
  engine = createEngine({ port: browserPort, push: () => undefined, version: '1', open: null, env: made.env });
  const opened = await engine.answer('thread.open', { thread: made.log, root: null, data: null });
  if (!opened.ok) throw new Error(opened.error.message);
  const { head, steps } = opened.value as { head: { id: string }; steps: { id: string }[] };
  const [thread, step] = [head.id, steps[0]];
  hints = { thread, message: turn.answerId, root: null, data: null, range: { kind: 'step', step: step?.id }, path: 'a.txt' };
});

afterAll(async () => {
  await engine?.dispose();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  if (refused > 0) record('hostile input', 'bad inputs of calls, made from their schemas: refused with a code', refused);
  if (answered > 0) record('hostile input', 'odd inputs of calls that fit their schema: answered without a crash', answered);
});

describe.each(NAMES)('%s', (name) => {
  test('has a schema for both ways', () => {
    expect(calls[name].input.safeParse(Symbol('never')).success).toBe(false);
    expect(calls[name].output.safeParse(Symbol('never')).success).toBe(false);
  });

  test('whatever comes instead of its input is refused or answered, by a code, and never crashes', async () => {
    const before = await manifest(made.root, { mtimes: true });
    const { good, others } = inputsOf(calls[name].input, hints);
    for (const input of [...(MAKES.has(name) ? [] : [good]), ...others]) {
      const fits = calls[name].input.safeParse(input).success;
      if (fits && MAKES.has(name)) continue;
      const answer = answerSchema.parse(await engine.answer(name, input));
      if (!fits) {
        expect(answer).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
        refused += 1;
      } else answered += 1;
      if (answer.ok) continue;
      expect([answer.error, input]).not.toEqual([{ code: 'INTERNAL', message: expect.anything() }, input]);
      expect(answer.error.message.length).toBeLessThan(4100);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(await manifest(made.root, { mtimes: true })).toEqual(before);
  });

  test('an answer of another form is kept back', async () => {
    const { good } = inputsOf(calls[name].input, hints);
    for (const odd of ODD) {
      if (calls[name].output.safeParse(odd).success) continue;
      const told: unknown[] = [];
      const handlers = { [name]: async () => odd } as unknown as Handlers;
      const answer = await dispatch(handlers, name, good, (what) => told.push(what));
      expect(answer).toMatchObject({ ok: false, error: { code: 'INTERNAL' } });
      expect(told).toEqual([`the answer to ${name} does not fit its schema`]);
    }
  });
});

describe.each(Object.keys(events) as EventName[])('the event %s', (name) => {
  test('is pushed in its own form only', () => {
    const pushed: unknown[] = [];
    const told: unknown[] = [];
    const emit = createEmitter(
      (_, payload) => pushed.push(payload),
      (what) => told.push(what),
    );
    const { good, others } = inputsOf(events[name]);
    emit(name, good);
    expect(pushed).toHaveLength(1);
    const bad = others.filter((payload) => !events[name].safeParse(payload).success);
    expect(bad.length).toBeGreaterThan(30);
    for (const payload of bad) emit(name, payload);
    expect([pushed.length, told.length]).toEqual([1, bad.length]);
  });
});

test('a name that is no call is refused, whatever it is', async () => {
  for (const odd of [...ODD, ...NAMES.map((name) => `${name} `), 'hasOwnProperty', 'valueOf'])
    expect(await engine.answer(odd, {})).toMatchObject({ ok: false, error: { code: 'BAD_REQUEST' } });
});
