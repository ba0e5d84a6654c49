import { chmod, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { pins, unpin } from '../../electron/snapshots/store.ts';
import { historyOf } from '../../electron/travel/history.ts';
import { keyOf } from '../../electron/travel/own-files.ts';
import { predictedFile } from '../../electron/travel/predict.ts';
import { benchOf } from '../../electron/travel/prepare.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, restoreOf, revertTo, UNREVERT } from './tanstack-travelling.ts';

const at = (n: Neutral, name: string): string => path.join(n.root, name);
const objectFile = (n: Neutral, oid: string): string => path.join(n.gitDir, 'objects', oid.slice(0, 2), oid.slice(2));

/** Two steps: the first changes a, the second b. */
async function twoSteps(): Promise<{ n: Neutral; trees: string[] }> {
  const n = await neutral();
  await writeFiles(n.root, { a: 'a0\n', b: 'b0\n' });
  await n.base();
  const trees = [n.tree];
  await n.user('both');
  for (const name of ['a', 'b']) {
    await writeFile(at(n, name), `${name}1\n`);
    await n.step(`edit ${name}`, [name]);
    trees.push(n.tree);
  }
  return { n, trees };
}

test('a snapshot that is gone takes only its own step’s files out of the plan', async () => {
  const { n, trees } = await twoSteps();
  await unlink(objectFile(n, trees[0] ?? ''));
  const plan = await previewTravel(await n.context(), revertTo(0));
  expect(plan.refusal).toBeNull();
  expect(plan.files.map((file) => file.path)).toEqual(['b']);
  expect(plan.skipped).toEqual([
    {
      path: 'a',
      why: `The snapshot ${trees[0]} is gone from the store: it has expired or was removed. This step's files cannot be shown or go back.`,
    },
  ]);
});

test('a content that is gone, and one that is damaged, are found before anything is written', async () => {
  const { n } = await twoSteps();
  const blob = async (text: string): Promise<string> => {
    const file = path.join(n.folder, 'blob');
    await writeFile(file, text);
    return (await n.git('hash-object', file)).trim();
  };
  const [a, b] = [await blob('a0\n'), await blob('b0\n')];
  const context = await n.context();
  expect((await previewTravel(context, revertTo(0))).files.map((file) => file.path)).toEqual(['a', 'b']);
  await unlink(objectFile(n, a));
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.skipped).toEqual([{ path: 'a', why: 'Its content is gone from the snapshots: it has expired or was removed.' }]);
  expect(plan.files.map((file) => file.path)).toEqual(['b']);
  await chmod(objectFile(n, b), 0o644);
  await writeFile(objectFile(n, b), deflateSync(Buffer.from('blob 3\0no\n')));
  const before = await manifest(n.root);
  await expect(runTravel(context, revertTo(0), DEFAULTS)).rejects.toMatchObject({
    code: 'OBJECT_DAMAGED',
    message: 'The snapshot of b is damaged: its bytes are not what their id says. Nothing was written.',
  });
  expect(await manifest(n.root)).toEqual(before);
});

test('without the store the conversation can go, the files say why not', async () => {
  const { n } = await twoSteps();
  await rename(n.gitDir, `${n.gitDir}.away`);
  const context = await n.context();
  const plan = await previewTravel(context, revertTo(0));
  expect(plan.refusal?.code).toBe('NOTHING_CAN_GO_BACK');
  expect(plan.skipped.map((one) => one.path)).toEqual(['a', 'b']);
  expect((await viewOf(context)).can).toMatchObject({ revert: true });
  await runTravel(context, revertTo(0, 'messages'), DEFAULTS);
  expect((await viewOf(context)).standing?.files).toEqual([]);
});

test('what a shell changed without the store is not taken for nothing', async () => {
  const n = await neutral();
  await writeFiles(n.root, { a: 'a0\n' });
  await n.base();
  await n.user('run it');
  await writeFiles(n.root, { a: 'a1\n' });
  await n.step('make');
  await rename(n.gitDir, `${n.gitDir}.away`);
  const context = await n.context();
  const [files, both] = [await previewTravel(context, revertTo(0, 'files')), await previewTravel(context, revertTo(0))];
  expect([files.files, files.refusal]).toEqual([
    [],
    {
      code: 'NOT_CAPTURED',
      message: expect.stringMatching(/^Step 1 was not captured, so .* The snapshot [0-9a-f]{40} is gone from the store/),
    },
  ]);
  expect(both.refusal).toBeNull();
  expect(both.notes).toContain(`What it changed stays as it is: ${files.refusal?.message}`);
  await rename(`${n.gitDir}.away`, n.gitDir);
  expect((await previewTravel(await n.context(), revertTo(0, 'files'))).files.map((file) => file.path)).toEqual(['a']);
});

test('without the workspace nothing but the conversation can go', async () => {
  const { n } = await twoSteps();
  const first = await n.context();
  await runTravel(first, revertTo(0), DEFAULTS);
  await rename(n.root, `${n.root}.moved`);
  const context = await n.context();
  expect((await previewTravel(context, UNREVERT)).refusal?.code).toBe('NO_WORKSPACE');
  expect((await historyOf(context)).map((entry) => entry.can)).toMatchObject([{ code: 'NO_WORKSPACE' }]);
  expect(await predictedFile(context, 0, 'a')).toBeNull();
  await runTravel(context, { ...UNREVERT, scope: 'messages' }, DEFAULTS);
  expect((await viewOf(context)).standing).toBeNull();
  expect(await readdir(n.folder)).not.toContain('ws');
});

test('a safety snapshot or a record that is gone is said, not passed over', async () => {
  const { n } = await twoSteps();
  const context = await n.context();
  const { entry } = await runTravel(context, revertTo(0), DEFAULTS);
  const bench = await benchOf(context);
  if (bench === null) throw new Error('no bench');
  expect((await pins(bench.safety)).map((pin) => pin.name)).toEqual([entry]);
  await unpin(bench.safety, entry);
  await bench.close();
  expect((await historyOf(context))[0]?.can).toMatchObject({ code: 'SAFETY_GONE' });
  await rm(path.join(bench.safety.gitDir, 'objects'), { recursive: true });
  // The agent's own store still has what stood there.
  expect((await previewTravel(context, restoreOf(entry))).files.map((file) => file.path)).toEqual(['a', 'b']);
  const record = path.join(context.ownData, 'entries', `${entry}.json`);
  await rename(record, `${record}.away`);
  const fresh = { ...context, ownData: context.ownData };
  const history = path.join(context.ownData, 'history', `${keyOf('opencode:session-A')}.json`);
  await writeFile(history, (await readFile(history, 'utf8')).replace(entry, 'zz-00'));
  expect((await historyOf(fresh))[0]?.can).toMatchObject({ code: 'SAFETY_GONE' });
  const plan = await previewTravel(fresh, UNREVERT);
  expect(plan.files).toEqual([]);
  expect(plan.notes).toContain('The record of this revert is gone from the history, so its files cannot come back; the messages can.');
});

test('a history or a journal of another form is refused by its path', async () => {
  const { n } = await twoSteps();
  const context = await n.context();
  const { entry } = await runTravel(context, revertTo(0), DEFAULTS);
  const history = path.join(context.ownData, 'history', `${keyOf('opencode:session-A')}.json`);
  const good = await readFile(history, 'utf8');
  for (const bad of ['{"version":2}', 'no json']) {
    await writeFile(history, bad);
    await expect(historyOf(context)).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE', message: expect.stringContaining(history) });
  }
  await writeFile(history, good);
  const record = await readFile(path.join(context.ownData, 'entries', `${entry}.json`), 'utf8');
  const journal = path.join(context.ownData, 'journal', 'm0-00.json');
  for (const bad of ['{"version":1}', 'no json', record.replace('"version":1', '"version":3')]) {
    await writeFile(journal, bad);
    // The thread can be looked at; nobody knows where that travel was, so nothing is written anywhere.
    const refused = expect.objectContaining({ code: 'HISTORY_UNREADABLE', message: expect.stringContaining(journal) });
    const { messages, can } = await viewOf(context);
    expect([messages.length, can.revert, can.unrevert, can.patch]).toEqual([3, refused, refused, true]);
    expect([(await previewTravel(context, UNREVERT)).refusal, await historyOf(context)]).toEqual([refused, [expect.anything()]]);
    await expect(runTravel(context, UNREVERT, DEFAULTS)).rejects.toMatchObject({ code: 'HISTORY_UNREADABLE' });
  }
});

test('what a revert would leave: merged, kept, a link, nothing', async () => {
  const n = await neutral();
  const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n${last}\n`;
  await writeFiles(n.root, { merged: lines('1', '5'), kept: 'k0\n', script: { content: 's\n', mode: 0o755 }, link: { link: 'kept' } });
  await n.base();
  await n.user('change');
  await writeFiles(n.root, { merged: lines('one', '5'), kept: 'k1\n', script: 's1\n', made: 'm\n' });
  await rm(at(n, 'link'));
  await n.step('change');
  await writeFiles(n.root, { merged: lines('one', 'mine'), kept: 'mine\n' });
  await symlink('made', at(n, 'mine-link'));
  const context = await n.context();
  const told = async (name: string) => {
    const file = await predictedFile(context, 0, name);
    return file && [file.mode, file.bytes.toString()];
  };
  expect(await told('merged')).toEqual(['100644', lines('1', 'mine')]);
  expect(await told('kept')).toEqual(['100644', 'mine\n']);
  expect(await told('script')).toEqual(['100755', 's\n']);
  expect(await told('link')).toEqual(['120000', 'kept']);
  expect(await told('mine-link')).toEqual(['120000', 'made']);
  expect(await told('made')).toBeNull();
  expect(await told('nowhere')).toBeNull();
});

test('files that are too large or too odd to merge are kept, and told apart', async () => {
  const n = await neutral();
  const large = Array.from({ length: 18 }, (_, line) => `line ${line} ${'x'.repeat(1 << 20)}\n`).join('');
  await writeFiles(n.root, { large, binary: Buffer.from([1, 0, 2]) });
  await n.base();
  await n.user('change');
  await writeFiles(n.root, { large: large.replace('line 0', 'agent'), binary: Buffer.from([1, 0, 3]) });
  await n.step('change', ['large', 'binary']);
  await writeFiles(n.root, { large: large.replace('line 0', 'agent').replace('line 17', 'mine'), binary: Buffer.from([9, 0, 3]) });
  const plan = await previewTravel(await n.context(), revertTo(0));
  expect(plan.files.map(({ path: name, choice, why, added, binary }) => ({ name, choice, why, added, binary }))).toEqual([
    {
      name: 'binary',
      choice: 'keep',
      why: 'It was changed since, and it is binary, so the changes cannot be told apart.',
      added: null,
      binary: true,
    },
    {
      name: 'large',
      choice: 'keep',
      why: 'It was changed since, and it is too large to tell the changes apart.',
      added: null,
      binary: false,
    },
  ]);
});
