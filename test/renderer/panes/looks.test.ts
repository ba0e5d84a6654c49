import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { choose, eventually, sharedPanes, violations } from './acts.ts';

const panes = sharedPanes();

interface Stores {
  changesStore: { getState(): { title: string; file: string | null } };
}
interface Asked {
  host: { asked: { call: string; input: { operation?: string } }[] };
}

/** Text as people read it: an editor draws spaces that do not break. */
const textOf = async (found: Locator): Promise<string> => ((await found.textContent()) ?? '').replace(/[\u00a0\s]+/g, ' ').trim();
/** A line of the newer side; one that was taken out is drawn between its lines. */
const lineOf = (box: Locator, text: string): Locator =>
  box.locator('.modified .lines-content > .view-lines > .view-line', { hasText: text });
const titleOf = (page: Page): Promise<string> =>
  page.evaluate(() => (window as unknown as { stores: Stores }).stores.changesStore.getState().title);
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key);
};

test('two messages are compared from the timeline by keys alone, named in a strip, and left by Escape', async () => {
  const page = await panes.open('theme=light&looks');
  await press(page, 'c', 'Home', 'ArrowRight', 'm', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'v');
  const strip = page.getByRole('region', { name: 'Comparison' });
  await eventually(() => textOf(strip)).toMatch(/^Message 1 Fix the login form.* against Message 4 /);
  expect(await titleOf(page)).toBe('Message 1 → message 4');
  expect(await page.locator('.compare-mark').count()).toBe(2);
  await strip.getByRole('button', { name: 'Swap the sides' }).click();
  await eventually(() => titleOf(page)).toBe('Message 4 → message 1');
  expect(await violations(page)).toEqual([]);
  await press(page, 'Escape');
  await eventually(() => titleOf(page)).toBe('Turn 2');
  expect(await strip.count()).toBe(0);
  await page.close();
});

test.each([
  [1280, 800, 'in one line'],
  [800, 600, 'in two lines'],
  [640, 400, 'in one line'],
])('the strips keep their words and their acts in reach at %d x %d: %s', async (width, height, lines) => {
  const page = await panes.open('theme=light&looks');
  await page.setViewportSize({ width, height });
  /** What of a strip is cut or lies outside of it; a side may be cut, but not to nothing. */
  const wrong = (strip: Locator): Promise<string[]> =>
    strip.evaluate((element) => {
      const box = element.getBoundingClientRect();
      const parts = [...element.querySelectorAll<HTMLElement>('.button, strong, .lens-place > *')];
      const boxes = parts.map((part) => part.getBoundingClientRect());
      return parts.flatMap((part, at) => {
        const own = boxes[at] ?? box;
        const out = own.left < box.left || own.right > box.right + 0.5 || part.scrollWidth > part.clientWidth + 1;
        const over = boxes.some(
          (other, place) =>
            place > at &&
            other.left < own.right - 0.5 &&
            other.right > own.left + 0.5 &&
            other.top < own.bottom - 1 &&
            other.bottom > own.top + 1,
        );
        return (out && getComputedStyle(part).display !== 'inline') || over ? [part.textContent ?? ''] : [];
      });
    });
  const linesOf = async (strip: Locator): Promise<string> =>
    ((await strip.boundingBox())?.height ?? 0) < 45 ? 'in one line' : 'in two lines';
  const sides = (strip: Locator): Promise<number> =>
    strip.locator('.strip-side .cut').evaluateAll((cut) => Math.min(...cut.map((one) => one.getBoundingClientRect().width)));
  await press(page, 'c', 'Home', 'ArrowRight', 'm', 'ArrowRight', 'ArrowRight', 'ArrowRight', '4');
  const strip = page.getByRole('region', { name: 'Comparison' });
  await strip.getByRole('button', { name: 'With message 4' }).waitFor();
  expect([await wrong(strip), (await sides(strip)) > 100, await linesOf(strip)]).toEqual([[], true, lines]);
  await press(page, 'v');
  await strip.getByRole('button', { name: 'Swap the sides' }).waitFor();
  expect([await wrong(strip), (await sides(strip)) > 60, await linesOf(strip)]).toEqual([[], true, lines]);
  await strip.locator('.strip-side .cut').first().hover();
  await eventually(() => page.locator('.tooltip').allTextContents()).toEqual([expect.stringMatching(/^Fix the login form/)]);
  await press(page, 'Escape', 'Escape');
  await choose(page, 'package.json');
  await press(page, 'l');
  const lens = page.getByRole('region', { name: 'One file through its steps' });
  await eventually(() => textOf(lens.getByRole('status'))).toMatch(/^2 of 2 step 4, turn 2 .*modified/);
  expect(await wrong(lens)).toEqual([]);
  await page.close();
});

test('a step is a side by its menu, and the files on disk are the other', async () => {
  const page = await panes.open('theme=light&looks');
  await page.getByRole('treeitem', { name: /^Step 4/ }).click({ button: 'right' });
  const off = page.getByRole('menuitem', { name: /^Compare with here/ });
  expect(await textOf(off)).toContain('Choose “Compare from here” at another place first.');
  await page.getByRole('menuitem', { name: 'Compare from here', exact: true }).click();
  await press(page, 'Shift+V');
  await eventually(() => titleOf(page)).toBe('Message 7 → now');
  await page.close();
});

test('one file is pinned and walked through its steps by the arrows, from the window and from its row', async () => {
  const page = await panes.open('theme=dark&looks');
  await choose(page, 'package.json');
  await press(page, 'l');
  const strip = page.getByRole('region', { name: 'One file through its steps' });
  const place = strip.getByRole('status');
  await eventually(() => textOf(place)).toMatch(/^2 of 2 step 4, turn 2 .*modified/);
  expect(await page.locator('.file-section').count()).toBe(1);
  await press(page, 'ArrowLeft');
  await eventually(() => textOf(place)).toMatch(/^1 of 2 step 3, turn 1 /);
  await page.locator('.file-text[data-ready]').waitFor();
  await page.getByRole('treeitem', { name: /package\.json/ }).click();
  await press(page, 'ArrowRight');
  await eventually(() => textOf(place)).toMatch(/^2 of 2 /);
  await lineOf(page.locator('.file-text[data-ready]'), 'version').click();
  await press(page, '{');
  await eventually(() => textOf(place)).toMatch(/^1 of 2 /);
  expect(await violations(page)).toEqual([]);
  await strip.getByRole('button', { name: 'All files' }).click();
  expect(await strip.count()).toBe(0);
  await eventually(() => page.locator('.file-section').count()).toBeGreaterThan(1);
  await page.close();
});

test('the gutter and a list tell who wrote each line, and both lead to the step', async () => {
  const page = await panes.open('theme=light&looks');
  await choose(page, 'package.json');
  const section = page.locator('.file-section[aria-label="package.json"]');
  await section.locator('.file-text[data-ready]').waitFor();
  await press(page, 'a');
  const list = section.getByRole('button', { name: /who wrote the lines of package\.json/ });
  await eventually(() => textOf(list)).toMatch(/^3 parts, who/);
  await eventually(() => textOf(section.locator('.modified .margin'))).toMatch(/1·3 1.*2.*out 3.*· 4/);
  await lineOf(section, 'version').click();
  await eventually(() => textOf(page.locator('.diff-pane p[role="status"]').last())).toBe('Line 3: changed outside the thread');
  await list.focus();
  await press(page, 'Enter');
  const rows = page.getByRole('dialog', { name: 'Who wrote the lines' }).locator('li');
  await eventually(() => rows.allTextContents()).toEqual([
    expect.stringMatching(/^Lines 1–2 step 3, turn 1: Fix the login form/),
    'Line 3 changed outside the thread',
    'Lines 4–6 there before the thread’s first step',
  ]);
  expect(await violations(page)).toEqual([]);
  await rows.first().getByRole('button').click();
  await eventually(() => titleOf(page)).toBe('Step 3');
  await page.close();
});

test('lines that are still asked for when the gutter is closed are broken off', async () => {
  const page = await panes.open('theme=light&looks&hold');
  await choose(page, 'package.json');
  await page.locator('.file-section[aria-label="package.json"] .file-text[data-ready]').waitFor();
  await press(page, 'a');
  const asked = (call: string) =>
    page.evaluate(
      (name) => (window as unknown as Asked).host.asked.filter((one) => one.call === name).map(({ input }) => input.operation),
      call,
    );
  await eventually(async () => (await asked('file.lines')).length).toBeGreaterThan(0);
  await press(page, 'a');
  const begun = await asked('file.lines');
  await eventually(async () => (await asked('cancel')).sort()).toEqual(begun.sort());
  await page.close();
});

test('pictures are shown before and after under the policy of the page, large ones when they are asked for', async () => {
  const page = await panes.open('theme=light&looks');
  await choose(page, 'assets/photo.png');
  const card = page.locator('.file-section[aria-label="assets/photo.png"]');
  await eventually(() => textOf(card)).toMatch(/Before PNG, 1 × 1, 70 bytes.*After PNG, 1 × 1, 2 MB/);
  const drawn = () =>
    card
      .locator('img')
      .evaluateAll((images) => images.map((image) => (image as HTMLImageElement).naturalWidth === 1 && image.getAttribute('alt')));
  await eventually(drawn).toEqual(['assets/photo.png, before: PNG, 1 × 1, 70 bytes']);
  await card.getByRole('button', { name: 'Show this picture' }).focus();
  await press(page, 'Enter');
  await eventually(drawn).toEqual(['assets/photo.png, before: PNG, 1 × 1, 70 bytes', 'assets/photo.png, after: PNG, 1 × 1, 2 MB']);
  await page.close();
});

test('nothing broke the policy of the page or threw', () => {
  expect(panes.faults).toEqual([]);
});
