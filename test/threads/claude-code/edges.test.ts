import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Moment } from '../../../electron/snapshots/moments.ts';
import { ClaudeLog } from '../../../electron/threads/claude-code/claude-log.ts';
import { claudeCode } from '../../../electron/threads/claude-code/claude-source.ts';
import { recordedTrees } from '../../../electron/threads/claude-code/recorded-trees.ts';
import { toolEdit } from '../../../electron/threads/claude-code/tool-edit.ts';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import type { MessageBody } from '../../../shared/model.ts';
import { openClaude } from '../../scenarios/claude-code.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { MadeLog } from './made-log.ts';

const OLD = new Date('2001-01-01T00:00:00Z');

async function opened(made: MadeLog): Promise<ThreadReader> {
  await made.write();
  return openClaude(made.log, path.join(path.dirname(made.home), 'own'), null);
}

/** The parts of a message, one line each. */
const told = (body: MessageBody): string[] =>
  body.parts.map((part) => {
    if (part.kind === 'image') return `image ${part.mediaType} ${part.data}`;
    if (part.kind === 'raw') return `raw ${part.type}`;
    if (part.kind === 'call') return `call ${part.call.name} ${part.input.replace(/\s+/g, '')}`;
    return part.kind === 'output' ? `output ${part.failed} ${part.exit} ${part.text}` : `${part.kind} ${part.text}`;
  });

test('every kind of content: text, thinking, images of prompts and of outputs, and what is not known stays visible', async () => {
  const made = new MadeLog(await tempFolder());
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const prompt = made.prompt([{ type: 'text', text: 'look' }, image, { type: 'image' }]);
  made.answer('m1', { type: 'thinking', thinking: 'hm' });
  made.answer('m1', { type: 'redacted_thinking', data: 'x' });
  made.answer('m1', { type: 'text', text: 'I see.' });
  made.answer('m1', { type: 'tool_use', id: 'c1', name: 'Read', input: { file_path: '/x.png' } });
  made.result('c1', [{ type: 'text', text: 'a picture' }, image], { type: 'image' });
  made.answer('m2', { type: 'tool_use', id: 'c2', name: 'Bash', input: { command: 'false' } });
  made.result('c2', 'Error: Exit code 1', 'Error: Exit code 1', true);
  made.answer('m3', { type: 'tool_use', id: 'c3', name: 'mcp__db__query' });
  const reader = await opened(made);
  const body = async (id: string): Promise<string[]> => told(await reader.body(id));
  expect(await body(prompt)).toEqual(['text look', 'image image/png AAAA', 'image image null']);
  expect(await body('m1')).toEqual([
    'thinking hm',
    'raw redacted_thinking',
    'text I see.',
    'call Read {"file_path":"/x.png"}',
    'output false null a picture',
    'image image/png AAAA',
  ]);
  expect(await body('m2')).toEqual(['call Bash {"command":"false"}', 'output true 1 Error: Exit code 1']);
  expect(await body('m3')).toEqual(['call mcp__db__query {}']);
  await expect(reader.body('nobody')).rejects.toMatchObject({ code: 'UNKNOWN_MESSAGE' });
  const [first, second] = reader.thread().messages;
  expect([first?.images, first?.thinking, second?.images, second?.thinking]).toEqual([2, false, 0, true]);
  expect(reader.thread().messages.map((message) => message.tools.map((call) => call.sideEffect))).toEqual([[], [null], ['shell'], ['mcp']]);
});

test('a title that somebody or the agent gave wins over the first prompt', async () => {
  const titled = async (record: Record<string, unknown>): Promise<string | null> => {
    const made = new MadeLog(await tempFolder());
    made.prompt('the prompt');
    made.loose(record);
    return (await opened(made)).thread().head.title;
  };
  expect(await titled({ type: 'custom-title', customTitle: 'Mine' })).toBe('Mine');
  expect(await titled({ type: 'custom-title', title: 'Older' })).toBe('Older');
  expect(await titled({ type: 'ai-title', aiTitle: 'Made' })).toBe('Made');
  expect(await titled({ type: 'ai-title', title: 'Made too' })).toBe('Made too');
  expect(await titled({ type: 'summary', summary: 'Sum', leafUuid: 'x' })).toBe('Sum');
  expect(await titled({ type: 'ai-title' })).toBe('the prompt');
});

test('a sub-agent that wrote into the session’s own log is beside the conversation, and its edits count in the step that called it', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('ask');
  const call = made.answer('m1', { type: 'tool_use', id: 'c1', name: 'Task', input: { prompt: 'do' } });
  made.tree({ type: 'user', isSidechain: true, message: { role: 'user', content: 'do' } }, null);
  made.tree({
    type: 'assistant',
    isSidechain: true,
    message: { id: 's1', content: [{ type: 'tool_use', id: 'c2', name: 'Write', input: {} }] },
  });
  made.tree({
    type: 'user',
    isSidechain: true,
    message: { content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'ok' }] },
    toolUseResult: { type: 'create', filePath: made.file('sub.txt'), content: 'x', originalFile: null },
  });
  made.tree({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'done' }] } }, call);
  made.says('m2', 'Done.');
  const thread = (await opened(made)).thread();
  expect(thread.messages.map((message) => `${message.role} ${message.excerpt}`)).toEqual(['user ask', 'assistant ', 'assistant Done.']);
  expect(thread.steps.map((step) => step.listed)).toEqual([['sub.txt'], []]);
});

test('a log that was written anew is read anew', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.create('m1', 'f.txt', '1\n');
  const reader = await opened(made);
  const other = new MadeLog(path.dirname(made.home));
  other.prompt('another thread altogether, with more bytes than the one that was there before');
  other.says('n1', 'yes');
  await rm(made.log);
  await other.write();
  expect(await reader.read()).toBe(true);
  expect(reader.thread().messages.map((message) => message.id)).toEqual(['u1', 'n1']);
  await rm(made.log);
  await expect(reader.read()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('what is opened and turns out to be nothing says so', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  await made.write();
  const places = { home: made.home, env: {} };
  const [head] = await claudeCode.locate(made.log, places);
  if (!head) throw new Error('no thread');
  const open = async (content: string) => {
    await writeFile(made.log, content);
    const reader = await claudeCode.open(head, { root: null, data: null, places, ownData: path.join(made.home, 'own') });
    expect(() => reader.thread()).toThrow('before it was read');
    return reader.read();
  };
  await expect(open('')).rejects.toMatchObject({ code: 'LOG_EMPTY' });
  await expect(open('{"type":"user"}\n')).rejects.toMatchObject({ code: 'NOT_A_LOG' });
  await rm(made.log);
  await mkdir(made.log);
  await expect(claudeCode.open(head, { root: null, data: null, places, ownData: made.home })).rejects.toMatchObject({ code: 'NOT_A_LOG' });
});

test('a sub-agent’s log that cannot be read takes nothing from its session', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('ask');
  made.step('m1', 'Task', { prompt: 'do' }, { status: 'completed', agentId: 'a1' });
  await mkdir(path.join(made.log.replace(/\.jsonl$/, ''), 'subagents', 'agent-a1.jsonl'), { recursive: true });
  const thread = (await opened(made)).thread();
  expect(thread.messages.flatMap((message) => message.tools.map((call) => call.child))).toEqual([null]);
});

describe('a process that has the session open', () => {
  const openTurn = async (status: string | undefined): Promise<ThreadReader> => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    made.answer('m1', { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'sleep 9' } });
    await made.write();
    await utimes(made.log, OLD, OLD);
    const folder = path.join(made.home, '.claude/sessions');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'notes.txt'), 'not a session');
    await writeFile(path.join(folder, `${process.pid}.json`), JSON.stringify({ sessionId: made.sessionId, status }));
    return openClaude(made.log, path.join(path.dirname(made.home), 'own'), null);
  };

  test('is named while it works or waits', async () => {
    for (const [status, expected] of [
      ['busy', 'running'],
      ['waiting', 'waiting'],
      [undefined, 'running'],
    ] as const) {
      const reader = await openTurn(status);
      expect(reader.thread().status).toBe(expected);
      expect(await reader.liveSign()).toBe(`Claude Code runs, process ${process.pid}`);
    }
  });

  test('is not in the way when it is idle', async () => {
    const reader = await openTurn('idle');
    expect([reader.thread().status, await reader.liveSign()]).toEqual(['idle', null]);
  });
});

test('an open turn in a log that nobody wrote for minutes cannot be told; for longer, it was cut off', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  await made.write();
  const statusAfter = async (ms: number): Promise<string> => {
    const at = new Date(Date.now() - ms);
    await utimes(made.log, at, at);
    return (await openClaude(made.log, path.join(path.dirname(made.home), 'own'), null)).thread().status;
  };
  expect([await statusAfter(60_000), await statusAfter(3_600_000)]).toEqual(['unknown', 'idle']);
});

test('results that tell nothing, or too little, are no guess', () => {
  expect(toolEdit(null)).toBeNull();
  expect(toolEdit({ type: 'text', filePath: '/f', file: { content: 'x' } })).toBeNull();
  expect(toolEdit({ filePath: '/f' })).toBeNull();
  const wrong = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-other', '+new'] };
  expect(toolEdit({ filePath: '/f', originalFile: 'a\n', structuredPatch: [wrong] })).toEqual({
    file: '/f',
    before: 'a\n',
    after: undefined,
  });
  expect(toolEdit({ filePath: '/f', originalFile: 'a a\n', oldString: 'a', newString: '$&b', replaceAll: true })?.after).toBe('$&b $&b\n');
  expect(toolEdit({ filePath: '/f', originalFile: 'a a\n', oldString: 'a', newString: '$&b' })?.after).toBe('$&b a\n');
  expect(toolEdit({ filePath: '/f', originalFile: 'a\n', oldString: 'x', newString: 'y' })?.after).toBeUndefined();
  expect(toolEdit({ filePath: '/f', originalFile: 'a\n', structuredPatch: [{ oldStart: 1 }] })?.after).toBeUndefined();
});

test('recorded moments: of another folder, unfinished, failed', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('run');
  for (const id of ['m1', 'm2', 'm3', 'm4']) made.step(id, 'Bash', { command: 'x' }, { stdout: '' });
  await made.write();
  const log = new ClaudeLog(made.log, false);
  await log.read();
  const moment = (event: Moment['event'], call: string | null, tree: string | null, root = made.root): Moment => ({
    version: 1,
    at: 0,
    event,
    call,
    root,
    tree,
    failed: tree === null ? { code: 'GIT_FAILED', message: 'no' } : null,
  });
  const { steps, failed } = recordedTrees(
    [
      moment('before', 'call-m1', 'a', '/elsewhere'),
      moment('after', 'call-m1', 'b', '/elsewhere'),
      moment('before', 'call-m2', 'c'),
      moment('prompt', null, 'd'),
      moment('before', 'call-m3', null),
      moment('after', 'call-m3', 'e'),
      moment('before', 'call-m4', 'f'),
    ],
    log.entries,
    `${made.root}/`,
  );
  expect([...steps]).toEqual([['m2', { from: 'c', to: 'd', reporting: false }]]);
  expect([...failed]).toEqual([['m3', { code: 'GIT_FAILED', message: 'no' }]]);
});
