import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskState, readDisk, sameAsEntry } from '../../electron/snapshots/disk.ts';
import { bytesOfTreePath } from '../../shared/tree-path.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { asOrdinaryUser, HOSTILE_NAMES } from './lab.ts';

const gitId = (bytes: string | Uint8Array, format = 'sha1'): string => {
  const folder = execFileSync('mktemp', ['-d']).toString().trim();
  execFileSync('git', ['init', '-q', `--object-format=${format}`, folder]);
  const id = execFileSync('git', ['hash-object', '--stdin'], { cwd: folder, input: bytes }).toString().trim();
  execFileSync('rm', ['-rf', folder]);
  return id;
};

describe('the state of a path', () => {
  it('is that of the raw bytes, as git names them', async () => {
    const root = await tempFolder();
    const large = Buffer.alloc(700_001, 'ab\r\n');
    await writeFiles(root, { 'd/a': 'x\r\n', empty: '', large, 'run.sh': { content: '#!', mode: 0o750 } });
    expect(await diskState(root, 'd/a')).toMatchObject({ kind: 'file', size: 3, oid: gitId('x\r\n') });
    expect(await diskState(root, 'empty')).toMatchObject({ kind: 'file', size: 0, oid: gitId('') });
    expect(await diskState(root, 'large')).toMatchObject({ kind: 'file', size: 700_001, oid: gitId(large) });
    expect(await diskState(root, 'run.sh')).toMatchObject({ kind: 'file', mode: 0o750 });
    expect(await diskState(root, 'd/a', 'sha256')).toMatchObject({ oid: gitId('x\r\n', 'sha256') });
    expect(await diskState(root, 'nope')).toEqual({ kind: 'absent' });
    expect(await diskState(root, 'nope/deeper')).toEqual({ kind: 'absent' });
    expect(await diskState(root, 'd')).toEqual({ kind: 'folder' });
  });

  it('is that of a link itself, whatever it leads to', async () => {
    const root = await tempFolder();
    await writeFiles(root, {
      a: 'a',
      toFile: { link: 'a' },
      toFolder: { link: '/etc' },
      toNothing: { link: 'gone' },
      loop: { link: 'loop' },
    });
    await symlink(Buffer.from([0x62, 0xff]), path.join(root, 'toBytes'));
    for (const [name, target] of [
      ['toFile', 'a'],
      ['toFolder', '/etc'],
      ['toNothing', 'gone'],
      ['loop', 'loop'],
    ] as const)
      expect(await diskState(root, name)).toEqual({ kind: 'link', target: Buffer.from(target), oid: gitId(target) });
    expect(await diskState(root, 'toBytes')).toMatchObject({ kind: 'link', target: Buffer.from([0x62, 0xff]) });
  });

  it("is blocked below a link, a file and a repository, and in git's own folder", async () => {
    const root = await tempFolder();
    await writeFiles(root, {
      'real/x': '1',
      file: 'f',
      'nested/.git/HEAD': 'ref',
      'nested/deep/x': '1',
      'sub/.git': 'gitdir: ../elsewhere',
      'sub/x': '1',
      '.git/config': '',
    });
    await symlink('real', path.join(root, 'linked'));
    const why = async (name: string): Promise<unknown> => {
      const state = await diskState(root, name);
      return state.kind === 'blocked' ? state.why : state.kind;
    };
    expect(await why('linked/x')).toBe('Its folder linked is a link.');
    expect(await why('linked/nope')).toBe('Its folder linked is a link.');
    expect(await why('file/x')).toBe('file is not a folder.');
    expect(await why('nested/deep/x')).toBe('nested is a repository of its own.');
    expect(await why('nested/x')).toBe('nested is a repository of its own.');
    expect(await why('sub/x')).toBe('sub is a repository of its own.');
    for (const name of ['.git/config', '.GIT/config', 'real/.git/x', '.git'])
      expect(await why(name)).toBe("The path lies in a repository's own folder.");
    for (const name of ['../x', 'a/../b', '', '/x', 'a//b', './a'])
      expect(await why(name)).toBe('The path is not one of a file below the workspace.');
    expect(await why('real/x')).toBe('file');
    for (const name of ['linked/x', 'file/x', 'nested/x', '.git/config', '../x']) expect(await readDisk(root, name)).toBeNull();
  });

  it('takes the workspace itself for what it is, also behind a link or as a repository', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { 'ws/.git/HEAD': '', 'ws/a': '1' });
    await symlink('ws', path.join(folder, 'alias'));
    expect(await diskState(path.join(folder, 'ws'), 'a')).toMatchObject({ kind: 'file' });
    expect(await diskState(path.join(folder, 'alias'), 'a')).toMatchObject({ kind: 'file' });
  });

  it('is "other" for a pipe, a socket and a device, and does not wait for them', async () => {
    const root = await tempFolder();
    execFileSync('mkfifo', [path.join(root, 'pipe')]);
    const server = createServer().listen(path.join(root, 'sock'));
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await diskState(root, 'pipe')).toEqual({ kind: 'other', what: 'a pipe' });
    expect(await diskState(root, 'sock')).toEqual({ kind: 'other', what: 'a socket' });
    expect(await diskState('/dev', 'null')).toEqual({ kind: 'other', what: 'a device' });
    expect(await readDisk(root, 'pipe')).toBeNull();
    server.close();
  });

  it('holds any name', async () => {
    const root = await tempFolder();
    for (const name of HOSTILE_NAMES) await writeFile(Buffer.concat([Buffer.from(`${root}/`), bytesOfTreePath(name)]), name);
    for (const name of HOSTILE_NAMES) {
      expect(await diskState(root, name), name).toMatchObject({ kind: 'file', oid: gitId(name) });
      expect((await readDisk(root, name))?.toString()).toBe(Buffer.from(name).toString());
    }
  });

  it('says so where we may not read', async () => {
    const root = await tempFolder();
    await writeFiles(root, { 'closed/x': '1', secret: 's' });
    await chmod(root, 0o755);
    await chmod(path.join(root, 'closed'), 0o700);
    await chmod(path.join(root, 'secret'), 0o600);
    const script = `import { diskState, readDisk } from ${JSON.stringify(path.resolve('electron/snapshots/disk.ts'))};
      const states = []; for (const name of ['closed/x', 'secret']) states.push(await diskState(${JSON.stringify(root)}, name));
      console.log(JSON.stringify([...states, await readDisk(${JSON.stringify(root)}, 'secret')]));`;
    if (process.getuid?.() !== 0) for (const name of ['closed', 'secret']) await chmod(path.join(root, name), 0);
    const output = asOrdinaryUser(script);
    await chmod(path.join(root, 'closed'), 0o700);
    expect(JSON.parse(output)).toEqual([
      { kind: 'blocked', why: 'You may not look into its folder.' },
      { kind: 'other', what: 'a file that you may not read' },
      null,
    ]);
  });

  it('is refused for a file that never stands still', async () => {
    const root = await tempFolder();
    const file = path.join(root, 'busy');
    await writeFile(file, Buffer.alloc(64_000_000));
    const timer = setInterval(() => appendFileSync(file, 'x'), 1);
    try {
      await expect(diskState(root, 'busy')).rejects.toMatchObject({ code: 'FILE_BUSY' });
    } finally {
      clearInterval(timer);
    }
    expect(await diskState(root, 'busy')).toMatchObject({ kind: 'file' });
  });

  it('is read without a trace', async () => {
    const root = await tempFolder();
    await writeFiles(root, { 'd/a': 'x', l: { link: 'd/a' } });
    const before = await manifest(root, { mtimes: true });
    for (const name of ['d/a', 'l', 'd', 'nope']) {
      await diskState(root, name);
      await readDisk(root, name);
    }
    expect(await manifest(root, { mtimes: true })).toEqual(before);
  });
});

describe('the bytes on disk', () => {
  it('are those of a file or of a link itself', async () => {
    const root = await tempFolder();
    await writeFiles(root, { a: 'bytes', l: { link: '../a' }, d: { link: 'x' } });
    expect(await readDisk(root, 'a')).toEqual(Buffer.from('bytes'));
    expect(await readDisk(root, 'l')).toEqual(Buffer.from('../a'));
    expect(await readDisk(root, 'nope')).toBeNull();
    await expect(readDisk(root, 'a', 4)).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await readDisk(root, 'a', 5)).toHaveLength(5);
  });
});

describe('disk and entry are the same', () => {
  it('only when kind, content and exec bit are', async () => {
    const root = await tempFolder();
    await writeFiles(root, { a: 'x', l: { link: 'x' } });
    const oid = gitId('x');
    const of = async (name: string, mode: '100644' | '100755' | '120000' | '160000', id = oid) =>
      sameAsEntry(await diskState(root, name), { mode, oid: id });
    expect(await of('a', '100644')).toBe(true);
    expect(await of('a', '100755')).toBe(false);
    expect(await of('a', '120000')).toBe(false);
    expect(await of('a', '160000')).toBe(false);
    expect(await of('a', '100644', gitId('y'))).toBe(false);
    expect(await of('l', '120000')).toBe(true);
    expect(await of('l', '100644')).toBe(false);
    for (const [mode, executable] of [
      [0o700, true],
      [0o744, true],
      [0o655, false],
      [0o600, false],
      [0o666, false],
    ] as const) {
      await chmod(path.join(root, 'a'), mode);
      expect(await of('a', '100755'), mode.toString(8)).toBe(executable);
      expect(await of('a', '100644'), mode.toString(8)).toBe(!executable);
    }
    expect(sameAsEntry(await diskState(root, 'a'), null)).toBe(false);
    await rm(path.join(root, 'a'));
    expect(sameAsEntry(await diskState(root, 'a'), null)).toBe(true);
    expect(await of('a', '100644')).toBe(false);
    await mkdir(path.join(root, 'a'));
    expect(sameAsEntry(await diskState(root, 'a'), null)).toBe(false);
  });
});
