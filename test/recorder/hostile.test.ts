import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { localBackend } from '../../electron/recorder/local-backend.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { manifest } from '../scenarios/temp.ts';
import { messageId, Recording, sh } from './recording.ts';

const FILES = { 'f.txt': 'v1\n', 'crlf.txt': 'a\r\nb\r\n' };

/** A turn with an edit and a command, undone, redone, reverted, brought back and looked at. */
async function everything(r: Recording): Promise<void> {
  for (const [name, content] of Object.entries(FILES)) await r.write(name, content);
  await r.write('n.txt', null).catch(() => undefined);
  const session = await r.open();
  await session.send('Ask', (turn) => turn.answer('Yes.'));
  await r.turn(session, 'Edit', { edit: { 'f.txt': 'v2\n', 'crlf.txt': 'a\r\nB\r\n' } }, { bash: 'echo n > n.txt' });
  expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 3.');
  expect([await r.text('f.txt'), await r.text('crlf.txt'), await r.text('n.txt')]).toEqual(['v1\n', 'a\r\nb\r\n', null]);
  expect(await session.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
  await session.revert({ messageId: await messageId(session, 'assistant', 1) });
  expect([await r.text('f.txt'), await r.text('crlf.txt'), await r.text('n.txt')]).toEqual(['v1\n', 'a\r\nb\r\n', null]);
  await session.unrevert();
  expect([await r.text('f.txt'), await r.text('crlf.txt'), await r.text('n.txt')]).toEqual(['v2\n', 'a\r\nB\r\n', 'n\n']);
  const [step] = await r.records('tanstack/snapshots:step');
  expect((await session.diff(String(step?.['from']))).patch).toContain('+v2\n');
  expect(r.failures).toEqual([]);
  await session.close();
}

describe('a hostile workspace', () => {
  test('C-12: config, hooks, attributes and filters of the workspace run nothing, and bytes stay raw', async () => {
    const r = await Recording.make({ ...FILES, 'sub/s.txt': 's\n' });
    const canary = path.join(r.folder, 'canary');
    const hooks = path.join(r.folder, 'hooks');
    await mkdir(canary);
    await mkdir(hooks);
    for (const hook of ['post-checkout', 'post-index-change', 'pre-commit', 'reference-transaction', 'fsmonitor-watchman'])
      await writeFile(path.join(hooks, hook), `#!/bin/sh\ntouch ${canary}/hook-${hook}\n`, { mode: 0o755 });
    // A repository around and one inside, with a commit, both with every key that names a program.
    await sh(
      r.root,
      'git init -q . && git init -q sub && git -C sub add s.txt && git -C sub -c user.name=u -c user.email=u@x commit -qm s',
    );
    const keys: Record<string, string> = {
      'core.fsmonitor': `touch ${canary}/fsm; false`,
      'core.hooksPath': hooks,
      'diff.external': `touch ${canary}/ext; cat`,
      'diff.x.textconv': `touch ${canary}/tc; cat`,
      'diff.x.command': `touch ${canary}/dc; cat`,
      'filter.x.clean': `touch ${canary}/clean; cat`,
      'filter.x.smudge': `touch ${canary}/smudge; cat`,
      'filter.x.process': `touch ${canary}/proc; cat`,
      'merge.x.driver': `touch ${canary}/mg; true`,
      'core.pager': `touch ${canary}/pg; cat`,
      'core.sshCommand': `touch ${canary}/ssh`,
      'core.worktree': '/',
    };
    for (const repository of ['.git', 'sub/.git']) {
      for (const [key, value] of Object.entries(keys)) await sh(r.root, `git --git-dir=${repository} config ${key} '${value}'`);
    }
    await r.write('.gitattributes', '* filter=x diff=x merge=x text eol=lf ident working-tree-encoding=UTF-16\n');
    await sh(r.root, `git -c core.worktree="${r.root}" status >/dev/null 2>&1; ls ${canary} | grep -q . && rm -f ${canary}/*`);
    await everything(r);
    await sh(r.root, 'echo changed > sub/s.txt');
    await everything(r.again());
    expect(await readdir(canary)).toEqual([]);
  });

  test('C-12: config and hooks that somebody puts into the snapshot repository run nothing either', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    const repository = String(session.repository);
    await session.close();
    const canary = path.join(r.folder, 'canary');
    await mkdir(canary);
    await mkdir(path.join(repository, 'hooks'), { recursive: true });
    await writeFile(path.join(repository, 'hooks', 'reference-transaction'), `#!/bin/sh\ntouch ${canary}/hook\n`, { mode: 0o755 });
    for (const [key, value] of Object.entries({
      'core.fsmonitor': `touch ${canary}/fsm`,
      'filter.x.clean': `touch ${canary}/clean; cat`,
      'diff.external': `touch ${canary}/ext`,
      'core.worktree': '/',
    }))
      await sh(r.root, `git --git-dir=${repository} config ${key} '${value}'`);
    await writeFile(path.join(repository, 'info', 'attributes'), '* filter=x\n');
    await everything(r.again());
    expect(await readdir(canary)).toEqual([]);
  });

  test('C-13: a poisoned environment changes nothing and touches nothing', async () => {
    const r = await Recording.make(FILES);
    const decoy = path.join(r.folder, 'decoy');
    await mkdir(decoy);
    await sh(decoy, 'git init -q && echo d > d && git add d && git -c user.name=u -c user.email=u@x commit -qm d');
    const before = await manifest(decoy, { mtimes: true });
    const env = {
      ...process.env,
      GIT_DIR: `${decoy}/.git`,
      GIT_WORK_TREE: decoy,
      GIT_INDEX_FILE: `${decoy}/.git/index`,
      GIT_OBJECT_DIRECTORY: `${decoy}/.git/objects`,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: '/nope',
      GIT_NAMESPACE: 'zz',
      GIT_CEILING_DIRECTORIES: '/',
      GIT_PREFIX: 'zz/',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: r.folder,
      GIT_CONFIG_PARAMETERS: "'core.bare=true'",
      GIT_EXTERNAL_DIFF: `touch ${r.folder}/PWN`,
      GIT_LITERAL_PATHSPECS: '0',
      GIT_GLOB_PATHSPECS: '1',
      GIT_TRACE: '1',
      GIT_TRACE2_EVENT: '1',
      GIT_DEFAULT_HASH: 'sha256',
      LC_ALL: 'de_DE.UTF-8',
      LANGUAGE: 'de',
    };
    await everything(Recording.prototype.again.call(r, { backend: localBackend({ git: createGit({ env }) }) }));
    expect(await manifest(decoy, { mtimes: true })).toEqual(before);
    expect(await r.text('../PWN')).toBe(null);
  });

  test('C-14: lock files that a crash left behind are not waited for and not removed', async () => {
    const r = await Recording.make(FILES);
    await sh(r.root, 'git init -q');
    const session = await r.open();
    const repository = String(session.repository);
    await session.close();
    const locks = ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock', 'gc.pid', 'info/attributes.lock'].map((name) =>
      path.join(repository, name),
    );
    locks.push(path.join(r.root, '.git', 'index.lock'));
    for (const lock of locks) {
      await writeFile(lock, 'x');
      await utimes(lock, 978_307_200, 978_307_200);
    }
    const facts = async (): Promise<string> => sh(r.root, `stat -c '%n %s %Y' ${locks.join(' ')}`);
    const before = await facts();
    await everything(r.again());
    expect(await facts()).toBe(before);
  });

  test('C-05: a repository without a commit in the workspace is left out and told, and the snapshot is still true', async () => {
    const r = await Recording.make(FILES);
    await sh(r.root, 'git init -q sub && echo x > sub/x');
    const session = await r.open();
    await r.turn(session, 'Edit', { edit: { 'f.txt': 'v2\n' } });
    expect((await r.records('tanstack/snapshots:step')).map(({ files }) => files)).toEqual([['f.txt']]);
    expect(r.skipped).toEqual([{ path: 'sub/', why: expect.stringContaining('without a commit') }]);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
    expect(await r.text('sub/x')).toBe('x\n');
  });

  test('a file that git cannot read fails the snapshot, tells the cause, and no stale tree is recorded', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await sh(r.root, 'mkfifo pipe');
    await r.turn(session, 'Edit', { edit: { 'f.txt': 'v2\n' } });
    // A pipe is no file and does not matter.
    expect((await r.records('tanstack/snapshots:step')).length).toBe(1);
    const backend = localBackend();
    const failing = await r
      .again({ backend: { ...backend, capture: (o) => backend.capture({ ...o, root: `${o.root}/missing` }) } })
      .open({ threadId: 'other' });
    await r.turn(failing, 'Edit', { edit: { 'f.txt': 'v3\n' } });
    expect((await r.records('tanstack/snapshots:step', 'other')).length).toBe(0);
    expect(
      (await r.records('harness.event', 'other')).filter(({ event }) => JSON.stringify(event).includes('tanstack/snapshots:failed')).length,
    ).toBeGreaterThan(0);
  });

  test('C-03: a file that became ignored inside the range keeps what the user wrote into it', async () => {
    const r = await Recording.make({ 'x.txt': 'x\n' });
    const session = await r.open();
    await session.send('Ask', (turn) => turn.answer('Yes.'));
    await r.turn(session, 'make secret', { edit: { 'secret.txt': 'TEMPLATE\n' } }, { edit: { '.gitignore': 'build/\n' } });
    await r.write('build/cache.bin', 'cache\n');
    await session.revert({ messageId: await messageId(session, 'assistant', 1) });
    expect([await r.text('.gitignore'), await r.text('secret.txt'), await r.text('build/cache.bin')]).toEqual([null, null, 'cache\n']);
    await session.unrevert();
    expect([await r.text('.gitignore'), await r.text('secret.txt'), await r.text('build/cache.bin')]).toEqual([
      'build/\n',
      'TEMPLATE\n',
      'cache\n',
    ]);
  });

  test('every snapshot is kept by a ref of ours, so that a gc of somebody else takes none', async () => {
    const r = await Recording.make(FILES);
    await everything(r);
    const session = await r.again().open();
    await session.revert({ messageId: await messageId(session, 'assistant', 1) });
    await r.git(session, '-c', 'gc.auto=0', 'gc', '-q', '--prune=now');
    await session.unrevert();
    expect(await r.text('f.txt')).toBe('v2\n');
    for (const step of await r.records('tanstack/snapshots:step')) {
      for (const tree of [step['from'], step['to']]) await r.git(session, 'ls-tree', '-r', String(tree));
    }
    const point = (await r.records('turnback/undo-point')).at(-1);
    for (const tree of [point?.['from'], point?.['to']]) await r.git(session, 'ls-tree', '-r', String(tree));
  });
});
