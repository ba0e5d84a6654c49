import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asked, eventually, sharedPanes, violations } from './acts.ts';

const panes = sharedPanes();

const textOf = async (found: Locator): Promise<string> => ((await found.textContent()) ?? '').replace(/\s+/g, ' ');
const settings = (page: Page): Locator => page.getByRole('dialog', { name: 'Settings' });

async function openSettings(page: Page, pageName: string): Promise<Locator> {
  await page.keyboard.press('Control+,');
  const dialog = settings(page);
  await dialog.waitFor();
  await dialog.getByRole('tab', { name: pageName }).click();
  return dialog;
}

/** Set SHOTS to a folder to look at what the tests see. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

test('every page, in each theme and at both sizes, is free of faults and fits', async () => {
  for (const [theme, size] of [
    ['light', { width: 1280, height: 800 }],
    ['dark', { width: 800, height: 600 }],
    ['contrast', { width: 800, height: 600 }],
  ] as const) {
    const page = await panes.open(`theme=${theme}`, size);
    for (const name of ['Look', 'Keys', 'Safety snapshots', 'Folders and git']) {
      const dialog = await openSettings(page, name);
      await dialog.getByRole('tabpanel').getByRole('heading').first().waitFor();
      await shoot(page, `settings-${theme}-${name.split(' ')[0]?.toLowerCase()}`);
      expect(await violations(page), `${theme} ${name}`).toEqual([]);
      const box = await dialog.boundingBox();
      expect(box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }
    await page.close();
  }
});

test('the theme changes at once, and is kept', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openSettings(page, 'Look');
  const ground = (): Promise<string> => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--border'));
  const before = await ground();
  await dialog.getByRole('radio', { name: 'High contrast' }).click();
  await eventually(ground).not.toBe(before);
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('contrast');
  expect(await asked(page, 'settings.set')).toEqual([{ theme: 'contrast' }]);
  await page.close();
});

test('a key is recorded, told whose it is, taken, and runs its command; reset gives it back', async () => {
  const page = await panes.open('theme=dark');
  let dialog = await openSettings(page, 'Keys');
  await dialog.getByRole('textbox', { name: 'Find a command or a key' }).fill('history of');
  const row = dialog.getByRole('listitem').filter({ hasText: 'History of travels' });
  await row.getByRole('button', { name: 'Add key: History of travels' }).click();
  await page.keyboard.press('Control+c');
  expect(await textOf(row.getByRole('status'))).toMatch(/copies, cuts, pastes/);
  // It is off, and says why; a click all the same does nothing.
  await row.getByRole('button', { name: 'Use it' }).click({ force: true });
  expect(await asked(page, 'settings.set')).toEqual([]);
  await row.getByRole('button', { name: /^New key for/ }).focus();
  await page.keyboard.press('e');
  expect(await textOf(row.getByRole('status'))).toBe('E runs “Export the patch of what is shown” now, which would lose it.');
  await shoot(page, 'settings-dark-conflict');
  expect(await violations(page)).toEqual([]);
  await row.getByRole('button', { name: 'Take it' }).click();
  expect(await asked(page, 'settings.set')).toEqual([{ keys: { history: ['h', 'e'] } }]);
  await row.getByRole('button', { name: 'Remove H from: History of travels' }).click();
  expect((await asked(page, 'settings.set')).at(-1)).toEqual({ keys: { history: ['e'] } });
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.keyboard.press('h');
  await page.keyboard.press('e');
  await page.getByRole('dialog', { name: 'History of travels' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const help = await textOf(page.getByRole('dialog', { name: 'Keys' }));
  expect(help).toMatch(/History of travelsE/);
  expect(help).not.toContain('Export the patch of what is shown');
  await page.getByRole('button', { name: 'Change keys…' }).click();
  dialog = settings(page);
  await dialog.getByRole('button', { name: 'Reset: History of travels' }).click();
  expect((await asked(page, 'settings.set')).at(-1)).toEqual({ keys: {} });
  await page.close();
});

test('Escape ends the recording and not the dialog; without a key nothing can be used', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openSettings(page, 'Keys');
  await dialog.getByRole('button', { name: 'Add key: Unrevert' }).click();
  await page.keyboard.press('Escape');
  await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')).toBe('Add key: Unrevert');
  expect(await dialog.isVisible()).toBe(true);
  expect(await asked(page, 'settings.set')).toEqual([]);
  await page.close();
});

test('limits: what would go is shown, a number that is none changes nothing, and a clean-up says what it did', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openSettings(page, 'Safety snapshots');
  await dialog.getByRole('list', { name: 'What goes' }).waitFor();
  const words = await textOf(dialog);
  expect(words).toContain('5 snapshots in 2 workspaces, 3.5 MB');
  expect(words).toMatch(/2 snapshots go, about 1\.2 MB\. These travels cannot be undone after that/);
  const days = dialog.getByRole('textbox', { name: 'By age: days' });
  await days.fill('0');
  expect(await textOf(dialog)).toContain('A whole number from 1 to 36,500. The limit stays at 90.');
  await days.press('Enter');
  expect(await asked(page, 'settings.set')).toEqual([]);
  await days.fill('30');
  await days.press('Enter');
  await dialog.getByRole('checkbox', { name: 'By count' }).click();
  await eventually(() => asked(page, 'settings.set')).toEqual([
    { retention: { days: 30, entries: 200, bytes: 5_000_000_000 } },
    { retention: { days: 30, entries: null, bytes: 5_000_000_000 } },
  ]);
  await dialog.getByText('Nothing is over the limits.').waitFor();
  await dialog.getByRole('button', { name: 'Clean up now' }).click();
  await page.getByText('2 snapshots cleaned up, 1.2 MB freed.').first().waitFor();
  await page.close();
});

test('a git is checked before it is used; a folder is added and removed', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openSettings(page, 'Folders and git');
  const field = dialog.getByRole('textbox', { name: 'Path of git' });
  await field.fill('git');
  expect(await textOf(dialog)).toContain('Check it first.');
  await dialog.getByRole('button', { name: 'Use it' }).click({ force: true });
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText(/^git is not used as git\. Cause: it is not a full path/).waitFor();
  await field.fill('/opt/git');
  await dialog.getByRole('button', { name: 'Check' }).click();
  await dialog.getByText('This is git 2.50.1.').waitFor();
  await dialog.getByRole('button', { name: 'Use it' }).click();
  await dialog.getByRole('textbox', { name: 'Folder to add' }).fill('/srv/agents');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Remove /srv/agents' }).click();
  expect(await asked(page, 'settings.set')).toEqual([{ gitPath: '/opt/git' }, { folders: ['/srv/agents'] }, { folders: [] }]);
  await page.close();
});

test('forgetting a thread says what is lost, has the focus on Cancel, and asks in words while a revert stands', async () => {
  const page = await panes.open('theme=light&standing');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Command or thread' }).fill('forget this');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog');
  await dialog.getByText('3 travels of the history').waitFor();
  await eventually(() => page.evaluate(() => document.activeElement?.textContent ?? '')).toBe('Cancel');
  await shoot(page, 'forget');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Forget it' }).click({ force: true });
  expect(await asked(page, 'forget.run')).toEqual([]);
  await dialog.getByRole('checkbox', { name: 'The revert shall stay for good' }).click();
  await dialog.getByRole('button', { name: 'Forget it' }).click();
  await eventually(() => asked(page, 'forget.run')).toEqual([{ thread: 'tanstack:t1', evenStanding: true }]);
  await dialog.waitFor({ state: 'detached' });
  await page.close();
});

test('a patch leaves out files with secrets until they are ticked', async () => {
  const page = await panes.open('theme=light&secrets');
  await page.locator('.file-section').first().waitFor();
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Export patch' });
  await dialog.getByRole('group', { name: 'Secrets' }).waitFor();
  await shoot(page, 'patch-secrets');
  expect(await textOf(dialog)).toContain('2 files with what looks like a secret stay out; the rest of the patch applies without them.');
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('checkbox').first().click();
  await eventually(() => textOf(dialog)).toContain('1 file with what looks like a secret stays out');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(() => asked(page, 'patch.save')).toHaveLength(1);
  const [saved] = await asked(page, 'patch.save');
  expect(saved?.['secrets']).toMatchObject({ all: false, include: [expect.any(String)] });
  await page.close();
});

test('nothing was logged as an error', () => expect(panes.faults).toEqual([]));
