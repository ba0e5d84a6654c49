import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { callFacts } from '../../../electron/threads/claude-code/call-facts.ts';
import { claudeCode } from '../../../electron/threads/claude-code/claude-source.ts';
import { FileSamples } from '../../../electron/threads/claude-code/file-samples.ts';
import { bytesOfText } from '../../../electron/threads/claude-code/text-bytes.ts';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { openClaude } from '../../scenarios/claude-code.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { asOrdinaryUser } from '../../snapshots/lab.ts';
import { MadeLog } from './made-log.ts';

const DEEP = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;

async function opened(made: MadeLog, root: string | null = null): Promise<ThreadReader> {
  await made.write();
  return openClaude(made.log, path.join(path.dirname(made.home), 'own'), root);
}

describe('records of a stranger', () => {
  test('blocks that lack what they should hold are shown as far as they go', async () => {
    const made = new MadeLog(await tempFolder());
    const prompt = made.prompt([{ type: 'text', text: 'look' }, { type: 'text' }, { text: 'of no type' }]);
    made.answer('m1', { type: 'thinking' });
    made.answer('m1', { type: 'tool_use', id: 'c1' });
    made.answer('m1', { type: 'tool_use', name: 'Read' });
    made.result(
      'c1',
      [
        { type: 'text', text: 'one' },
        { type: 'text', text: 7 },
        { type: 'text', text: 'two' },
      ],
      'plain',
    );
    made.tree({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'for nobody' }] } });
    const reader = await opened(made);
    expect((await reader.body(prompt)).parts).toEqual([
      { kind: 'text', text: 'look' },
      { kind: 'text', text: '' },
      { kind: 'raw', type: 'unknown', json: '{\n  "text": "of no type"\n}' },
    ]);
    expect((await reader.body('m1')).parts).toMatchObject([
      { kind: 'thinking', text: '' },
      { kind: 'call', call: { id: 'c1', name: 'tool', summary: '', sideEffect: 'other', wrote: null }, input: '{}' },
      { kind: 'output', callId: 'c1', text: 'one\ntwo', failed: false, exit: null },
      { kind: 'call', call: { id: '', name: 'Read', wrote: [] } },
    ]);
  });

  test('values that are nested too deep to print are named, not followed', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    const block = (type: string): string => `{"type":"${type}","id":"c1","name":"Edit","input":{"a":${DEEP}},"more":${DEEP}}`;
    for (const [uuid, type] of [
      ['d1', 'hologram'],
      ['d2', 'tool_use'],
    ] as const) {
      made.lines.push(
        `{"sessionId":"${made.sessionId}","type":"assistant","uuid":"${uuid}","parentUuid":"u1","message":{"id":"m1","content":[${block(type)}]}}`,
      );
    }
    const reader = await opened(made);
    expect((await reader.body('m1')).parts).toMatchObject([
      { kind: 'raw', type: 'hologram', json: 'This value is nested too deep to be shown.' },
      { kind: 'call', call: { id: 'c1', name: 'Edit', summary: '', wrote: null }, input: '' },
    ]);
  });

  test('without any time a thread has no durations, and a record that ends nothing has no end', async () => {
    const made = new MadeLog(await tempFolder());
    made.tree({ type: 'user', timestamp: 'soon', message: { role: 'user', content: 'one' } });
    const answer = { id: 'm1', content: [{ type: 'tool_use', id: 'c1', name: 'Bash', input: { command: 'ls' } }] };
    made.tree({ type: 'assistant', timestamp: null, message: answer });
    made.tree({ type: 'user', timestamp: 'late', message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] } });
    made.tree({ type: 'assistant', timestamp: undefined, message: { id: 'm2', content: [{ type: 'text', text: 'Well' }] } });
    const thread = (await opened(made)).thread();
    expect(thread.turns.map(({ status, startedAt, firstStop, lastStop }) => [status, startedAt, firstStop, lastStop])).toEqual([
      ['unknown', null, 0, 3],
    ]);
    expect(thread.steps.map((step) => [step.id, step.at, step.durationMs])).toEqual([
      ['m1', null, null],
      ['m2', null, null],
    ]);
    expect(thread.messages[1]?.tools.map((call) => [call.status, call.durationMs, call.outputBytes])).toEqual([['done', null, 2]]);
  });

  test('what the tool says in the user’s name is shown without its tags, whatever of them is there', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    const said = [
      '<command-name>/clear</command-name>',
      '<command-name>/model</command-name>\n<command-args>opus</command-args>',
      '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>',
      '<local-command-left-open>',
    ].map((content) => made.tree({ type: 'user', message: { role: 'user', content } }));
    const reader = await opened(made);
    const texts = await Promise.all(said.map(async (id) => (await reader.body(id)).parts));
    expect(texts).toEqual(['/clear', '/model opus', 'a', '<local-command-left-open>'].map((text) => [{ kind: 'text', text }]));
    expect(reader.thread().messages.map((message) => message.role)).toEqual(['user', 'system', 'system', 'system', 'system']);
  });

  test('a log that names no folder has no trees; its words are there all the same, and shell calls are told of', async () => {
    const made = new MadeLog(await tempFolder());
    const at = { cwd: undefined };
    made.tree({ ...at, type: 'user', message: { role: 'user', content: 'one' } });
    const calls = [
      { type: 'tool_use', id: 'c1', name: 'Write', input: { file_path: '/w/a', content: '1' } },
      { type: 'tool_use', id: 'c2', name: 'Bash', input: { command: 'make' } },
    ];
    made.tree({ ...at, type: 'assistant', message: { id: 'm1', content: calls, stop_reason: 'tool_use' } });
    made.tree({
      ...at,
      type: 'user',
      message: { content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
      toolUseResult: { type: 'create', filePath: '/w/a', content: '1', originalFile: null },
    });
    made.tree({ ...at, type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 'c2', content: 'ok' }] } });
    const reader = await opened(made);
    const thread = reader.thread();
    expect(thread.head.root).toBeNull();
    expect(thread.steps).toMatchObject([{ id: 'm1', from: null, to: null, listed: [], captured: null }]);
    expect(thread.notices).toMatchObject([{ code: 'FILE_TOOLS_ONLY' }]);
    expect(reader.objectFolders()).toEqual([]);
  });

  test('a record that hangs on the prompt of a sub-agent is in no turn', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    made.says('m1', 'yes');
    const inner = made.tree({ type: 'user', isSidechain: true, message: { role: 'user', content: 'do' } }, null);
    made.tree({ type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'lost' }] } }, inner);
    const thread = (await opened(made)).thread();
    expect(thread.messages.map(({ id, turn, stop }) => [id, turn, stop])).toEqual([
      ['u1', 1, 1],
      ['m1', 1, 2],
      ['m2', null, 3],
    ]);
    expect(thread.turns).toMatchObject([{ index: 1, id: 'u1', steps: ['m1'], firstStop: 0, lastStop: 2, status: 'completed' }]);
  });

  test('the log of another file in the same place is refused by what moved', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('one');
    made.says('m1', 'two');
    const reader = await opened(made);
    const bytes = await readFile(made.log, 'utf8');
    await writeFile(made.log, bytes.replaceAll('{', '['));
    await expect(reader.body('m1')).rejects.toMatchObject({ code: 'LOG_UNREADABLE' });
    await reader.close();
    expect(() => reader.thread()).toThrow('before it was read');
  });

  test('reading of sub-agents stops when it is cancelled, and other files beside them are no agents', async () => {
    const made = new MadeLog(await tempFolder());
    made.prompt('ask');
    made.step('m1', 'Task', { prompt: 'do' }, { status: 'completed', agentId: 'a1' });
    const folder = path.join(made.log.replace(/\.jsonl$/, ''), 'subagents');
    const inner = new MadeLog(await tempFolder());
    inner.prompt('do');
    inner.says('s1', 'done');
    await writeFiles(folder, { 'agent-a1.jsonl': `${inner.lines.join('\n')}\n`, 'agent-a1.meta.json': '{}', 'notes.txt': 'x' });
    const reader = await opened(made);
    expect(reader.thread().messages.flatMap((message) => message.tools.map((call) => call.child))).toEqual(['a1']);
    const stopped = AbortSignal.abort();
    await writeFile(path.join(folder, 'agent-a1.jsonl'), `${inner.lines.join('\n')}\n{"type":"mode"}\n`);
    await expect(reader.read(stopped)).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});

describe('a call', () => {
  const wrote = (name: string, input: unknown, root: string | null, cwd: string | null) => {
    const { summary, sideEffect, wrote: files } = callFacts({ id: 'c', name, input }, root, cwd);
    return [summary, sideEffect, files];
  };

  test('writes below the root, or where the session ran when no root is known', () => {
    expect(wrote('Write', { file_path: '/w/a' }, '/w', '/w/sub')).toEqual(['/w/a', null, ['a']]);
    expect(wrote('Write', { file_path: '/w/a' }, null, '/w')).toEqual(['/w/a', null, ['a']]);
    expect(wrote('Write', { file_path: '/w/a' }, null, null)).toEqual(['/w/a', null, null]);
  });

  test('of the agent’s own books has no effect, whatever it names', () => {
    for (const name of ['TaskCreate', 'TaskStop', 'ExitPlanMode', 'LSP']) {
      expect(wrote(name, { path: '/w/a' }, '/w', null)).toEqual(['/w/a', null, []]);
    }
    expect(wrote('TaskForce', { prompt: 'go' }, '/w', null)).toEqual(['go', 'other', null]);
  });
});

describe('bytes of files as they were', () => {
  test('are those of backups and of the disk, each read once; folders, links and what is not there tell nothing', async () => {
    const folder = await tempFolder();
    const [backups, root] = [path.join(folder, 'backups'), path.join(folder, 'w')];
    await writeFiles(backups, { 'a@v1': 'old' });
    await writeFiles(root, { 'run.sh': { content: '#!', mode: 0o755 }, 'plain.txt': 'new', link: { link: 'plain.txt' } });
    await mkdir(path.join(backups, 'dir'));
    const samples = new FileSamples(backups, root);
    expect([await samples.backup('a@v1'), await samples.backup('dir'), await samples.backup('gone')]).toEqual([
      Buffer.from('old'),
      null,
      null,
    ]);
    expect(await samples.disk('plain.txt')).toEqual(Buffer.from('new'));
    await writeFile(path.join(root, 'plain.txt'), 'newer');
    await writeFile(path.join(backups, 'gone'), 'there now');
    expect([await samples.disk('plain.txt'), await samples.backup('gone')]).toEqual([Buffer.from('new'), null]);
    const modes = await Promise.all(['run.sh', 'plain.txt', 'link', 'gone'].map((name) => samples.mode(name)));
    expect(modes).toEqual(['100755', '100644', '100644', '100644']);
    const nowhere = new FileSamples(backups, null);
    expect([await nowhere.disk('plain.txt'), await nowhere.mode('run.sh')]).toEqual([null, '100644']);
  });

  test('keep the ends of lines and the marks of what they are like', () => {
    const bytes = (text: string, like: Buffer) => bytesOfText(text, like).toString('hex');
    const wide = Buffer.from('\ufeffa\r\nb\r\n', 'utf16le');
    expect(bytes('x\n', wide)).toBe(Buffer.from('\ufeffx\n', 'utf16le').toString('hex'));
    expect(bytes('\ufeffx\n', wide)).toBe(bytes('x\n', wide));
    expect(bytes('x\n', Buffer.from('a\r\nb\r\n'))).toBe(Buffer.from('x\r\n').toString('hex'));
  });
});

describe('listing', () => {
  test('a file in the place of a folder is empty, one that cannot be opened is a problem, and the rest is listed', async () => {
    const home = await tempFolder();
    const made = new MadeLog(home);
    made.prompt('the prompt');
    await made.write();
    const project = path.dirname(made.log);
    await writeFiles(project, { 'other.jsonl': '{"type":"mode"}\n{}\n', 'session/subagents': 'a file' });
    await symlink('/dev/null', path.join(project, 'null.jsonl'));
    const places = { home: made.home, env: {} };
    const { threads, problems } = await claudeCode.list(places);
    expect(threads.map(({ threadId, title }) => [threadId, title])).toEqual([[made.sessionId, 'the prompt']]);
    expect(problems).toEqual([]);
    expect((await claudeCode.locate(path.join(made.home, '.claude'), places)).map((head) => head.threadId)).toEqual([made.sessionId]);
    expect((await claudeCode.locate(project, places)).map((head) => head.threadId)).toEqual([made.sessionId]);
    await expect(claudeCode.locate(path.join(project, 'session', 'subagents'), places)).resolves.toEqual([]);
    // Root may read everything, so somebody else looks.
    await chmod(home, 0o755);
    await chmod(made.log, 0o000);
    const source = path.resolve(import.meta.dirname, '../../../electron/threads/claude-code/claude-source.ts');
    const seen = asOrdinaryUser(`
      import { claudeCode } from ${JSON.stringify(source)};
      const { threads, problems } = await claudeCode.list(${JSON.stringify(places)});
      process.stdout.write(JSON.stringify({ threads: threads.length, problems }));`);
    expect(JSON.parse(seen)).toEqual({ threads: 0, problems: [{ path: made.log, message: expect.stringContaining('EACCES') }] });
    await chmod(made.log, 0o644);
    expect((await claudeCode.list(places)).threads.map(({ threadId }) => threadId)).toEqual([made.sessionId]);
  });
});
