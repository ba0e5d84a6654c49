import { mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditOptions, audit, WIDE, wear } from './audit.ts';
import { ACT, close } from './patience.ts';
import { type StatesLab, statesLab } from './states-lab.ts';
import { gate, leave, leaveDialog, palette, setStage } from './states-stage.ts';
import type { ViewerHost } from './viewer-host.ts';
import { withoutPointer } from './without-pointer.ts';

let lab: StatesLab;
let host: ViewerHost;
let page: Page;

const button = (name: string | RegExp): Locator => page.getByRole('button', { name }).first();
const steps = (): Locator => page.getByRole('tree', { name: 'Steps' });

/** Opens a thread from the list by its title. */
async function open(title: string): Promise<void> {
  if ((await page.locator('.thread').count()) > 0) await page.getByRole('button', { name: 'All threads' }).first().click();
  await page.getByRole('option').filter({ hasText: title }).first().click();
  await page.locator('.thread').waitFor();
  // Whether they can be read is known when they were asked, and stays.
  await page.getByText(/^(snapshots ok|no snapshots)$/).waitFor();
}

/** A dialog of the system where there is one, else the page's own. */
async function asksOrShows(system: 'open' | 'save', own: string | RegExp): Promise<void> {
  if (host.name === 'electron') await expect.poll(() => host.systemDialogs().at(-1)).toBe(system);
  else await page.getByRole('dialog', { name: own }).waitFor();
}

async function chooseStep(number: number): Promise<void> {
  await steps()
    .getByRole('treeitem', { name: new RegExp(`^Step ${number}\\b`) })
    .click();
}

/** One state: what leads to it, and that nothing is wrong with it in any look. */
function state(name: string, lead: () => Promise<void>, options: AuditOptions = {}): void {
  test(name, async () => {
    await lead();
    const wrong = await audit(host, name, options);
    expect(wrong, wrong.join('\n')).toEqual([]);
  });
}

/**
 * Every state that a window can show, in the viewer that `make` starts: what leads to it, by pointer and without, axe in every
 * look, pictures of it.
 */
export function states(make: (folder: string) => Promise<ViewerHost>): void {
  beforeAll(async () => {
    const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-states-')));
    lab = await statesLab(folder);
    host = await make(folder);
    page = host.page;
    setStage({ lab, host });
    page.setDefaultTimeout(ACT);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.setViewportSize(WIDE);
    await wear(page, 'dark');
  });

  afterAll(async () => {
    await host?.close();
    if (lab !== undefined) await rm(lab.folder, { recursive: true, force: true, maxRetries: 3 });
  });

  describe('states', () => {
    state('threads', () => page.getByRole('option').filter({ hasText: 'signed cookie' }).waitFor(), { small: true });

    state(
      'thread',
      async () => {
        await open('Keep the session in a signed cookie');
        await page.locator('.file-section .view-line').first().waitFor();
      },
      { small: true },
    );

    state(
      'step',
      async () => {
        await page.getByRole('treeitem', { name: /Keep the session/ }).click();
        await chooseStep(2);
        await page.getByRole('article', { name: 'src/session.js' }).locator('.view-line').first().waitFor();
      },
      { small: true },
    );

    state('tools', async () => {
      await page.locator('.transcript').evaluate((area) => area.scrollTo(0, 0));
      await button(/^bash npm test/).click();
      await page.getByText('exit code 1').waitFor();
    });

    state('sub-agent', async () => {
      await button(/^Sub-agent: Find every place/).click();
      await page
        .getByRole('region', { name: /^Sub-agent/ })
        .getByText('grep -rn session src')
        .waitFor();
    });

    state('image', async () => {
      const row = page.getByRole('article', { name: /^Prompt/ }).filter({ hasText: 'The logo should look like this' });
      await page.locator('.transcript').evaluate((area) => area.scrollTo(0, 1000));
      await row.scrollIntoViewIfNeeded();
      await row.getByRole('button', { name: /^Show Image: PNG/ }).click();
      await row.getByRole('img', { name: 'Image of the message' }).waitFor();
      await button('Thinking').click();
      await page.getByText('The picture is small').waitFor();
    });

    state('dropped', async () => {
      await page.getByRole('button', { name: /messages? dropped/ }).click();
      await page.getByText('Try local storage instead.').first().waitFor();
    });

    state('no-change', async () => {
      await page.getByRole('treeitem', { name: /Which port/ }).click();
      await page.getByText('No file changed in this turn').first().waitFor();
    });

    state('search', async () => {
      await page.keyboard.press('/');
      await page.keyboard.type('session');
      await page.getByRole('status', { name: /^Match 1 of/ }).waitFor();
    });

    state(
      'preview',
      async () => {
        await leave(2);
        await page.keyboard.press('c');
        for (let at = 0; at < 2; at++) await page.keyboard.press('Shift+ArrowLeft');
        await page.getByText('Files if you go back').waitFor();
        await page.getByRole('treeitem', { name: /header\.js/ }).waitFor();
      },
      { small: true },
    );

    state(
      'gate',
      async () => {
        await page.keyboard.press('Enter');
        await gate()
          .getByRole('button', { name: /^Revert/ })
          .waitFor();
      },
      { small: true },
    );

    state(
      'standing',
      async () => {
        await gate()
          .getByRole('button', { name: /^Revert/ })
          .click();
        await page.getByRole('region', { name: 'Standing revert' }).waitFor();
        await gate().waitFor({ state: 'detached' });
      },
      { small: true },
    );

    state('history', async () => {
      await page.keyboard.press('h');
      await page
        .getByRole('dialog', { name: /History/ })
        .getByText(/safety snapshot/)
        .first()
        .waitFor();
    });

    state('palette', async () => {
      await leaveDialog(/History/);
      await page.keyboard.press('Control+k');
      await palette().waitFor();
    });

    state('keys', async () => {
      await close(page, palette());
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    });

    state('unreverted', async () => {
      await leaveDialog('Keys');
      await page.locator('.standing-bar button:not([aria-disabled])', { hasText: 'Unrevert' }).waitFor();
      await page.keyboard.press('u');
      await page.locator('.standing-bar').waitFor({ state: 'detached' });
    });

    state('patch', async () => {
      await page.getByRole('treeitem', { name: /Keep the session/ }).click();
      await page.getByRole('treeitem', { name: /login\.js/ }).waitFor();
      await page.keyboard.press('e');
      await asksOrShows('save', 'Export patch');
    });

    state('lens', async () => {
      await leaveDialog('Export patch');
      await page.getByRole('treeitem', { name: /session\.js/ }).click();
      await page.keyboard.press('l');
      await page.getByRole('region', { name: 'One file through its steps' }).waitFor();
      await page.locator('.file-section .view-line').first().waitFor();
    });

    state('compare', async () => {
      await page.keyboard.press('l');
      await page.keyboard.press('c');
      await page.keyboard.press('Shift+ArrowLeft');
      await page.keyboard.press('m');
      await page.keyboard.press('Shift+v');
      await page.getByRole('region', { name: 'Comparison' }).waitFor();
      await page.locator('.file-section .view-line').first().waitFor();
    });

    state(
      'settings',
      async () => {
        await leave(2);
        await page.keyboard.press('Control+,');
        await page.getByRole('dialog', { name: 'Settings' }).waitFor();
      },
      { small: true },
    );

    state('talk-only', async () => {
      await leaveDialog('Settings');
      await open('What is a cookie?');
      await page.getByText('A small text that a browser keeps.').waitFor();
    });

    state('running', async () => {
      await open('Add a page for the cart.');
      await page.getByRole('status', { name: 'A turn is running' }).waitFor();
      const row = page.getByRole('article', { name: 'Prompt 1' });
      const hint = page.locator('.tooltip').filter({ hasText: 'Wait until the turn ends' });
      // The row may be drawn again under the pointer while the thread is read.
      const point = async (): Promise<boolean> => {
        await page.mouse.move(5, 5);
        await row.hover();
        await row.getByRole('button', { name: 'Revert to here' }).hover();
        return hint.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
      };
      await expect.poll(point, { timeout: ACT }).toBe(true);
    });

    state('not-captured', async () => {
      await open('Rename the shop.');
      await steps().getByText('not captured').first().waitFor();
      await page.getByText('1 step was not captured').or(page.getByText('Step 2 was not captured')).first().waitFor();
    });

    state('names-only', async () => {
      await open('Please create new.txt, change beta');
      await page.getByText('Only the names are known.').waitFor();
      expect(await page.getByText('+0').count()).toBe(0);
    });

    state('damaged', async () => {
      await open('Count the visits.');
      await page
        .getByText(/^Line \d+ unreadable/)
        .first()
        .waitFor();
    });

    state('newer', async () => {
      await open('Translate the prompts.');
      await page.locator('.banner').first().waitFor();
    });

    state(
      'no-workspace',
      async () => {
        await open('Tidy the folder.');
        await page.getByRole('button', { name: 'Locate folder…' }).waitFor();
      },
      { small: true },
    );

    state('no-store', async () => {
      await open('Speed up the start.');
      await page.getByRole('button', { name: 'Locate snapshots…' }).waitFor();
    });

    state('folder-picker', async () => {
      await button('Locate snapshots…').click();
      await asksOrShows('open', /./);
    });

    state('failed', async () => {
      await close(page, page.getByRole('dialog'));
      await page.getByRole('button', { name: 'All threads' }).first().click();
      await page.getByRole('option').filter({ hasText: 'What is a cookie?' }).first().waitFor();
      const log = path.join(lab.folder, 'talk', 'save', 'sessions', 'talk.jsonl');
      // The list forgets a thread whose log went; the palette names those that were there when it opened.
      await page.keyboard.press('Control+k');
      await palette().fill('What is a cookie?');
      await page.locator('.palette-entry[aria-selected="true"]', { hasText: 'What is a cookie?' }).waitFor();
      await rename(log, `${log}.away`);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    });
  });

  withoutPointer();

  describe('a thread that grows', () => {
    state('fresh', async () => {
      const follow = page.getByRole('button', { name: /^(not )?following$/ });
      await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('true');
      await page.keyboard.press('f');
      await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false');
      await lab.shop.turn('And say it in French.', [], { answer: 'Le port est 8080.' });
      await page.getByRole('button', { name: /^\d+ new$/ }).waitFor();
    });

    test('the end is followed again when it is asked for', async () => {
      await page.getByRole('button', { name: /^\d+ new$/ }).click();
      await page.getByText('Le port est 8080.').waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'following', exact: true }).getAttribute('aria-pressed')).toBe('true');
    });

    test('no error on the console and nothing asked of the network', () => {
      expect(host.problems()).toEqual([]);
    });
  });
}
