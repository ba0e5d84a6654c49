import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Milliseconds that one act may take on a machine that is busy with other tests. */
export const ACT = 90_000;
/** The same for a whole test of many acts. */
export const TEST = 300_000;

const eventually = <T>(look: () => Promise<T>) => expect.poll(look, { timeout: ACT, interval: 100 });

/**
 * Keeps every message that the page says, from now on and after each reload: a message goes after some seconds, and a busy machine
 * may look too late.
 */
export async function listen(page: Page): Promise<void> {
  const keep = (): void => {
    const heard: string[] = [];
    Object.assign(window, { heard });
    let last = '';
    const note = (): void => {
      const now = [...document.querySelectorAll('.toasts > [role]')].map((one) => one.textContent ?? '').join('');
      if (now !== last && now !== '') heard.push(now);
      last = now;
    };
    new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });
  };
  await page.addInitScript(keep);
  await page.evaluate(keep);
}

/** Waits until the page has said the words, be it that they are gone by now; what was said up to them is forgotten. */
export async function said(page: Page, words: string): Promise<void> {
  const heard = (): Promise<string[]> => page.evaluate(() => (window as unknown as { heard: string[] }).heard);
  await eventually(heard).toContainEqual(expect.stringContaining(words));
  await page.evaluate((text) => {
    const { heard: all } = window as unknown as { heard: string[] };
    all.splice(0, all.findIndex((one) => one.includes(text)) + 1);
  }, words);
}

/** Presses a key until what it opens is there: right after a travel a command may still be off for a moment. */
export async function pressFor(page: Page, key: string, opens: Locator): Promise<void> {
  const press = async (): Promise<boolean> => {
    if (await opens.isVisible()) return true;
    await page.keyboard.press(key);
    return opens.isVisible();
  };
  await expect.poll(press, { timeout: ACT, interval: 1500 }).toBe(true);
}

/** Presses Escape until a dialog is gone: the first one may only have closed a hint over it. */
export async function close(page: Page, dialog: Locator): Promise<void> {
  const press = async (): Promise<number> => {
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape');
    return dialog.count();
  };
  await expect.poll(press, { timeout: ACT, interval: 1000 }).toBe(0);
}

/** Two frames: what a move of the pointer or a key set off is drawn then. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Has it the focus? A dialog gives it a moment after it is there. */
export const hasFocus = (element: Locator): Promise<void> =>
  eventually(() => element.evaluate((one) => one === document.activeElement)).toBe(true);
