import { describe, expect, test } from 'vitest';
import { readLog } from '../../../electron/threads/dsh/dsh-log.ts';
import { validateLog } from '../../../electron/threads/dsh/validator.ts';

interface Line {
  type: string;
  data?: unknown;
  surfaceOp?: unknown;
  sourceEventSeqs?: unknown;
  ignorable?: boolean;
}

/** What the validator says of a log of these events, numbered as they come: "seq: words", or null. */
function said(version: number, ...events: Line[]): string | null {
  const header = { type: 'session', version, id: 's', createdAt: 1, delegationDepth: 0 };
  const lines = [header, ...events.map((event, seq) => ({ data: {}, ...event, seq, time: seq }))];
  const log = readLog(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')), false);
  if (!log) throw new Error('no log');
  if (log.stopped) return `line ${log.stopped.line}: ${log.stopped.why}`;
  const broken = validateLog(log.header, log.events);
  return broken && `${broken.seq}: ${broken.message}`;
}

const turn = (number = 1): Line => ({ type: 'turn/start', data: { turn: number } });
const turnEnd = (number = 1): Line => ({ type: 'turn/end', data: { turn: number, reason: { kind: 'completed' } } });
const step = (number = 1, of = 1): Line => ({ type: 'step/start', data: { turn: of, step: number } });
const stepEnd = (number = 1, of = 1): Line => ({ type: 'step/end', data: { turn: of, step: number } });
const own = { turn: 1, step: 1 };
const append = { surfaceOp: 'append' };
const replace = (startSeq: unknown, endSeq: unknown, sourceEventSeqs: unknown, more = {}): Partial<Line> => ({
  surfaceOp: { op: 'replace', startSeq, endSeq, ...more },
  sourceEventSeqs,
});

const prompt = (rest: Partial<Line> = append): Line => ({
  type: 'user/message',
  data: { id: 'u', role: 'user', source: { kind: 'user' }, content: [{ type: 'text', text: 'hi' }] },
  ...rest,
});
const head = (data: object = {}, message: object = {}, rest: Partial<Line> = append): Line => ({
  type: 'system/message',
  data: { ...own, message: { id: 'm', role: 'system', source: { kind: 'plugin', plugin: 'p' }, content: [], ...message }, ...data },
  ...rest,
});
const head4 = (message: object = {}): Line => head({}, { source: { kind: 'system-prompt' }, ...message });
const answer = (ids: readonly unknown[] = ['c'], rest: Partial<Line> = append): Line => ({
  type: 'assistant/message',
  data: {
    ...own,
    message: { id: 'a', role: 'assistant', content: ids.map((id) => ({ type: 'tool-call', id, name: 'bash', arguments: '{}' })) },
  },
  ...rest,
});
const call = (data: object = {}): Line => ({ type: 'tool/call', data: { ...own, callId: 'c', name: 'bash', arguments: '{}', ...data } });
const result = (rest: Partial<Line> = append, id: unknown = 'c'): Line => ({
  type: 'tool/result',
  data: { ...own, message: { id: 'r', role: 'user', content: [{ type: 'tool-result', toolCallId: id, content: [] }] } },
  ...rest,
});
const result4 = (id: unknown = 'c'): Line => ({
  type: 'tool/result',
  data: { ...own, message: { id: 'r', role: 'tool', toolCallId: id, content: [] } },
  ...append,
});

/** A turn with a head, a prompt, an answer with one call and its result; open behind it. Seqs 0 to 6. */
const begun = [turn(), step(), head(), prompt(), answer(), call(), result({ ...append, sourceEventSeqs: [5] })];

describe('whole logs', () => {
  test.each<[string, number, Line[]]>([
    ['an empty log', 3, []],
    ['an open step', 3, begun],
    ['two turns with two steps', 3, [...begun, stepEnd(), step(2), stepEnd(2), turnEnd(), turn(2), step(1, 2), stepEnd(1, 2), turnEnd(2)]],
    ['an unanswered call at the end', 3, begun.slice(0, 6)],
    ['a call that was answered and never started', 3, [turn(), step(), answer(), result()]],
    ['a prompt between turns', 3, [prompt()]],
    ['a head that replaces the head', 3, [...begun, head({}, {}, replace(2, 2, [2]))]],
    ['a result that replaces its result', 3, [...begun, result(replace(6, 6, [6]))]],
    ['a lid over everything behind the head, its sources as a range', 3, [...begun, head({}, {}, replace(3, 6, [[3, 4], 6]))]],
    ['a type that says that it can be passed over', 3, [{ type: 'vendor/thing', ignorable: true }]],
    [
      'format 4 with its own head, result and developer message',
      4,
      [
        turn(),
        step(),
        head4({ extra: 1 }),
        answer(),
        call(),
        result4(),
        { type: 'developer/message', data: { ...own, message: {} }, ...append },
      ],
    ],
    ['a step that waits for the next retry', 3, [turn(), step(), { type: 'llm/retry', data: own }]],
    ['a request in a turn', 3, [turn(), { type: 'request/header' }]],
  ])('%s', (_, version, events) => {
    expect(said(version, ...events)).toBeNull();
  });
});

describe('what breaks a log, in the words of the released validator', () => {
  test.each<[string, Line[]]>([
    // Boundaries (formats/dsh.md 3.1)
    ['0: turn/start 2 does not open expected turn 1', [turn(2)]],
    ['1: turn/start 2 does not open expected turn 2', [turn(), turn(2)]],
    ['2: turn/start 1 does not open expected turn 2', [turn(), turnEnd(), turn()]],
    ['0: turn/end 1 does not match the open turn', [turnEnd()]],
    ['1: turn/end 2 does not match the open turn', [turn(), turnEnd(2)]],
    ['2: turn/end 1 crosses an open step', [turn(), step(), turnEnd()]],
    ['0: step/start does not match the open turn and next step', [step()]],
    ['1: step/start does not match the open turn and next step', [turn(), step(1, 2)]],
    ['1: step/start does not match the open turn and next step', [turn(), step(2)]],
    ['2: step/start does not match the open turn and next step', [turn(), step(), step(2)]],
    ['1: step/end does not match the open turn and step', [turn(), stepEnd()]],
    ['2: step/end does not match the open turn and step', [turn(), step(), stepEnd(1, 2)]],
    ['2: step/end does not match the open turn and step', [turn(), step(), stepEnd(2)]],
    ['6: step/end leaves unresolved tool call c', [...begun.slice(0, 6), stepEnd()]],
    // Ownership (3.2)
    ['0: tool/call does not match an open step', [call()]],
    ['2: llm/retry does not match an open step', [turn(), step(), { type: 'llm/retry', data: { turn: 2, step: 1 } }]],
    ['2: llm/retry does not match an open step', [turn(), step(), { type: 'llm/retry', data: { turn: 1, step: 2 } }]],
    ['0: request/context does not match an open turn', [{ type: 'request/context' }]],
    ['9: tool/result does not match an open turn', [...begun, stepEnd(), turnEnd(), result(replace(6, 6, [6]))]],
    ['9: tool/result does not match an open step', [...begun, stepEnd(), turnEnd(), result()]],
    // Tools (3.3)
    ['2: assistant/message repeats tool call c', [turn(), step(), answer(['c', 'c'])]],
    ['2: tool/call c does not match an advertised tool call', [turn(), step(), call()]],
    ['2: tool/call null does not match an advertised tool call', [turn(), step(), call({ callId: 7 })]],
    ['3: tool/call c does not match an advertised tool call', [turn(), step(), answer(), call({ name: 'sh' })]],
    ['3: tool/call c does not match an advertised tool call', [turn(), step(), answer(), call({ arguments: '{ }' })]],
    ['4: tool/call c starts twice', [turn(), step(), answer(), call(), call()]],
    ['3: tool/result d does not match an advertised tool call', [turn(), step(), answer(), result(append, 'd')]],
    ['3: tool/result null does not match an advertised tool call', [turn(), step(), answer([7]), result(append, 7)]],
    ['7: tool/result c settles a tool call twice', [...begun, result()]],
    ['6: tool/result c does not cite its tool call', [...begun.slice(0, 6), result({ ...append, sourceEventSeqs: [4] })]],
    // System messages of format 3 (3.4)
    ['2: system message requires role system', [turn(), step(), head({}, { role: 'user' })]],
    ['2: system message has unexpected field more', [turn(), step(), head({ more: 1 })]],
    ['2: system message has unexpected field extra', [turn(), step(), head({}, { extra: 1 })]],
    ['2: system message requires plugin source', [turn(), step(), head4()]],
    ['2: system message requires plugin source', [turn(), step(), head({}, { source: { kind: 'plugin', plugin: '' } })]],
    ['2: system message requires plugin source', [turn(), step(), head({}, { source: { kind: 'plugin', plugin: 7 } })]],
    // Surface operations and their sources (3.5)
    ['0: turn/start must not carry surface fields', [{ ...turn(), ...append }]],
    ['0: turn/start must not carry surface fields', [{ ...turn(), sourceEventSeqs: [] }]],
    ['0: user/message requires a surfaceOp', [prompt({})]],
    ['2: assistant/message must not carry sourceEventSeqs', [turn(), step(), answer([], { ...append, sourceEventSeqs: [0] })]],
    ...[[], [0, 0], [2], [[1, 0]], [[0, 1, 1]], ['0'], [[0, 2e9]]].map((seqs): [string, Line[]] => [
      '2: user/message sourceEventSeqs must be unique earlier events',
      [prompt(), prompt(), prompt({ ...append, sourceEventSeqs: seqs })],
    ]),
    ['3: system/message requires a protected first surface head', [turn(), step(), prompt(), head()]],
    ...[
      replace(0, 0, [0], { start: 0 }),
      replace('0', 0, [0]),
      replace(0, null, [0]),
      replace(2, 0, [0]),
      replace(0, 2, [0]),
      { surfaceOp: { op: 'replace', start: 0, end: 0 }, sourceEventSeqs: [0] },
    ].map((rest): [string, Line[]] => [
      '2: user/message surfaceOp requires exact replace fields op/startSeq/endSeq',
      [prompt(), prompt(), prompt(rest)],
    ]),
    ['2: user/message replacement range is not on the current surface', [prompt(), turn(), prompt(replace(1, 1, [0]))]],
    ['2: user/message replacement range is not on the current surface', [prompt(), prompt(), prompt(replace(1, 0, [0, 1]))]],
    ['2: user/message replacement sourceEventSeqs omit a shadowed surface node', [prompt(), prompt(), prompt(replace(0, 1, [1]))]],
    [
      '1: user/message replacement sourceEventSeqs omit a shadowed surface node',
      [prompt(), prompt({ surfaceOp: replace(0, 0, []).surfaceOp })],
    ],
    ['7: system/message must replace exactly the current system head', [...begun, prompt(replace(2, 2, [2]))]],
    ['7: system/message must replace exactly the current system head', [...begun, head({}, {}, replace(2, 3, [2, 3]))]],
    ['3: system/message requires a protected first surface head', [turn(), step(), prompt(), head({}, {}, replace(2, 2, [2]))]],
    ['7: tool/result replacement must cover exactly one tool/result', [...begun, result(replace(4, 4, [4]))]],
    ['7: tool/result replacement must cover exactly one tool/result', [...begun, result(replace(4, 6, [4, 6]))]],
    // What the reader says before (3.6)
    ['line 2: format v2 contains unknown event type "vendor/thing" at seq 0', [{ type: 'vendor/thing' }]],
    ['line 2: format v2 contains unknown event type "developer/message" at seq 0', [{ type: 'developer/message', ...append }]],
  ])('%s', (words, events) => {
    expect(said(3, ...events)).toBe(words);
  });

  test('a head of format 4 has the source of a system prompt', () => {
    expect(said(4, turn(), step(), head())).toBe('2: message must have system-prompt source');
    expect(said(4, turn(), step(), head4({ role: 'user' }))).toBe('2: system message requires role system');
  });

  test('each format knows types of its own', () => {
    const stopped = (version: number, type: string): string | null => said(version, { type, ignorable: false });
    const known = (version: number) =>
      ['system/message', 'image/offload', 'assistant/chunk', 'tool/code-dispatch-start', 'subagent/started', 'subagent'].filter(
        (type) => !stopped(version, type)?.includes('unknown event type'),
      );
    expect([0, 1, 2, 3, 4].map(known)).toEqual([
      ['assistant/chunk', 'tool/code-dispatch-start', 'subagent/started'],
      ['assistant/chunk', 'tool/code-dispatch-start', 'subagent/started'],
      ['tool/code-dispatch-start', 'subagent/started'],
      ['system/message', 'subagent/started'],
      ['system/message', 'image/offload', 'subagent/started'],
    ]);
    expect(stopped(1, 'subagent')).toBe('line 2: format v1 contains unknown event type "subagent" at seq 0');
  });
});
