import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../../electron/threads/claude-code/claude-source.ts';
import type { Thread } from '../../../shared/model.ts';
import { openClaude } from '../../scenarios/claude-code.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { MadeLog } from './made-log.ts';

async function threadOf(made: MadeLog, backups: Record<string, string> = {}): Promise<Thread> {
  await made.write(backups);
  return (await openClaude(made.log, path.join(path.dirname(made.home), 'own'), null)).thread();
}

const excerpts = (thread: Thread): string[] => thread.messages.map((message) => `${message.stop} ${message.role} ${message.excerpt}`);

test('a line that cannot be read is a row with its number, and hides nothing', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.lines.push('{"type":"user","uuid":"tor', Buffer.from([0xff, 0xfe]), '[1,2]', 'null', '42', Buffer.alloc(4096), '   ');
  made.says('m1', 'answer');
  const thread = await threadOf(made);
  expect(excerpts(thread)).toEqual(['1 user one', '2 assistant answer']);
  expect(thread.bad.map(({ line, bytes }) => [line, bytes])).toEqual([
    [2, 26],
    [3, 2],
    [4, 5],
    [5, 4],
    [6, 2],
  ]);
});

test('records of unknown types, a record twice, an unknown parent and a ring of parents are all passed without loss', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.loose({ type: 'from-the-future', uuid: 'z', data: 1 }).loose({ type: 'api-request-blob', body: 'secret' });
  made.says('m1', 'answer');
  const [, , , twice] = made.lines;
  if (twice) made.lines.push(twice);
  made.tree({ type: 'user', uuid: 'lost', promptSource: 'typed', message: { role: 'user', content: 'its parent is gone' } }, 'nobody');
  made.loose({
    type: 'user',
    uuid: 'ring1',
    parentUuid: 'ring2',
    message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
  });
  made.loose({
    type: 'user',
    uuid: 'ring2',
    parentUuid: 'ring1',
    message: { role: 'user', content: [{ type: 'text', text: '[Request interrupted by user]' }] },
  });
  const thread = await threadOf(made);
  // What stands before a lost parent is not taken for a branch that was left.
  expect(thread.messages.map((message) => message.hidden)).toEqual([null, null, null, null, null]);
  expect(thread.messages.map((message) => message.excerpt)).toEqual([
    'one',
    'answer',
    'its parent is gone',
    '[Request interrupted by user]',
    '[Request interrupted by user]',
  ]);
});

test('a last line without its newline counts when it is whole, and is being written when it is not', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.says('m1', 'answer');
  await made.write();
  const [whole] = made.lines.slice(-1);
  await appendFile(made.log, '{"type":"user","uuid":"half');
  const torn = (await openClaude(made.log, path.join(path.dirname(made.home), 'own'), null)).thread();
  expect(torn.notices.map((notice) => notice.code)).toEqual(['LOG_TORN']);
  expect(torn.bad).toEqual([]);
  await writeFile(made.log, `${made.lines[0]}\n${whole}`);
  expect(excerpts((await openClaude(made.log, path.join(path.dirname(made.home), 'own2'), null)).thread())).toEqual([
    '1 user one',
    '2 assistant answer',
  ]);
});

test('what is no log of Claude Code is not taken for one, and a log that is empty says so', async () => {
  const folder = await tempFolder();
  const no = async (name: string, content: string): Promise<void> => {
    await writeFile(path.join(folder, name), content);
    expect([name, await claudeCode.locate(path.join(folder, name), { home: folder, env: {} })]).toEqual([name, []]);
  };
  await no('tanstack.jsonl', '[{"type":"user","id":"1"}]\n');
  await no('plain.jsonl', '{"type":"user","text":"x"}\n');
  await no('empty.jsonl', '');
  await no('random.jsonl', '\u0000\u0001\n{}\n');
  await no('log.txt', JSON.stringify({ type: 'user', uuid: 'u', sessionId: 's', message: { content: 'x' } }));
  await mkdir(path.join(folder, 'folder.jsonl'));
  expect(await claudeCode.locate(path.join(folder, 'folder.jsonl'), { home: folder, env: {} })).toEqual([]);
});

test('hostile records: keys of prototypes, names that leave the backups’ folder, paths that leave the workspace', async () => {
  const made = new MadeLog(await tempFolder());
  const prompt = made.prompt('one');
  made.lines.push(
    `{"type":"file-history-snapshot","messageId":"${prompt}","snapshot":{"messageId":"${prompt}","trackedFileBackups":{"__proto__":{"backupFileName":"aaaa@v1"},"constructor":{"backupFileName":null},"../../out":{"backupFileName":"aaaa@v1"},"f.txt":{"backupFileName":"../../../../etc/passwd"}}}}`,
  );
  made.create('m1', '../outside.txt', 'x').create('m2', 'in.txt', 'x');
  const thread = await threadOf(made, { 'aaaa@v1': 'proto\n' });
  expect(thread.steps.map((step) => step.listed)).toEqual([[], ['in.txt']]);
  expect(({} as Record<string, unknown>)['backupFileName']).toBeUndefined();
});

describe('status', () => {
  const running = async (made: MadeLog, record: Record<string, unknown>): Promise<void> => {
    const folder = path.join(made.home, '.claude/sessions');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, `${record['pid']}.json`), JSON.stringify({ sessionId: made.sessionId, cwd: made.root, ...record }));
  };
  const openTurn = async (): Promise<MadeLog> => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    made.answer('m1', { type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'sleep 9' } });
    return made;
  };

  test('a turn that ends is idle, whoever has it open', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    made.says('m1', 'answer');
    await running(made, { pid: process.pid, status: 'busy' });
    expect((await threadOf(made)).status).toBe('idle');
  });

  test('an open turn is running while its process lives', async () => {
    const made = await openTurn();
    await running(made, { pid: process.pid, status: 'busy' });
    const thread = await threadOf(made);
    expect([thread.status, thread.turns[0]?.status, thread.messages[1]?.tools[0]?.status]).toEqual(['running', 'running', 'running']);
    const reader = await openClaude(made.log, path.join(path.dirname(made.home), 'own'), null);
    expect(await reader.liveSign()).toMatch(/^its store was written \d s ago$/);
  });

  test('a dead process, and another session’s, say nothing; a log just written does', async () => {
    const made = await openTurn();
    await running(made, { pid: 2 ** 30, status: 'busy' });
    await running(made, { pid: process.ppid, status: 'busy', sessionId: 'another' });
    expect((await threadOf(made)).status).toBe('running');
  });
});

test('a prompt that follows no record goes before the first: what was there before is left', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.says('m1', 'answer');
  made.prompt('anew', null);
  made.says('m2', 'yes');
  expect((await threadOf(made)).messages.map((message) => `${message.stop} ${message.excerpt} ${message.hidden?.reason ?? ''}`)).toEqual([
    'null one dropped',
    'null answer dropped',
    '1 anew ',
    '2 yes ',
  ]);
});
