import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, eventually, sharedPanes } from './acts.ts';

const panes = sharedPanes();

interface Stores {
  changesStore: { getState(): { file: string | null } };
}

/** Text as people read it: an editor draws spaces that do not break. */
const textOf = async (found: Locator): Promise<string> => ((await found.textContent()) ?? '').replace(/\u00a0/g, ' ');

const section = (page: Page, path: string) => page.locator(`.file-section[aria-label="${path}"]`);
const current = (page: Page): Promise<string | null> =>
  page.evaluate(() => (window as unknown as { stores: Stores }).stores.changesStore.getState().file);
const editors = (page: Page): Promise<number> => page.evaluate(() => document.querySelectorAll('.editor-slot').length);

test('a text is compared with its unchanged lines folded away, and its header stays while it scrolls', async () => {
  const page = await panes.open('theme=light&standing');
  const form = section(page, 'app/src/features/authentication/login-form.tsx');
  await form.locator('.file-text[data-ready]').waitFor();
  await eventually(() => form.getByText('hidden lines').count()).toBeGreaterThan(0);
  await page.locator('.multi-diff').evaluate((element) => element.scrollBy(0, 150));
  const [pane, header] = await Promise.all([page.locator('.multi-diff').boundingBox(), form.locator('.file-header').boundingBox()]);
  expect(Math.round((header?.y ?? 0) - (pane?.y ?? 0))).toBe(0);
  await page.close();
});

test('what is no text is told in words', async () => {
  const page = await panes.open('theme=dark');
  await choose(page, 'assets/logo.png');
  await eventually(() => textOf(section(page, 'assets/logo.png'))).toMatch(/Binary file, 14 KB → 19 KB[\s\S]*0000 89 50 4e 47/);
  await eventually(() => textOf(section(page, 'bin/run.sh'))).toContain('Now executable.');
  await eventually(() => textOf(section(page, 'config/current'))).toContain('Link to staging.json, now link to production.json.');
  await choose(page, 'data/kind');
  await eventually(() => textOf(section(page, 'data/kind'))).toContain('Was a file, now a link to ../elsewhere.');
  await eventually(() => textOf(section(page, 'data/eol-only.csv'))).toContain('Only the line endings differ; every line reads the same.');
  await page.close();
});

test.each([
  ['app/src/features/authentication/session.ts', 'added', 12],
  ['app/src/legacy/old-login.js', 'removed', 31],
])('every line of a file that only one side has is drawn as %s %s, and no line more', async (path, side, lines) => {
  const page = await panes.open('theme=light&standing');
  await choose(page, path);
  const shown = section(page, path);
  await shown.locator('.file-text[data-ready]').waitFor();
  await eventually(() => shown.locator(`.line-${side}`).count()).toBe(lines);
  expect(await shown.locator('.view-line').count()).toBe(lines);
  expect(await shown.locator(`.sign-${side}`).count()).toBe(lines);
  const colours = await shown
    .locator(`.line-${side}, .gutter-${side}`)
    .evaluateAll((found) => [...new Set(found.map((one) => getComputedStyle(one).backgroundColor))]);
  expect(colours).toEqual([side === 'added' ? 'rgba(32, 197, 95, 0.11)' : 'rgba(197, 32, 49, 0.11)']);
  await page.close();
});

test('changed line ends are set apart from changed lines', async () => {
  const page = await panes.open('theme=light');
  await choose(page, 'data/eol.cpp');
  await eventually(() => textOf(section(page, 'data/eol.cpp').locator('.file-header'))).toMatch(/Line endings changed, 1 line changed/);
  await page.close();
});

test('a huge file is shown when it is asked for, and the wait can be left', async () => {
  const page = await panes.open('theme=light&hold');
  await choose(page, 'data/min.js');
  const min = section(page, 'data/min.js');
  await min.getByRole('button', { name: 'Load anyway' }).click();
  await min.getByRole('button', { name: 'Cancel loading' }).click();
  expect(await textOf(min)).toContain('5.6 MB: more than is shown at once.');
  await min.getByRole('button', { name: 'Load anyway' }).click();
  await min.getByRole('button', { name: 'Cancel loading' }).waitFor();
  await page.evaluate(() => (window as unknown as { release(): void }).release());
  await min.locator('.file-text[data-ready]').waitFor();
  await page.close();
});

test('a file of very many lines is compared by the worker and shown a page at a time', async () => {
  const page = await panes.open('theme=light');
  await choose(page, 'data/long-sparse.log');
  const sparse = section(page, 'data/long-sparse.log');
  await sparse.locator('.file-text[data-ready]').waitFor();
  await eventually(() => textOf(sparse)).toContain('9997 lines not shown');
  await eventually(() => textOf(sparse)).toContain('50001');
  await choose(page, 'data/big.txt');
  const big = section(page, 'data/big.txt');
  await big.locator('.file-text[data-ready]').waitFor();
  const next = big.getByRole('button', { name: 'Next page' });
  await next.focus();
  await page.keyboard.press('Enter');
  await eventually(() => textOf(big.locator('.long-foot'))).toContain('Page 2 of 30 · 119,998 changed lines');
  await page.close();
});

test('2,500 files cost no more than a screen of them', async () => {
  const page = await panes.open('theme=light&many=2500');
  for (const place of [0.2, 0.9, 0.5]) {
    await page.locator('.multi-diff').evaluate((element, part) => element.scrollTo(0, element.scrollHeight * part), place);
    await page.locator('.file-text[data-ready]').first().waitFor();
    await eventually(() => page.locator('.file-text:not([data-ready])').count()).toBe(0);
    expect(await editors(page)).toBeLessThanOrEqual(12);
    expect(await page.evaluate(() => document.querySelectorAll('.multi-diff *').length)).toBeLessThan(5_000);
    expect(await page.locator('.file-section').count()).toBeLessThan(20);
  }
  expect(await page.locator('.file-section').first().getAttribute('aria-setsize')).toBe('2510');
  await page.close();
});

test('the walk goes through all changes of all files, also from inside of an editor', async () => {
  const page = await panes.open('theme=light&many=30');
  await choose(page, 'many/group-000/file-00003.ts');
  await section(page, 'many/group-000/file-00003.ts').locator('.file-text[data-ready]').waitFor();
  const said = page.locator('.multi-diff + p[role="status"]');
  await page.keyboard.press('.');
  await eventually(() => textOf(said)).toBe('Change 1 of 1, many/group-000/file-00003.ts');
  await page.keyboard.press('.');
  await eventually(() => textOf(said)).toBe('Change 1 of 1, many/group-000/file-00004.ts');
  await section(page, 'many/group-000/file-00004.ts').locator('.file-text[data-ready] .view-line').last().click();
  await page.keyboard.press(',');
  await eventually(() => textOf(said)).toBe('Change 1 of 1, many/group-000/file-00003.ts');
  await page.keyboard.press(']');
  await eventually(() => current(page)).toBe('many/group-000/file-00004.ts');
  await page.close();
});

test('the list follows the scroll of the hand', async () => {
  const page = await panes.open('theme=light&many=60');
  await choose(page, 'many/group-000/file-00002.ts');
  await section(page, 'many/group-000/file-00002.ts').locator('.file-text[data-ready]').waitFor();
  await page.locator('.multi-diff').hover();
  // As a hand does: it turns on until it is there. A turn that meets the last measure of the chosen file is taken back with it.
  await eventually(async () => {
    await page.mouse.wheel(0, 700);
    return current(page);
  }).toMatch(/file-000(0[5-9]|[1-9])/);
  const chosen = page.getByRole('tree', { name: 'Files' }).locator('[aria-selected="true"]').first();
  // Where the scroll ends up is known only then: editors above it take their heights meanwhile.
  await eventually(async () => {
    const [shown, listed] = await Promise.all([current(page), textOf(chosen)]);
    return listed.includes(shown?.split('/').at(-1) ?? 'nothing');
  }).toBe(true);
  await page.close();
});

test('layout and wrapping are remembered, and the place in the diff stays', async () => {
  const page = await panes.open('theme=light&standing', { width: 1700, height: 800 });
  await page.locator('.file-text[data-ready] .side-by-side').first().waitFor();
  await page.getByRole('radio', { name: 'One column' }).click();
  await eventually(() => page.locator('.file-text[data-ready] .monaco-diff-editor:not(.side-by-side)').count()).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'More for this diff' }).click();
  await page.getByRole('menuitem', { name: 'Wrap long lines' }).click();
  const sent = await page.evaluate(() => (window as unknown as { host: { asked: { call: string; input: object }[] } }).host.asked);
  expect(sent.filter((entry) => entry.call === 'settings.set').map((entry) => entry.input)).toEqual([
    { diffLayout: 'inline' },
    { wrap: true },
  ]);
  await page.close();
});

test('a step that was not captured shows the reason, never "no changes"', async () => {
  const page = await panes.open('theme=light');
  await page.getByRole('treeitem', { name: /^Turn 3/ }).click();
  await eventually(() => textOf(page.locator('.diff-box'))).toContain('Step 6 was not captured');
  expect(await textOf(page.locator('.diff-box'))).toContain('the change was not captured.');
  await page.close();
});

test('nothing broke the policy of the page or threw', () => {
  expect(panes.faults).toEqual([]);
});
