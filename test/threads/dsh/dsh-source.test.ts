import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { dsh } from '../../../electron/threads/dsh/dsh-source.ts';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { copyDshSample, type DshSample, dshSampleLog } from '../../scenarios/dsh.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';

async function openSample(sample: DshSample, form: 'v0-plain' | 'v0-zstd' | 'v3-plain' | 'v3-zstd' = 'v3-zstd') {
  const home = await tempFolder();
  const log = await copyDshSample(home, sample, form);
  const places = { home, env: {} };
  const head = (await dsh.locate(log, places))[0];
  if (!head) throw new Error('not located');
  const reader: ThreadReader = await dsh.open(head, { root: null, data: null, places, ownData: path.join(home, 'own') });
  await reader.read();
  return { home, log, places, head, reader, thread: reader.thread() };
}

describe('finding sessions', () => {
  test('the home, the sessions folder, the project, the session folder and the log all lead to the thread', async () => {
    const { home, log, places, head } = await openSample('session-sample-a');
    expect(head).toMatchObject({
      id: 'dsh:session-sample-a',
      title: 'Please create new.txt, change beta',
      root: '/home/demo/notes-app',
      threadId: 'session-sample-a',
      parent: null,
    });
    const folders = [path.join(home, '.dsh'), path.join(home, '.dsh/sessions'), path.dirname(path.dirname(log)), path.dirname(log), log];
    for (const folder of folders) expect((await dsh.locate(folder, places)).map((one) => one.id)).toEqual(['dsh:session-sample-a']);
    expect((await dsh.list(places)).threads.map((one) => one.id)).toEqual(['dsh:session-sample-a']);
  });

  test('DSH_HOME wins over the home', async () => {
    const { home } = await openSample('session-sample-b');
    const places = { home: '/nonexistent', env: { DSH_HOME: path.join(home, '.dsh') } };
    expect((await dsh.list(places)).threads.map((one) => one.id)).toEqual(['dsh:session-sample-b']);
  });

  test('of several generations the highest is the live one', async () => {
    const { home, places } = await openSample('session-sample-a', 'v0-zstd');
    const newer = await copyDshSample(home, 'session-sample-a', 'v3-zstd');
    expect((await dsh.list(places)).threads.map((one) => one.log)).toEqual([newer]);
  });

  test('a broken session is a problem and hides no other', async () => {
    const { home, places } = await openSample('session-sample-a');
    const broken = await copyDshSample(home, 'session-sample-b', 'v3-plain');
    await writeFile(broken, 'nothing\n');
    const listing = await dsh.list(places);
    expect(listing.threads.map((one) => one.id)).toEqual(['dsh:session-sample-a']);
    expect(listing.problems.map((one) => one.path)).toEqual([broken]);
  });
});

describe('the thread', () => {
  test('sample a: three turns, eight steps, its tools and what they named', async () => {
    const { thread } = await openSample('session-sample-a');
    expect(thread.turns.map((turn) => [turn.index, turn.status, turn.steps.length, turn.prompt])).toEqual([
      [1, 'completed', 4, 'Please create new.txt, change beta to BETA in notes.txt and delete old.txt.'],
      [2, 'completed', 1, 'Thank you!'],
      [3, 'completed', 2, 'Now also upper-case gamma.'],
    ]);
    expect(
      thread.steps.map((step) => [step.id, step.tools.join('+'), step.files?.map((file) => file.path).join(), step.sideEffects]),
    ).toEqual([
      ['1.1', 'read', '', 0],
      ['1.2', 'write+edit', 'new.txt,notes.txt', 0],
      ['1.3', 'bash', '', 1],
      ['1.4', '', '', 0],
      ['2.1', '', '', 0],
      ['3.1', 'edit', 'notes.txt', 0],
      ['3.2', '', '', 0],
    ]);
    expect(thread.steps.filter((step) => step.captured !== true).map((step) => step.id)).toEqual(['1.2', '1.3', '3.1']);
    expect(thread.notices).toEqual([]);
  });

  test('names the files of its tools also where the workspace was moved', async () => {
    const { head, places, home } = await openSample('session-sample-a');
    const reader = await dsh.open(head, { root: '/elsewhere/notes-app', data: null, places, ownData: path.join(home, 'own') });
    await reader.read();
    expect(reader.thread().steps.flatMap((step) => step.files?.map((file) => file.path) ?? [])).toEqual([
      'new.txt',
      'notes.txt',
      'notes.txt',
    ]);
  });

  test('only the stops just before a prompt, and the end, can be stood at', async () => {
    const { thread } = await openSample('session-sample-a');
    const stops = thread.messages.filter((message) => message.canStand === true).map((message) => message.excerpt.slice(0, 20));
    expect(stops).toEqual(['First job finished: ', 'You are welcome. Not', 'Third job finished.']);
  });

  test('a recalled range stays visible and is marked, and its turns with it', async () => {
    const { thread } = await openSample('session-sample-a-recalled');
    expect(thread.messages.filter((message) => message.hidden?.reason === 'recalled').map((message) => message.excerpt)).toEqual([
      'Thank you!',
      'You are welcome. Nothing to change.',
      'Now also upper-case gamma.',
      'Second edit.',
      'The file /home/demo/notes-app/notes.txt has been updated successfully.',
      'Third job finished.',
    ]);
    expect(thread.turns.map((turn) => turn.hidden?.reason ?? null)).toEqual([null, 'recalled', 'recalled', null]);
    expect(thread.messages.some((message) => message.id.startsWith('recall:'))).toBe(false);
  });

  test('an open step and its unanswered call are shown as they are', async () => {
    const { thread } = await openSample('session-sample-b-open');
    expect(thread.turns.map((turn) => turn.status)).toEqual(['aborted', 'unknown']);
    const last = thread.messages.at(-1);
    expect(last?.tools).toMatchObject([
      { name: 'bash', status: 'lost', sideEffect: 'shell', summary: 'echo started > shell.txt; sleep 30; echo done' },
    ]);
  });

  test('the formats 0 and 3 of one session show the same messages', async () => {
    const older = await openSample('session-sample-a', 'v0-plain');
    const newer = await openSample('session-sample-a', 'v3-plain');
    const shown = (thread: typeof older.thread) =>
      thread.messages.filter((one) => one.role !== 'system').map((one) => [one.role, one.excerpt]);
    expect(shown(older.thread)).toEqual(shown(newer.thread));
  });

  test('bodies hold text, calls with their arguments, and outputs', async () => {
    const { reader, thread } = await openSample('session-sample-a');
    const [calls, output] = [thread.messages.find((one) => one.tools.length === 2), thread.messages.find((one) => one.role === 'tool')];
    const body = await reader.body(calls?.id ?? '');
    expect(body.parts.map((part) => part.kind)).toEqual(['text', 'call', 'call']);
    expect(body.parts[1]).toMatchObject({ input: '{"file_path":"/home/demo/notes-app/new.txt","content":"hello\\nworld\\n"}' });
    const result = (await reader.body(output?.id ?? '')).parts[0];
    expect(result?.kind === 'output' && result.text.startsWith('<path>/home/demo/notes-app/notes.txt</path>')).toBe(true);
  });
});

describe('events that are no messages', () => {
  test('are shown where they stand, run by run, with what they say and the events themselves', async () => {
    const { reader, thread } = await openSample('session-sample-a');
    const rows = thread.messages.filter((message) => message.id.startsWith('seq:'));
    expect(rows.slice(0, 3).map((row) => [row.id, row.turn, row.stop, row.excerpt])).toEqual([
      [
        'seq:0',
        null,
        null,
        'permission/preset: danger-full-access · sandbox/mode: danger-full-access · approval/policy: never · queued: Please create new.txt, change beta to BETA in notes.txt and delete old.txt.',
      ],
      ['seq:5', 1, null, 'taken from the queue'],
      ['seq:12', 1, null, 'request/header · request/context: deepseek-v4-flash'],
    ]);
    expect((await reader.body('seq:0')).parts.map((part) => part.kind === 'raw' && part.type)).toEqual([
      'permission/preset',
      'sandbox/mode',
      'approval/policy',
      'agent/inbox/spliced',
    ]);
    expect(rows.every((row) => row.canStand !== true)).toBe(true);
  });

  test('every event of a log is a turn, a step, a message, a call, a title or such a row', async () => {
    const { reader, thread } = await openSample('session-sample-a');
    const bodies = await Promise.all(thread.messages.filter((one) => one.id.startsWith('seq:')).map((one) => reader.body(one.id)));
    const types = bodies.flatMap((body) => body.parts.flatMap((part) => (part.kind === 'raw' ? [part.type] : [])));
    expect(types.filter((type) => type === 'workspace/changes').length).toBe(2);
    expect(new Set(types)).toEqual(
      new Set([
        'permission/preset',
        'sandbox/mode',
        'approval/policy',
        'agent/inbox/spliced',
        'request/header',
        'request/context',
        'workspace/changes',
      ]),
    );
  });
});

describe('reading', () => {
  test('writes nothing, and reads again only what changed', async () => {
    const { home, log, reader } = await openSample('session-sample-a', 'v3-plain');
    const before = await manifest(path.join(home, '.dsh'), { mtimes: true });
    expect(await reader.read()).toBe(false);
    expect(await manifest(path.join(home, '.dsh'), { mtimes: true })).toEqual(before);
    await appendFile(log, '{"type":"turn/start","seq":57,"time":1,"data":{"turn":4}}\n');
    expect(await reader.read()).toBe(true);
    expect(reader.thread().turns.length).toBe(4);
  });

  test('a log that grows is in use; one that was only just copied is not', async () => {
    const { log, reader } = await openSample('session-sample-a', 'v3-plain');
    expect(await reader.liveSign()).toBeNull();
    const writing = setInterval(() => void appendFile(log, '{}'), 150);
    expect(await reader.liveSign()).toBe('the log grows');
    clearInterval(writing);
  });

  test('a process that holds the lock of a session has it open, and the lock file alone says nothing', async () => {
    const { log, reader } = await openSample('session-sample-a', 'v3-plain');
    const lock = path.join(path.dirname(log), 'session.lock');
    await writeFile(lock, '');
    expect(await reader.liveSign()).toBeNull();
    const holder = spawn('flock', ['-x', lock, '-c', 'echo held; exec sleep 20'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    await once(holder.stdout, 'data');
    expect(await reader.liveSign()).toMatch(/^process \d+ holds session\.lock$/);
    process.kill(-(holder.pid ?? 0), 'SIGKILL');
  });

  test('an invalid log opens as far as it is whole, with the reason as a notice', async () => {
    const folder = await tempFolder();
    const log = path.join(folder, 'session.v3.jsonl');
    await writeFile(
      log,
      await readFile(dshSampleLog('session-sample-a', 'v3-plain').replace(/v3-plain.*/, 'v3-invalid/shadows-head.jsonl')),
    );
    const places = { home: folder, env: {} };
    const head = (await dsh.locate(log, places))[0];
    if (!head) throw new Error('not located');
    const reader = await dsh.open(head, { root: null, data: null, places, ownData: folder });
    await reader.read();
    expect(reader.thread().notices.map((notice) => notice.code)).toEqual(['LOG_INVALID']);
    expect(reader.thread().turns.length).toBe(4);
  });
});
