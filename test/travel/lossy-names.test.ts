import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runTravel } from '../../electron/travel/travel.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, REDO, revertTo, stopOf, travelling, UNDO, UNREVERT } from './tanstack-travelling.ts';

/** A name in a folder, by its bytes. */
const at = (root: string, name: string): Buffer => Buffer.from(`${root}/${name}`, 'latin1');
const put = (root: string, name: string, text: string): Promise<void> => writeFile(at(root, name), text);

/**
 * The harness reads git's paths as UTF-8, so that its list names a file with other bytes by U+FFFD: several files by one name, or by the
 * name of a third. Two turns: all kinds of change to such names, among names that only look alike.
 */
async function twoTurns() {
  const made = await travelling();
  const { t } = made;
  await mkdir(path.join(t.root, 'd'));
  await put(t.root, 'bad\xff', '1\n');
  await put(t.root, 'bad\xfe', '1\n');
  await put(t.root, 'd/half\xc3', '1\n');
  await put(t.root, 'alike\xff', '1\n');
  await put(t.root, 'gone\xff\xfe', '1\n');
  const one = await t.turn('one', [{ tool: 'bash', edit: (root) => writeFiles(root, { plain: '1\n' }) }]);
  const before = await manifest(t.root);
  await t.turn('two', [
    {
      tool: 'bash',
      edit: async (root) => {
        await writeFiles(root, { 'bad\ufffd': 'made\n', plain: '2\n' });
        for (const name of ['bad\xff', 'bad\xfe', 'd/half\xc3', 'new\x80']) await put(root, name, '2\n');
        await rm(at(root, 'gone\xff\xfe'));
      },
    },
  ]);
  return { ...made, answer: one.answerId, before };
}

const ALL = ['bad\udcfe', 'bad\udcff', 'bad\ufffd', 'd/half\udcc3', 'gone\udcff\udcfe', 'new\udc80', 'plain'];

test('the step names the files by their bytes, whatever its list made of them', async () => {
  const { t, context } = await twoTurns();
  expect(t.steps[1]?.files).toContain('gone\ufffd\ufffd');
  const { thread } = await context();
  await thread.fill();
  const step = thread.thread().steps.find((one) => (one.listed?.length ?? 0) > 1);
  expect([...(step?.listed ?? [])].sort()).toEqual([...ALL].sort());
  expect(step?.files?.map((file) => file.path).sort()).toEqual([...ALL].sort());
});

test('a revert puts them back, and unrevert brings the exact bytes again', async () => {
  const { t, context, answer, before } = await twoTurns();
  const after = await manifest(t.root);
  const ctx = await context();
  const result = await runTravel(ctx, revertTo(stopOf(ctx, answer)), DEFAULTS);
  expect(result.files.map((file) => file.path).sort()).toEqual([...ALL].sort());
  expect(await manifest(t.root)).toEqual(before);
  await runTravel(await context(), UNREVERT, DEFAULTS);
  expect(await manifest(t.root)).toEqual(after);
});

test('undo and redo reach them, too', async () => {
  const { t, context, before } = await twoTurns();
  const after = await manifest(t.root);
  expect((await runTravel(await context(), UNDO, DEFAULTS)).message).toBe(`Undid the last turn. Files restored: ${ALL.length}.`);
  expect(await manifest(t.root)).toEqual(before);
  // Without the own history, as from another data folder, the record in the log has to say it all.
  await rm(path.join(t.folder, 'own-data'), { recursive: true });
  await runTravel(await context(), REDO, DEFAULTS);
  expect(await manifest(t.root)).toEqual(after);
});

test('where no tree says which file is meant, the list stays as it is', async () => {
  const { t, context } = await twoTurns();
  await rm(t.gitDir, { recursive: true });
  const { thread } = await context();
  await thread.fill();
  const step = thread.thread().steps.find((one) => (one.listed?.length ?? 0) > 1);
  expect(step?.listed).toEqual(t.steps[1]?.files);
});
