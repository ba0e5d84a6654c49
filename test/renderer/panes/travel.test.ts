import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { asked, eventually, sharedPanes } from './acts.ts';

const panes = sharedPanes();

const textOf = async (found: Locator): Promise<string> => (await found.textContent()) ?? '';
/** The name of what has the focus, as its label or its words make it. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    return (element?.getAttribute('aria-label') ?? element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  });
/** Lets a travel of a paced scene go to its next part. */
const goOn = (page: Page): Promise<void> => page.evaluate(() => (window as unknown as { goOn(): void }).goOn());
const gate = (page: Page): Locator => page.getByRole('alertdialog');

/** Moves the cursor back by keys and asks to go there. */
async function goBack(page: Page, messages: number): Promise<Locator> {
  await page.keyboard.press('c');
  for (let press = 0; press < messages; press++) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  return gate(page);
}

/** The gate of a revert to message 4. */
async function openGate(page: Page): Promise<Locator> {
  const dialog = await goBack(page, 8);
  await dialog.getByRole('button', { name: /^Revert \d+ files?$/ }).waitFor();
  return dialog;
}

test('the gate says everything, and Cancel has the focus', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openGate(page);
  const words = await textOf(dialog);
  expect(words).toMatch(
    /^Revert to “Now the old form can go, and the tests run.”5 files go back to \d\d:\d\d; 8 messages are hidden; you can undo this\./,
  );
  for (const part of [
    "login-form.tsxIt was changed since; the agent's changes go and the others stay. Your edit is kept in the undo point.",
    'Cannot be undone (3)',
    'npm publish --access public',
    'Left out (2)',
    'HEAD moved since',
  ]) {
    expect(words).toContain(part);
  }
  expect(await focused(page)).toBe('Cancel');
  await page.keyboard.press('Escape');
  await gate(page).waitFor({ state: 'detached' });
  expect(await asked(page, 'travel.run')).toEqual([]);
  await eventually(() => focused(page)).toBe('Time cursor');
  await page.close();
});

test('choices change the count, and go to the engine as they were made', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openGate(page);
  await dialog.getByRole('button', { name: 'Leave this file package.json' }).click();
  await dialog.getByRole('combobox', { name: 'What to do with data/eol.cpp' }).selectOption('overwrite');
  await dialog.getByRole('combobox', { name: /login-form/ }).selectOption('keep');
  await dialog.getByRole('button', { name: 'Revert 4 files' }).click();
  await gate(page).waitFor({ state: 'detached' });
  const [run] = await asked(page, 'travel.run');
  expect(run).toMatchObject({
    kind: 'revert',
    stop: 4,
    scope: 'both',
    drift: 'merge',
    fingerprint: 'f1',
    choices: { 'package.json': 'keep', 'data/eol.cpp': 'overwrite', 'app/src/features/authentication/login-form.tsx': 'keep' },
  });
  await eventually(() => textOf(page.getByRole('region', { name: 'Standing revert' }))).toContain(
    'At message 4 of 12 · 8 messages hidden · 6 files',
  );
  await page.close();
});

test('a file that is absent can be left absent, and a narrow window cuts no choice', async () => {
  const page = await panes.open('theme=light');
  await page.setViewportSize({ width: 640, height: 400 });
  const dialog = await openGate(page);
  await dialog.getByRole('button', { name: 'Leave it absent app/src/legacy/old-login.js' }).click();
  const row = dialog.getByRole('row', { name: /old-login\.js/ });
  await eventually(() => textOf(row)).toMatch(/^Absent.*Left absent/);
  await row.getByRole('button', { name: /^Show result/ }).click();
  await eventually(() => textOf(dialog.getByRole('region', { name: /old-login\.js becomes/ }))).toBe('It stays absent.');
  const cut = await dialog.locator('select').evaluateAll((selects) =>
    selects.flatMap((select) => {
      const shown = select.getBoundingClientRect().width;
      (select as HTMLElement).style.width = 'max-content';
      const needed = select.getBoundingClientRect().width;
      (select as HTMLElement).style.width = '';
      return needed > shown ? [`${select.getAttribute('aria-label')}: ${needed} in ${shown}`] : [];
    }),
  );
  expect(cut).toEqual([]);
  await page.close();
});

test('what lies over the window gives the focus back to what had it, or to the cursor', async () => {
  const page = await panes.open('theme=light');
  const over = page.locator('[role="dialog"], [role="alertdialog"]');
  const thereAndBack = async (key: string, named: RegExp): Promise<void> => {
    await page.keyboard.press(key);
    await over.waitFor();
    await eventually(() => over.evaluate((box) => box.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await over.waitFor({ state: 'detached' });
    await eventually(() => focused(page), key).toMatch(named);
  };
  for (const key of ['h', '?', 'Control+k', 'Control+,', 'e']) {
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await thereAndBack(key, /^Time cursor$/);
    await page.keyboard.press('2');
    await eventually(() => focused(page)).toMatch(/^Turn 2/);
    await thereAndBack(key, /^Turn 2/);
  }
  // The button of a row that only shows while it is pointed at: its row takes the focus.
  const prompt = page.getByRole('article', { name: /^Prompt/ }).last();
  await prompt.hover();
  await prompt.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /^Take back/ }).click();
  await gate(page).getByRole('button', { name: 'Cancel' }).waitFor();
  await page.mouse.move(5, 5);
  await page.keyboard.press('Escape');
  await gate(page).waitFor({ state: 'detached' });
  await eventually(() => page.evaluate(() => document.activeElement?.closest('article')?.getAttribute('aria-label') ?? '')).toMatch(
    /^Prompt/,
  );
  await page.close();
});

test('a bar or a message that goes gives back the focus of its button', async () => {
  const page = await panes.open('theme=light');
  await (await openGate(page)).getByRole('button', { name: 'Revert 5 files' }).click();
  const bar = page.getByRole('region', { name: 'Standing revert' });
  await bar.waitFor();
  await page.keyboard.press('2');
  await eventually(() => focused(page)).toMatch(/^Turn \d/);
  const row = await focused(page);
  await page.getByRole('button', { name: 'Close message' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => focused(page)).toBe(row);
  await page.keyboard.press('l');
  await page.getByRole('button', { name: 'All files' }).focus();
  await page.keyboard.press('Enter');
  await eventually(() => focused(page)).toBe('Time cursor');
  await bar.getByRole('button', { name: 'Unrevert' }).focus();
  await page.keyboard.press('Enter');
  await gate(page)
    .getByRole('button', { name: /^Unrevert/ })
    .click();
  await bar.waitFor({ state: 'detached' });
  await eventually(() => focused(page)).toBe('Time cursor');
  await page.close();
});

test('another scope is another plan', async () => {
  const page = await panes.open('theme=light');
  const dialog = await openGate(page);
  await dialog.getByRole('radio', { name: 'Messages only' }).click();
  await dialog.getByRole('button', { name: 'Hide 8 messages' }).waitFor();
  expect(await textOf(dialog)).toContain('8 messages are hidden; you can undo this.');
  await page.close();
});

test('a plan that went stale is made again, and the dialog says so', async () => {
  const page = await panes.open('theme=light&stale');
  const dialog = await openGate(page);
  const before = (await asked(page, 'travel.preview')).length;
  await dialog.getByRole('button', { name: 'Revert 5 files' }).click();
  await eventually(() => textOf(dialog)).toContain('package.json changed since the preview. This is the new list.');
  await dialog.getByRole('button', { name: 'Revert 5 files' }).click();
  await gate(page).waitFor({ state: 'detached' });
  expect((await asked(page, 'travel.preview')).length).toBe(before + 1);
  await page.close();
});

test('a refusal has its reason and a way out in place of the button', async () => {
  const page = await panes.open('theme=light');
  const dialog = await goBack(page, 11);
  await dialog.getByRole('button', { name: 'Revert only the files' }).waitFor();
  expect(await textOf(dialog)).toContain('The agent cannot hide its first message.');
  expect(await dialog.getByRole('button', { name: /^Revert \d/ }).count()).toBe(0);
  expect(await focused(page)).toBe('Close');
  await page.close();
});

test('while another agent works in the folder it takes a second question to go on', async () => {
  const page = await panes.open('theme=light&busy');
  const dialog = await goBack(page, 8);
  await dialog.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await textOf(dialog)).toContain('An agent works in this folder: the thread “Move the shop” is being written.');
  expect(await dialog.getByRole('button', { name: /^Revert \d/ }).count()).toBe(0);
  await dialog.getByRole('button', { name: 'Go on while it works…' }).click();
  await eventually(() => textOf(dialog)).toContain('What it writes meanwhile stays');
  expect(await textOf(dialog)).toContain('package.json');
  expect(await focused(page)).toBe('Cancel');
  await dialog.getByRole('button', { name: 'Revert 5 files while it works' }).click();
  await gate(page).waitFor({ state: 'detached' });
  expect(await asked(page, 'travel.run')).toMatchObject([{ evenBusy: true }]);
  await page.close();
});

test('a running travel can be cancelled until the first file is written, then says what was left out', async () => {
  const page = await panes.open('theme=light&leftovers&paced');
  const dialog = await openGate(page);
  await dialog.getByRole('button', { name: 'Revert 5 files' }).click();
  await eventually(() => textOf(dialog)).toContain('Keeping a safety snapshot');
  await eventually(() => focused(page)).toBe('Cancel');
  expect(await dialog.getByRole('button', { name: 'Cancel' }).getAttribute('aria-disabled')).toBeNull();
  await goOn(page);
  await eventually(() => textOf(dialog)).toContain('Writing files');
  expect(await dialog.getByRole('button', { name: 'Cancel' }).getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');
  expect(await dialog.count()).toBe(1);
  await goOn(page);
  const report = page.getByRole('dialog', { name: '2 files were left as they are' });
  await report.waitFor();
  expect(await textOf(report)).toContain('config/current');
  await page.keyboard.press('Escape');
  await report.waitFor({ state: 'detached' });
  await eventually(() => textOf(page.locator('.toast'))).toContain('Reverted to message 4. Files restored: 6.Undo');
  await page.close();
});

test('the history goes back through the gate', async () => {
  const page = await panes.open('theme=light&standing');
  await page.keyboard.press('h');
  const panel = page.getByRole('dialog', { name: 'History of travels' });
  await eventually(() => textOf(panel)).toContain('Reverted to message 4');
  const buttons = panel.getByRole('button', { name: 'Go back to before this' });
  expect(await buttons.nth(2).getAttribute('aria-disabled')).toBe('true');
  await buttons.nth(0).click();
  await gate(page).getByRole('button', { name: 'Restore 5 files' }).waitFor();
  expect((await asked(page, 'travel.preview')).at(-1)).toMatchObject({ kind: 'restore', entry: 'e3', scope: 'files' });
  await page.close();
});

test('a patch is saved where it is typed, and one that cannot be made says why', async () => {
  const page = await panes.open('theme=light');
  await page.keyboard.press('e');
  const dialog = page.getByRole('dialog', { name: 'Export patch' });
  await eventually(() => textOf(dialog)).toContain('10 files');
  await dialog.getByRole('textbox').fill('/tmp/turn-2.patch');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  expect(await asked(page, 'patch.save')).toEqual([{ thread: 'tanstack:t1', range: { kind: 'turn', turn: 2 }, path: '/tmp/turn-2.patch' }]);
  await page.getByRole('treeitem', { name: /^Turn 3/ }).click();
  await page.getByRole('treeitem', { name: /^Step 6/ }).click();
  await page.keyboard.press('e');
  await eventually(() => textOf(dialog)).toContain('Tools wrote session.ts, store.ts in this step');
  expect(await dialog.getByRole('button', { name: 'Save' }).getAttribute('aria-disabled')).toBe('true');
  await page.close();
});

test('steps are chosen, extended and left by keys alone', async () => {
  const page = await panes.open('theme=light');
  await page.keyboard.press('2');
  await eventually(() => focused(page)).toMatch(/^Turn 2/);
  await page.keyboard.press('ArrowDown');
  await eventually(() => focused(page)).toMatch(/^Step 4 ?bash/);
  await page.keyboard.press('Shift+ArrowDown');
  await eventually(() => textOf(page.locator('.diff-title'))).toContain('Steps 4 to 5');
  expect(
    await page
      .getByRole('tree', { name: 'Steps' })
      .locator('[aria-selected="true"]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-posinset'))),
  ).toEqual(['1', '2']);
  await page.keyboard.press('k');
  await eventually(() => textOf(page.locator('.diff-title'))).toContain('Step 4');
  await page.keyboard.press('s');
  await eventually(() => textOf(page.locator('.diff-title'))).toContain('Since step 4');
  await page.keyboard.press('ArrowLeft');
  await eventually(() => focused(page)).toMatch(/^Turn 2/);
  await page.keyboard.press('ArrowLeft');
  await eventually(() => page.getByRole('treeitem', { name: /^Step/ }).count()).toBe(0);
  await page.close();
});

test('files are walked, folded and filtered by keys alone', async () => {
  const page = await panes.open('theme=light&standing');
  await page.keyboard.press('3');
  await eventually(() => focused(page)).toMatch(/login-form\.tsx.* modified$/);
  await page.keyboard.press('ArrowDown');
  await eventually(() => focused(page)).toMatch(/session\.ts.* created$/);
  await eventually(() => page.locator('.file-section[data-current]').getAttribute('aria-label')).toBe(
    'app/src/features/authentication/session.ts',
  );
  await page.keyboard.press('ArrowLeft');
  await eventually(() => focused(page)).toBe('features/authentication2 files');
  await page.keyboard.press('ArrowLeft');
  await eventually(() => page.getByRole('treeitem', { name: /session\.ts/ }).count()).toBe(0);
  await page.getByRole('textbox', { name: 'Filter files by path' }).fill('json');
  await eventually(() => page.getByRole('tree', { name: 'Files' }).getByRole('treeitem').count()).toBe(1);
  await page.keyboard.press('ArrowDown');
  await eventually(() => focused(page)).toMatch(/package\.json.* modified$/);
  await page.close();
});

test.each(['light', 'dark'])(
  'no fault of accessibility in any state (%s)',
  async (theme) => {
    const found: string[] = [];
    const check = async (page: Page, state: string, part = 'body'): Promise<void> => {
      const { violations } = await new AxeBuilder({ page }).include(part).analyze();
      for (const { id, nodes } of violations) found.push(`${state}: ${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
    };
    const page = await panes.open(`theme=${theme}&leftovers&paced`);
    await check(page, 'binary and words', '.thread-columns');
    await page.getByRole('treeitem', { name: /^Turn 1/ }).click();
    await page.locator('.file-text[data-ready]').first().waitFor();
    await check(page, 'diff', '.thread-columns');
    const dialog = await openGate(page);
    await check(page, 'gate', '[role="alertdialog"]');
    await dialog.getByRole('button', { name: 'Revert 5 files' }).click();
    await eventually(() => textOf(dialog)).toContain('Keeping a safety snapshot');
    await check(page, 'running', '[role="alertdialog"]');
    await goOn(page);
    await eventually(() => textOf(dialog)).toContain('Writing files');
    await goOn(page);
    await page.getByRole('dialog').waitFor({ timeout: 30_000 });
    await check(page, 'report', '[role="dialog"]');
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Standing revert' }).waitFor();
    await check(page, 'standing');
    await page.keyboard.press('h');
    await page.locator('.history-list').waitFor();
    await check(page, 'history', '[role="dialog"]');
    await page.keyboard.press('Escape');
    await page.keyboard.press('e');
    await page.locator('.patch-path').waitFor();
    await check(page, 'patch', '[role="dialog"]');
    await page.close();
    expect(found).toEqual([]);
  },
  240_000,
);

test('nothing broke the policy of the page or threw', () => {
  expect(panes.faults).toEqual([]);
});
