import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS, SettingsFile } from '../../electron/host/settings.ts';
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
