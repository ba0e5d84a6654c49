import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { WIDE } from './audit.ts';
import { close, drawn, hasFocus } from './patience.ts';
import { gate, leave, leaveDialog, page, palette, stage } from './states-stage.ts';

/** The focused element as a screen reader would name it, near enough. */
const focused = (): Promise<string> =>
  page().evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent?.trim() ?? '');

/** Where the focus is, as one text that another element does not share. */
const place = (): Promise<string> =>
  page().evaluate(() => {
    const path: number[] = [];
    for (let at = document.activeElement; at !== null; at = at.parentElement)
      path.push([...(at.parentElement?.children ?? [])].indexOf(at));
    return path.join('.');
  });

/** Presses a key until the focus is on what the words fit. */
async function go(key: string, words: RegExp): Promise<void> {
  for (let at = 0; at < 60; at++) {
    if (words.test(await focused())) return;
    const before = await place();
    await page().keyboard.press(key);
    // Rows that are drawn when they are needed get the focus some frames later.
    for (let wait = 0; wait < 40 && (await place()) === before; wait++) await drawn(page());
  }
  throw new Error(`${key} never comes to ${words}: the focus is on ${await focused()}`);
}

/** The bar of a standing revert; by its class, because while a dialog is open nothing else has a role. */
const standing = (): Locator => page().locator('.standing-bar');

/** Writes the patch through the page's own dialog, which a key opens and keys fill. */
async function saveByKey(file: string): Promise<void> {
  await page().keyboard.press('e');
  const dialog = page().getByRole('dialog', { name: 'Export patch' });
  await dialog.waitFor();
  const field = dialog.getByRole('textbox');
  for (let at = 0; at < 20 && !(await field.evaluate((element) => element === document.activeElement)); at++)
    await page().keyboard.press('Tab');
  await page().keyboard.press('Control+a');
  await page().keyboard.type(file);
  await page().keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
}

const files = (): Promise<string> => readFile(path.join(stage().lab.shop.root, 'src/session.js'), 'utf8');

/** Takes the standing revert back, once the window knows that it may. */
async function unrevertByKey(): Promise<void> {
  await standing().locator('button:not([aria-disabled])', { hasText: 'Unrevert' }).waitFor();
  await page().keyboard.press('u');
  await standing().waitFor({ state: 'detached' });
}

/** From the cursor, two turns back, to a revert that stands. */
async function revertByKeys(): Promise<void> {
  await page().keyboard.press('c');
  for (let at = 0; at < 2; at++) await page().keyboard.press('Shift+ArrowLeft');
  await page().getByText('Files if you go back').waitFor();
  await page().keyboard.press('Enter');
  await gate()
    .getByRole('button', { name: /^Revert/ })
    .waitFor();
  await go('Tab', /^Revert \d/);
  await page().keyboard.press('Enter');
  await standing().waitFor();
  await gate().waitFor({ state: 'detached' });
}

/** Runs the first command that the palette finds for the words. */
async function inPalette(words: string): Promise<void> {
  await page().keyboard.press('Control+k');
  await palette().waitFor();
  await page().keyboard.type(words);
  await page().getByRole('option').first().waitFor();
  await page().keyboard.press('Enter');
}

/** Every act of the window by keys alone, and the window at twice its size. */
export function withoutPointer(): void {
  describe('without a pointer', () => {
    test('a thread is opened', async () => {
      await page().reload();
      await page().getByRole('option').filter({ hasText: 'signed cookie' }).waitFor();
      await go('Tab', /^Threads$/);
      const chosen = page().locator('[role="option"][aria-selected="true"]');
      for (let at = 0; at < 20 && !/signed cookie/.test((await chosen.textContent()) ?? ''); at++) await page().keyboard.press('ArrowDown');
      await page().keyboard.press('Enter');
      await page().locator('.thread').waitFor();
      await page().getByText('snapshots ok').waitFor();
    });

    test('the cursor says where it is, and Escape brings it back', async () => {
      await page().keyboard.press('c');
      const cursor = page().getByRole('slider', { name: 'Time cursor' });
      await hasFocus(cursor);
      const end = await cursor.getAttribute('aria-valuetext');
      await page().keyboard.press('ArrowLeft');
      expect(await cursor.getAttribute('aria-valuetext')).toMatch(/^Message \d+ of \d+, turn \d(, .*)?, \d+ files?$/);
      await page().keyboard.press('Home');
      expect(await cursor.getAttribute('aria-valuenow')).toBe('0');
      await page().keyboard.press('Escape');
      expect(await cursor.getAttribute('aria-valuetext')).toBe(end);
    });

    test('a revert is asked for, agreed to and taken back', async () => {
      const before = await files();
      await revertByKeys();
      const after = await files();
      expect(after).not.toBe(before);
      expect(after.startsWith('// my own line\n')).toBe(true);
      await unrevertByKey();
      expect(await files()).toBe(before);
    });

    test('a prompt is taken back, and its text stays to be copied', async () => {
      await page().keyboard.press('1');
      await go('ArrowUp', /^Prompt \d+/);
      await go('Tab', /^More$/);
      await page().keyboard.press('Enter');
      await page().getByRole('menu').waitFor();
      await go('ArrowDown', /^Take back/);
      await page().keyboard.press('Enter');
      await standing().waitFor();
      await expect.poll(() => page().getByRole('textbox', { name: 'Text of the prompt' }).inputValue()).toBe('Which port does it use?');
      await expect.poll(() => stage().host.clipboard()).toBe('Which port does it use?');
      await unrevertByKey();
      await page().getByRole('textbox', { name: 'Text of the prompt' }).waitFor({ state: 'detached' });
    });

    test('a step leaves as a patch', async () => {
      await page().keyboard.press('2');
      // Keys go to the list once it has the focus; a turn that is open already is left by the right arrow.
      await expect.poll(() => page().evaluate(() => document.activeElement?.closest('[role=tree]') != null)).toBe(true);
      await page().keyboard.press('Home');
      await page().keyboard.press('ArrowRight');
      await go('ArrowDown', /^Step 2\b/);
      await page().getByRole('article', { name: 'src/session.js' }).waitFor();
      const file = path.join(stage().lab.folder, 'step.patch');
      if (stage().host.name === 'electron') await stage().host.exportPatch(file, () => page().keyboard.press('e'));
      else await saveByKey(file);
      const patch = (): Promise<string> => readFile(file, 'utf8').catch(() => '');
      await expect.poll(patch).toMatch(/^diff --git a\/src\/session\.js b\/src\/session\.js\n/);
    });

    test('search, palette, history, keys and theme', async () => {
      await page().keyboard.press('/');
      await page().keyboard.type('header');
      await page()
        .getByRole('status', { name: /^Match 1 of/ })
        .waitFor();
      await page().keyboard.press('Enter');
      await page()
        .getByRole('status', { name: /^Match 2 of/ })
        .waitFor();
      await leave(2);
      await inPalette('history of');
      await page()
        .getByRole('dialog', { name: /History/ })
        .waitFor();
      await leaveDialog(/History/);
      await page().keyboard.press('?');
      await page().getByRole('dialog', { name: 'Keys' }).waitFor();
      await leaveDialog('Keys');
      await inPalette('next theme');
      await expect.poll(() => page().evaluate(() => document.documentElement.dataset['theme'])).toBe('light');
    });

    test('nothing moves where motion is to be reduced', async () => {
      const moving = await page().evaluate(() =>
        [...document.querySelectorAll('*')]
          .filter((element) => {
            const { transitionDuration, animationDuration, animationName, scrollBehavior } = getComputedStyle(element);
            const long = (times: string): boolean => times.split(',').some((time) => Number.parseFloat(time) > 0.01);
            return long(transitionDuration) || (animationName !== 'none' && long(animationDuration)) || scrollBehavior === 'smooth';
          })
          .map((element) => element.className),
      );
      expect(moving).toEqual([]);
    });

    test.each([
      { width: 800, height: 600 },
      { width: 640, height: 400 },
    ])('everything is in reach at $width x $height', async (size) => {
      await page().setViewportSize(size);
      const fits = (): Promise<boolean> =>
        page().evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight);
      await expect.poll(fits).toBe(true);
      for (const [key, name] of [
        ['1', 'Transcript'],
        ['2', 'Steps'],
        ['3', 'Files'],
        ['4', 'Changes'],
      ] as const) {
        await page().keyboard.press(key);
        await page().getByRole('region', { name, exact: true }).waitFor();
      }
      await page().screenshot({ path: path.resolve(`test-output/screenshots/state-zoomed-${size.width}.png`) });
      await page().keyboard.press('c');
      for (let at = 0; at < 2; at++) await page().keyboard.press('Shift+ArrowLeft');
      await page().keyboard.press('Enter');
      const agree = gate().getByRole('button', { name: /^Revert \d/ });
      await agree.waitFor();
      for (const one of [agree, gate().getByRole('button', { name: 'Cancel' })]) {
        const inside = async (): Promise<boolean> => {
          const box = await one.boundingBox();
          return box !== null && box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
        };
        await expect.poll(inside).toBe(true);
      }
      await page().screenshot({ path: path.resolve(`test-output/screenshots/state-zoomed-gate-${size.width}.png`) });
      await close(page(), gate());
      await page().setViewportSize(WIDE);
    });
  });
}
