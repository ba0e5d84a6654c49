import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../scenarios/run-cli.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, tempFolder, writeFiles } from '../scenarios/temp.ts';
import { browserHost } from './browser-host.ts';
import { look } from './look.ts';
import { ACT, hasFocus, listen, pressFor, said as wasSaid } from './patience.ts';

const gate = (page: Page): Locator => page.getByRole('alertdialog');

const text = (other: Readonly<Record<number, string>>): string =>
  Array.from({ length: 40 }, (_, at) => `${other[at + 1] ?? `const line${at + 1} = ${at + 1};`}\n`).join('');

/** Waits for the word on what was done; only then is the dialog out of the way. */
async function said(page: Page, words: string): Promise<void> {
  await wasSaid(page, words);
  await gate(page).waitFor({ state: 'detached' });
}

/** What the gate shows of the file as it would be: only lines that differ. */
const differing = (page: Page): Promise<string[]> =>
  gate(page)
    .locator('.gate-lines li:is([data-kind="added"], [data-kind="removed"])')
    .evaluateAll((lines) =>
      lines.map((line) => `${line.querySelector('span')?.textContent}${line.querySelector('code')?.lastChild?.textContent}`),
    );

test('one change and one file are brought back through the gate, by pointer and by key, and undone', { timeout: 480_000 }, async () => {
  const t = await tanstackScenario(await tempFolder());
  const agents = { 3: 'const three = "agent";', 30: 'const thirty = "agent";' };
  await writeFiles(t.root, { 'src/counter.ts': text({}) });
  await t.turn('Rename two lines', [{ tool: 'bash', edit: (root) => writeFiles(root, { 'src/counter.ts': text(agents) }) }]);
  const file = path.join(t.root, 'src/counter.ts');
  await writeFile(file, text({ ...agents, 15: 'const mine = true;' }));
  await runCli(['show', t.log], t.env);
  const host = await browserHost(t.folder);
  onTestFinished(() => host.close());
  const { page } = host;
  page.setDefaultTimeout(ACT);
  await listen(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  const before = await manifest(t.root, { mtimes: true });
  await page.getByText('Rename two lines').first().click();
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await page
    .getByRole('tree', { name: 'Steps' })
    .getByRole('treeitem', { name: /Rename two lines/ })
    .click();
  await page
    .getByRole('tree', { name: 'Files' })
    .getByRole('treeitem', { name: /counter\.ts/ })
    .click();
  const article = page.getByRole('article', { name: 'src/counter.ts' });
  const second = article.getByRole('button', { name: 'Bring back change 2 of 2 in src/counter.ts…' });
  await second.waitFor({ state: 'attached' });

  // By pointer: the second change, with what the user wrote since left alone.
  await article.locator('.file-text').hover();
  await look(host, 'bring-back-hunk');
  await second.click();
  await gate(page).getByRole('heading', { name: 'Bring back a change of src/counter.ts from step 1' }).waitFor();
  await gate(page).getByText('It was changed since; this change goes, and the rest stays.').waitFor();
  await expect.poll(() => differing(page)).toEqual(['−const thirty = "agent";', '+const line30 = 30;']);
  await hasFocus(gate(page).getByRole('button', { name: 'Cancel' }));
  await look(host, 'bring-back-gate-hunk');
  await gate(page).getByRole('combobox').selectOption('Keep mine: leave it');
  await gate(page).getByText('It stays as it is now.').waitFor();
  expect(await gate(page).getByRole('button', { name: 'Bring back nothing' }).getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('Escape');
  await gate(page).waitFor({ state: 'detached' });
  expect(await manifest(t.root, { mtimes: true })).toEqual(before);

  // By key: to the last change, and it. The list is read again after the gate, so a key may come too early.
  await page.keyboard.press('4');
  const walked = page.locator('.diff-pane [role="status"]');
  const walk = async (): Promise<string | undefined> => {
    await page.keyboard.press('.');
    return (await walked.allTextContents()).find((words) => words.startsWith('Change '));
  };
  await expect.poll(walk, { timeout: ACT, interval: 400 }).toBe('Change 2 of 2, src/counter.ts');
  await pressFor(page, 'Shift+b', gate(page));
  await gate(page).getByRole('button', { name: 'Bring back 1 file' }).click();
  await said(page, 'Brought back lines 27–33 of src/counter.ts from step 1.');
  expect(await readFile(file, 'utf8')).toBe(text({ 3: agents[3], 15: 'const mine = true;' }));
  await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click();
  await gate(page).getByRole('button', { name: 'Restore 1 file' }).click();
  await said(page, 'Brought the files back as they were before lines 27–33 of src/counter.ts from step 1 was brought back.');
  expect(await readFile(file, 'utf8')).toBe(text({ ...agents, 15: 'const mine = true;' }));

  // The whole file, as it was: the user's line is kept where that is chosen, and lost where overwriting is.
  await pressFor(page, 'b', gate(page));
  await gate(page).getByRole('heading', { name: 'Bring back src/counter.ts from step 1' }).waitFor();
  await gate(page).getByRole('radio', { name: 'As before the step' }).click();
  await expect
    .poll(() => differing(page))
    .toEqual(['−const three = "agent";', '+const line3 = 3;', '−const thirty = "agent";', '+const line30 = 30;']);
  await look(host, 'bring-back-gate-file');
  await gate(page).getByRole('combobox').selectOption('Overwrite my edit');
  await expect.poll(() => differing(page).then((lines) => lines.slice(2, 4))).toEqual(['−const mine = true;', '+const line15 = 15;']);
  await gate(page).getByRole('button', { name: 'Bring back 1 file' }).click();
  await said(page, 'Brought back src/counter.ts as it was before step 1.');
  expect(await readFile(file, 'utf8')).toBe(text({}));
  await page.keyboard.press('h');
  const history = page.getByRole('dialog', { name: 'History of travels' });
  await history.getByText('Brought back src/counter.ts as it was before step 1').waitFor();
  await look(host, 'bring-back-history');
  expect(host.problems()).toEqual([]);
});
