import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Thread } from '../../../shared/model.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';
import { call, finish, type MadeDatabase, makeDatabase, says, start, tree } from './make-database.ts';
import { openSample, openSession } from './open-sample.ts';

const W = '/w';
const write = (file: string, state = {}): ReturnType<typeof call> =>
  call('write', { filePath: path.posix.join(W, file), content: '' }, state);
const trees = (thread: Thread): string[] =>
  thread.steps.map((step) =>
    `${step.id} ${step.from?.[0] ?? '-'}>${step.to?.[0] ?? '-'} ${step.captured === null ? '' : step.captured === true ? 'yes' : step.captured.code}`.trim(),
  );

/** A thread made by `build`, read once; the owner's connection is closed before. */
async function threadOf(build: (made: MadeDatabase) => void, id = 'ses_1'): Promise<Thread> {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  build(made);
  made.db.close();
  return (await openSession(folder, path.join(folder, 'own'), id, null)).thread();
}

describe('trees of steps', () => {
  test('a step that was cut off ends where the next one starts, and the thread says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), write('a'), { type: 'patch', hash: tree('1'), files: ['/w/a'] }]], {
        error: { name: 'MessageAbortedError', data: { message: 'aborted' } },
        finish: undefined,
      });
      made.turn('ses_1', 'b', 'two', [[start(tree('2')), says('ok'), finish(tree('2'))]]);
    });
    expect(trees(thread)).toEqual(['a_1 1>2', 'b_1 2>2']);
    expect(thread.turns.map((turn) => turn.status)).toEqual(['aborted', 'completed']);
    expect(thread.gaps).toEqual([]);
    expect(thread.notices).toEqual([
      {
        code: 'STEPS_END_LATER',
        message:
          "The agent was cut off in turn 1. What it left there is read from the snapshot before the next prompt, so edits of yours in between count as the agent's.",
      },
    ]);
  });

  test('the last step of a thread that was cut off is not captured', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), call('bash', { command: 'x' }, { status: 'error', error: 'aborted' })]], {
        error: { name: 'MessageAbortedError' },
        finish: undefined,
      });
    });
    expect(trees(thread)).toEqual(['a_1 1>- STEP_CUT_OFF']);
    expect(thread.status).toBe('idle');
  });

  test('a step that was cut off before it wrote anything left what it found; what follows is the user', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), says('I will')]], { error: { name: 'MessageAbortedError' }, finish: undefined });
      made.turn('ses_1', 'b', 'two', [[start(tree('2')), says('ok'), finish(tree('2'))]]);
    });
    expect(trees(thread)).toEqual(['a_1 1>1', 'b_1 2>2']);
    expect(thread.gaps).toEqual([{ afterStep: 'a_1', beforeStep: 'b_1', from: tree('1'), to: tree('2') }]);
    expect(thread.notices).toEqual([]);
  });

  test('inside a turn the chain wins over a start tree that already holds the writes of its step', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), write('a'), finish(tree('2'))],
        [start(tree('3')), write('b'), finish(tree('3'))],
        [start(tree('3')), says('done'), finish(tree('3'))],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>2', 'a_2 2>3', 'a_3 3>3']);
  });

  test('an empty or missing snapshot is none; a step that may have written is not captured', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), call('bash', { command: 'x' }), finish('')],
        [start(tree('3')), write('b'), finish(tree('4'))],
        [start(tree('4')), call('read', { filePath: '/w/b' }), finish()],
        [start('../../etc'), write('c'), finish(tree('5'))],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>- TREE_EMPTY', 'a_2 3>4', 'a_3 4>-', 'a_4 ->5 TREE_EMPTY']);
    expect(thread.gaps).toEqual([]);
  });

  test('a call that failed without its step being cut off wrote nothing; a command may have', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), write('a', { status: 'error', error: 'no' }), finish('')],
        [start(''), call('bash', { command: 'x' }, { status: 'error', error: 'timeout' }), finish('')],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>-', 'a_2 ->- TREE_EMPTY']);
  });

  test('without a git project there are no snapshots, and the thread says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: '/home/me/notes', vcs: null });
      made.turn('ses_1', 'a', 'one', [[start(), call('write', { filePath: '/home/me/notes/a.md' }), finish()]], {
        path: { root: '/', cwd: '/home/me/notes' },
      });
    });
    expect(thread.head.root).toBe('/home/me/notes');
    expect(thread.notices.map((notice) => notice.code)).toEqual(['NO_SNAPSHOTS']);
    expect(trees(thread)).toEqual(['a_1 ->- NO_SNAPSHOTS']);
    expect(thread.messages[1]?.tools[0]?.wrote).toEqual(['a.md']);
  });

  test('a session in a subfolder: paths are those of the whole worktree, and the limit is said', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: '/w/front/app', worktree: '/w', path: 'front/app' });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), call('write', { filePath: '/w/front/app/x.ts' }), call('edit', { filePath: '/w/back/y.go' }), finish(tree('2'))],
      ]);
    });
    expect(thread.head.root).toBe('/w');
    expect(thread.messages[1]?.tools.map((tool) => tool.wrote)).toEqual([['front/app/x.ts'], ['back/y.go']]);
    expect(thread.notices).toEqual([
      expect.objectContaining({ code: 'SUBFOLDER_SNAPSHOTS', message: expect.stringContaining('/w/front/app') }),
    ]);
  });
});

describe('calls', () => {
  test('what a patch names, what lies outside, and what other tools may do', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const patchText =
        '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n@@\n+*** Add File: no\n*** Delete File: c\n*** End Patch';
      made.turn('ses_1', 'a', 'one', [
        [
          start(tree('1')),
          call('apply_patch', { patchText }),
          call('apply_patch', { patchText }, { metadata: { files: [{ filePath: '/w/x', movePath: '/w/y' }] } }),
          call('write', { filePath: '/etc/hosts' }),
          call('webfetch', { url: 'https://example.org' }),
          call('github_create_issue', { title: 'x' }),
          call('mytool', { a: 1 }),
          call('bash', { command: `echo 1 &&\n   echo 2${' '.repeat(10)}${'é'.repeat(300)}` }),
          call('write', { filePath: 'rel.txt' }, { status: 'running' }),
          call('edit', { filePath: '/w/z' }, { status: 'pending' }),
          finish(tree('2')),
        ],
      ]);
    });
    const tools = thread.messages[1]?.tools ?? [];
    expect(tools.map((tool) => [tool.name, tool.sideEffect, tool.wrote, tool.status])).toEqual([
      ['apply_patch', null, ['src/a.ts', 'src/b.ts', 'c'], 'done'],
      ['apply_patch', null, ['x', 'y'], 'done'],
      ['write', 'other', [], 'done'],
      ['webfetch', 'network', [], 'done'],
      ['github_create_issue', 'mcp', null, 'done'],
      ['mytool', 'other', null, 'done'],
      ['bash', 'shell', null, 'done'],
      ['write', null, ['rel.txt'], 'lost'],
      ['edit', null, [], 'lost'],
    ]);
    expect(tools[3]?.summary).toBe('https://example.org');
    expect(tools[4]?.summary).toBe('{"title":"x"}');
    expect(tools[6]?.summary.startsWith('echo 1 && ↵ echo 2 ')).toBe(true);
    expect([...(tools[6]?.summary ?? '')].length).toBe(200);
    expect(thread.steps[0]?.sideEffects).toBe(5);
  });

  test('calls that a provider numbers from 0 in each answer get ids of their own', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const zero = { type: 'tool', tool: 'bash', callID: 'call_0', state: { status: 'completed', input: {} } };
      made.turn('ses_1', 'a', 'one', [[zero, { ...zero, callID: '' }], [zero]]);
    });
    const ids = thread.messages.flatMap((message) => message.tools.map((tool) => tool.id));
    expect(ids).toEqual(['call_0', 'a_1#1', 'call_0@a_2#0']);
    expect(thread.steps.map((step) => step.toolCallIds)).toEqual([['call_0', 'a_1#1'], ['call_0@a_2#0']]);
  });

  test('a sub-agent is a thread of its own, named by the call that started it', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.session({ id: 'ses_2', directory: W, parent: 'ses_1', title: 'look (@explore subagent)' });
    made.turn('ses_1', 'a', 'one', [
      [
        start(tree('1')),
        call('task', { description: 'Look around', prompt: 'p' }, { output: 'task_id: ses_2 (for resuming)\n\nses_9 said so' }),
        call('task', { description: 'Other' }, { metadata: { sessionId: 'ses_9' }, output: '' }),
        finish(tree('2')),
      ],
    ]);
    made.turn('ses_2', 'b', 'p', [[start(tree('1')), write('a'), finish(tree('2'))]]);
    made.db.close();
    const parent = (await openSession(folder, path.join(folder, 'own'), 'ses_1', null)).thread();
    expect(parent.messages[1]?.tools.map((tool) => [tool.summary, tool.sideEffect, tool.child])).toEqual([
      ['Look around', 'subagent', 'ses_2'],
      ['Other', 'subagent', null],
    ]);
    const child = (await openSession(folder, path.join(folder, 'own'), 'ses_2', null)).thread();
    expect(child.head).toMatchObject({ parent: 'ses_1', title: 'look (@explore subagent)' });
    expect(trees(child)).toEqual(['b_1 1>2']);
  });
});

describe('messages', () => {
  test('prompts of `opencode run` lose the quotes that it put around them, others keep theirs', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    const permission = [{ permission: 'question', pattern: '*', action: 'deny' }];
    made.session({ id: 'ses_run', directory: W, permission });
    made.session({ id: 'ses_ui', directory: W });
    const prompts = ['"fix the \\"bug\\" now"', '"one" and "two"', 'plain', '"quoted"'];
    for (const session of ['ses_run', 'ses_ui'])
      for (const [at, prompt] of prompts.entries()) made.turn(session, `${session}${at}`, prompt, []);
    made.db.close();
    const open = (id: string) => openSession(folder, path.join(folder, 'own'), id, null);
    const run = await open('ses_run');
    expect(run.thread().turns.map((turn) => turn.prompt)).toEqual(['fix the "bug" now', '"one" and "two"', 'plain', '"quoted"']);
    expect((await run.body('ses_run0_u')).parts).toEqual([{ kind: 'text', text: 'fix the "bug" now' }]);
    const ui = await open('ses_ui');
    expect(ui.thread().turns.map((turn) => turn.prompt)).toEqual(prompts);
    expect((await ui.body('ses_ui0_u')).parts).toEqual([{ kind: 'text', text: prompts[0] }]);
  });

  test('what OpenCode added to a prompt is not the prompt; images, thinking and unknown parts are told', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.message('ses_1', 'u', { role: 'user' }, [
      { type: 'text', text: 'Called the Read tool', synthetic: true },
      says('look at this'),
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAEC' },
      { type: 'file', mime: 'text/plain', url: 'file:///w/a.txt', filename: 'a.txt' },
      { type: 'hologram', depth: 3 },
    ]);
    made.message('ses_1', 'a', { role: 'assistant', parentID: 'u', error: { name: 'APIError', data: { message: 'overloaded' } } }, [
      { type: 'reasoning', text: 'hm' },
      { type: 'retry', attempt: 1 },
    ]);
    made.message('ses_1', 'c', { role: 'user' }, [{ type: 'compaction', auto: true }]);
    made.db.close();
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    const { messages, turns } = reader.thread();
    expect(messages.map((message) => [message.excerpt, message.bytes, message.images, message.thinking, message.divider])).toEqual([
      ['look at this', 12, 1, false, null],
      ['overloaded', 0, 0, true, null],
      ['', 0, 0, false, 'compaction'],
    ]);
    expect(turns.map((turn) => turn.status)).toEqual(['failed', 'unknown']);
    expect((await reader.body('u')).parts.map((part) => (part.kind === 'raw' ? `raw ${part.type}` : part.kind))).toEqual([
      'raw text',
      'text',
      'image',
      'raw file',
      'raw hologram',
    ]);
    expect((await reader.body('u')).parts[2]).toEqual({ kind: 'image', mediaType: 'image/png', data: 'AAEC' });
    expect((await reader.body('a')).parts).toEqual([
      { kind: 'thinking', text: 'hm' },
      { kind: 'raw', type: 'retry', json: '{"type":"retry","attempt":1}' },
      { kind: 'raw', type: 'error', json: '{"name":"APIError","message":"overloaded"}' },
    ]);
  });

  test('an answer comes after its prompt, whatever the clock and the ids say', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const row = made.db.prepare('insert into message values (?, ?, ?, ?, ?)');
      const add = (id: string, at: number, data: object) => row.run(id, 'ses_1', at, at, JSON.stringify(data));
      add('m_first', 1000, { role: 'user' });
      add('m_early', 400, { role: 'assistant', parentID: 'm_first' });
      add('m_second', 2000, { role: 'user' });
      add('a_same_ms', 2000, { role: 'assistant', parentID: 'm_second' });
      add('m_orphan', 3000, { role: 'assistant', parentID: 'm_nobody' });
    });
    expect(thread.messages.map((message) => `${message.id} T${message.turn}`)).toEqual([
      'm_first T1',
      'm_early T1',
      'm_second T2',
      'a_same_ms T2',
      'm_orphan T2',
    ]);
  });

  test('a revert into the middle of an answer hides the answer whole, and says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W, revert: { messageID: 'a_2', partID: 'prt_x', snapshot: tree('9'), diff: '' } });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), finish(tree('2'))],
        [start(tree('2')), finish(tree('3'))],
      ]);
    });
    expect(thread.standing).toEqual({ messageId: 'a_1', stop: 2, hidden: 1, files: [], now: tree('9') });
    expect(thread.turns[0]?.hidden).toBeNull();
    expect(thread.notices.map((notice) => notice.code)).toEqual(['REVERT_INSIDE_TURN']);
  });

  test('a marker to a message that is not there hides nothing; one to the first hides all', async () => {
    const build = (messageID: string) => (made: MadeDatabase) => {
      made.session({ id: 'ses_1', directory: W, revert: { messageID, snapshot: 'nonsense' } });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), finish(tree('1'))]]);
    };
    expect((await threadOf(build('msg_nobody'))).standing).toBeNull();
    expect((await threadOf(build('a_u'))).standing).toEqual({ messageId: '', stop: 0, hidden: 2, files: null, now: null });
  });
});

describe('dropped branches', () => {
  const removed = (made: MadeDatabase, seq: number, id: string) => made.event('ses_1', seq, 'message.removed.1', { messageID: id });
  const updated = (made: MadeDatabase, seq: number, info: object) => made.event('ses_1', seq, 'message.updated.1', { info });
  const part = (made: MadeDatabase, seq: number, value: object) => made.event('ses_1', seq, 'message.part.updated.1', { part: value });

  test('the latest version of each part counts, and two branches after one message are not one after the other', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'keep', [[start(tree('1')), finish(tree('2'))]]);
      updated(made, 1, { id: 'a_u', role: 'user' });
      updated(made, 2, { id: 'a_1', role: 'assistant' });
      for (const [at, seq, to] of [
        ['x', 10, '3'],
        ['y', 20, '4'],
      ] as const) {
        const time = { created: 1_700_000_001_000 + seq };
        updated(made, seq, { id: `${at}_u`, role: 'user', time });
        part(made, seq + 1, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: 'old words' });
        part(made, seq + 2, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: `branch ${at}` });
        updated(made, seq + 3, { id: `${at}_1`, role: 'assistant', parentID: `${at}_u`, time });
        part(made, seq + 4, { id: `prt_${at}1`, messageID: `${at}_1`, type: 'step-start', snapshot: tree('2') });
        part(made, seq + 5, { id: `prt_${at}2`, messageID: `${at}_1`, type: 'step-finish', snapshot: tree(to) });
        removed(made, seq + 6, `${at}_u`);
        removed(made, seq + 7, `${at}_1`);
        part(made, seq + 8, { id: `prt_${at}0`, messageID: `${at}_u`, type: 'text', text: 'after its end' });
      }
      made.db.prepare('insert into event values (?, ?, ?, ?, ?)').run('bad', 'ses_1', 99, 'message.removed.1', '{"messageID":');
    });
    expect(thread.turns.map((turn) => [turn.prompt, turn.hidden?.reason ?? null])).toEqual([
      ['keep', null],
      ['branch x', 'dropped'],
      ['branch y', 'dropped'],
    ]);
    expect(trees(thread)).toEqual(['a_1 1>2', 'x_1 2>3', 'y_1 2>4']);
    expect(thread.gaps).toEqual([]);
  });

  test('a message that was deleted alone stays in the chain: what it did is still on disk', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.message('ses_1', 'u1', { role: 'user' });
      made.message('ses_1', 'u2', { role: 'user' });
      made.message('ses_1', 'a2', { role: 'assistant', parentID: 'u2' }, [start(tree('5')), finish(tree('6'))]);
      updated(made, 1, { id: 'u1', role: 'user' });
      updated(made, 2, { id: 'gone', role: 'assistant', parentID: 'u1', time: { created: 1_700_000_000_001 } });
      part(made, 3, { id: 'prt_g1', messageID: 'gone', type: 'step-start', snapshot: tree('1') });
      part(made, 4, { id: 'prt_g2', messageID: 'gone', type: 'step-finish', snapshot: tree('2') });
      updated(made, 5, { id: 'u2', role: 'user' });
      updated(made, 6, { id: 'a2', role: 'assistant' });
      removed(made, 7, 'gone');
    });
    expect(trees(thread)).toEqual(['gone 1>2', 'a2 5>6']);
    expect(thread.turns[0]).toMatchObject({ hidden: null, firstStop: 0, lastStop: 1 });
    expect(thread.gaps).toEqual([{ afterStep: 'gone', beforeStep: 'a2', from: tree('2'), to: tree('5') }]);
  });
});

describe('a store in use', () => {
  /** Another process that holds the database with a lock and keeps all it writes in the log. */
  async function owner(db: string, script: string): Promise<ChildProcess> {
    const source = `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(db)});
      db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0'); ${script}; console.log('ready'); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout ?? child, 'data');
    return child;
  }

  test('rows that are only in the log of a process that holds the lock are read, and nothing of it is touched', async () => {
    const { sample, ownData, reader } = await openSample('t1');
    const copy = path.join(path.dirname(ownData), 'second');
    const folder = path.join(copy, '.local', 'share', 'opencode');
    await mkdir(folder, { recursive: true });
    const { copyFile } = await import('node:fs/promises');
    const db = path.join(folder, 'opencode.db');
    await copyFile(sample.db, db);
    await owner(
      db,
      `db.exec("insert into message select 'msg_zzz', session_id, time_created + 99999999, time_updated, json_object('role','user') from message limit 1");
       db.exec("insert into part select 'prt_zzz', 'msg_zzz', session_id, 1, 1, json_object('type','text','text','only in the log') from part limit 1");
       db.exec('begin immediate')`,
    );
    expect((await stat(`${db}-wal`)).size).toBeGreaterThan(0);
    const before = await manifest(folder, { mtimes: true });
    const live = await openSession(copy, ownData, sample.sessionId, sample.root);
    expect(live.thread().turns.map((turn) => turn.prompt)).toEqual(['Add a greeting module. [T1]', 'only in the log']);
    expect(await manifest(folder, { mtimes: true })).toEqual(before);
    expect(await live.liveSign()).toMatch(/^its store was written [0-5] s ago$/);
    expect(reader.thread().turns.length).toBe(1);
  });

  test('a read sees what was committed since, and only then says that something changed', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder, 'opencode.db', Date.now() - 1000);
    onTestFinished(() => made.db.close());
    made.session({ id: 'ses_1', directory: W });
    made.turn('ses_1', 'a', 'one', [[start(tree('1')), finish(tree('2'))]]);
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    expect(await reader.read()).toBe(false);
    made.message('ses_1', 'b_u', { role: 'user' }, [says('two')]);
    made.message('ses_1', 'b_1', { role: 'assistant', parentID: 'b_u', time: {} }, [
      start(tree('2')),
      says('first words'),
      call('bash', { command: 'make' }, { status: 'running', output: undefined, metadata: { output: 'half' } }),
    ]);
    expect(await reader.read()).toBe(true);
    const running = reader.thread();
    expect(running).toMatchObject({ status: 'running' });
    expect(running.turns[1]?.status).toBe('running');
    expect(running.steps[1]).toMatchObject({ from: tree('2'), to: null, captured: { code: 'LOG_RUNNING' } });
    expect(running.messages[3]?.tools[0]?.status).toBe('running');
    expect((await reader.body('b_1')).parts.at(-1)).toMatchObject({ kind: 'output', text: 'half' });
    made.db.exec(`update part set data = replace(data, 'first', 'other') where data like '%first words%'`);
    expect(await reader.read()).toBe(true);
    expect((await reader.body('b_1')).parts[0]).toEqual({ kind: 'text', text: 'other words' });
    expect((await reader.body('a_u')).parts).toEqual([{ kind: 'text', text: 'one' }]);
  });

  test('an open answer is running only while it is recent; a question waits for a person', async () => {
    const folder = await tempFolder();
    const open = { role: 'assistant', parentID: 'u', time: {} };
    const made = await makeDatabase(folder, 'opencode.db', Date.now() - 3_600_000);
    made.session({ id: 'ses_old', directory: W });
    made.message('ses_old', 'u', { role: 'user' });
    made.message('ses_old', 'a', open, [start(tree('1')), call('bash', { command: 'x' }, { status: 'running' })]);
    made.db.close();
    const fresh = await makeDatabase(folder, 'opencode-local.db', Date.now() - 1000);
    fresh.session({ id: 'ses_ask', directory: W });
    fresh.message('ses_ask', 'u', { role: 'user' });
    fresh.message('ses_ask', 'a', open, [start(tree('1')), call('question', { questions: [] }, { status: 'running' })]);
    fresh.db.close();
    const { utimes } = await import('node:fs/promises');
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(made.file, hourAgo, hourAgo);
    const old = (await openSession(folder, path.join(folder, 'own'), 'ses_old', null)).thread();
    expect(old.status).toBe('idle');
    expect(old.turns[0]?.status).toBe('interrupted');
    expect(old.messages[1]?.tools[0]?.status).toBe('lost');
    expect(trees(old)).toEqual(['a 1>- STEP_CUT_OFF']);
    expect((await openSession(folder, path.join(folder, 'own'), 'ses_ask', null)).thread().status).toBe('waiting');
  });

  test('a running OpenCode that holds the database is a sign, a mere reader is none', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.db.close();
    const { utimes, open } = await import('node:fs/promises');
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(made.file, hourAgo, hourAgo);
    const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
    const hold = async (mode: string): Promise<ChildProcess> => {
      const child = spawn(process.execPath, [
        '-e',
        `require('fs').openSync(process.argv[1], '${mode}'); console.log(1); setInterval(() => {}, 1000)`,
        made.file,
      ]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout ?? child, 'data');
      return child;
    };
    const own = await open(made.file, 'r+');
    await hold('r');
    expect(await reader.liveSign()).toBeNull();
    const writer = await hold('r+');
    expect(await reader.liveSign()).toBe(process.platform === 'linux' ? `OpenCode runs, process ${writer.pid}` : null);
    await own.close();
  });
});

test('a database whose session is gone says so', async () => {
  const folder = await tempFolder();
  const made = await makeDatabase(folder);
  made.session({ id: 'ses_1', directory: W });
  const reader = await openSession(folder, path.join(folder, 'own'), 'ses_1', null);
  const again = new DatabaseSync(made.file);
  again.exec('delete from session');
  again.close();
  made.db.close();
  await expect(reader.read()).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
});
