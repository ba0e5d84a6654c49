import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, sharedPanes, violations } from './acts.ts';

const panes = sharedPanes();

/** The texts that the search marks in the rows. */
const marked = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...(CSS.highlights.get('search-words') ?? [])].map((range) => (range as Range).toString().toLowerCase()));
const box = (page: Page) => page.getByRole('textbox', { name: 'Search the thread' });

test('words are marked in the rows, and one that lies in a closed output is shown below its row', async () => {
  const page = await panes.open('theme=light');
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await box(page).fill('login');
  await eventually(async () => (await marked(page)).length > 0 && (await marked(page)).every((word) => word === 'login')).toBe(true);
  await box(page).fill('zebra');
  const line = page.locator('.match-line');
  await eventually(() => line.textContent()).toMatch(/^in the output of .+, 2 timesfar below, a zebra crossed the road$/);
  expect(await line.locator('mark').textContent()).toBe('zebra');
  expect(await page.locator('.search-count').textContent()).toBe('1 of 1');
  expect(await violations(page)).toEqual([]);
  await box(page).fill('');
  await eventually(() => line.count()).toBe(0);
  expect(await marked(page)).toEqual([]);
  await page.close();
});

test('one Escape ends a search and gives the focus back to where it was', async () => {
  const page = await panes.open('theme=light');
  const focused = (): Promise<string> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? '');
  await page.keyboard.press('2');
  await eventually(focused).toMatch(/^Turn 2/);
  await page.keyboard.press('/');
  await page.keyboard.type('login');
  await page.getByRole('status', { name: /^Match 1 of/ }).waitFor();
  await page.keyboard.press('Escape');
  await eventually(focused).toMatch(/^Turn 2/);
  expect(await box(page).inputValue()).toBe('');
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await eventually(focused).toBe('Time cursor');
  // In a dialog it only empties the field; the next one is for the dialog.
  await page.keyboard.press('Control+,');
  await page.getByRole('tab', { name: 'Keys' }).click();
  const find = page.getByRole('textbox', { name: 'Find a command or a key' });
  await find.fill('revert');
  await find.press('Escape');
  expect([await find.inputValue(), await focused()]).toEqual(['', 'Find a command or a key']);
  await find.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The list of threads: what was found goes with the words.
  await page.keyboard.press('Backspace');
  await eventually(focused).toBe('Threads');
  const filter = page.getByRole('textbox', { name: 'Filter the threads' });
  await filter.fill('zebra');
  await filter.press('Enter');
  await page.getByRole('button', { name: /a zebra crossed/ }).waitFor();
  await filter.press('Escape');
  await eventually(focused).toBe('Threads');
  expect(await filter.inputValue()).toBe('');
  await page.close();
});

test.each([
  [800, 600],
  [640, 400],
])('a long excerpt shows its match at %d x %d, and what it leaves out on hover', async (width, height) => {
  const page = await panes.open('theme=light&long');
  await page.setViewportSize({ width, height });
  /** The mark lies inside of the lines of its excerpt that are seen. */
  const seen = (excerpt: Locator): Promise<boolean> =>
    excerpt.evaluate((element) => {
      const [outer, mark] = [element.getBoundingClientRect(), element.querySelector('mark')?.getBoundingClientRect()];
      return mark !== undefined && mark.width > 0 && mark.right <= outer.right + 1 && mark.bottom <= outer.bottom + 1;
    });
  await page.keyboard.press('4');
  await page.getByRole('region', { name: 'Changes' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('zebra');
  // Where one pane is shown at a time, it is the one with the match.
  const line = page.locator('.match-line .match-text');
  await line.waitFor();
  expect(await seen(line)).toBe(true);
  await line.hover();
  await eventually(() => page.locator('.tooltip').allTextContents()).toEqual([
    expect.stringMatching(/^…a word before it.* to its very end…$/),
  ]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Backspace');
  const filter = page.getByRole('textbox', { name: 'Filter the threads' });
  await filter.fill('zebra');
  await filter.press('Enter');
  const found = page.locator('.found-text');
  await found.scrollIntoViewIfNeeded();
  expect(await seen(found)).toBe(true);
  const list = await page.locator('.found').boundingBox();
  expect(list?.height).toBeGreaterThanOrEqual(240);
  await page.close();
});

test('from the list of threads all texts are searched by keys, and a hit opens at its stop', async () => {
  const page = await panes.open('theme=dark');
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await page.keyboard.press('Backspace');
  const filter = page.getByRole('textbox', { name: 'Filter the threads' });
  await filter.fill('zebra');
  await filter.press('Enter');
  const hit = page.getByRole('button', { name: /a zebra crossed/ });
  await hit.waitFor();
  expect(await page.getByText('“zebra” in 1 message of 1 thread').count()).toBe(1);
  expect(await page.getByText('1 place could not be searched').count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await hit.focus();
  await page.keyboard.press('Enter');
  await page.locator('.match-line[data-current]').waitFor();
  expect(await box(page).inputValue()).toBe('zebra');
  await eventually(() => page.locator('[data-line="drop"] .match-line').count()).toBe(1);
  await page.close();
});
