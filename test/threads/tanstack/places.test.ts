import { appendFile, mkdir, open, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Places } from '../../../electron/threads/source.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { tanstackScenario } from '../../scenarios/tanstack.ts';
import { tempFolder } from '../../scenarios/temp.ts';
import { answer, type Rec, say, transcript, user } from './hand-log.ts';

const line = (...records: Rec[]): string => `${JSON.stringify(records)}\n`;
const places = (home: string, env: Places['env'] = {}): Places => ({ home, env });

async function put(file: string, ...lines: string[]): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, lines.join(''));
}

test('threads are listed from every known save folder and from our samples, with what their start tells', async () => {
  const home = await tempFolder();
  const save = path.join(home, '.tanstack-harness-batman');
  await put(
    path.join(save, 'sessions', 'ab12.jsonl'),
    line(transcript(0, user('u1', '  Fix\n the form ')), { ...transcript(0, user('k')), thread: 'ab12/agent/r1' }),
  );
  await put(path.join(save, 'sessions', 'ab12%3Ascout%3Ain-1.jsonl'), line(transcript(0, say('a1'))));
  await put(
    path.join(save, 'sessions', 'subagent%3Ar7.jsonl'),
    line({ type: 'harness.input', inputId: 'i', input: { op: 'prompt', message: 'go' } }),
  );
  await put(path.join(save, 'sessions', 'notes.txt'), 'x');
  await put(path.join(save, 'sessions', 'random.jsonl'), 'hello\n');
  await put(path.join(save, 'sessions', 'empty.jsonl'), '');
  await mkdir(path.join(save, 'sessions', 'dir.jsonl'));
  await put(
    path.join(save, 'metadata.json'),
    JSON.stringify({ 'harness:settings': { ab12: { cwd: '/w/app' }, 'subagent:r7': { cwd: 'relative' } } }),
  );
  await put(
    path.join(home, '.tanstack-harness-other', 'sessions', 'o.jsonl'),
    line(transcript(0, user('u1', [{ type: 'text', content: 'Other' }]))),
  );
  const own = path.join(home, 'data', 'turnback');
  await put(
    path.join(own, 'samples', 'one', 'save', 'sessions', 's.jsonl'),
    line({ type: 'turnback/workspace', root: '/sample/w', dataDir: '/sample/d', repository: 'r' }),
    line(transcript(0, user('u1', 'Sample'))),
  );
  const { threads, problems } = await tanstack.list(places(home, { XDG_DATA_HOME: path.join(home, 'data') }));
  expect(problems).toEqual([]);
  expect(threads.map(({ id, title, parent, root }) => [id, title, parent, root]).sort()).toEqual([
    ['tanstack:ab12', 'Fix the form', null, '/w/app'],
    ['tanstack:ab12/agent/r1', null, 'ab12', null],
    ['tanstack:ab12:scout:in-1', null, 'ab12', null],
    ['tanstack:o', 'Other', null, null],
    ['tanstack:s', 'Sample', null, '/sample/w'],
    ['tanstack:subagent:r7', 'go', null, null],
  ]);
  const one = threads.find((head) => head.threadId === 'ab12');
  expect(one?.log).toBe(path.join(save, 'sessions', 'ab12.jsonl'));
  expect(one?.size).toBeGreaterThan(100);
  expect((await tanstack.list(places(path.join(home, 'nobody')))).threads).toEqual([]);
});

test('a list reads less than 64 KB of a log, a damaged metadata file is a problem, and credentials are never opened', async () => {
  const home = await tempFolder();
  const save = path.join(home, '.tanstack-harness-batman');
  const file = path.join(save, 'sessions', 'big.jsonl');
  await put(file, line(transcript(0, user('u1', 'Big'))));
  const handle = await open(file, 'a');
  // A hole of a gigabyte: reading it whole would take time and memory.
  await handle.truncate(1 << 30);
  await handle.close();
  await put(path.join(save, 'metadata.json'), '{"harness:settings":');
  await put(path.join(save, 'credentials.json'), '{"secret":1}');
  const past = new Date(1_000_000);
  await utimes(path.join(save, 'credentials.json'), past, past);
  const started = performance.now();
  const { threads, problems } = await tanstack.list(places(home));
  expect(performance.now() - started).toBeLessThan(5000);
  expect(threads.map((head) => [head.title, head.size])).toEqual([['Big', 1 << 30]]);
  expect(problems.map((problem) => path.basename(problem.path))).toEqual(['metadata.json']);
});

test('a path leads to its threads: a log, a sessions folder, a save folder, what holds it, a link, a workspace', async () => {
  const folder = await tempFolder();
  const home = path.join(folder, 'home');
  const t = await tanstackScenario(folder);
  await t.turn('first', []);
  const found = async (where: string) => (await tanstack.locate(where, places(home))).map((head) => [head.threadId, head.root]);
  const expected = [['thread-1', t.root]];
  expect(await found(t.log)).toEqual(expected);
  expect(await found(path.dirname(t.log))).toEqual(expected);
  expect(await found(t.save)).toEqual(expected);
  expect(await found(folder)).toEqual(expected);
  expect(await found(t.root)).toEqual(expected);
  await symlink(t.log, path.join(folder, 'link.jsonl'));
  expect(await found(path.join(folder, 'link.jsonl'))).toEqual(expected);
  await mkdir(path.join(folder, 'empty'));
  expect(await found(path.join(folder, 'empty'))).toEqual([]);
  expect(await found(path.join(folder, 'missing'))).toEqual([]);
});

test('a path is no thread of this kind when no line of it is a batch', async () => {
  const folder = await tempFolder();
  const none = async (name: string, bytes: string | Uint8Array) => {
    await writeFile(path.join(folder, name), bytes);
    expect(await tanstack.locate(path.join(folder, name), places(folder))).toEqual([]);
  };
  await none('empty.jsonl', '');
  await none('blank.jsonl', '\n\n');
  await none('nul.jsonl', Buffer.alloc(100_000));
  await none('other.jsonl', '{"type":"user"}\n{"type":"assistant"}\n');
  await none('numbers.jsonl', '[1,2]\n[]\n[{}]\n');
  await none('random.jsonl', Buffer.from(Array.from({ length: 100_000 }, (_, k) => (k * 7919) % 256)));
  await writeFile(path.join(folder, 'damaged.jsonl'), `garbage\n${line(transcript(0, user('u1')))}`);
  expect(await tanstack.locate(path.join(folder, 'damaged.jsonl'), places(folder))).toHaveLength(1);
  await writeFile(path.join(folder, 'long.jsonl'), line(transcript(0, user('u1', 'x'.repeat(300_000)))));
  expect(await tanstack.locate(path.join(folder, 'long.jsonl'), places(folder))).toHaveLength(1);
});

test('every thread that shares a log is found, also one that begins late', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'sessions', 'root.jsonl');
  await put(file, line(transcript(0, user('u1'))));
  await appendFile(file, line(transcript(1, answer('c', 'z'.repeat(200_000)))));
  await appendFile(file, line({ ...transcript(0, user('k1')), thread: 'kid:late:in-9' }));
  const heads = await tanstack.locate(file, places(folder));
  expect(heads.map((head) => [head.threadId, head.parent])).toEqual([
    ['root', null],
    ['kid:late:in-9', 'kid'],
  ]);
});

test('opening what is not there says so', async () => {
  const folder = await tempFolder();
  const head = {
    id: 'tanstack:x',
    source: 'tanstack' as const,
    title: null,
    root: null,
    log: path.join(folder, 'x.jsonl'),
    threadId: 'x',
    parent: null,
    updatedAt: null,
    size: null,
  };
  const options = { root: null, data: null, places: places(folder), ownData: path.join(folder, 'own') };
  await expect(tanstack.open(head, options)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a thread of a host without a log shows its steps and its revert, and cannot be written to', async () => {
  const folder = await tempFolder();
  const save = path.join(folder, '.tanstack-harness-old');
  const step = (from: string, to: string, files: string[]) => ({ from: from.repeat(40), to: to.repeat(40), files, toolCallIds: ['c1'] });
  await put(path.join(save, 'sessions', 'logged.jsonl'), line(transcript(0, user('u1'))));
  const metadata = {
    'plugin:tanstack/snapshots': { old: [step('1', '2', ['a']), step('2', '3', ['b'])], logged: [step('1', '2', ['c'])], none: [] },
    'harness:revert': { old: { messageId: 'm1', files: { now: '3'.repeat(40), files: ['b'] } }, logged: { messageId: 'u1' } },
    'harness:settings': { old: { cwd: '/w' } },
  };
  await put(path.join(save, 'metadata.json'), JSON.stringify(metadata));
  const { threads } = await tanstack.list(places(folder));
  expect(threads.map((head) => [head.threadId, path.basename(head.log)])).toEqual([
    ['logged', 'logged.jsonl'],
    ['old', 'metadata.json'],
  ]);
  expect((await tanstack.locate(path.join(save, 'metadata.json'), places(folder))).map((head) => head.threadId)).toEqual(['old']);
  const open = async (id: string) => {
    const head = threads.find((one) => one.threadId === id);
    if (!head) throw new Error(id);
    const reader = await tanstack.open(head, { root: null, data: null, places: places(folder), ownData: path.join(folder, 'own') });
    await reader.read();
    return reader;
  };
  const old = await open('old');
  expect(old.writer).toBeNull();
  expect(old.thread()).toMatchObject({
    messages: [],
    turns: [],
    standing: { messageId: 'm1', files: ['b'], now: '3'.repeat(40) },
    head: { root: '/w' },
  });
  expect(old.thread().steps.map(({ id, stop, listed }) => [id, stop, listed])).toEqual([
    ['r-2', null, ['a']],
    ['r-1', null, ['b']],
  ]);
  expect(await old.read()).toBe(false);
  metadata['plugin:tanstack/snapshots'].old.push(step('3', '4', ['d']));
  await put(path.join(save, 'metadata.json'), JSON.stringify(metadata));
  expect(await old.read()).toBe(true);
  expect(old.thread().steps).toHaveLength(3);
  const logged = await open('logged');
  expect(logged.thread()).toMatchObject({ standing: null, messages: [{ id: 'u1' }] });
});
