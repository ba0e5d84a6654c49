import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../../electron/recorder/backend.ts';
import { commandBackend } from '../../electron/recorder/command-backend.ts';
import { quoted } from '../../electron/recorder/command-exec.ts';
import { jsonlLog } from '../../electron/recorder/log.ts';
import { purgeSnapshots } from '../../electron/recorder/purge.ts';
import { FileChanged, FilesSkipped, SnapshotFailed } from '../../electron/recorder/recorder-events.ts';
import type { Session } from '../../electron/recorder/session.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { otherRoot, sshInto } from './other-root.ts';

const ROOT = '/srv/acme/work space';
const DATA = '/var/acme/snapshots';
const FILES = {
  'a.txt': 'one\n',
  'b.txt': 'bee\n',
  'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
  ln: { link: 'a.txt' },
  'd/e/f.txt': 'f\n',
  '.env': 'KEY=1\n',
};

interface Side {
  folder: string;
  root: string;
  work: string;
  backend: Backend;
}

async function side(kind: 'chroot' | 'ssh'): Promise<Side> {
  const folder = await tempFolder('other-side-');
  const root = await otherRoot(folder);
  const work = path.join(root, ROOT);
  await mkdir(work, { recursive: true });
  await writeFiles(work, FILES);
  const prefix = kind === 'chroot' ? ['chroot', root] : [await sshInto(folder, root), 'box'];
  return { folder, root, work, backend: commandBackend({ prefix, name: kind }) };
}

async function change(session: Session, s: Side, command: string): Promise<void> {
  await session.send('Change', (turn) =>
    turn.step(async (step) => {
      await step.assistant({ toolCalls: [{ id: `call_${Math.random()}`, name: 'bash', arguments: { command } }] });
      const [id = ''] = (await session.transcript()).at(-1)?.toolCalls?.map((call) => call.id) ?? [];
      await step.tool(id, async () => (await promisify(execFile)('sh', ['-c', command], { cwd: s.work })).stdout);
    }),
  );
}

describe.each(['chroot', 'ssh'] as const)('in a sandbox, behind %s', (kind) => {
  test('git runs on the other side, workspace and repository are there and not here', async () => {
    const s = await side(kind);
    const history = snapshots({ root: ROOT, dataDir: DATA, backend: s.backend });
    const session = await history.open({ threadId: 'fix-login', log: jsonlLog({ folder: path.join(s.folder, 'save') }) });
    const events: string[] = [];
    session.on(FileChanged, (event) => events.push(`${event.change} ${event.path}`));
    session.on(SnapshotFailed, ({ message }) => events.push(message));
    const before = await manifest(s.work);
    await change(
      session,
      s,
      "echo two > a.txt; rm -r d b.txt; chmod -x run.sh; ln -sf b.txt ln; printf '\\0\\377\\n\\n' > new.bin; echo KEY=2 > .env; printf x > \"$(printf 'o\\377dd\\n name')\"",
    );
    expect(events).toEqual(
      [
        'updated a.txt',
        'deleted b.txt',
        'deleted d/e/f.txt',
        'updated ln',
        'created new.bin',
        'created o\udcffdd\n name',
        'updated run.sh',
      ].map((line) => line.replace(' ', ` ${ROOT}/`)),
    );
    expect([existsSync(ROOT), existsSync(DATA)]).toEqual([false, false]);
    expect(existsSync(path.join(s.root, String(session.repository), 'HEAD'))).toBe(true);
    const changed = await manifest(s.work);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 7.');
    expect((await manifest(s.work)).filter((line) => !line.startsWith('.env'))).toEqual(before.filter((line) => !line.startsWith('.env')));
    expect(await session.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
    expect(await manifest(s.work)).toEqual(changed);
    const [first] = await session.transcript();
    await session.revert({ messageId: first?.id ?? '' });
    await session.unrevert();
    expect(await manifest(s.work)).toEqual(changed);
    await session.close();
    expect(await manifest(path.join(s.root, DATA), { skip: [path.basename(String(session.repository))] })).toEqual([]);
    const [record] = await jsonlLog({ folder: path.join(s.folder, 'save') }).read({ logId: 'fix-login' });
    expect(record?.record).toMatchObject({ type: 'turnback/workspace-elsewhere', root: ROOT, dataDir: DATA, backend: kind });
  });

  test('another session follows where the first ended, and purge removes the repository there', async () => {
    const s = await side(kind);
    const log = jsonlLog({ folder: path.join(s.folder, 'save') });
    const first = await snapshots({ root: ROOT, dataDir: DATA, backend: s.backend }).open({ threadId: 't', log });
    await change(first, s, 'echo two > a.txt');
    const held = snapshots({ root: ROOT, dataDir: DATA, backend: s.backend }).open({
      threadId: 't',
      log: jsonlLog({ folder: path.join(s.folder, 'other') }),
    });
    await expect(held).rejects.toMatchObject({ code: 'RECORDING_HELD' });
    await first.close();
    const second = await snapshots({ root: ROOT, dataDir: DATA, backend: s.backend }).open({ threadId: 't', log });
    expect(await second.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    await second.close();
    const repository = path.join(s.root, String(second.repository));
    expect(existsSync(repository)).toBe(true);
    await purgeSnapshots({ root: ROOT, dataDir: DATA, backend: s.backend }, { threadId: 't' });
    await purgeSnapshots({ root: ROOT, dataDir: DATA, backend: s.backend }, { threadId: 't' });
    expect(existsSync(repository)).toBe(false);
    expect(await manifest(path.join(s.root, DATA))).toEqual([]);
  });

  test('a link above, a folder of yours and a file that no snapshot holds are left alone there too', async () => {
    const s = await side(kind);
    const session = await snapshots({ root: ROOT, dataDir: DATA, backend: s.backend }).open({
      threadId: 't',
      log: jsonlLog({ folder: path.join(s.folder, 'save') }),
    });
    const skipped: string[] = [];
    session.on(FilesSkipped, ({ files }) => skipped.push(...files.map(({ path: file }) => file)));
    await session.send('Ask', (turn) => turn.answer('Yes.'));
    const [, answer] = await session.transcript();
    await change(session, s, 'echo 2 > d/e/f.txt; rm a.txt b.txt');
    await promisify(execFile)(
      'sh',
      ['-c', 'mv d ../d; mkdir b.txt; echo mine > b.txt/mine; echo a.txt > .gitignore; echo secret > a.txt'],
      { cwd: s.work },
    );
    await symlink('../d', path.join(s.work, 'd'));
    await session.revert({ messageId: answer?.id ?? '' });
    expect(skipped.sort()).toEqual(['a.txt', 'b.txt', 'd/e/f.txt']);
    expect((await promisify(execFile)('sh', ['-c', 'cat a.txt b.txt/mine ../d/e/f.txt'], { cwd: s.work })).stdout).toBe(
      'secret\nmine\n2\n',
    );
    await session.close();
  });
});

describe('a command as the way to another side', () => {
  test('a command that joins its arguments gets each one quoted, whatever is in it', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { ssh: { content: '#!/bin/sh\nshift\nexec sh -c "$*"\n', mode: 0o755 } });
    const words = ["it's", '', 'a  b', '$(touch PWNED)', '`id`', '"', "''", 'new\nline\n', '*', '-n', '\\', "'\\''"];
    const [file = '', ...args] = [
      ...quoted([path.join(folder, 'ssh'), 'box']),
      process.execPath,
      '-e',
      'console.log(JSON.stringify(process.argv.slice(1)))',
      '--',
      ...words,
    ];
    const { stdout } = await promisify(execFile)(file, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual(words);
    expect(existsSync(path.join(folder, 'PWNED'))).toBe(false);
  });

  test('a side that cannot be reached is named, and without git there snapshots are off', async () => {
    const folder = await tempFolder();
    const log = jsonlLog({ folder });
    const nowhere = commandBackend({ prefix: [path.join(folder, 'no-such-command')] });
    await expect(snapshots({ root: ROOT, dataDir: DATA, backend: nowhere }).open({ threadId: 't', log })).rejects.toMatchObject({
      code: 'BACKEND_FAILED',
    });
    const s = await side('chroot');
    await promisify(execFile)('rm', [path.join(s.root, 'usr/bin/git')]);
    const session = await snapshots({ root: ROOT, dataDir: DATA, backend: s.backend }).open({ threadId: 't', log });
    const failures: string[] = [];
    session.on(SnapshotFailed, ({ message }) => failures.push(message));
    expect(failures).toEqual(['snapshots: git was not found. Snapshots are off.']);
    await session.close();
  });
});
