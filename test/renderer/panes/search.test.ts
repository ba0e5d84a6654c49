import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PanesPage, startPanes } from './page.ts';

let panes: PanesPage;
beforeAll(async () => {
  panes = await startPanes();
}, 180_000);
afterAll(() => panes.close());

const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: 20_000, interval: 100 });
const violations = async (page: Page): Promise<string[]> =>
  (await new AxeBuilder({ page }).analyze()).violations.map((found) => `${found.id}: ${found.nodes.map((node) => node.html).join('\n')}`);
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
