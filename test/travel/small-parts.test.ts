import { constants } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGit } from '../../electron/snapshots/git.ts';
import { objectId } from '../../electron/snapshots/object-id.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { openSafetyStore } from '../../electron/snapshots/store.ts';
import { Blobs } from '../../electron/travel/blobs.ts';
import { chainsOf } from '../../electron/travel/chains.ts';
import { nodeFileSystem } from '../../electron/travel/file-system.ts';
import { linesWords } from '../../electron/travel/intend-partial.ts';
import { pinFolder } from '../../electron/travel/pinned-folder.ts';
import { readKept } from '../../electron/travel/read-kept.ts';
import { stepSource, travelSources, treesSource, wroteIn } from '../../electron/travel/sources-of-change.ts';
import { clearFolder, folderModesOf, makeFolders, removeIfEmpty } from '../../electron/travel/travel-folders.ts';
import { reason } from '../../shared/errors.ts';
import type { Step, Thread, ToolCall } from '../../shared/model.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const idOf = (text: string): string => objectId('blob', Buffer.from(text), 'sha1');
/** The file system of the machine, one of its calls another one. */
const withCall = (over: Partial<typeof nodeFileSystem>): typeof nodeFileSystem => ({ ...nodeFileSystem, ...over });
const failing = (code: string) => async (): Promise<never> => {
  throw Object.assign(new Error(code), { code });
};

describe('contents', () => {
  test('are found where they were made, in a store, on disk; what nobody has is missing, what is damaged is told', async () => {
    const folder = await tempFolder();
    const git = createGit();
    const root = path.join(folder, 'ws');
    await writeFiles(root, { file: 'on disk', link: { link: 'else/where' } });
    const store = await openSafetyStore({ git, ownData: path.join(folder, 'own'), root });
    const reader = new ObjectReader(store);
    try {
      const blobs = new Blobs({ format: 'sha1', readers: [null, reader], root });
      const made = blobs.add(Buffer.from('made'));
      expect([await blobs.size(made, 'x'), (await blobs.read(made, 'x')).toString()]).toEqual([4, 'made']);
      expect([await blobs.size(idOf('on disk'), 'file'), (await blobs.read(idOf('on disk'), 'file')).toString()]).toEqual([7, 'on disk']);
      expect([await blobs.size(idOf('else/where'), 'link'), await blobs.size(idOf('other'), 'link')]).toEqual([10, null]);
      expect((await blobs.read(idOf('else/where'), 'link')).toString()).toBe('else/where');
      expect([await blobs.size(idOf('other'), 'file'), await blobs.size(idOf('other'), 'none')]).toEqual([null, null]);
      await expect(blobs.read(idOf('other'), 'file')).rejects.toMatchObject({ code: 'TREE_MISSING' });
      blobs.knows(idOf('other'), 5);
      expect(await blobs.size(idOf('other'), 'file')).toBe(5);

      const nowhere = new Blobs({ format: 'sha1', readers: [reader], root: null });
      expect(await nowhere.size(idOf('on disk'), 'file')).toBeNull();
      await expect(nowhere.read(idOf('on disk'), 'file')).rejects.toMatchObject({ code: 'TREE_MISSING' });
    } finally {
      await reader.close();
    }
    const broken = { blob: failing('EIO') } as unknown as ObjectReader;
    await expect(new Blobs({ format: 'sha1', readers: [broken], root }).read(idOf('x'), 'file')).rejects.toMatchObject({ code: 'EIO' });
    const lying = { blob: async () => Buffer.from('another') } as unknown as ObjectReader;
    await expect(new Blobs({ format: 'sha1', readers: [lying], root }).read(idOf('x'), 'file')).rejects.toMatchObject({
      code: 'OBJECT_DAMAGED',
    });
  });
});

describe('the machine’s files', () => {
  test('tell what fails: a name that is taken, a file that may only be read, one that is closed', async () => {
    const file = Buffer.from(path.join(await tempFolder(), 'file'));
    await writeFile(file, 'old');
    const { O_CREAT, O_EXCL, O_WRONLY, O_RDONLY } = constants;
    await expect(nodeFileSystem.open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600)).rejects.toMatchObject({ code: 'EEXIST' });
    const handle = await nodeFileSystem.open(file, O_RDONLY);
    await expect(handle.write(Buffer.from('new'))).rejects.toMatchObject({ code: 'EBADF' });
    await handle.close();
    await expect(handle.sync()).rejects.toMatchObject({ code: 'EBADF' });
    expect(await readFile(file, 'utf8')).toBe('old');
  });
});

describe('our own files', () => {
  test('of another form say which part is off', async () => {
    const file = path.join(await tempFolder(), 'kept.json');
    const schema = z.object({ a: z.object({ b: z.number() }) });
    const told = async (text: string): Promise<string> => {
      await writeFile(file, text);
      return readKept(nodeFileSystem, file, schema).then(JSON.stringify, (error: Error) => error.message);
    };
    expect(await readKept(nodeFileSystem, file, schema)).toBeNull();
    expect(await told('{"a":{"b":1}}')).toBe('{"a":{"b":1}}');
    expect(await told('{"a":{"b":"1"}}')).toContain('Cause: a.b: Invalid input: expected number, received string.');
    expect(await told('7')).toContain('Cause: Invalid input: expected object, received number.');
    expect(await told('{')).toContain('Cause: it is not JSON.');
  });
});

describe('folders', () => {
  test('are made one by one; one that was there first is left as it is', async () => {
    const root = await tempFolder();
    await mkdir(path.join(root, 'a'));
    expect(await makeFolders(nodeFileSystem, root, 'a/b/c', new Map([['a/b', 0o750]]))).toEqual(['a/b', 'a/b/c']);
    expect(await makeFolders(nodeFileSystem, root, 'a/b/c', new Map())).toEqual([]);
    expect(await makeFolders(nodeFileSystem, root, '', new Map())).toEqual([]);
    expect((await folderModesOf(nodeFileSystem, root, ['a/b/x', 'no/y']))[1]).toEqual({ path: 'no', mode: null });
    await writeFile(path.join(root, 'file'), '');
    expect(await folderModesOf(nodeFileSystem, root, ['file/y'])).toEqual([{ path: 'file', mode: null }]);
    await expect(folderModesOf(withCall({ lstat: failing('EIO') }), root, ['a/x'])).rejects.toMatchObject({ code: 'EIO' });
    await expect(makeFolders(withCall({ mkdir: failing('ENOSPC') }), root, 'n', new Map())).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  test('go when they are empty; what is in use, or a link by now, stays; what fails otherwise is told', async () => {
    const root = await tempFolder();
    await writeFiles(root, { 'full/x': '', 'deep/er/x': '', link: { link: 'full' } });
    await mkdir(path.join(root, 'empty'));
    const gone = (name: string, over: Partial<typeof nodeFileSystem> = {}) => removeIfEmpty(withCall(over), root, name);
    expect([await gone('empty'), await gone('empty'), await gone('full'), await gone('link/x'), await gone('full/x')]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const code of ['EBUSY', 'EPERM', 'EACCES']) expect(await gone('full', { rmdir: failing(code) })).toBe(false);
    await expect(gone('full', { rmdir: failing('EIO') })).rejects.toMatchObject({ code: 'EIO' });
  });

  test('are cleared of folders only', async () => {
    const root = await tempFolder();
    await mkdir(path.join(root, 'a/b/c'), { recursive: true });
    await mkdir(path.join(root, 'a/d'));
    await clearFolder(nodeFileSystem, root, 'a');
    await clearFolder(nodeFileSystem, root, 'a');
    await writeFiles(root, { 'e/f/g': 'mine' });
    await expect(clearFolder(nodeFileSystem, root, 'e')).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readFile(path.join(root, 'e/f/g'), 'utf8')).toBe('mine');
    await expect(clearFolder(withCall({ readdir: failing('EIO') }), root, 'e')).rejects.toMatchObject({ code: 'EIO' });
  });

  test('that are another one by now, or a link, are told', async () => {
    const root = await tempFolder();
    await mkdir(path.join(root, 'a'));
    const pinned = await pinFolder(nodeFileSystem, root, 'a');
    await pinned.check();
    await nodeFileSystem.rename(Buffer.from(path.join(root, 'a')), Buffer.from(path.join(root, 'b')));
    await mkdir(path.join(root, 'a'));
    await expect(pinned.check()).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('another folder took its place'),
    });
    await pinned.close();
    const top = await pinFolder(nodeFileSystem, path.join(root, 'b'), '');
    await nodeFileSystem.rmdir(Buffer.from(path.join(root, 'b')));
    await symlink('a', path.join(root, 'b'));
    await expect(top.check()).rejects.toMatchObject({ message: expect.stringContaining('The workspace') });
    await top.close();
  });
});

describe('sources of change', () => {
  const call = (id: string, over: Partial<ToolCall> = {}): ToolCall => ({
    id,
    name: 'edit',
    summary: '',
    status: 'done',
    sideEffect: null,
    wrote: [`${id}.txt`],
    durationMs: null,
    outputBytes: null,
    child: null,
    ...over,
  });
  const step = (over: Partial<Step> = {}): Step => ({
    id: 's',
    index: 3,
    turn: 1,
    stop: 2,
    from: null,
    to: null,
    toolCallIds: ['a', 'b', 'c'],
    tools: [],
    listed: null,
    files: null,
    captured: null,
    at: null,
    durationMs: null,
    sideEffects: 0,
    hidden: null,
    ...over,
  });
  const calls = [call('a'), call('b', { status: 'failed' }), call('c', { wrote: null })];
  const thread = { messages: [{ tools: calls }], steps: [] } as unknown as Thread;

  test('a step names what its calls wrote, unless they failed or do not tell; a call that the log lost leaves nothing', () => {
    expect(wroteIn(thread, step())).toEqual(['a.txt']);
    expect(wroteIn(thread, step({ toolCallIds: ['a', 'lost'] }))).toEqual([]);
    const lost = reason('CHANGES_NOT_KEPT');
    const files = [{ path: 'seen.txt', change: 'modified' as const, added: null, removed: null, binary: false }];
    const paths = (over: Partial<Step>): string[] => [...stepSource(thread, step(over), null).paths];
    expect(paths({ captured: lost, files })).toEqual(['seen.txt', 'a.txt', 'b.txt']);
    expect(paths({ captured: lost, toolCallIds: ['lost'] })).toEqual([]);
    expect([paths({ files }), paths({}), paths({ listed: ['own.txt'], files })]).toEqual([['seen.txt'], [], ['own.txt']]);
  });

  test('without trees nothing can be taken through it, and it says why', async () => {
    const source = stepSource(thread, step({ listed: ['x'] }), null);
    expect([source.broken, await source.layer('x')]).toEqual(['Step 3 has no snapshots.', null]);
    const trees = treesSource({ position: 9, from: null, to: null, files: ['x'], words: 'it' }, null);
    expect([trees.position, trees.broken, await trees.layer('x')]).toEqual([9, 'The last turn has no snapshots.', null]);
    expect([...(await chainsOf({ paths: new Map([['x', 3]]), sources: [source] }))]).toEqual([['x', { why: 'Step 3 has no snapshots.' }]]);
  });

  test('a tree that is gone, or a submodule, is that path’s reason; anything else that fails is told', async () => {
    const of = (entry: () => Promise<unknown>) => {
      const source = stepSource(thread, step({ listed: ['x'], from: 'f', to: 't' }), { entry } as unknown as ObjectReader);
      return chainsOf({ paths: new Map([['x', 3]]), sources: [source] });
    };
    const { TurnbackError } = await import('../../shared/errors.ts');
    expect((await of(() => Promise.reject(new TurnbackError('TREE_MISSING', { tree: 'f' })))).get('x')).toEqual({
      why: new TurnbackError('TREE_MISSING', { tree: 'f' }).message,
    });
    expect((await of(async () => ({ mode: '160000', oid: '0' }))).get('x')).toEqual({
      why: 'It is a submodule; its content is not in the snapshots.',
    });
    await expect(of(failing('EIO'))).rejects.toMatchObject({ code: 'EIO' });
  });

  test('a travel whose step is gone lies below all, and knows its own paths only', async () => {
    const record = {
      kind: 'revert',
      at: 0,
      afterStep: 'gone',
      ended: [],
      files: [{ path: 'x', before: { kind: 'absent' }, after: { kind: 'absent' } }],
    };
    const [only] = travelSources(thread, [record] as never);
    expect(only?.sources.map((source) => Math.round(source.position * 10) / 10)).toEqual([0.5]);
    await expect(only?.sources[0]?.layer('y')).rejects.toThrow('y is not in this travel');
  });
});

describe('the lines of a change', () => {
  test('are told as the step left them; where it only took lines away, as they were', () => {
    const at = (start: number, lines: number) => ({ start, lines });
    expect([
      linesWords({ before: at(1, 0), after: at(7, 1) }),
      linesWords({ before: at(1, 9), after: at(3, 3) }),
      linesWords({ before: at(4, 2), after: at(3, 0) }),
      linesWords({ before: at(4, 1), after: at(3, 0) }),
    ]).toEqual(['line 7', 'lines 3–5', 'lines 4–5', 'line 4']);
  });
});
