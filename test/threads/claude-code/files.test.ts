import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../../electron/snapshots/git.ts';
import { OpenThread } from '../../../electron/threads/thread.ts';
import { openClaude } from '../../scenarios/claude-code.ts';
import { tempFolder, writeFiles } from '../../scenarios/temp.ts';
import { MadeLog } from './made-log.ts';

async function opened(made: MadeLog): Promise<OpenThread> {
  const ownData = path.join(path.dirname(made.home), 'own');
  const thread = await OpenThread.open({ reader: await openClaude(made.log, ownData, null), git: createGit(), ownData });
  onTestFinished(() => thread.close());
  await thread.fill();
  return thread;
}

/** What a tree holds at a path, as latin1 text and mode; null for nothing. */
async function inTree(thread: OpenThread, tree: string | null | undefined, name: string): Promise<[string, string] | null> {
  const entry = tree ? await thread.objects?.entry(tree, name) : null;
  return entry ? [(await thread.objects?.blob(entry.oid))?.toString('latin1') ?? '', entry.mode] : null;
}

async function around(thread: OpenThread, step: number, name: string) {
  const at = thread.thread().steps[step];
  return { before: await inTree(thread, at?.from, name), after: await inTree(thread, at?.to, name) };
}

describe('bytes that the tools do not show', () => {
  const cases: [string, string, string, string, string][] = [
    ['CRLF line ends', 'a\r\nb\r\n', 'a\nb\n', 'A\nb\n', 'A\r\nb\r\n'],
    ['a byte-order mark', '\xef\xbb\xbfa\n', 'a\n', 'A\n', '\xef\xbb\xbfA\n'],
    ['mark and CRLF', '\xef\xbb\xbfa\r\nb', 'a\nb', 'A\nb', '\xef\xbb\xbfA\r\nb'],
    ['UTF-16', '\xff\xfea\0\n\0', 'a\n', 'A\n', '\xff\xfeA\0\n\0'],
    ['no newline at the end', 'a', 'a', 'A', 'A'],
    ['plain text', 'a\nb\n', 'a\nb\n', 'A\nb\n', 'A\nb\n'],
  ];
  test.each(cases)('%s, known from a backup', async (_, raw, text, changed, expected) => {
    const made = new MadeLog(await tempFolder());
    const prompt = made.prompt('edit');
    made.answer('m1', { type: 'tool_use', id: 'call-m1', name: 'Edit', input: { file_path: made.file('f.txt') } });
    made.checkpoint(prompt, { 'f.txt': 'aaaaaaaaaaaaaaaa@v1' }, true);
    made.result('call-m1', 'ok', { filePath: made.file('f.txt'), originalFile: text, oldString: 'a', newString: 'A' });
    made.says('m2', 'done');
    await made.write({ 'aaaaaaaaaaaaaaaa@v1': Buffer.from(raw, 'latin1') });
    expect(changed).toBe(text.replace('a', 'A'));
    expect(await around(await opened(made), 0, 'f.txt')).toEqual({ before: [raw, '100644'], after: [expected, '100644'] });
  });

  test.each(cases)('%s, known from the file on disk alone', async (_, raw, text, _changed, expected) => {
    const made = new MadeLog(await tempFolder());
    made.prompt('edit');
    made.edit('m1', 'f.txt', text, 'a', 'A').says('m2', 'done');
    await made.write();
    await writeFiles(made.root, { 'f.txt': { content: Buffer.from(expected, 'latin1'), mode: 0o755 } });
    expect(await around(await opened(made), 0, 'f.txt')).toEqual({ before: [raw, '100755'], after: [expected, '100755'] });
  });
});

test('the patch that was applied counts, not the words that the model asked for', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('edit');
  const hunk = { oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-Hello, you', '+Hi,you', ' end'] };
  made.edit('m1', 'f.txt', 'Hello, you\nend\n', 'Hello, ', 'Hi, ', [hunk]);
  await made.write();
  expect((await around(await opened(made), 0, 'f.txt')).after).toEqual(['Hi,you\nend\n', '100644']);
});

test('a file that something else changed in between: the change lies between the steps, in neither', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('edit twice');
  made.edit('m1', 'f.txt', '1\n2\n', '1', 'one').edit('m2', 'f.txt', 'one\n2\nmine\n', '2', 'two');
  await made.write();
  const thread = await opened(made);
  expect(await around(thread, 0, 'f.txt')).toEqual({ before: ['1\n2\n', '100644'], after: ['one\n2\n', '100644'] });
  expect(await around(thread, 1, 'f.txt')).toEqual({ before: ['one\n2\nmine\n', '100644'], after: ['one\ntwo\nmine\n', '100644'] });
  expect(thread.thread().gaps.map((gap) => [gap.afterStep, gap.beforeStep])).toEqual([['m1', 'm2']]);
});

test('a checkpoint tells what shell commands and people did to known files by the next prompt; repeated in a turn it still tells of its start', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('edit');
  made.create('m1', 'f.txt', 'agent\n').create('m2', 'g.txt', 'g\n');
  const second = made.prompt('again');
  made.checkpoint(second, { 'f.txt': 'bbbbbbbbbbbbbbbb@v2', 'g.txt': null });
  made.edit('m3', 'f.txt', 'mine\n', 'mine', 'both');
  // 2.1.332 repeats it when a shell command runs.
  made.checkpoint(second, { 'f.txt': 'bbbbbbbbbbbbbbbb@v2', 'g.txt': null });
  made.says('m4', 'done');
  await made.write({ 'bbbbbbbbbbbbbbbb@v2': 'mine\n' });
  const thread = await opened(made);
  expect((await around(thread, 0, 'f.txt')).after).toEqual(['agent\n', '100644']);
  expect(await around(thread, 2, 'f.txt')).toEqual({ before: ['mine\n', '100644'], after: ['both\n', '100644'] });
  expect(await around(thread, 2, 'g.txt')).toEqual({ before: null, after: null });
  expect(await around(thread, 3, 'f.txt')).toEqual({ before: ['both\n', '100644'], after: ['both\n', '100644'] });
});

test('checkpoints of 2.1.332 come file by file', async () => {
  const made = new MadeLog(await tempFolder());
  const prompt = made.prompt('edit');
  made.checkpoint(prompt, {});
  made.answer('m1', { type: 'tool_use', id: 'call-m1', name: 'Edit', input: { file_path: made.file('f.txt') } });
  made.loose({
    type: 'file-history-delta',
    messageId: 'u2',
    snapshotMessageId: prompt,
    trackingPath: 'f.txt',
    backup: { backupFileName: 'cccccccccccccccc@v1', version: 1 },
  });
  made.result('call-m1', 'ok', { filePath: made.file('f.txt'), originalFile: 'x\ny\n', oldString: 'x', newString: 'X' });
  await made.write({ 'cccccccccccccccc@v1': 'x\r\ny\r\n' });
  expect(await around(await opened(made), 0, 'f.txt')).toEqual({ before: ['x\r\ny\r\n', '100644'], after: ['X\r\ny\r\n', '100644'] });
});

test('a backup that was cleaned up tells nothing, and an edit of unknown text is named, not guessed', async () => {
  const made = new MadeLog(await tempFolder());
  const prompt = made.prompt('edit');
  made.checkpoint(prompt, { 'f.txt': 'dddddddddddddddd@v1' });
  made.edit('m1', 'f.txt', undefined, 'a', 'b', [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }]);
  made.create('m2', 'g.txt', 'g\n');
  await made.write();
  const { steps } = (await opened(made)).thread();
  expect(steps.map((step) => [step.listed, step.captured === true ? true : step.captured?.code])).toEqual([
    [['f.txt'], 'CONTENT_UNKNOWN'],
    [['g.txt'], true],
  ]);
});

test('older and rarer results: MultiEdit, an overwriting Write, a notebook', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('edit');
  const hunks = [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 2, lines: ['-a', '+A', '-b', '+B'] }];
  made.step(
    'm1',
    'MultiEdit',
    { file_path: made.file('m.txt') },
    { filePath: made.file('m.txt'), originalFileContents: 'a\nb\n', structuredPatch: hunks },
  );
  made.step(
    'm2',
    'Write',
    { file_path: made.file('w.txt') },
    { type: 'update', filePath: made.file('w.txt'), content: 'new\n', originalFile: 'old\n' },
  );
  const notebook = { notebook_path: made.file('n.ipynb'), original_file: '{"a":1}', updated_file: '{"a":2}' };
  made.step('m3', 'NotebookEdit', { notebook_path: made.file('n.ipynb') }, notebook);
  await made.write();
  const thread = await opened(made);
  expect(await around(thread, 0, 'm.txt')).toEqual({ before: ['a\nb\n', '100644'], after: ['A\nB\n', '100644'] });
  expect(await around(thread, 1, 'w.txt')).toEqual({ before: ['old\n', '100644'], after: ['new\n', '100644'] });
  expect(await around(thread, 2, 'n.ipynb')).toEqual({ before: ['{"a":1}', '100644'], after: ['{"a":2}', '100644'] });
});

test('a file outside the workspace is in no tree, and the call is a side effect', async () => {
  const folder = await tempFolder();
  const made = new MadeLog(folder);
  const outside = path.join(folder, 'elsewhere.txt');
  made.prompt('write outside');
  made.step('m1', 'Write', { file_path: outside, content: 'x' }, { type: 'create', filePath: outside, content: 'x', originalFile: null });
  await made.write();
  const { steps, messages } = (await opened(made)).thread();
  expect(steps[0]?.listed).toEqual([]);
  expect(messages.flatMap((message) => message.tools.map((call) => call.sideEffect))).toEqual(['other']);
});

test('what is appended while the thread is open is read; objects made before stay what they were', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('one');
  made.create('m1', 'f.txt', '1\n').says('m2', 'done');
  await made.write();
  const thread = await opened(made);
  const [first] = thread.thread().steps;
  const there = made.lines.length;
  made.prompt('two');
  made.edit('m3', 'f.txt', '1\n', '1', '2');
  await appendFile(made.log, `${made.lines.slice(there).join('\n')}\n`);
  expect(await thread.refresh()).toBe(true);
  await thread.fill();
  expect(thread.thread().steps[0]).toEqual(first);
  expect(await around(thread, 2, 'f.txt')).toEqual({ before: ['1\n', '100644'], after: ['2\n', '100644'] });
  expect(await thread.refresh()).toBe(false);
});

test('a sub-agent’s edits count in the step that called it, once it has ended', async () => {
  const made = new MadeLog(await tempFolder());
  made.prompt('ask a helper');
  made.step('m1', 'Task', { prompt: 'do' }, { status: 'completed', agentId: 'a1' });
  made.step('m2', 'Task', { prompt: 'do' }, { isAsync: true, status: 'async_launched', agentId: 'a2' });
  await made.write();
  const agents = path.join(made.log.replace(/\.jsonl$/, ''), 'subagents');
  await mkdir(agents, { recursive: true });
  for (const id of ['a1', 'a2']) {
    const inner = new MadeLog(path.dirname(made.home));
    inner.prompt('do');
    inner.create(`${id}-m`, `${id}.txt`, `${id}\n`);
    await writeFile(path.join(agents, `agent-${id}.jsonl`), `${inner.lines.join('\n')}\n`);
  }
  const thread = await opened(made);
  expect(thread.thread().steps.map((step) => step.listed)).toEqual([['a1.txt'], []]);
  expect(thread.thread().messages.flatMap((message) => message.tools.map((call) => call.child))).toEqual(['a1', 'a2']);
});
