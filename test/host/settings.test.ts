import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkGitPath } from '../../electron/host/git-path.ts';
import { SettingsFile } from '../../electron/host/settings.ts';
import { checkSettings } from '../../electron/host/settings-check.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { findGitProgram } from '../../electron/snapshots/git-program.ts';
import type { Input } from '../../shared/contract.ts';
import { DEFAULT_SETTINGS } from '../../shared/default-settings.ts';
import { reason, TurnbackError } from '../../shared/errors.ts';
import { tempFolder } from '../scenarios/temp.ts';

test('without a file the defaults hold, and looking writes nothing', async () => {
  const folder = await tempFolder();
  expect(await new SettingsFile(path.join(folder, 'own')).get()).toEqual(DEFAULT_SETTINGS);
  expect(await readdir(folder)).toEqual([]);
});

test('a change is kept for the next process, in a file that only the user may read', async () => {
  const folder = path.join(await tempFolder(), 'own');
  const changed = await new SettingsFile(folder).set({ theme: 'dark', wrap: undefined });
  expect(changed).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark' });
  expect(await new SettingsFile(folder).get()).toEqual(changed);
  expect(await readdir(folder)).toEqual(['settings.json']);
  expect((await stat(path.join(folder, 'settings.json'))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('changes made at once are all kept', async () => {
  const folder = await tempFolder();
  const settings = new SettingsFile(folder);
  await Promise.all([settings.set({ theme: 'light' }), settings.set({ diffLayout: 'inline' }), settings.set({ wrap: true })]);
  expect(await new SettingsFile(folder).get()).toEqual({ ...DEFAULT_SETTINGS, theme: 'light', diffLayout: 'inline', wrap: true });
});

test('recent paths stand once each, twenty at most', async () => {
  const folder = await tempFolder();
  const many = Array.from({ length: 30 }, (_, index) => `/p${index}`);
  const { recent } = await new SettingsFile(folder).set({ recent: ['/a', '/a', ...many] });
  expect(recent).toEqual(['/a', ...many.slice(0, 19)]);
});

test.each(['{', '[]', '{"version":1,"theme":"pink"}', 'null', '{"version":"1"}'])(
  'a damaged file (%s) is put aside, not lost',
  async (text) => {
    const folder = await tempFolder();
    await writeFile(path.join(folder, 'settings.json'), text);
    const settings = new SettingsFile(folder);
    expect(await settings.get()).toEqual(DEFAULT_SETTINGS);
    expect(await readFile(path.join(folder, 'settings.json'), 'utf8')).toBe(text);
    await settings.set({ theme: 'dark' });
    await settings.set({ wrap: true });
    const names = (await readdir(folder)).sort();
    expect(names).toHaveLength(2);
    expect(await readFile(path.join(folder, names[1] ?? ''), 'utf8')).toBe(text);
    expect(await new SettingsFile(folder).get()).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark', wrap: true });
  },
);

test('settings of a newer Turnback are left as they are; changes last for this process', async () => {
  const folder = await tempFolder();
  const text = '{"version":2,"palette":"sea"}';
  await writeFile(path.join(folder, 'settings.json'), text);
  const settings = new SettingsFile(folder);
  await settings.set({ theme: 'dark' });
  expect((await settings.set({ wrap: true })).theme).toBe('dark');
  expect(await readFile(path.join(folder, 'settings.json'), 'utf8')).toBe(text);
});

test('a setting that an older file does not name has its default; what it names stays', async () => {
  const folder = await tempFolder();
  const { retention: _retention, keys: _keys, ...older } = { ...DEFAULT_SETTINGS, wrap: true, recent: ['/a'] };
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify(older));
  const settings = new SettingsFile(folder);
  expect(await settings.get()).toEqual({ ...DEFAULT_SETTINGS, wrap: true, recent: ['/a'] });
  expect(await settings.notice()).toBeNull();
});

test('the user is told why the defaults hold', async () => {
  const folder = await tempFolder();
  const file = path.join(folder, 'settings.json');
  expect(await new SettingsFile(folder).notice()).toBeNull();
  await writeFile(file, '{"version":1,"theme":"pink"}');
  expect(await new SettingsFile(folder).notice()).toEqual(
    reason('SETTINGS_DAMAGED', { path: file, cause: 'theme: Invalid option: expected one of "system"|"light"|"dark"|"contrast"' }),
  );
  await writeFile(file, '{"version":2}');
  expect((await new SettingsFile(folder).notice())?.code).toBe('SETTINGS_NEWER');
});

describe('what the engine could not work with is refused', () => {
  const refusal = async (change: Input<'settings.set'>): Promise<string> => {
    const thrown: unknown = await checkSettings(change).catch((error: unknown) => error);
    return thrown instanceof TurnbackError ? `${thrown.code} ${thrown.message}` : 'accepted';
  };

  test('keys and folders', async () => {
    expect(await refusal({ keys: { undo: ['mod+alt+u', '+', 'f5'] }, folders: ['/a'] })).toBe('accepted');
    expect(await refusal({ keys: { undo: ['shift+mod+u'] } })).toMatch(/^SETTING_REFUSED .*keys of undo.*This is no key/);
    expect(await refusal({ keys: { undo: ['escape'] } })).toMatch(/^SETTING_REFUSED/);
    expect(await refusal({ keys: { undo: ['mod+c'] } })).toMatch(/^SETTING_REFUSED/);
    expect(await refusal({ folders: ['a/b'] })).toMatch(/a\/b is not a full path/);
  });

  test('a git that is none', async () => {
    const folder = await tempFolder();
    const old = path.join(folder, 'old-git');
    await writeFile(old, '#!/bin/sh\necho git version 2.1.0\n', { mode: 0o755 });
    const no = path.join(folder, 'no-git');
    await writeFile(no, '#!/bin/sh\necho hello\n', { mode: 0o755 });
    const text = path.join(folder, 'text');
    await writeFile(text, '', { mode: 0o644 });
    expect(await refusal({ gitPath: 'git' })).toMatch(/^GIT_PATH_REFUSED .*not a full path/);
    expect(await refusal({ gitPath: path.join(folder, 'none') })).toMatch(/there is nothing there/);
    expect(await refusal({ gitPath: folder })).toMatch(/it is not a file/);
    expect(await refusal({ gitPath: text })).toMatch(/it may not be run/);
    expect(await refusal({ gitPath: old })).toMatch(/git 2\.1\.0 is older than 2\.26/);
    expect(await refusal({ gitPath: no })).toMatch(/GIT_PATH_REFUSED/);
    const git = findGitProgram(process.env) ?? '';
    expect(await refusal({ gitPath: git })).toBe('accepted');
    expect(await checkGitPath(git)).toMatch(/^2\.\d+/);
  });
});

test('the git that was chosen is the one that runs, from the next run on', async () => {
  const folder = await tempFolder();
  const mine = path.join(folder, 'my git');
  await writeFile(mine, '#!/bin/sh\necho git version 9.8.7\n', { mode: 0o755 });
  let chosen: string | null = null;
  const git = createGit({ chosen: () => chosen });
  const before = (await git.version()).text;
  chosen = mine;
  expect((await git.version()).text).toBe('9.8.7');
  chosen = path.join(folder, 'gone');
  await expect(git.version()).rejects.toMatchObject({ code: 'NO_GIT' });
  chosen = null;
  expect((await git.version()).text).toBe(before);
});
