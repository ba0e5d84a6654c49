import { appendFile, cp, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { interruptedTravels, recoverTravel } from '../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { Death, faultyFileSystem, faultyGit } from './faults.ts';
import { type Mixed, mixedScenario } from './mixed-scenario.ts';
import { neutral } from './neutral.ts';
import { DEFAULTS, openScenario, REDO, revertTo, stopOf, UNDO, UNREVERT } from './tanstack-travelling.ts';

const git = createGit();

interface Interrupted {
  mixed: Mixed;
  ownData: string;
  recover(how: 'finish' | 'roll-back', openThread?: () => Promise<OpenThread | null>): ReturnType<typeof recoverTravel>;
}

async function interruptedAt(at: RegExp, kind: 'revert' | 'unrevert' = 'revert'): Promise<Interrupted> {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ownData = path.join(mixed.t.folder, 'own-data');
  const thread = await openScenario(mixed.t);
  const context = { thread, ownData, git, now: Date.now };
  const revert = revertTo(stopOf(context, mixed.answer));
  if (kind === 'unrevert') await runTravel(context, revert, DEFAULTS);
  const dying = { ...context, fs: faultyFileSystem(new Death(at)) };
  await expect(runTravel(dying, kind === 'revert' ? revert : UNREVERT, DEFAULTS)).rejects.toThrow();
  await thread.close();
  await rm(path.join(ownData, 'leases'), { recursive: true, force: true });
  const [open] = await interruptedTravels(ownData);
  if (open === undefined) throw new Error('nothing was interrupted');
  return {
    mixed,
    ownData,
    async recover(how, openThread) {
      const opened: OpenThread[] = [];
      const openOne = async (): Promise<OpenThread> => {
        const one = await openScenario(mixed.t);
        opened.push(one);
        return one;
      };
      try {
        return await recoverTravel({ ownData, git, openThread: openThread ?? openOne }, open.entry, how);
      } finally {
        for (const one of opened) await one.close();
      }
    },
  };
}

const AT_FIRST_PLACE = /^(rename|link) .*\.turnback-/;
const AT_LAST_DELETE = /^rmdir .*\/conf$/;

async function see<T>(mixed: Mixed, work: (context: Parameters<typeof viewOf>[0]) => Promise<T>): Promise<T> {
  const thread = await openScenario(mixed.t);
  try {
    return await work({ thread, ownData: path.join(mixed.t.folder, 'own-data'), git, now: Date.now });
  } finally {
    await thread.close();
  }
}

test('while a travel is open every other one in that folder is refused, and the view says so', async () => {
  const { mixed } = await interruptedAt(AT_FIRST_PLACE);
  await see(mixed, async (context) => {
    expect((await previewTravel(context, revertTo(4))).refusal?.code).toBe('INTERRUPTED');
    expect((await viewOf(context)).can).toMatchObject({ revert: { code: 'INTERRUPTED' }, undo: { code: 'INTERRUPTED' } });
  });
});

test('what you changed after the interruption stays, and the result says so', async () => {
  for (const how of ['finish', 'roll-back'] as const) {
    const { mixed, recover } = await interruptedAt(AT_FIRST_PLACE);
    await writeFiles(mixed.t.root, { 'edited.txt': 'after the crash\n' });
    const result = await recover(how);
    expect(result.files.find((file) => file.path === 'edited.txt')).toEqual({
      path: 'edited.txt',
      outcome: 'kept',
      why: 'It was changed after the interruption.',
    });
    expect(await readFile(path.join(mixed.t.root, 'edited.txt'), 'utf8')).toBe('after the crash\n');
    expect(result.message).toMatch(how === 'finish' ? /1 kept as it is/ : /^Rolled back, but 1 file was changed .* stays as it is\.$/);
    const others = (list: string[]) => list.filter((line) => !line.startsWith('edited.txt'));
    expect(others(await manifest(mixed.t.root))).toEqual(others(how === 'finish' ? mixed.after : mixed.before));
  }
});

test.each([
  ['moved away', async () => {}],
  ['a link to where it was moved', (root: string, moved: string) => symlink(moved, root)],
  ['a file', (root: string) => writeFile(root, 'not a folder\n')],
])('while its folder is %s it can be neither finished nor rolled back, and afterwards it can', async (_, inItsPlace) => {
  const { mixed, recover, ownData } = await interruptedAt(AT_LAST_DELETE);
  const { root, log } = mixed.t;
  const moved = `${root}-moved`;
  await rename(root, moved);
  await inItsPlace(root, moved);
  const before = [await manifest(moved), await readFile(log, 'utf8')];
  for (const how of ['finish', 'roll-back'] as const) await expect(recover(how)).rejects.toMatchObject({ code: 'RECOVERY_NO_WORKSPACE' });
  expect([await manifest(moved), await readFile(log, 'utf8')]).toEqual(before);
  expect(await interruptedTravels(ownData)).toHaveLength(1);
  await rm(root, { force: true });
  await rename(moved, root);
  await recover('roll-back');
  expect(await manifest(root)).toEqual(mixed.before);
});

test.each([
  ['an empty one, as a disk leaves it', (root: string) => mkdir(root)],
  ['one with other files', (root: string) => writeFiles(root, { 'edited.txt': 'of a clone\n', conf: 'of a clone\n' })],
])('while another folder stands at its place, %s, it can be neither finished nor rolled back', async (_, inItsPlace) => {
  const { mixed, recover, ownData } = await interruptedAt(AT_LAST_DELETE);
  const { root, log } = mixed.t;
  await rename(root, `${root}-moved`);
  await inItsPlace(root);
  const before = [await manifest(root), await manifest(`${root}-moved`), await readFile(log, 'utf8')];
  const message = `Another folder stands at ${root} than the one in which what was interrupted is half done. Put that one back there (mount its disk, or move it back), then finish or roll back.`;
  for (const how of ['finish', 'roll-back'] as const) {
    await expect(recover(how)).rejects.toMatchObject({ code: 'RECOVERY_OTHER_FOLDER', message });
  }
  expect([await manifest(root), await manifest(`${root}-moved`), await readFile(log, 'utf8')]).toEqual(before);
  expect(await interruptedTravels(ownData)).toHaveLength(1);
  await rm(root, { recursive: true });
  await rename(`${root}-moved`, root);
  await recover('roll-back');
  expect(await manifest(root)).toEqual(mixed.before);
});

test('a folder that has another number by now, as after a mount, is known by its files', async () => {
  for (const how of ['finish', 'roll-back'] as const) {
    const { mixed, recover } = await interruptedAt(AT_LAST_DELETE);
    const { root } = mixed.t;
    await rename(root, `${root}-moved`);
    await cp(`${root}-moved`, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    await recover(how);
    expect(await manifest(root)).toEqual(how === 'finish' ? mixed.after : mixed.before);
  }
});

test('when the agent went on since, it cannot be finished, but rolled back', async () => {
  const { mixed, recover } = await interruptedAt(AT_LAST_DELETE);
  await appendFile(mixed.t.log, '[{"type":"app.note","text":"the agent goes on"}]\n');
  const before = await manifest(mixed.t.root);
  await expect(recover('finish')).rejects.toMatchObject({ code: 'RECOVERY_MOVED' });
  expect(await manifest(mixed.t.root)).toEqual(before);
  expect((await recover('roll-back')).message).toBe('Rolled back: everything is as it was before.');
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  expect((await readFile(mixed.t.log)).subarray(0, mixed.log.length).equals(mixed.log)).toBe(true);
});

test('without its thread it can still be rolled back, but not finished', async () => {
  const { mixed, recover, ownData } = await interruptedAt(AT_LAST_DELETE);
  await expect(recover('finish', async () => null)).rejects.toMatchObject({ code: 'RECOVERY_NEEDS_THREAD' });
  await recover('roll-back', async () => null);
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  expect(await interruptedTravels(ownData)).toEqual([]);
});

test('a travel whose record is in the log already is rolled back there, too', async () => {
  const { mixed, recover } = await interruptedAt(/^rename .*\/history\//);
  expect((await see(mixed, viewOf)).standing?.messageId).toBe(mixed.answer);
  await recover('roll-back');
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  expect((await see(mixed, viewOf)).standing).toBeNull();
  const added = (await readFile(mixed.t.log)).subarray(mixed.log.length).toString().trimEnd().split('\n');
  expect(added.map((line) => JSON.parse(line).map((record: { revert?: object | null }) => record.revert))).toEqual([
    [expect.objectContaining({ messageId: mixed.answer }), undefined],
    [null, undefined],
  ]);
});

test('what is in the log already cannot be taken back without its thread, and stays to be ended', async () => {
  const { mixed, recover, ownData } = await interruptedAt(/^rename .*\/history\//);
  await expect(recover('roll-back', async () => null)).rejects.toMatchObject({ code: 'RECOVERY_NEEDS_THREAD' });
  expect(await manifest(mixed.t.root)).toEqual(mixed.after);
  expect(await interruptedTravels(ownData)).toHaveLength(1);
  await recover('roll-back');
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
});

test.each([/^rename .*\/history\//, AT_LAST_DELETE])(
  'a log that was removed holds nothing back: the files go back without it',
  async (at) => {
    const { mixed, ownData } = await interruptedAt(at);
    const [open] = await interruptedTravels(ownData);
    await rm(mixed.t.log);
    const deps = { ownData, git, openThread: async () => null, isGone: async () => true };
    await expect(recoverTravel(deps, open?.entry ?? '', 'finish')).rejects.toMatchObject({ code: 'RECOVERY_NEEDS_THREAD' });
    await recoverTravel(deps, open?.entry ?? '', 'roll-back');
    expect(await manifest(mixed.t.root)).toEqual(mixed.before);
    expect(await interruptedTravels(ownData)).toEqual([]);
  },
);

test('once the log says it, finishing only notes it down: what anybody did since stays', async () => {
  const { mixed, recover } = await interruptedAt(/^rename .*\/history\//);
  // The agent took the revert back by itself, and one file with it.
  await see(mixed, async ({ thread: { reader } }) => reader.writer?.append(reader.writer.unrevert(1_800_000_000_000)));
  await writeFiles(mixed.t.root, { 'edited.txt': 'one\n2\n3\n4\nfive, mine\n' });
  const [log, files] = [await readFile(mixed.t.log), await manifest(mixed.t.root)];
  const result = await recover('finish');
  expect(result.files.filter((file) => file.outcome === 'kept')).toEqual([
    { path: 'edited.txt', outcome: 'kept', why: 'It was changed after the interruption.' },
  ]);
  expect(await manifest(mixed.t.root)).toEqual(files);
  expect((await readFile(mixed.t.log)).equals(log)).toBe(true);
  expect(await see(mixed, historyOf)).toMatchObject([{ id: result.entry, kind: 'revert', can: true }]);
  await expect(recover('finish')).rejects.toMatchObject({ code: 'NOT_INTERRUPTED' });
});

test('an unrevert is rolled back to the revert that stood, which can be taken back again', async () => {
  const { mixed, recover } = await interruptedAt(/^rename .*\/history\//, 'unrevert');
  expect((await see(mixed, viewOf)).standing).toBeNull();
  await recover('roll-back');
  expect(await manifest(mixed.t.root)).toEqual(mixed.after);
  expect((await see(mixed, viewOf)).standing?.messageId).toBe(mixed.answer);
  await see(mixed, (context) => runTravel(context, UNREVERT, DEFAULTS));
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
});

/** A travel of some kind on its own little thread, cut off at a call; gives the states before and after it. */
async function cutOff(at: RegExp, kind: 'undo' | 'redo' | 'second revert') {
  const t = await tanstackScenario(await tempFolder(), { events: false });
  await writeFiles(t.root, { a: '0\n', b: 'b\n' });
  const write = (text: string) => ({ tool: 'edit_file', edit: (root: string) => writeFiles(root, { a: text }) });
  const first = await t.turn('one', [write('1\n')]);
  const second = await t.turn('two', [write('2\n')]);
  await t.turn('three', [write('3\n'), { tool: 'bash', edit: (root) => rm(path.join(root, 'b')) }]);
  const ownData = path.join(t.folder, 'own-data');
  const thread = await openScenario(t);
  onTestFinished(() => thread.close());
  const context = { thread, ownData, git, now: Date.now };
  const prepared = { undo: [], redo: [UNDO], 'second revert': [revertTo(stopOf(context, second.answerId))] };
  const request = { undo: UNDO, redo: REDO, 'second revert': revertTo(stopOf(context, first.answerId)) };
  for (const one of prepared[kind]) await runTravel(context, one, DEFAULTS);
  const say = async () => {
    await thread.refresh();
    const view = await viewOf(context);
    const { undo, redo } = view.can;
    return { files: await manifest(t.root), standing: view.standing, visible: view.messages.length, can: [undo === true, redo === true] };
  };
  const before = await say();
  const dying = { ...context, fs: faultyFileSystem(new Death(at)) };
  await expect(runTravel(dying, request[kind], DEFAULTS)).rejects.toThrow();
  await rm(path.join(ownData, 'leases'), { recursive: true, force: true });
  const [open] = await interruptedTravels(ownData);
  const recover = (how: 'finish' | 'roll-back') => recoverTravel({ ownData, git, openThread: async () => thread }, open?.entry ?? '', how);
  return { before, say, recover, run: () => runTravel(context, request[kind], DEFAULTS) };
}

test.each(['undo', 'redo', 'second revert'] as const)(
  '%s: cut off before and after the log, each way leads where it says',
  async (kind) => {
    for (const at of [/^(rename|unlink|link) .*\/proc\/self.*\/[ab]$/, /^rename .*\/history\//]) {
      const rolled = await cutOff(at, kind);
      await rolled.recover('roll-back');
      expect(await rolled.say()).toEqual(rolled.before);
      const finished = await cutOff(at, kind);
      await finished.recover('finish');
      const after = await finished.say();
      // Rolled back, the same travel can be made again and ends in the same state.
      await rolled.run();
      expect(await rolled.say()).toEqual({ ...after, standing: after.standing && { ...after.standing, now: expect.any(String) } });
    }
  },
);

test('one that was cut off before its snapshot was kept can be finished as well', async () => {
  const mixed = await mixedScenario(await tanstackScenario(await tempFolder(), { events: false }));
  const ownData = path.join(mixed.t.folder, 'own-data');
  const thread = await openScenario(mixed.t);
  onTestFinished(() => thread.close());
  const context = { thread, ownData, git, now: Date.now };
  await thread.fill();
  const request = revertTo(stopOf(context, mixed.answer));
  const death = new Death(/^git update-ref$/);
  const dead = { ...context, git: faultyGit(git, death), fs: faultyFileSystem(death) };
  await expect(runTravel(dead, request, DEFAULTS)).rejects.toThrow();
  await rm(path.join(ownData, 'leases'), { recursive: true, force: true });
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
  const [open] = await interruptedTravels(ownData);
  await recoverTravel({ ownData, git, openThread: async () => thread }, open?.entry ?? '', 'finish');
  expect(await manifest(mixed.t.root)).toEqual(mixed.after);
  await runTravel(context, UNREVERT, DEFAULTS);
  expect(await manifest(mixed.t.root)).toEqual(mixed.before);
});

test('there is nothing to recover when nothing was interrupted', async () => {
  const ownData = await tempFolder();
  expect(await interruptedTravels(ownData)).toEqual([]);
  const deps = { ownData, git, openThread: async () => null };
  for (const entry of ['m0-00', '../../etc/passwd', '']) {
    await expect(recoverTravel(deps, entry, 'finish')).rejects.toMatchObject({ code: 'NOT_INTERRUPTED' });
  }
});

test('an overlay travel is finished and rolled back like any other', async () => {
  for (const how of ['finish', 'roll-back'] as const) {
    const n = await neutral();
    await writeFiles(n.root, { f: '0\n', g: '0\n' });
    await n.base();
    await n.user('write');
    await writeFiles(n.root, { f: '1\n', g: '1\n' });
    await n.step('write', ['f', 'g']);
    const context = await n.context();
    for (const at of [/^rename .*\.turnback-/, /^rename .*\/overlay\//, /^rename .*\/entries\//]) {
      const dying = { ...context, fs: faultyFileSystem(new Death(at)) };
      await expect(runTravel(dying, revertTo(0), DEFAULTS)).rejects.toThrow();
      await rm(path.join(context.ownData, 'leases'), { recursive: true, force: true });
      const [open] = await interruptedTravels(context.ownData);
      await recoverTravel({ ownData: context.ownData, git, openThread: async () => context.thread }, open?.entry ?? '', how);
      const text = await readFile(path.join(n.root, 'g'), 'utf8');
      const { standing } = await viewOf(context);
      expect([text, standing?.stop ?? null]).toEqual(how === 'finish' ? ['0\n', 0] : ['1\n', null]);
      if (how === 'finish') await runTravel(context, UNREVERT, DEFAULTS);
      await writeFile(path.join(n.root, 'f'), '1\n');
    }
  }
});
