import { describe, expect, test } from 'vitest';
import { contentFor, pick, settleGroups } from '../../electron/travel/choose.ts';
import { ABSENT } from '../../electron/travel/content.ts';
import type { DraftFile } from '../../electron/travel/draft.ts';
import type { Choice, DriftPolicy } from '../../shared/plan.ts';
import { draftFile, drifted, file } from './drafts.ts';

const nothing = async (): Promise<string[]> => [];
const on =
  (...names: string[]) =>
  async (): Promise<string[]> =>
    names;

async function picked(files: DraftFile[], drift: DriftPolicy, choices: Record<string, Choice> = {}, filesIn = nothing): Promise<string[]> {
  return (await pick(files, { drift, choices }, filesIn)).map(({ file: one, choice, why }) => `${one.path} ${choice}: ${why}`);
}

describe('what a choice puts at the path', () => {
  test('keep: what is there; merge: the merge, where there is one; else the exact state', () => {
    const one = drifted('a');
    expect([contentFor(one, 'keep'), contentFor(one, 'merge'), contentFor(one, 'overwrite'), contentFor(one, 'write')]).toEqual([
      file('b'),
      file('m'),
      file('a'),
      file('a'),
    ]);
    expect(contentFor(drifted('a', { merged: null }), 'merge')).toEqual(file('a'));
  });
});

describe('policies', () => {
  const files = (): DraftFile[] => [
    draftFile('plain'),
    drifted('edited'),
    drifted('clash', { choice: 'keep', choices: ['keep', 'overwrite'] }),
  ];

  test.each<[DriftPolicy, string[]]>([
    ['merge', ['plain write: null', 'edited merge: It drifted.', 'clash keep: It drifted.']],
    ['keep', ['plain write: null', 'edited keep: It drifted.', 'clash keep: It drifted.']],
    ['overwrite', ['plain write: null', 'edited overwrite: It drifted.', 'clash overwrite: It drifted.']],
  ])('%s', async (policy, expected) => {
    expect(await picked(files(), policy)).toEqual(expected);
  });

  test('overwrite keeps what can only be kept', async () => {
    expect(await picked([drifted('stuck', { choice: 'keep', choices: ['keep'] })], 'overwrite')).toEqual(['stuck keep: It drifted.']);
  });

  test('fail names the drifted paths, three at most, and lets those pass that were chosen for', async () => {
    await expect(picked(files(), 'fail')).rejects.toMatchObject({ code: 'DRIFTED', message: expect.stringContaining('edited, clash') });
    await expect(
      picked(
        ['a', 'b', 'c'].map((name) => drifted(name)),
        'fail',
      ),
    ).rejects.toMatchObject({ message: expect.stringMatching(/a, b, c(?!, …)/) });
    await expect(
      picked(
        ['a', 'b', 'c', 'd'].map((name) => drifted(name)),
        'fail',
      ),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/\b4\b.*a, b, c, …/),
    });
    await expect(picked(files(), 'fail', { edited: 'keep' })).rejects.toMatchObject({ message: expect.stringMatching(/\b1\b.*clash/) });
    expect(await picked(files(), 'fail', { edited: 'overwrite', clash: 'keep' })).toEqual([
      'plain write: null',
      'edited overwrite: It drifted.',
      'clash keep: It drifted.',
    ]);
    expect(await picked([draftFile('plain')], 'fail')).toEqual(['plain write: null']);
  });

  test('a choice outranks the policy, and write and overwrite mean the same', async () => {
    const choices = { plain: 'overwrite', edited: 'write', clash: 'write' } as const;
    expect(await picked(files(), 'keep', choices)).toEqual([
      'plain write: null',
      'edited overwrite: It drifted.',
      'clash overwrite: It drifted.',
    ]);
    expect(await picked(files(), 'merge', { plain: 'keep' })).toContain('plain keep: null');
    expect(await picked(files(), 'keep', { edited: 'merge' })).toContain('edited merge: It drifted.');
  });

  test('what was not offered is refused by name', async () => {
    await expect(picked(files(), 'merge', { clash: 'merge' })).rejects.toMatchObject({
      code: 'CHOICE_IMPOSSIBLE',
      message: 'clash cannot be merged. Look at the preview for what is possible.',
    });
    await expect(picked([drifted('stuck', { choices: ['keep'] })], 'merge', { stuck: 'overwrite' })).rejects.toMatchObject({
      message: 'stuck cannot be written. Look at the preview for what is possible.',
    });
    await expect(picked([draftFile('plain', { choices: ['keep'], choice: 'keep' })], 'merge', { plain: 'write' })).rejects.toMatchObject({
      code: 'CHOICE_IMPOSSIBLE',
    });
  });

  test('the name of an object’s own property is no choice', async () => {
    expect(await picked([draftFile('constructor'), draftFile('__proto__')], 'merge')).toEqual([
      'constructor write: null',
      '__proto__ write: null',
    ]);
  });
});

describe('files and folders that want one place', () => {
  const folderAt = (path: string, more: Partial<DraftFile> = {}): DraftFile =>
    draftFile(path, { disk: ABSENT, state: { kind: 'folder' }, ...more });
  const gone = (path: string, more: Partial<DraftFile> = {}): DraftFile => draftFile(path, { target: ABSENT, merged: ABSENT, ...more });

  test('a file of yours in the folder: for good, nothing can be chosen', async () => {
    const files = [folderAt('conf'), gone('conf/a.ini'), draftFile('else')];
    await settleGroups(files, on('conf/a.ini', 'conf/mine.ini'));
    const why = 'The folder conf holds a file of yours (conf/mine.ini), so no file can take its place.';
    expect(files.map(({ path, drift, choice, choices, why: said }) => ({ path, drift, choice, choices, said }))).toEqual([
      { path: 'conf', drift: true, choice: 'keep', choices: ['keep'], said: why },
      { path: 'conf/a.ini', drift: true, choice: 'keep', choices: ['keep'], said: why },
      { path: 'else', drift: false, choice: 'write', choices: ['write', 'keep'], said: null },
    ]);
  });

  test('nothing of yours in it: both go, and nothing is said', async () => {
    const files = [folderAt('conf'), gone('conf/a.ini')];
    await settleGroups(files, on('conf/a.ini'));
    expect(files.map(({ drift, choice, why }) => [drift, choice, why])).toEqual([
      [false, 'write', null],
      [false, 'write', null],
    ]);
  });

  test('a drifted file in it: both are preselected to stay, and can both be chosen', async () => {
    const files = [folderAt('conf'), gone('conf/a.ini', { drift: true, choice: 'keep', choices: ['keep', 'overwrite'], why: 'Edited.' })];
    await settleGroups(files, on('conf/a.ini'));
    const why = 'The folder conf holds a file that stays (conf/a.ini), so no file can take its place.';
    expect(files.map(({ path, drift, choice, choices, why: said }) => ({ path, drift, choice, choices, said }))).toEqual([
      { path: 'conf', drift: true, choice: 'keep', choices: ['keep', 'overwrite'], said: why },
      { path: 'conf/a.ini', drift: true, choice: 'keep', choices: ['keep', 'overwrite'], said: 'Edited.' },
    ]);
    expect(await picked(files, 'merge', { conf: 'write', 'conf/a.ini': 'overwrite' }, on('conf/a.ini'))).toEqual([
      `conf overwrite: ${why}`,
      'conf/a.ini overwrite: Edited.',
    ]);
    // Half of it is not done.
    expect(await picked(files, 'merge', { conf: 'write' }, on('conf/a.ini'))).toEqual([`conf keep: ${why}`, 'conf/a.ini keep: Edited.']);
  });

  test('a file that stays where a folder is needed', async () => {
    const files = [
      gone('tools', { drift: true, choice: 'keep', choices: ['keep', 'overwrite'], why: 'Edited.' }),
      draftFile('tools/run', { disk: ABSENT }),
    ];
    await settleGroups(files, nothing);
    expect(files.map(({ path, choice, choices, why }) => ({ path, choice, choices, why }))).toEqual([
      { path: 'tools', choice: 'keep', choices: ['keep', 'overwrite'], why: 'Edited.' },
      {
        path: 'tools/run',
        choice: 'keep',
        choices: ['keep', 'overwrite'],
        why: 'A file stands at tools, where a folder is needed, so neither is touched.',
      },
    ]);
  });

  test('a file that you deleted and that stays deleted is in nobody’s way', async () => {
    const files = [
      gone('tools', { disk: ABSENT, drift: true, choice: 'keep', choices: ['keep', 'overwrite'], why: 'It was deleted since.' }),
      draftFile('tools/run', { disk: ABSENT }),
    ];
    await settleGroups(files, nothing);
    expect(files.map(({ path, choice }) => `${path} ${choice}`)).toEqual(['tools keep', 'tools/run write']);
  });
});
