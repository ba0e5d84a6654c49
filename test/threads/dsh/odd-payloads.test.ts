import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { DshReader } from '../../../electron/threads/dsh/dsh-reader.ts';
import { dsh, headOf } from '../../../electron/threads/dsh/dsh-source.ts';
import { tempFolder } from '../../scenarios/temp.ts';

type Event = Record<string, unknown> & { type: string };

const header = (version: number, more: object = {}) => ({
  type: 'session',
  version,
  id: 'odd',
  createdAt: 1,
  delegationDepth: 0,
  cwd: '/w',
  ...more,
});

/** A log of these events, numbered as they come, a second apart, in a session folder of its own. */
async function written(version: number, events: readonly Event[], more: object = {}): Promise<string> {
  const folder = path.join(await tempFolder(), '.dsh/sessions/project/odd');
  await mkdir(folder, { recursive: true });
  const log = path.join(folder, version === 0 ? 'session.jsonl' : `session.v${version}.jsonl`);
  const lines = [header(version, more), ...events.map((event, seq) => ({ seq, time: 1000 * seq, data: {}, ...event }))];
  await writeFile(log, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return log;
}

async function readerOf(log: string, root: string | null = null) {
  const places = { home: '/nowhere', env: {} };
  const [head] = await dsh.locate(log, places);
  if (!head) throw new Error('not located');
  return dsh.open(head, { root, data: null, places, ownData: '/nowhere' });
}

async function opened(version: number, ...events: Event[]) {
  const reader = await readerOf(await written(version, events));
  await reader.read();
  return { reader, thread: reader.thread() };
}

const append = { surfaceOp: 'append' };
const own = { turn: 1, step: 1 };
const user = (content: unknown, more: object = {}): Event => ({
  type: 'user/message',
  data: { id: 'u', role: 'user', source: { kind: 'user' }, content, ...more },
  ...append,
});
const answer = (content: unknown): Event => ({ type: 'assistant/message', data: { ...own, message: { id: 'a', content } }, ...append });
const toolCall = (name: unknown, input: unknown, id: unknown = 'c') => ({ type: 'tool-call', id, name, arguments: input });
const begin: Event[] = [
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'step/start', data: own },
];

describe('tool calls', () => {
  test.each<[name: unknown, input: unknown, summary: string, sideEffect: string | null, wrote: string[] | null]>([
    ['write', '{"file_path":"/w/a/b.txt"}', '/w/a/b.txt', null, ['a/b.txt']],
    ['edit', '{"path":"b.txt"}', 'b.txt', null, ['b.txt']],
    ['edit', '{"file_path":"/w/../x"}', '/w/../x', null, []],
    ['edit', '{"file_path":"/"}', '/', null, []],
    ['edit', '{"file_path":"/w"}', '/w', null, []],
    ['edit', '{"file_path":".."}', '..', null, []],
    ['edit', '{"file_path":"..a"}', '..a', null, ['..a']],
    ['write', '{"file_path":7}', '{"file_path":7}', null, []],
    ['str_replace_editor', '{"command":"view","path":"/w/a"}', 'view', null, []],
    ['str_replace_editor', '{"command":"create","path":"/w/a"}', 'create', null, ['a']],
    ['read', '{"path":"/w/a"}', '/w/a', null, []],
    ['bash', '{"command":"rm  -r\\n x"}', 'rm -r x', 'shell', null],
    ['web_fetch', '{"url":"http://x/"}', 'http://x/', 'network', []],
    ['web_search', '{"query":"q"}', 'q', 'network', []],
    ['mcp__box__open', '{}', '{}', 'mcp', null],
    ['subagent', '[1]', '[1]', 'subagent', null],
    ['paint', 'not json', 'not json', 'other', null],
    [7, 7, '', 'other', null],
  ])('%s %s', async (name, input, summary, sideEffect, wrote) => {
    const { thread } = await opened(3, ...begin, answer([toolCall(name, input)]));
    expect(thread.messages[0]?.tools).toEqual([
      {
        id: 'c',
        name: typeof name === 'string' ? name : 'tool',
        summary,
        sideEffect,
        wrote,
        status: 'requested',
        durationMs: null,
        outputBytes: null,
        child: null,
      },
    ]);
  });

  test('without a folder of the session name no file of it', async () => {
    const reader = await readerOf(await written(3, [...begin, answer([toolCall('write', '{"file_path":"/w/a"}')])], { cwd: undefined }));
    await reader.read();
    expect(reader.thread().messages[0]?.tools[0]?.wrote).toEqual([]);
    expect(reader.thread().head.root).toBeNull();
  });

  test('are lost, failed or done by what the log says of them, a clock that went back counts as no time', async () => {
    const result = (id: string, block: object, more: object = {}): Event => ({
      type: 'tool/result',
      data: { ...own, message: { id: `r-${id}`, content: [{ type: 'tool-result', toolCallId: id, ...block }] } },
      ...append,
      ...more,
    });
    const { reader, thread } = await opened(
      3,
      ...begin,
      answer(['lost', 'failed', 'done', 'odd'].map((id) => toolCall('bash', '{"command":"x"}', id))),
      ...['lost', 'failed', 'done'].map((callId) => ({ type: 'tool/call', data: { ...own, callId, name: 'bash', arguments: '' } })),
      { type: 'tool/call', data: { ...own, callId: 7 } },
      result('failed', { isError: true, content: [{ type: 'text', text: 'é' }, { type: 'text' }, { type: 'image', data: 'x' }] }),
      result('done', { content: 'none' }, { time: 1 }),
      result('odd', {}),
    );
    expect(thread.messages[0]?.tools.map((call) => [call.id, call.status, call.durationMs, call.outputBytes])).toEqual([
      ['lost', 'lost', null, null],
      ['failed', 'failed', 3000, 3],
      ['done', 'done', 0, 0],
      ['odd', 'done', null, 0],
    ]);
    expect(await reader.body('r-failed')).toEqual({
      id: 'r-failed',
      parts: [
        { kind: 'output', callId: 'failed', text: 'é\n', failed: true, exit: null },
        { kind: 'raw', type: 'image', json: '{"type":"image","data":"x"}' },
      ],
    });
    expect(thread.messages.find((message) => message.id === 'r-failed')?.images).toBe(1);
  });

  test('of format 4 are answered by the message itself', async () => {
    const { reader, thread } = await opened(
      4,
      ...begin,
      answer([toolCall('read', '{}')]),
      {
        type: 'tool/result',
        data: { ...own, message: { id: 'r', toolCallId: 'c', isError: true, content: [{ type: 'text', text: 'no' }] } },
        ...append,
      },
      { type: 'tool/result', data: { ...own, message: { id: 'r2', content: [] } }, ...append },
    );
    expect(thread.messages[0]?.tools[0]).toMatchObject({ status: 'failed', outputBytes: 2 });
    expect((await reader.body('r')).parts).toEqual([{ kind: 'output', callId: 'c', text: 'no', failed: true, exit: null }]);
    expect((await reader.body('r2')).parts).toEqual([{ kind: 'output', callId: '', text: '', failed: false, exit: null }]);
  });
});

describe('messages', () => {
  test('whatever stands in their content is shown as it is, and what is none is empty', async () => {
    const { reader, thread } = await opened(
      3,
      ...begin,
      answer([
        { type: 'text' },
        { type: 'reasoning', text: 'why' },
        { type: 'reasoning' },
        toolCall('bash', 7),
        toolCall('bash', '{}', 8),
        { odd: true },
        'words',
      ]),
      { type: 'user/message', data: null, ...append },
      user(7, { id: 9 }),
      user('text', { source: { kind: 'plugin' } }),
      { type: 'system/message', data: { ...own, message: { id: 's', content: [] } }, ...append },
      { type: 'system/message', data: { turn: 1, message: { id: 't', content: [{ type: 'text', text: 'be good' }] } }, ...append },
    );
    expect(thread.messages.map(({ id, role, turn, step, excerpt, thinking }) => ({ id, role, turn, step, excerpt, thinking }))).toEqual([
      { id: 'a', role: 'assistant', turn: 1, step: '1.1', excerpt: '', thinking: true },
      { id: 'seq:3', role: 'system', turn: 1, step: null, excerpt: '', thinking: false },
      { id: 'seq:4', role: 'user', turn: 1, step: null, excerpt: '', thinking: false },
      { id: 'u', role: 'system', turn: 1, step: null, excerpt: '', thinking: false },
      { id: 't', role: 'system', turn: 1, step: null, excerpt: 'be good', thinking: false },
    ]);
    expect((await reader.body('a')).parts).toEqual([
      { kind: 'text', text: '' },
      { kind: 'thinking', text: 'why' },
      { kind: 'thinking', text: '' },
      { kind: 'call', call: thread.messages[0]?.tools[0], input: '' },
      { kind: 'raw', type: 'tool-call', json: '{"type":"tool-call","id":8,"name":"bash","arguments":"{}"}' },
      { kind: 'raw', type: 'unknown', json: '{"odd":true}' },
      { kind: 'raw', type: 'unknown', json: '{}' },
    ]);
    await expect(reader.body('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  });

  test('an open step with content that is no list is open, and nothing is thrown', async () => {
    for (const content of [7, 'text', null, { 0: 'x' }, true]) {
      const { reader } = await opened(3, ...begin, answer(content));
      expect([content, reader.recall?.stepIsOpen()]).toEqual([content, true]);
    }
  });

  test('a summary in place of others is a divider and marks them, also in the words of format 2', async () => {
    for (const [version, op] of [
      [3, { op: 'replace', startSeq: 0, endSeq: 1 }],
      [2, { op: 'replace', start: 0, end: 1 }],
    ] as const) {
      const { thread } = await opened(
        version,
        user([], { id: 'x' }),
        user([], { id: 'y' }),
        user([], { id: 'z', source: { kind: 'plugin' } }),
        { ...user([], { id: 'sum' }), surfaceOp: op, sourceEventSeqs: [0, 1] },
        { ...user([], { id: 'odd' }), surfaceOp: { op: 'replace', startSeq: 'x', endSeq: 2 } },
        { ...user([], { id: 'gone' }), surfaceOp: { op: 'replace', startSeq: 1, endSeq: 2 } },
      );
      expect(thread.messages.map(({ id, hidden, divider, stop }) => [id, hidden?.reason ?? null, divider, stop])).toEqual([
        ['x', 'compacted', null, null],
        ['y', 'compacted', null, null],
        ['z', null, null, 1],
        ['sum', null, 'compaction', 2],
        ['odd', null, 'compaction', 3],
        ['gone', null, 'compaction', 4],
      ]);
    }
  });
});

describe('events that are no messages', () => {
  test.each<[type: string, data: unknown, words: string]>([
    ['agent/inbox/spliced', { inserted: [{ content: [{ text: 'one' }, { image: 1 }, { text: 'two' }] }, 7] }, 'queued: one two; '],
    ['agent/inbox/spliced', { inserted: 'x' }, 'taken from the queue'],
    ['todo/write', { todos: [{ content: 'a', status: 'done' }, { title: 'b' }, 7] }, 'todos: a (done); b; ?'],
    ['todo/write', null, 'todos: '],
    ['plan/mode', { mode: 'on' }, 'plan/mode: on'],
    ['goal/change', { status: 7 }, 'goal/change'],
  ])('%s %j', async (type, data, words) => {
    const { reader, thread } = await opened(3, { type, data });
    expect(thread.messages.map((row) => [row.id, row.at, row.excerpt, row.bytes])).toEqual([['seq:0', 0, words, words.length]]);
    expect(await reader.body('seq:0')).toEqual({
      id: 'seq:0',
      parts: [{ kind: 'raw', type, json: JSON.stringify({ type, seq: 0, time: 0, data }, null, 2) }],
    });
  });
});

describe('turns and steps', () => {
  test('end as their reason says; what is unknown says so', async () => {
    const kinds = ['completed', 'forked', 'aborted', 'interrupted', 'blocked', 'error', 'max-tokens', 'odd'];
    const { thread } = await opened(
      2,
      ...kinds.flatMap((kind, at) => [
        { type: 'turn/start', data: { turn: at + 1 } },
        { type: 'turn/end', data: { turn: at + 1, reason: { kind } } },
      ]),
      { type: 'turn/start', data: null },
    );
    expect(thread.turns.map((turn) => turn.status)).toEqual([
      ...['completed', 'completed', 'aborted', 'interrupted', 'failed', 'failed', 'failed', 'unknown'],
      'unknown',
    ]);
    expect(thread.turns.at(-1)).toMatchObject({ index: 9, id: 'turn-9', prompt: '', firstStop: null, lastStop: null, hidden: null });
  });

  test('a step whose clock went back took no time', async () => {
    const { thread } = await opened(3, ...begin, { type: 'step/end', data: own, time: 5 });
    expect(thread.steps).toMatchObject([{ id: '1.1', stop: null, durationMs: 0, captured: true, hidden: null }]);
  });
});

describe('packed rows of format 0', () => {
  const packed = (row: object): Event => ({ type: 'text-chunks', ...row });

  test('have no time of their own where none is told', async () => {
    const reader = await readerOf(
      await written(0, [packed({ seq0: 0, time0: 5, data: { turn: 1, step: 1, texts: ['a', 'b', 'c'], dt: [2, 'x'] } })]),
    );
    await reader.read();
    expect(reader.thread()).toMatchObject({ bad: [], notices: [], messages: [] });
  });

  test.each([[{ seq0: 'x', time0: 5 }], [{ seq0: 0 }], [{ seq0: 0, time0: 0.5 }]])('%j is not whole', async (row) => {
    const { thread } = await opened(0, packed(row));
    expect(thread.notices.map((notice) => notice.code)).toEqual(['LOG_STOPPED']);
    expect(thread.bad).toMatchObject([{ line: 2, why: 'the packed row is not whole' }]);
  });

  test('are nothing that another format knows', async () => {
    const { thread } = await opened(1, packed({ seq0: 0, time0: 5 }));
    expect(thread.bad).toMatchObject([{ line: 2, why: 'format v1 contains unknown event type "text-chunks" at seq 0' }]);
  });
});

describe('lines', () => {
  test('that are no event end the reading there, and are named', async () => {
    for (const line of ['{"type":', '7', '{"type":"turn/start","seq":1.5,"time":1}', '{"seq":1}']) {
      const log = await written(3, [{ type: 'turn/start', data: { turn: 1 } }]);
      await appendFile(log, `${line}\n{"type":"turn/end","seq":1,"time":2,"data":{"turn":1}}\n`);
      const reader = await readerOf(log);
      await reader.read();
      expect(reader.thread()).toMatchObject({ bad: [{ line: 3, bytes: line.length, why: 'it is no event' }], turns: [{ index: 1 }] });
    }
  });
});

describe('the head and the notices', () => {
  test.each<[Event[], string | null]>([
    [
      [
        { type: 'session/title', data: { title: 'first' } },
        { type: 'session/title', data: { title: 'last' } },
      ],
      'last',
    ],
    [[{ type: 'session/title', data: { title: 7 } }, user([{ type: 'text', text: 'x'.repeat(200) }])], 'x'.repeat(120)],
    [[user([{ type: 'image' }, { type: 'text', text: 'what is this?' }])], 'what is this?'],
    [[user(7)], null],
    [[], null],
  ])('%j has the title %s', async (events, title) => {
    const { thread } = await opened(3, ...events);
    expect(thread.head.title).toBe(title);
  });

  test('a newer format and a torn end are told', async () => {
    const newer = await opened(5, ...begin);
    expect(newer.thread.notices.map((notice) => notice.code)).toEqual(['LOG_NEWER']);
    const log = await written(3, begin);
    await appendFile(log, '{"type"');
    const reader = await readerOf(log, '/elsewhere');
    await reader.read();
    expect(reader.thread().notices).toEqual([{ code: 'LOG_TORN', message: expect.stringContaining('7') }]);
    expect(reader.thread().head.root).toBe('/elsewhere');
  });

  test('a session that another one began names it', () => {
    const facts = { title: null, size: 1, mtimeMs: 1.6 };
    const generation = { file: '/l', version: 3, zstd: false };
    const of = (more: object) => headOf(generation, { ...header(3), type: 'session', ...more }, facts);
    expect(of({ parentSession: 'p' })).toEqual({
      id: 'dsh:odd',
      source: 'dsh',
      title: null,
      root: '/w',
      log: '/l',
      threadId: 'odd',
      parent: 'p',
      updatedAt: 2,
      size: 1,
    });
    expect(of({ parentSession: { id: 'p' } }).parent).toBeNull();
  });
});

describe('a reader', () => {
  test('has nothing to say before it read, after it was closed, and of a file that lost its header', async () => {
    const log = await written(3, begin);
    const reader = await readerOf(log);
    if (!(reader instanceof DshReader)) throw new Error('another reader');
    expect(() => reader.thread()).toThrow(expect.objectContaining({ code: 'LOG_EMPTY' }));
    expect(() => reader.log()).toThrow(expect.objectContaining({ code: 'LOG_EMPTY' }));
    expect(await reader.read()).toBe(true);
    expect(reader.watch()).toEqual([log]);
    expect(reader.objectFolders()).toEqual([]);
    await writeFile(log, 'gone');
    await expect(reader.read()).rejects.toMatchObject({ code: 'NOT_A_LOG' });
    // What was read before stays until then.
    expect(reader.thread().turns.length).toBe(1);
    await reader.close();
    expect(() => reader.thread()).toThrow(expect.objectContaining({ code: 'LOG_EMPTY' }));
  });

  test('opens a log under any name, and no folder', async () => {
    const log = await written(3, begin);
    const folder = path.dirname(log);
    const renamed = path.join(folder, 'copy.jsonl');
    await writeFile(renamed, `${JSON.stringify(header(3))}\n`);
    const reader = await readerOf(renamed);
    await reader.read();
    expect(reader.thread().head).toMatchObject({ id: 'dsh:odd', log: renamed });
    await expect(
      dsh.open({ ...reader.thread().head, log: folder }, { root: null, data: null, places: { home: '/', env: {} }, ownData: '/' }),
    ).rejects.toMatchObject({ code: 'NOT_A_LOG' });
    const other = path.join(folder, 'copy.txt');
    await writeFile(other, `${JSON.stringify(header(3))}\n`);
    expect(await dsh.locate(other, { home: '/nowhere', env: {} })).toEqual([]);
  });
});
