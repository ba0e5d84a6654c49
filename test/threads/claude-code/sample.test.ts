import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../../electron/snapshots/git.ts';
import { claudeCode } from '../../../electron/threads/claude-code/claude-source.ts';
import { sources } from '../../../electron/threads/sources.ts';
import { OpenThread } from '../../../electron/threads/thread.ts';
import { type ClaudeSession, claudeSample, openClaude, trueFiles } from '../../scenarios/claude-code.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';

/** A recorded moment, opened; when the test ends, Claude Code's folder and the workspace must be as they were, with all times. */
async function opened(session: ClaudeSession, state: string): Promise<OpenThread> {
  const folder = await tempFolder();
  const sample = await claudeSample(folder, session, state);
  const precious = async () => [await manifest(sample.home, { mtimes: true }), await manifest(sample.root, { mtimes: true })];
  const before = await precious();
  onTestFinished(async () => expect(await precious()).toEqual(before));
  const ownData = path.join(folder, 'own');
  const reader = await openClaude(sample.log, ownData, sample.root);
  const thread = await OpenThread.open({ reader, git: createGit(), ownData });
  onTestFinished(() => thread.close());
  await thread.fill();
  return thread;
}

/** The files of a tree as text, by path. */
async function filesOf(thread: OpenThread, tree: string | null): Promise<Record<string, string>> {
  const { objects } = thread;
  if (objects === null || tree === null) throw new Error('no tree');
  const entries = [...(await objects.entries(tree))];
  return Object.fromEntries(await Promise.all(entries.map(async ([name, { oid }]) => [name, (await objects.blob(oid)).toString('utf8')])));
}

describe('the state after the last step is the truth about every file that a file tool touched', () => {
  const interactive = {
    int_t1: ['src/app.js', 'src/greet.js'],
    int_t2: ['src/app.js', 'src/greet.js'],
    int_t3: ['docs/guide.md', 'src/app.js', 'src/greet.js'],
    int_t4: ['docs/guide.md', 'src/app.js', 'src/greet.js'],
    int_after_rewind_prompt: ['src/app.js', 'src/bye.js', 'src/greet.js'],
    int_t7: ['src/app.js', 'src/bye.js', 'src/greet.js', 'sub.txt'],
    int_t9: ['half.txt', 'src/app.js', 'src/bye.js', 'src/greet.js', 'sub.txt', 'tmp.txt'],
  };
  const print = {
    print_t1: ['src/app.js', 'src/greet.js'],
    print_t2: ['src/app.js', 'src/greet.js'],
    print_t3: ['docs/guide.md', 'src/app.js', 'src/greet.js'],
    print_t4: ['docs/guide.md', 'src/app.js', 'src/greet.js'],
  };
  const cases = [
    ...Object.entries(interactive).map(([state, names]) => ['interactive', state, names] as const),
    ...Object.entries(print).map(([state, names]) => ['print', state, names] as const),
  ];
  test.each(cases)('%s %s', async (session, state, names) => {
    const thread = await opened(session, state);
    const files = await filesOf(thread, thread.thread().steps.at(-1)?.to ?? null);
    const truth = await trueFiles(session, state);
    expect(files).toEqual(Object.fromEntries(names.map((name) => [name, truth.get(name)?.toString('utf8')])));
  });
});

test('turns, steps and messages of the whole session; what a rewind left is dropped, what a summary covers is not', async () => {
  const thread = (await opened('interactive', 'int_exit')).thread();
  expect(
    thread.turns.map(
      (turn) => `${turn.index} ${turn.prompt} ${turn.status} ${turn.firstStop}-${turn.lastStop} ${turn.hidden?.reason ?? ''}`,
    ),
  ).toEqual([
    '1 Add a greeting module. [T1] completed 0-5 ',
    '2 Rename util to helpers. [T2] completed null-null dropped',
    '3 Replace the notes with a guide. [T3] completed null-null dropped',
    '4 Make the greeting less formal. [T4] completed null-null dropped',
    '5 Add a bye module. [T5] completed 5-8 ',
    '6 Ask a helper. [T7] completed 8-11 ',
    '7 Write a temp file. [T6] completed 11-14 ',
    '8 Long command. [T9] aborted 14-18 ',
  ]);
  expect(
    thread.steps
      .filter((step) => (step.files?.length ?? 0) > 0)
      .map(
        (step) =>
          `${step.index} ${step.stop} ${step.files?.map((file) => `${file.change} ${file.path} +${file.added} -${file.removed}`).join(', ')}`,
      ),
  ).toEqual([
    '2 3 created src/greet.js +3 -0',
    '3 4 modified src/app.js +2 -0',
    '7 null modified src/app.js +1 -1',
    '10 null created docs/guide.md +3 -0',
    '15 null modified src/greet.js +1 -1',
    '16 null modified src/greet.js +1 -1',
    '18 7 created src/bye.js +1 -0',
    '20 10 created sub.txt +1 -0',
    '22 13 created tmp.txt +1 -0',
    '24 16 created half.txt +1 -0',
  ]);
  expect(thread.steps.every((step) => step.captured === true)).toBe(true);
  // The rewind put files back and wrote no record: the change lies between two steps.
  expect(thread.gaps.map((gap) => [gap.afterStep, gap.beforeStep])).toEqual([['msg_mock000064', 'msg_mock000066']]);
  expect(thread.messages.filter((message) => message.divider !== null).map((message) => message.stop)).toEqual([19]);
  expect(thread.messages.filter((message) => message.stop === null)).toHaveLength(16);
  expect(thread.messages.slice(-3).map((message) => `${message.role} ${message.excerpt}`)).toEqual([
    'system [vendor preamble removed] Summary: Turn 9 done.',
    'system /exit',
    'system See ya!',
  ]);
  expect(thread.status).toBe('idle');
  expect(thread.notices.map((notice) => notice.code)).toEqual(['FILE_TOOLS_ONLY']);
});

test('calls: parallel ones in one step, a failed one wrote nothing, a command has its exit code, a sub-agent is named', async () => {
  const folder = await tempFolder();
  const { log, root } = await claudeSample(folder, 'interactive', 'int_exit');
  const reader = await openClaude(log, path.join(folder, 'own'), root);
  const calls = reader.thread().messages.flatMap((message) => message.tools);
  const said = (id: string) => {
    const call = calls.find((one) => one.id === id);
    return call && [call.name, call.status, call.sideEffect, call.wrote, call.child];
  };
  expect(said('toolu_mock00470')).toEqual(['Edit', 'done', null, ['src/app.js'], null]);
  expect(said('toolu_mock00471')).toEqual(['Edit', 'done', null, ['src/app.js'], null]);
  expect(said('toolu_mock00590')).toEqual(['Edit', 'failed', null, [], null]);
  expect(said('toolu_mock00600')).toEqual(['Bash', 'failed', 'shell', null, null]);
  expect(said('toolu_mock00690')).toEqual(['Task', 'done', 'subagent', null, 'a34a15864990d88e5']);
  const step = reader.thread().steps.find((one) => one.toolCallIds.includes('toolu_mock00600'));
  expect(await reader.body(step?.id ?? '')).toEqual({
    id: 'msg_mock000060',
    parts: [
      {
        kind: 'call',
        call: calls.find((one) => one.id === 'toolu_mock00600'),
        input: JSON.stringify({ command: 'ls no-such-dir; exit 3', description: 'A failing command' }, null, 2),
      },
      {
        kind: 'output',
        callId: 'toolu_mock00600',
        text: "Exit code 3\nls: cannot access 'no-such-dir': No such file or directory",
        failed: true,
        exit: 3,
      },
    ],
  });
});

test('a sub-agent has a thread of its own, below its session', async () => {
  const folder = await tempFolder();
  const { home, log } = await claudeSample(folder, 'interactive', 'int_exit');
  const places = { home, env: {} };
  const { threads, problems } = await claudeCode.list(places);
  expect(problems).toEqual([]);
  expect(threads.map(({ id, parent, title, root, log: at }) => ({ id, parent, title, root, at }))).toEqual([
    {
      id: 'claude-code:dd634337-4c1e-4e05-b25e-17544c2c384d',
      parent: null,
      title: 'Add a greeting module. [T1]',
      root: '/workspace/scratch-cc',
      at: log,
    },
    {
      id: 'claude-code:a34a15864990d88e5',
      parent: 'dd634337-4c1e-4e05-b25e-17544c2c384d',
      title: 'Please do this. [TSUB]',
      root: '/workspace/scratch-cc',
      at: path.join(log.replace(/\.jsonl$/, ''), 'subagents/agent-a34a15864990d88e5.jsonl'),
    },
  ]);
  const child = threads[1];
  if (!child) throw new Error('no sub-agent');
  const reader = await claudeCode.open(child, { root: null, data: null, places, ownData: path.join(folder, 'own') });
  await reader.read();
  expect(reader.thread().steps.map((step) => step.listed)).toEqual([['sub.txt'], []]);
  expect(reader.thread().head.parent).toBe('dd634337-4c1e-4e05-b25e-17544c2c384d');
});

test('its folder, a project, a log and its configured place are all found, and no other source takes them', async () => {
  const folder = await tempFolder();
  const { home, log } = await claudeSample(folder, 'print', 'print_t4');
  const places = { home: '/nobody', env: { CLAUDE_CONFIG_DIR: path.join(home, '.claude') } };
  const ids = ['claude-code:69243408-c88e-40fc-a5d6-d1e272beb64f'];
  expect((await claudeCode.list(places)).threads.map((head) => head.id)).toEqual(ids);
  for (const at of [path.join(home, '.claude'), path.join(home, '.claude/projects'), path.dirname(log), log]) {
    for (const source of sources) {
      expect([at, source.kind, (await source.locate(at, places)).map((head) => head.id)]).toEqual([
        at,
        source.kind,
        source.kind === 'claude-code' ? ids : [],
      ]);
    }
  }
  expect(await claudeCode.list({ home: '/nobody', env: {} })).toEqual({ threads: [], problems: [] });
});
