import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { localBackend } from '../../electron/recorder/local-backend.ts';
import { SnapshotFailed } from '../../electron/recorder/recorder-events.ts';
import type { LogRecord } from '../../electron/recorder/records.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import type { Step } from '../../electron/recorder/step.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { Recording, sh } from './recording.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'bee\n', 'user.txt': 'mine\n' };

async function asked(step: Step, ...names: string[]): Promise<string[]> {
  const ids = names.map((name, at) => `${name}_${at}`);
  await step.assistant({ toolCalls: names.map((name, at) => ({ id: ids[at] ?? '', name, arguments: {} })) });
  return ids;
}

const fileLists = (steps: readonly LogRecord[]): unknown[] => steps.map((step) => step['files']);

describe('what a step keeps', () => {
  test('each model step that changed files leaves { from, to, files, toolCallIds }; one that changed no file is not saved', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } }, { bash: 'cat a.txt' }, { bash: 'echo c > c.txt; rm b.txt' });
    const steps = await r.records('tanstack/snapshots:step');
    expect(steps).toEqual([
      {
        type: 'tanstack/snapshots:step',
        from: expect.stringMatching(/^[0-9a-f]{40}$/),
        to: expect.any(String),
        files: ['a.txt'],
        toolCallIds: ['call_1'],
      },
      {
        type: 'tanstack/snapshots:step',
        from: steps[0]?.['to'],
        to: expect.any(String),
        files: ['b.txt', 'c.txt'],
        toolCallIds: ['call_3'],
      },
    ]);
    expect(await r.git(session, 'ls-tree', '-r', '--name-only', String(steps[1]?.['to']))).toBe('a.txt\nc.txt\nuser.txt\n');
  });

  test('edits of the user between turns, and while the model thinks, are in no step', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'First', { edit: { 'a.txt': 'two\n' } });
    await r.write('user.txt', 'between turns\n');
    await session.send('Second', async (turn) => {
      const step = await turn.beginStep();
      await asked(step, 'bash');
      await r.write('user.txt', 'while the model thought\n');
      await r.call(step, 'bash_0', { bash: 'echo bees > b.txt' });
      await step.end();
      await r.write('user.txt', 'between steps\n');
      await r.step(turn, { edit: { 'a.txt': 'three\n' } });
    });
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt'], ['b.txt'], ['a.txt']]);
    await session.runCommand({ name: 'undo' });
    expect(await r.text('user.txt')).toBe('between steps\n');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'bee\n']);
  });

  test('a tool that reports its files is believed: what another agent edits during the turn stays out', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Edit a', (turn) =>
      turn.step(async (step) => {
        await asked(step, 'edit_file');
        await step.tool('edit_file_0', async ({ report }) => {
          await r.write('a.txt', 'two\n');
          await r.write('user.txt', 'by another agent\n');
          report(`${r.root}/a.txt`);
          return 'ok';
        });
      }),
    );
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt']]);
    await session.runCommand({ name: 'undo' });
    expect([await r.text('a.txt'), await r.text('user.txt')]).toEqual(['one\n', 'by another agent\n']);
  });

  test('a bash command keeps every file that changed while the command ran', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Run', (turn) =>
      turn.step(async (step) => {
        await asked(step, 'bash');
        await step.tool('bash_0', async () => {
          await r.write('user.txt', 'by somebody else meanwhile\n');
          return sh(r.root, 'echo bees > b.txt');
        });
      }),
    );
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['b.txt', 'user.txt']]);
  });

  test('a step with both kinds keeps the reported files and what changed while bash ran, and nothing from before and after', async () => {
    const r = await Recording.make({ ...FILES, 'c.txt': 'sea\n', 'd.txt': 'dee\n' });
    const session = await r.open();
    await session.send('Mixed', (turn) =>
      turn.step(async (step) => {
        const [first = '', second = '', third = ''] = await asked(step, 'edit_file', 'bash', 'edit_file');
        await r.call(step, first, { edit: { 'a.txt': 'two\n' } });
        await r.write('user.txt', 'before bash\n');
        await r.call(step, second, { bash: 'echo bees > b.txt' });
        await r.write('d.txt', 'after bash\n');
        await r.call(step, third, { edit: { 'c.txt': 'see\n' } });
      }),
    );
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt', 'b.txt', 'c.txt']]);
    await session.runCommand({ name: 'undo' });
    expect(await sh(r.root, 'cat a.txt b.txt c.txt d.txt user.txt')).toBe('one\nbee\nsea\nafter bash\nbefore bash\n');
  });

  test('parallel calls: the time of several bash commands together is one', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Parallel', (turn) =>
      turn.step(async (step) => {
        const [one = '', two = '', edit = ''] = await asked(step, 'bash', 'bash', 'edit_file');
        await Promise.all([
          r.call(step, one, { bash: 'sleep 0.1; echo bees > b.txt' }),
          r.call(step, two, { bash: 'echo c > c.txt' }),
          r.call(step, edit, { edit: { 'a.txt': 'two\n' } }),
        ]);
      }),
    );
    const [step] = await r.records('tanstack/snapshots:step');
    expect(step).toMatchObject({
      files: ['a.txt', 'b.txt', 'c.txt'],
      toolCallIds: expect.arrayContaining(['bash_0', 'bash_1', 'edit_file_2']),
    });
  });

  test('a reported folder stands for all in it; a reported file that is as before, is ignored or is outside is not kept', async () => {
    const r = await Recording.make({ ...FILES, '.gitignore': 'out/\n', 'lib/x.txt': 'x\n', 'lib/y.txt': 'y\n' });
    const session = await r.open();
    await session.send('Move', (turn) =>
      turn.step(async (step) => {
        await asked(step, 'edit_file');
        await step.tool('edit_file_0', async ({ report }) => {
          await sh(r.root, 'mkdir moved out; mv lib/* moved; echo > out/o; echo > ../outside.txt; echo one > a.txt; echo u > user.txt');
          for (const path of ['lib', 'moved/', 'out/o', '../outside.txt', 'a.txt', '.']) report(path);
          return 'ok';
        });
      }),
    );
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['lib/x.txt', 'lib/y.txt', 'moved/x.txt', 'moved/y.txt']]);
  });

  test('which tools report can be told by name, by function and for one call', async () => {
    const r = await Recording.make(FILES, { reporting: (name) => name === 'fs' });
    const session = await r.open();
    await session.send('x', async (turn) => {
      for (const [name, reports] of [['fs'], ['edit_file'], ['bash', true]] as const) {
        await turn.step(async (step) => {
          const id = r.callId();
          await step.assistant({ toolCalls: [{ id, name, arguments: {} }] });
          await step.toolStarted(id, reports === undefined ? {} : { reports });
          await r.write('a.txt', `${name}\n`);
          await step.toolResult(id, 'ok');
        });
      }
    });
    expect((await r.records('tanstack/snapshots:step')).map((step) => step['toolCallIds'])).toEqual([['call_2']]);
  });

  test('a failed call and a call without a result are recorded as such, and their changes are kept', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('x', async (turn) => {
      const step = await turn.beginStep();
      await asked(step, 'bash', 'bash', 'bash');
      const failing = step.tool('bash_0', async () => {
        await sh(r.root, 'echo two > a.txt');
        throw new Error('exit 1');
      });
      await expect(failing).rejects.toThrow('exit 1');
      await step.toolStarted('bash_1');
      await r.write('b.txt', 'bees\n');
    });
    const messages = (await session.transcript()).filter(({ role }) => role === 'tool');
    expect(messages).toEqual([
      { role: 'tool', toolCallId: 'bash_0', content: '{"error":"exit 1"}', error: 'exit 1' },
      { role: 'tool', toolCallId: 'bash_1', content: expect.stringContaining('"interrupted":true'), error: expect.any(String) },
      { role: 'tool', toolCallId: 'bash_2', content: expect.stringContaining('"interrupted":true'), error: 'The call did not run.' },
    ]);
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt', 'b.txt']]);
  });

  test('hostile names are kept byte for byte and come back', async () => {
    const r = await Recording.make({
      'a b.txt': '1',
      '[x].txt': '1',
      ':(glob)**': '1',
      '-rf': '1',
      'new\nline': '1',
      '中文".txt': '1',
      'back\\slash': '1',
      café: '1',
      'cafe\u0301': '1',
    });
    await sh(r.root, 'printf 1 > "$(printf \'bad\\377.bin\')"');
    const session = await r.open();
    const before = await sh(r.root, 'ls -1b | sort; cat ./*');
    await r.turn(session, 'Edit all', { bash: 'for f in *; do printf 2 > "./$f"; done; printf n > "$(printf \'n\\376\')"' });
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 11.');
    expect(await sh(r.root, 'ls -1b | sort; cat ./*')).toBe(before);
    expect(await session.runCommand({ name: 'redo' })).toBe('Redid the last turn.');
    expect(await sh(r.root, 'cat ./* | fold -w1 | sort | uniq -c')).toBe('     10 2\n      1 n\n');
  });
});

describe('see what a step changed', () => {
  test('history.diff(from, to) gives the changed files and a unified diff', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n', 'new.txt': 'n\n' } });
    const [step] = await r.records('tanstack/snapshots:step');
    const { files, patch } = await r.history.diff(String(step?.['from']), String(step?.['to']));
    expect(files).toEqual(['a.txt', 'new.txt']);
    expect(patch).toMatch(
      /^diff --git a\/a.txt b\/a.txt\nindex [0-9a-f]+\.\.[0-9a-f]+ 100644\n--- a\/a.txt\n\+\+\+ b\/a.txt\n@@ -1 \+1 @@\n-one\n\+two\ndiff --git a\/new.txt b\/new.txt\nnew file mode 100644\n/,
    );
  });

  test('without to, diff compares with the files now', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } });
    await r.write('user.txt', 'now\n');
    const [step] = await r.records('tanstack/snapshots:step');
    expect((await r.history.diff(String(step?.['to']))).files).toEqual(['user.txt']);
    expect((await session.diff(String(step?.['from']))).files).toEqual(['a.txt', 'user.txt']);
    expect(await session.diff(String(step?.['to']), String(step?.['to']))).toEqual({ files: [], patch: '' });
  });

  test('diff finds a snapshot only in the repository of a session that is open', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } });
    const [step] = await r.records('tanstack/snapshots:step');
    const other = await r.open({ threadId: 'other' });
    await expect(other.diff(String(step?.['from']), String(step?.['to']))).rejects.toMatchObject({ code: 'TREE_MISSING' });
    await session.close();
    await expect(r.history.diff(String(step?.['from']), String(step?.['to']))).rejects.toMatchObject({ code: 'TREE_MISSING' });
  });
});

describe('FileChanged', () => {
  test('one event for each file of the step that no tool reported, with its absolute path, its diff and the one call that does not report', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Format', (turn) =>
      turn.step(async (step) => {
        const [edit = '', bash = ''] = await asked(step, 'edit_file', 'bash');
        await r.call(step, edit, { edit: { 'a.txt': 'two\n' } });
        await r.call(step, bash, { bash: 'echo bees > b.txt; rm user.txt; echo n > n.txt' });
      }),
    );
    expect(r.events).toEqual([
      { change: 'updated', path: `${r.root}/b.txt`, patch: expect.stringContaining('-bee\n+bees\n'), toolCallId: 'bash_1' },
      { change: 'created', path: `${r.root}/n.txt`, patch: expect.stringContaining('new file mode'), toolCallId: 'bash_1' },
      { change: 'deleted', path: `${r.root}/user.txt`, patch: expect.stringContaining('deleted file mode'), toolCallId: 'bash_1' },
    ]);
  });

  test('no toolCallId when two calls of the step do not report', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await session.send('Format', (turn) =>
      turn.step(async (step) => {
        const [one = '', two = ''] = await asked(step, 'bash', 'bash');
        await r.call(step, one, { bash: 'echo bees > b.txt' });
        await r.call(step, two, { bash: 'true' });
      }),
    );
    expect(r.events).toEqual([{ change: 'updated', path: `${r.root}/b.txt`, patch: expect.any(String) }]);
  });

  test('no moved event: a moved file gives a deleted event for the old path and a created event for the new path', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Move', { bash: 'mv a.txt z.txt' });
    expect(r.takeEvents()).toEqual(['deleted a.txt', 'created z.txt']);
  });

  test('undo, redo, a revert and unrevert send FileChanged for each file that they change, with no toolCallId', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Ask', { bash: 'true' });
    await r.turn(session, 'Work', { bash: 'echo two > a.txt; echo n > n.txt; rm b.txt' });
    r.events.length = 0;
    const back = ['updated a.txt', 'created b.txt', 'deleted n.txt'];
    const forth = ['updated a.txt', 'deleted b.txt', 'created n.txt'];
    const [first] = await session.transcript();
    const acts = [
      () => session.runCommand({ name: 'undo' }),
      () => session.runCommand({ name: 'redo' }),
      () => session.revert({ messageId: first?.id ?? '' }),
      () => session.unrevert(),
    ];
    for (const [at, act] of acts.entries()) {
      await act();
      expect(r.events.every((event) => !('toolCallId' in event) && event.patch.startsWith('diff --git '))).toBe(true);
      expect(r.takeEvents()).toEqual(at % 2 === 0 ? back : forth);
    }
  });

  test('at most 100 events for a step and for an undo: the first 100', async () => {
    const r = await Recording.make(FILES);
    const session = await r.open();
    await r.turn(session, 'Many', { bash: 'for i in $(seq 100 260); do echo $i > f$i.txt; done' });
    expect(r.takeEvents()).toEqual(Array.from({ length: 100 }, (_, at) => `created f${at + 100}.txt`));
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 161.');
    expect(r.takeEvents()).toEqual(Array.from({ length: 100 }, (_, at) => `deleted f${at + 100}.txt`));
  });

  test('each event has exactly its own diff, also with kind and mode changes and binaries between', async () => {
    const r = await Recording.make({ ...FILES, 'k.txt': 'k\n', 'm.sh': 'm\n', 'p.bin': Buffer.from([0, 1, 2]), 'z.txt': 'z\n' });
    const session = await r.open();
    await r.turn(session, 'Kinds', {
      bash: "rm k.txt; ln -s a.txt k.txt; chmod +x m.sh; printf '\\0\\1\\3' > p.bin; printf 'diff --git a/q b/q\\n' > q.txt; echo zz > z.txt",
    });
    const lines = r.events.map(({ path, patch }) => [
      path.slice(r.root.length + 1),
      patch.match(/^(?:diff --git .*|new file.*|deleted file.*|old mode.*|Binary.*|[-+][^-+].*)$/gm)?.join(' | '),
    ]);
    expect(lines).toEqual([
      ['k.txt', 'diff --git a/k.txt b/k.txt | deleted file mode 100644 | -k | diff --git a/k.txt b/k.txt | new file mode 120000 | +a.txt'],
      ['m.sh', 'diff --git a/m.sh b/m.sh | old mode 100644'],
      ['p.bin', 'diff --git a/p.bin b/p.bin | Binary files a/p.bin and b/p.bin differ'],
      ['q.txt', 'diff --git a/q.txt b/q.txt | new file mode 100644 | +diff --git a/q b/q'],
      ['z.txt', 'diff --git a/z.txt b/z.txt | -z | +zz'],
    ]);
  });

  test('no event for .env files and for the files that .gitignore names', async () => {
    const r = await Recording.make({ ...FILES, '.gitignore': '*.log\n' });
    const session = await r.open();
    await r.turn(session, 'Secrets', { bash: 'echo 1 > .env; echo 1 > x.log; echo two > a.txt' });
    expect(r.takeEvents()).toEqual(['updated a.txt']);
  });
});

describe('without snapshots', () => {
  test('without git: SnapshotFailed with exactly one sentence, no commands, diff throws, the turns run as usual', async () => {
    const backend = localBackend({ git: createGit({ env: { PATH: '/nowhere' } }) });
    const r = await Recording.make(FILES, { backend });
    const session = await r.open();
    expect(r.failures).toEqual(['snapshots: git was not found. Snapshots are off.']);
    expect(session.commands).toEqual([]);
    await expect(session.runCommand({ name: 'undo' })).rejects.toMatchObject({ code: 'UNKNOWN_COMMAND' });
    await expect(session.diff('0'.repeat(40))).rejects.toThrow('snapshots: git is not available.');
    await expect(r.history.diff('0'.repeat(40))).rejects.toThrow('snapshots: git is not available.');
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } });
    expect((await session.transcript()).length).toBe(4);
    expect(await r.records('tanstack/snapshots:step')).toEqual([]);
    const failed = (await r.records('harness.event')).map(({ event }) => event as { value?: { name?: string; value?: unknown } });
    expect(failed.filter(({ value }) => value?.name === SnapshotFailed.name).map(({ value }) => value?.value)).toEqual([
      { message: 'snapshots: git was not found. Snapshots are off.' },
    ]);
    const [first] = await session.transcript();
    expect(await session.revert({ messageId: first?.id ?? '' })).toMatchObject({ status: 'accepted' });
    expect([(await session.transcript()).length, await r.text('a.txt')]).toEqual([1, 'two\n']);
  });

  test('a snapshot that fails sends SnapshotFailed with the cause, and the turn goes on; the next step takes its changes over', async () => {
    const local = localBackend();
    let fail = 0;
    const r = await Recording.make(FILES, {
      backend: {
        ...local,
        capture: (o) => (fail-- === 1 ? Promise.reject(new Error('disk full')) : local.capture(o)),
      },
    });
    const session = await r.open();
    fail = 2;
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } }, { edit: { 'b.txt': 'bees\n' } });
    expect(r.failures).toEqual(['snapshots: disk full']);
    const steps = await r.records('tanstack/snapshots:step');
    expect(steps.map(({ files, toolCallIds }) => [files, toolCallIds])).toEqual([
      [
        ['a.txt', 'b.txt'],
        ['call_1', 'call_2'],
      ],
    ]);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 2.');
  });

  test('a last step whose end could not be taken is taken once more when the turn ends', async () => {
    const local = localBackend();
    let fail = 0;
    const r = await Recording.make(FILES, {
      backend: { ...local, capture: (o) => (fail-- === 1 ? Promise.reject(new Error('busy')) : local.capture(o)) },
    });
    const session = await r.open();
    fail = 2;
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } });
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt']]);
    expect(await session.runCommand({ name: 'undo' })).toBe('Undid the last turn. Files restored: 1.');
  });

  test('a step whose start could not be taken leaves no step, and undo refuses to do half of the turn', async () => {
    const local = localBackend();
    let fail = 0;
    const r = await Recording.make(FILES, {
      backend: { ...local, capture: (o) => (fail-- === 1 ? Promise.reject(new Error('busy')) : local.capture(o)) },
    });
    const session = await r.open();
    fail = 1;
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } }, { edit: { 'b.txt': 'bees\n' } });
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['b.txt']]);
    expect(await session.runCommand({ name: 'undo' })).toBe('Nothing to undo.');
    expect([await r.text('a.txt'), await r.text('b.txt')]).toEqual(['two\n', 'bees\n']);
  });

  test('when the edge of a command cannot be taken, the edge of the step stands for it', async () => {
    const local = localBackend();
    let fail = 0;
    const r = await Recording.make(FILES, {
      backend: { ...local, capture: (o) => (fail-- === 1 ? Promise.reject(new Error('busy')) : local.capture(o)) },
    });
    const session = await r.open();
    await session.send('Mixed', (turn) =>
      turn.step(async (step) => {
        const [edit = '', bash = ''] = await asked(step, 'edit_file', 'bash');
        await r.call(step, edit, { edit: { 'a.txt': 'two\n' } });
        fail = 1;
        await r.call(step, bash, { bash: 'echo bees > b.txt' });
      }),
    );
    expect(r.failures).toEqual(['snapshots: busy']);
    expect(fileLists(await r.records('tanstack/snapshots:step'))).toEqual([['a.txt', 'b.txt']]);
  });

  test('a repository that cannot be made turns snapshots off and says why; the thread is recorded all the same', async () => {
    const r = await Recording.make(FILES);
    await r.write('../data', 'a file where the folder should be\n');
    const session = await r.open();
    expect(r.failures).toEqual([expect.stringMatching(/^snapshots: .*(ENOTDIR|EEXIST)/)]);
    expect(session.commands).toEqual([]);
    await r.turn(session, 'Work', { edit: { 'a.txt': 'two\n' } });
    expect((await session.transcript()).length).toBe(4);
  });

  test('a repository that another process took over gets no snapshot more', async () => {
    const r = await Recording.make(FILES);
    const session = await r.again().history.open({ threadId: 'x', log: r.log });
    await session.close();
    const quick = snapshots({ root: r.root, dataDir: r.dataDir, leaseTtl: 60 });
    const mine = await quick.open({ threadId: 'x', log: r.log });
    const failures: string[] = [];
    mine.on(SnapshotFailed, ({ message }) => failures.push(message));
    const lease = `${String(mine.repository)}.lease`;
    await writeFile(lease, (await readFile(lease, 'utf8')).replace(/"owner":"[0-9a-f]+"/, '"owner":"another"'));
    await expect
      .poll(async () => {
        await r.turn(mine, 'Work', { edit: { 'a.txt': `${Date.now()}\n` } });
        return failures.length;
      })
      .toBeGreaterThan(0);
    expect(failures[0]).toContain('Another process took over The snapshots of x');
    await mine.close();
  });
});
