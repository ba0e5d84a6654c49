import { symlinkSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserHost } from '../e2e/browser-host.ts';
import type { ViewerHost } from '../e2e/viewer-host.ts';
import { record } from '../figures.ts';
import { tanstackScenario } from '../scenarios/tanstack.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { PAYLOADS } from './payloads.ts';

/** Payloads in one turn. */
const CHUNK = 16;
/** Milliseconds that one act may take on a machine that is busy with other tests. */
const PATIENCE = 180_000;

let folder = '';
let host: ViewerHost;
let page: Page;
const dialogs: string[] = [];
const pages: string[] = [];
const seen = new Set<number>();
let looks = 0;

const fileName = (text: string): string => text.replaceAll('/', '\u2215').replaceAll('\0', '').slice(0, 60) || 'x';

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-payloads-')));
  const made = await tanstackScenario(folder, { events: false, threadId: '<img src=x onerror=pwned(998)>' });
  await writeFiles(made.root, { 'a.txt': '1\n' });
  for (let at = 0; at < PAYLOADS.length; at += CHUNK) {
    const some = PAYLOADS.slice(at, at + CHUNK);
    const text = some.join('\n\n');
    const files = Object.fromEntries(some.map((one) => [fileName(one), `${one}\n`]));
    await made.turn(
      text,
      [
        { tool: 'write_file', args: { path: fileName(some[0] ?? '') }, edit: (root) => writeFiles(root, files), output: text, text },
        { tool: 'bash', args: { command: some.join(' ; ') }, output: text },
        { tool: some[1] ?? 'x', args: { [some[2] ?? 'x']: some[3], url: some[4] }, output: text, error: some[5] ?? 'x' },
      ],
      { answer: text },
    );
  }
  // Where the start screen finds it.
  symlinkSync(made.save, path.join(made.env['HOME'] ?? folder, '.tanstack-harness-payloads'));
  host = await browserHost(folder);
  page = host.page;
  page.setDefaultTimeout(60_000);
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.context().on('page', (other) => pages.push(other.url()));
  await page.addInitScript(() => {
    const found: unknown[] = [];
    Object.assign(window, {
      pwned: (which: unknown) => found.push(which),
      payloadsRun: found,
    });
    document.addEventListener('securitypolicyviolation', (event) => {
      found.push(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  await page.reload();
}, PATIENCE);

afterAll(async () => {
  await host?.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** What of the payloads came to life in the page as it is now, and which of them it shows. */
async function look(): Promise<void> {
  const state = await page.evaluate(() => {
    const all = [...document.querySelectorAll('body *')];
    const root = document.querySelector('#root') ?? document.body;
    const alive = [
      ...root.querySelectorAll(
        'script, iframe, object, embed, base, meta, link, form[action], video, audio, marquee, template, math, frame, img:not([src^="data:"])',
      ),
      ...all.filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on'))),
      ...[...root.querySelectorAll('[href], [src], [action], [xlink\\:href]')].filter((element) =>
        /^\s*(javascript|vbscript|data:text|file|http)/i.test(
          ['href', 'src', 'action', 'xlink:href'].map((name) => element.getAttribute(name) ?? '').join(''),
        ),
      ),
    ];
    return {
      alive: alive.map((element) => element.outerHTML.slice(0, 200)),
      run: (window as unknown as { payloadsRun: unknown[] }).payloadsRun.map(String),
      text: document.body.textContent ?? '',
      title: document.title,
    };
  });
  looks += 1;
  expect(state.alive).toEqual([]);
  expect(state.run).toEqual([]);
  for (const [, number] of state.text.matchAll(/pwned\((\d+)\)/g)) seen.add(Number(number));
  expect([dialogs, pages, host.problems()]).toEqual([[], [], []]);
}

test(`${PAYLOADS.length} payloads are text on the start screen`, { timeout: PATIENCE }, async () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(60);
  await page.getByRole('option').first().waitFor();
  await look();
});

test('they are text in the transcript, in calls and in their outputs', { timeout: PATIENCE * 2 }, async () => {
  await page.getByRole('option').first().dblclick();
  const feed = page.getByRole('feed', { name: 'Transcript' });
  await feed.waitFor();
  await feed.getByRole('article').first().waitFor();
  await look();
  const scroller = await feed.evaluateHandle((element) => {
    let at: Element | null = element;
    while (at !== null && at.scrollHeight <= at.clientHeight + 4) at = at.parentElement;
    return at ?? element;
  });
  await scroller.evaluate((element) => element.scrollTo(0, 0));
  for (let turn = 0; turn < 60; turn++) {
    await page.waitForTimeout(60);
    await feed.evaluate((element) => {
      for (const button of element.querySelectorAll<HTMLElement>('button[aria-expanded="false"]')) button.click();
    });
    await look();
    const atEnd = await scroller.evaluate((element) => {
      const before = element.scrollTop;
      element.scrollBy(0, element.clientHeight);
      return element.scrollTop === before;
    });
    if (atEnd) break;
  }
  // Those that set a global: the others ask for something, which the host would have seen.
  const numbered = PAYLOADS.filter((text) => /pwned\(\d+\)/.test(text)).length;
  expect(seen.size).toBeGreaterThan(numbered * 0.6);
});

test('a link is a button that leads nowhere without a click, and only to the web', async () => {
  const links = page.locator('.markdown-link');
  const titles = await links.evaluateAll((all) => all.map((link) => `${link.tagName} ${link.getAttribute('title')}`));
  for (const title of titles) expect(title).toMatch(/^BUTTON https?:\/\//);
});

test('they are text among steps, files, differences and in the question before a revert', { timeout: PATIENCE }, async () => {
  await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
  const files = page.getByRole('tree', { name: 'Files' });
  await files.getByRole('treeitem').first().waitFor();
  await look();
  for (const item of (await files.getByRole('treeitem').all()).slice(0, 6)) {
    await item.click();
    await page.waitForTimeout(200);
    await look();
  }
  const cursor = page.getByRole('slider', { name: 'Time cursor' });
  await cursor.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('alertdialog').waitFor();
  await page.waitForTimeout(500);
  await look();
  record(
    'hostile input',
    'payloads of HTML, markdown, ANSI and templates in a real thread: scripts run, requests made',
    `${PAYLOADS.length}: 0, 0`,
  );
  record('hostile input', 'the same: looks at the page, each without anything alive', looks);
});
