import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foldSession } from '../../../electron/threads/opencode/fold-session.ts';
import { messageRow, withParts } from '../../../electron/threads/opencode/message-rows.ts';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import { partFacts } from '../../../electron/threads/opencode/part-facts.ts';
import { inOrder } from '../../../electron/threads/opencode/rows.ts';
import { headOf } from '../../../electron/threads/opencode/session-heads.ts';
import { threadSchema } from '../../../shared/model.ts';
import { SESSION_ROW } from '../../scenarios/opencode.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { call, finish, makeDatabase, says, start, tree } from './make-database.ts';
import { openSample, openSession } from './open-sample.ts';
import { W } from './thread-of.ts';

describe('rows of a stranger', () => {
  test('what cannot be read is counted and the rest is shown, in its place', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W, revert: 'not a marker', permission: 'nonsense' });
    made.turn('ses_1', 'a', 'one', [
      [start(tree('1')), '{"type":"tool"', 'null', '[]', '', call('write', { filePath: '/w/a' }), finish(tree('2'))],
    ]);
    made.message('ses_1', 'm_torn', '{"role":"assistant","parentID":"a_u', [
      start(tree('2')),
      call('bash', { command: 'x' }),
      finish(tree('3')),
    ]);
    made.message('ses_1', 'm_list', '[1,2]');
    made.message('ses_1', 'm_null', 'null', [says('still here')]);
    made.message('ses_1', 'm_proto', '{"__proto__":{"role":"user"},"constructor":7,"role":"user","time":{"created":"now"}}', [
      '{"type":"text","text":{"deep":1}}',
      '{"type":"__proto__","text":"x"}',
    ]);
    made.db.prepare('insert into message values (?, ?, ?, ?, ?)').run('m_blob', 'ses_1', 9n ** 15n, -5, Buffer.from([0xff, 0xfe, 0x00]));
    made.db.prepare('insert into message values (?, ?, ?, ?, ?)').run('m_when', 'ses_1', 'soon', 'later', '{"role":"user"}');
    made.turn('ses_1', 'z', 'last', [[start(tree('3')), finish(tree('3'))]]);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    const thread = reader.thread();
    expect(threadSchema.safeParse(thread).success).toBe(true);
    expect(thread.messages.map((message) => message.id)).toEqual([
      'm_when',
      'a_u',
      'a_1',
      'm_torn',
      'm_list',
      'm_null',
      'm_proto',
      'z_u',
      'z_1',
      'm_blob',
    ]);
    expect(thread.bad.map((record) => record.why.replace(/: .*/, '')).sort()).toEqual([
      'message m_blob',
      'message m_list',
      'message m_null',
      'message m_torn',
      'part prt_00000003',
      'part prt_00000004',
      'part prt_00000005',
      'part prt_00000006',
    ]);
    // The torn row was an answer, as its parts tell: its changes stay its own, and are no edit of the user.
    expect(thread.steps.map((step) => `${step.id} ${step.from?.[0]}>${step.to?.[0]}`)).toEqual(['a_1 1>2', 'm_torn 2>3', 'z_1 3>3']);
    expect(thread.gaps).toEqual([]);
    expect((await reader.body('a_1')).parts.map((part) => (part.kind === 'raw' ? `raw ${part.type} ${part.json}` : part.kind))).toEqual([
      'raw unreadable {"type":"tool"',
      'raw unreadable null',
      'raw unreadable []',
      'raw unreadable ',
      'call',
      'output',
    ]);
    expect((await reader.body('m_null')).parts).toEqual([{ kind: 'text', text: 'still here' }]);
  });

  test('values that are nested very deeply are named, not followed', async () => {
    const folder = await tempFolder();
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.message('ses_1', 'u', `{"role":"user","x":${deep}}`, [`{"type":"text","text":"hi","x":${deep}}`]);
    made.message('ses_1', 'a', '{"role":"assistant"}', [
      `{"type":"tool","tool":"mytool","callID":"c","state":{"status":"completed","input":{"a":${deep}}}}`,
    ]);
    made.event('ses_1', 1, 'message.removed.1', { messageID: 'gone' });
    made.db
      .prepare('insert into event values (?, ?, ?, ?, ?)')
      .run('e2', 'ses_1', 0, 'message.updated.1', `{"info":{"id":"gone","x":${deep}}}`);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    expect(reader.thread().messages.map((message) => message.excerpt)).toEqual(['hi', '']);
    expect(reader.thread().messages[1]?.tools[0]?.summary).toBe('(nested too deeply)');
    expect((await reader.body('a')).parts[0]).toMatchObject({ kind: 'call', input: '' });
  });

  test('views and virtual tables in place of the tables are not asked', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.message('ses_1', 'u', { role: 'user' });
    const endless = 'with recursive n(x) as (select 1 union all select x + 1 from n) select x from n';
    made.db.exec(`drop table part; create view part as ${endless}; drop table event; create view event as ${endless}`);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    expect(reader.thread().messages.map((message) => message.id)).toEqual(['u']);
    const other = new DatabaseSync(made.file);
    other.exec(`drop table session; create view session as ${endless}`);
    other.close();
    expect((await opencode.list({ home: folder, env: {} })).threads).toEqual([]);
  });

  test('ids that climb out of a folder lead nowhere', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: '../../etc/passwd', directory: '/w/../../etc', project: '../../..' });
    made.message('../../etc/passwd', '../u', { role: 'user' }, [says('x')]);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), '../../etc/passwd', null);
    expect(reader.objectFolders()).toEqual([]);
    expect((await reader.body('../u')).parts).toEqual([{ kind: 'text', text: 'x' }]);
  });
});

test('a read that is given up ends, and the thread stays as it was', async () => {
  const { reader, sample } = await openSample('t1');
  const before = reader.thread();
  const gone = AbortSignal.abort(new Error('given up'));
  expect(await reader.read(gone)).toBe(false);
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  onTestFinished(() => made.db.close());
  made.session({ id: 'ses_1', directory: W });
  made.db.exec('begin');
  for (let at = 0; at < 3000; at++) made.message('ses_1', `u${String(at).padStart(5, '0')}`, { role: 'user' }, [says('x'.repeat(2000))]);
  made.db.exec('commit');
  const long = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  made.message('ses_1', 'v', { role: 'user' }, [says('new')]);
  for (let at = 0; at < 3000; at++)
    made.db.exec(`update part set time_updated = ${at + 5} where id = 'prt_${String(at + 1).padStart(8, '0')}'`);
  await expect(long.read(gone)).rejects.toThrow('given up');
  expect(long.thread().messages.length).toBe(3000);
  expect((await long.body('u00007')).parts).toEqual([{ kind: 'text', text: 'x'.repeat(2000) }]);
  expect(await long.read()).toBe(true);
  expect(long.thread().messages.length).toBe(3001);
  expect((await long.body('v')).parts).toEqual([{ kind: 'text', text: 'new' }]);
  expect(reader.thread()).toBe(before);
  expect(sample.sessionId).toBe(before.head.threadId);
});

test('a damaged database is read, or refused with a reason; it never hangs', async () => {
  const { sample, ownData } = await openSample('after_revert_prompt');
  const whole = await readFile(sample.db);
  const folder = await tempFolder();
  const file = path.join(folder, 'opencode.db');
  const places = { home: folder, env: {} };
  const flip = fc.tuple(fc.boolean(), fc.nat(), fc.nat(255));
  let read = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(flip, { minLength: 1, maxLength: 20 }),
      fc.option(fc.nat(whole.length), { freq: 9 }),
      async (flips, length) => {
        const bytes = Buffer.from(whole);
        for (const [header, at, value] of flips) bytes[at % (header ? 8192 : whole.length)] = value;
        await writeFile(file, bytes.subarray(0, length ?? whole.length));
        try {
          for (const head of await opencode.locate(file, places)) {
            const reader = await opencode.open(head, { root: null, data: null, places, ownData });
            try {
              await reader.read();
              for (const message of reader.thread().messages) await reader.body(message.id);
              read += 1;
            } finally {
              await reader.close();
            }
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'LOG_UNREADABLE' });
        }
      },
    ),
    { numRuns: 120, seed: 7 },
  );
  expect(read).toBeGreaterThan(10);
});

describe('fuzz', () => {
  const part = fc.oneof(
    fc.record({
      type: fc.constantFrom('step-start', 'step-finish'),
      snapshot: fc.oneof(fc.constantFrom(tree('1'), tree('2'), ''), fc.anything()),
    }),
    fc.record({ type: fc.constantFrom('text', 'reasoning', 'file', 'patch', 'compaction'), text: fc.anything(), mime: fc.anything() }),
    fc.record({
      type: fc.constant('tool'),
      tool: fc.oneof(fc.constantFrom('bash', 'write', 'apply_patch', 'task', 'x_y'), fc.anything()),
      callID: fc.anything(),
      state: fc.oneof(
        fc.record({
          status: fc.constantFrom('pending', 'running', 'completed', 'error'),
          input: fc.anything(),
          metadata: fc.anything(),
          output: fc.anything(),
        }),
        fc.anything(),
      ),
    }),
    fc.dictionary(fc.string(), fc.anything()),
  );
  const message = fc.record({
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    data: fc.oneof(
      fc.record({
        role: fc.constantFrom('user', 'assistant'),
        parentID: fc.constantFrom('a', 'b', 'c', 'zz'),
        time: fc.anything(),
        error: fc.anything(),
        path: fc.anything(),
      }),
      fc.dictionary(fc.string(), fc.anything()),
    ),
    at: fc.oneof(fc.constant(null), fc.integer()),
    gone: fc.oneof(fc.constant(null), fc.nat(50)),
    born: fc.nat(50),
    parts: fc.array(part, { maxLength: 6 }),
  });

  test('whatever the rows hold, the thread is whole and keeps its own rules', () => {
    fc.assert(
      fc.property(fc.uniqueArray(message, { selector: (one) => one.id, maxLength: 6 }), fc.anything(), (messages, revert) => {
        const rows = messages.map(({ id, data, at, gone, born, parts }) =>
          withParts(
            { ...messageRow(id, at, data), gone, born },
            parts.map((one) => partFacts(one as Record<string, unknown>)),
          ),
        );
        const marker = typeof revert === 'object' && revert !== null ? { messageID: 'b', ...revert } : null;
        const data = {
          session: { ...SESSION_ROW, revert: marker },
          messages: inOrder(rows),
          children: new Set<string>(),
          updatedAt: null,
          bad: [],
        };
        const thread = foldSession(data, headOf(data.session, '/x.db', 1), 'idle');
        expect(threadSchema.safeParse(thread).error).toBeUndefined();
        expect(thread.messages.length).toBe(rows.length);
        expect(thread.messages.flatMap((one) => one.stop ?? [])).toEqual(rows.filter((row) => row.gone === null).map((_, at) => at + 1));
        const calls = thread.messages.flatMap((one) => one.tools.map((tool) => tool.id));
        expect(new Set(calls).size).toBe(calls.length);
        expect(thread.steps.flatMap((step) => step.toolCallIds).sort()).toEqual(
          thread.messages
            .filter((one) => one.role === 'assistant')
            .flatMap((one) => one.tools.map((tool) => tool.id))
            .sort(),
        );
        for (const step of thread.steps) for (const id of [step.from, step.to]) expect(id === null || /^[0-9a-f]{40}$/.test(id)).toBe(true);
        for (const gap of thread.gaps) expect(gap.from).not.toBe(gap.to);
        const hidden = thread.messages.filter((one) => one.hidden?.reason === 'reverted').length;
        expect(thread.standing?.hidden ?? 0).toBe(hidden);
      }),
      { numRuns: 3000 },
    );
  });
});
