import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../scenarios/temp.ts';
import { type MadeDatabase, makeDatabase, tree } from './make-database.ts';
import { openSession } from './open-sample.ts';
import { W } from './thread-of.ts';

function row(made: MadeDatabase, seq: number, type: string, data: unknown): void {
  const json = typeof data === 'string' ? data : JSON.stringify(data);
  // Times run backwards: `seq` alone is the order.
  made.db
    .prepare('insert into session_message values (?, ?, ?, ?, ?, ?, ?)')
    .run(`msg_${seq}`, 'ses_1', type, seq, 9000 - seq, 9000 - seq, json);
}

const tool = (name: string, input: object, state: object = {}) => ({
  type: 'tool',
  id: `call_${name}`,
  name,
  state: { status: 'completed', input, content: [{ type: 'text', text: `${name} ok` }], structured: {}, ...state },
  time: { created: 1, ran: 10, completed: 25 },
});

test('rows of the new runtime make the same kind of thread', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({
    id: 'ses_1',
    directory: W,
    revert: { messageID: 'msg_8', snapshot: tree('7'), files: [{ path: 'src/helpers.js', status: 'deleted' }] },
  });
  row(made, 1, 'agent-switched', { agent: 'build', time: { created: 1 } });
  row(made, 2, 'user', { text: 'Rename it', time: { created: 1 }, files: [{ mime: 'image/png', uri: 'data:image/png;base64,AA==' }] });
  row(made, 3, 'assistant', {
    agent: 'build',
    content: [
      { type: 'reasoning', text: 'hm' },
      tool('write', { path: 'src/a.js', content: '' }),
      tool('bash', { command: 'mv a b' }, { structured: { exit: 2 } }),
    ],
    snapshot: { start: tree('1'), end: tree('2'), files: ['src/a.js'] },
    finish: 'tool-calls',
    time: { created: 1, completed: 2 },
  });
  row(made, 4, 'assistant', {
    content: [{ type: 'text', text: 'Done.' }],
    snapshot: { start: tree('2'), end: tree('2') },
    finish: 'stop',
    time: { completed: 3 },
  });
  row(made, 5, 'shell', { callID: 'c', command: 'ls', output: 'a b', time: {} });
  row(made, 6, 'hologram', { anything: true });
  row(made, 7, 'assistant', '{"content":');
  row(made, 8, 'user', { text: 'Again', time: {} });
  row(made, 9, 'assistant', {
    content: [
      tool('edit', { path: '/w/src/b.js' }, { status: 'error', error: { type: 'x', message: 'no match' } }),
      tool('bash', { command: 'x' }, { status: 'running' }),
    ],
    snapshot: { start: tree('3') },
    time: { created: 1 },
  });
  made.db.close();
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const thread = reader.thread();
  expect(thread.messages.map((message) => `${message.stop} ${message.role} T${message.turn} ${message.excerpt}`)).toEqual([
    '1 system Tnull ',
    '2 user T1 Rename it',
    '3 assistant T1 ',
    '4 assistant T1 Done.',
    '5 system T1 $ ls',
    '6 system T1 ',
    '7 assistant T1 ',
    '8 user T2 Again',
    '9 assistant T2 ',
  ]);
  expect(thread.steps.map((step) => [step.id, step.from?.[0], step.to?.[0], step.captured?.valueOf()])).toMatchObject([
    ['msg_3', '1', '2', undefined],
    ['msg_4', '2', '2', undefined],
    ['msg_7', '2', '2', undefined],
    ['msg_9', '3', undefined, { code: 'STEP_CUT_OFF' }],
  ]);
  expect(thread.messages[2]?.tools.map((call) => [call.id, call.name, call.summary, call.wrote, call.sideEffect, call.durationMs])).toEqual(
    [
      ['call_write', 'write', 'src/a.js', ['src/a.js'], null, 15],
      ['call_bash', 'bash', 'mv a b', null, 'shell', 15],
    ],
  );
  expect(thread.messages[1]?.images).toBe(1);
  expect(thread.bad).toMatchObject([{ line: 7, bytes: 11 }]);
  expect(thread.standing).toEqual({ messageId: 'msg_7', stop: 7, hidden: 2, files: ['src/helpers.js'], now: tree('7') });
  expect((await reader.body('msg_3')).parts.map((part) => (part.kind === 'output' ? `${part.text} ${part.exit}` : part.kind))).toEqual([
    'thinking',
    'call',
    'write ok null',
    'call',
    'bash ok 2',
  ]);
  expect((await reader.body('msg_9')).parts[1]).toEqual({
    kind: 'output',
    callId: 'call_edit',
    text: 'edit ok\nno match',
    failed: true,
    exit: null,
  });
  expect((await reader.body('msg_6')).parts).toEqual([{ kind: 'raw', type: 'hologram', json: '{"anything":true,"type":"hologram"}' }]);
});
