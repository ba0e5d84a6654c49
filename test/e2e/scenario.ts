import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifest } from '../scenarios/temp.ts';
import { look } from './look.ts';
import { ACT, close, drawn, hasFocus, listen, pressFor, said, TEST } from './patience.ts';
import { SampleTruth } from './sample-truth.ts';
import type { ViewerHost } from './viewer-host.ts';

/** The prompt of the sample after which the agent broke things for two turns: the place to go back to is just before it. */
const PROMPT = 'Move the auth code to src/features/login, and clean up whatever nobody uses any more.';
/** The row of its turn in the tree of steps. */
const TURN = /Move the auth code to src\/features\/login/;
/** The prompt of the turn after that, the last one. */
const LAST_PROMPT = 'Now nothing works';

/** Moves the time cursor by the mouse to a stop, without letting go. */
async function dragTo(page: Page, stop: number, last: number): Promise<void> {
  const cursor = page.getByRole('slider', { name: 'Time cursor' });
  const [handle, timeline] = [await cursor.boundingBox(), await page.getByRole('region', { name: 'Timeline' }).boundingBox()];
  if (handle === null || timeline === null) throw new Error('The time cursor is not on the screen.');
  const y = handle.y + handle.height / 2;
  let x = handle.x + handle.width / 2;
  await page.mouse.move(x, y);
  await page.mouse.down();
  // Snaps to stops: a few pixels at a time, as a hand does it.
  const now = async (): Promise<number> => Number(await cursor.getAttribute('aria-valuenow'));
  const pixels = timeline.width / last / 3;
  /** There, and still there when all that the pointer set off is drawn. */
  const arrived = async (): Promise<boolean> => {
    if ((await now()) !== stop) return false;
    await drawn(page);
    return (await now()) === stop;
  };
  for (let moves = 0; !(await arrived()) && moves < 400; moves++) {
    x += Math.sign(stop - (await now())) * pixels;
    await page.mouse.move(x, y);
  }
  expect(await now()).toBe(stop);
}

const gate = (page: Page): Locator => page.getByRole('alertdialog');
const standing = (page: Page): Locator => page.getByRole('region', { name: 'Standing revert' });

/** What the gate's table says: the verb and the path of each row. */
async function gateRows(page: Page): Promise<string[]> {
  const rows = gate(page).getByRole('table', { name: 'Files' }).getByRole('row');
  const words = await rows.evaluateAll((found) =>
    found.slice(1).map((row) => {
      const [verb, file] = row.querySelectorAll('td');
      return `${verb?.textContent} ${file?.firstElementChild?.textContent}`;
    }),
  );
  return words.map((text) => text.replace(/\s+/g, ' ').trim());
}

type State = 'start' | 'thread' | 'diff' | 'gate' | 'standing' | 'threads' | 'history' | 'palette' | 'keys';

/** Every state that is looked at closely. */
export const STATES: readonly State[] = ['start', 'thread', 'diff', 'gate', 'standing', 'threads', 'history', 'palette', 'keys'];

/** One morning with the viewer, from the first screen to a patch on disk. The same in both hosts. */
export function scenario(start: (folder: string) => Promise<ViewerHost>, pictures: readonly State[]): void {
  let host: ViewerHost;
  let page: Page;
  let folder = '';
  let truth: SampleTruth;
  let before: string[] = [];
  let broken = false;
  /** Where the cursor is dragged to, where it comes from, and the number of the first step that is taken back. */
  let [stop, last, first] = [0, 0, 0];

  /** Everything of the sample: workspace, log, snapshot repository; with mtimes. */
  const everything = (): Promise<string[]> => manifest(path.dirname(truth.root), { mtimes: true });
  const workspace = (): Promise<string[]> => manifest(truth.root);

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-e2e-')));
    host = await start(folder);
    page = host.page;
    page.setDefaultTimeout(ACT);
    await listen(page);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  afterAll(async () => {
    await host?.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** One act after the other: when one fails, those that build on it are skipped. */
  const step = (name: string, act: () => Promise<void>): void => {
    test(
      name,
      async (context) => {
        if (broken) return context.skip();
        broken = true;
        await act();
        broken = false;
      },
      TEST,
    );
  };

  /** The state that the act before left on the screen: its accessibility, and pictures of it. */
  const picture = (state: State): void => {
    if (!pictures.includes(state)) return;
    test(
      `${state}: no violation in either theme`,
      async (context) => {
        if (broken) return context.skip();
        await look(host, state);
      },
      TEST,
    );
  };

  describe('looking', () => {
    step('the start screen offers the sample where nothing was found', async () => {
      await page.getByText('No thread was found in the usual places').waitFor();
    });

    picture('start');

    step('the sample opens with its turns, steps and messages', async () => {
      await page.getByRole('button', { name: 'Try the sample' }).first().click();
      // It is recorded for real, which takes its time on a busy machine.
      await page.getByRole('feed', { name: 'Transcript' }).waitFor({ timeout: 120_000 });
      await page.getByText('snapshots ok').waitFor();
      truth = new SampleTruth(path.join(folder, 'own-data'));
      before = await everything();
      [stop, last, first] = [truth.stopBefore(PROMPT), truth.last, truth.stepAfter(PROMPT)];
      expect(truth.steps - first).toBeGreaterThanOrEqual(6);
      const cursor = page.getByRole('slider', { name: 'Time cursor' });
      const ends = () => Promise.all([cursor.getAttribute('aria-valuenow'), cursor.getAttribute('aria-valuemax')]);
      await expect.poll(ends).toEqual([String(last), String(last)]);
    });

    picture('thread');

    step('a step shows its files, and a file its diff', async () => {
      const steps = page.getByRole('tree', { name: 'Steps' });
      await steps.getByRole('treeitem', { name: TURN }).click();
      const files = page.getByRole('tree', { name: 'Files' });
      await files.getByRole('treeitem', { name: /toast\.js/ }).click();
      const changes = page.getByRole('region', { name: 'Changes' });
      await changes.getByRole('article', { name: 'src/ui/toast.js' }).getByText('export function showToast').first().waitFor();
    });

    picture('diff');

    step('the cursor is dragged to an earlier message: ghosts, a preview, and not one byte written', async () => {
      await dragTo(page, stop, last);
      const feed = page.getByRole('feed', { name: 'Transcript' });
      await feed
        .getByRole('article', { name: `Prompt ${stop + 1}` })
        .getByText('hidden')
        .waitFor();
      expect(
        await feed
          .getByRole('article', { name: `Message ${stop}` })
          .getByText('hidden')
          .isVisible(),
      ).toBe(false);
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await expect.poll(() => page.getByRole('slider', { name: 'Time cursor' }).getAttribute('aria-valuenow')).toBe(String(last));
      expect(await gate(page).count()).toBe(0);
      expect(await everything()).toEqual(before);
    });
  });

  describe('travelling', () => {
    step('letting go asks first, with the exact files and what cannot be undone', async () => {
      await dragTo(page, stop, last);
      await page.mouse.up();
      await gate(page).waitFor();
      await expect
        .poll(() => gate(page).textContent())
        .toMatch(new RegExp(`13 files go back to \\d\\d:\\d\\d; ${last - stop} messages are hidden; you can undo this\\.`));
      const expected = [...truth.before(first)].map(([file, was]) => {
        const now = truth.onDisk(file);
        return `${was === null ? 'Delete' : now === null ? 'Bring back' : 'Restore'} ${file}`;
      });
      expect(expected).toHaveLength(13);
      await expect.poll(() => gateRows(page)).toEqual(expected);
      expect(
        await gate(page)
          .getByRole('listitem')
          .filter({ has: page.locator('code') })
          .locator('code')
          .allTextContents(),
      ).toEqual([
        'mkdir -p src/features && mv src/auth src/features/login && mv src/features/login/login-form.js src/features/login/form.js && ls src/features/login',
        'chmod +x scripts/check.sh && ./scripts/check.sh',
        'git status --short && git diff --stat',
        './scripts/check.sh',
      ]);
      await hasFocus(gate(page).getByRole('button', { name: 'Cancel' }));
      const choice = gate(page).getByRole('combobox', { name: 'What to do with src/main.js' });
      expect(await choice.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.textContent)).toBe('Merge: my edit stays');
      expect(await everything()).toEqual(before);
    });

    picture('gate');

    step('the revert puts each file back as it was, keeps what the user did, and adds to the log', async () => {
      // The user's own line at the end of main.js, which no step has.
      const [mine, agents] = [truth.onDisk('src/main.js'), truth.left('src/main.js')];
      const line = mine?.bytes.subarray(agents?.bytes.length) ?? Buffer.alloc(0);
      expect(line.toString()).toContain('TODO(ada)');
      const [was, demo] = [truth.before(first).get('src/main.js'), truth.onDisk('notes/demo.md')];
      await gate(page).getByRole('button', { name: 'Revert 13 files' }).click();
      await standing(page).waitFor();
      for (const [file, content] of truth.before(first)) {
        if (file !== 'src/main.js') expect([file, truth.onDisk(file)]).toEqual([file, content]);
      }
      expect(truth.onDisk('src/main.js')?.bytes.toString()).toBe(`${was?.bytes}${line}`);
      expect(truth.onDisk('notes/demo.md')).toEqual(demo);
      expect(truth.typesAdded()[0]).toBe('harness.revert');
    });

    step('the thread stands there, with its hidden messages as ghosts', async () => {
      await expect
        .poll(() => standing(page).textContent())
        .toContain(`At message ${stop} of ${last} · ${last - stop} messages hidden · 13 files`);
      await page
        .getByRole('article', { name: `Prompt ${stop + 1}` })
        .getByText('hidden')
        .waitFor();
      await page
        .getByRole('article', { name: `Prompt ${stop + 1}` })
        .getByText(PROMPT)
        .waitFor();
    });

    picture('standing');

    step('a window that opens anew finds the thread in the list', async () => {
      await page.reload();
      await page.getByRole('option', { name: /^The login form/ }).waitFor();
    });

    picture('threads');

    step('and the revert still stands', async () => {
      await page.getByRole('option', { name: /^The login form/ }).click();
      await standing(page).waitFor();
      await expect.poll(() => standing(page).textContent()).toContain(`At message ${stop} of ${last}`);
    });

    step('unrevert brings everything back, byte for byte', async () => {
      await standing(page).getByRole('button', { name: 'Unrevert' }).click();
      await agree(/^Unrevert \d/, 'Took the revert back. 13 files put back.');
      await standing(page).waitFor({ state: 'detached' });
      const files = (lines: string[]): string[] => lines.filter((line) => / F /.test(line));
      const then = before
        .filter((line) => line.startsWith('workspace/'))
        .map((line) => line.slice('workspace/'.length).replace(/ [\d.]+$/, ''));
      expect(files(await workspace())).toEqual(files(then));
    });

    step('undo takes the last turn back and redo brings it again, in the seed’s words', async () => {
      const [now, were] = [await workspace(), truth.before(truth.steps - 1)];
      expect([...were.keys()]).toEqual(['src/features/login/form.js']);
      await pressFor(page, 'Control+z', gate(page));
      await agree(/^Undo \d/, 'Undid the last turn. Files restored: 1.');
      expect(truth.onDisk('src/features/login/form.js')).toEqual(were.get('src/features/login/form.js'));
      // Redo is on once the window has read the log again.
      const cursor = page.getByRole('slider', { name: 'Time cursor' });
      await expect.poll(() => cursor.getAttribute('aria-valuemax')).toBe(String(truth.stopBefore(LAST_PROMPT)));
      await pressFor(page, 'Control+Shift+z', gate(page));
      await agree(/^Redo \d/, 'Redid the last turn.');
      expect(await workspace()).toEqual(now);
    });

    step('the history lists the four travels, newest first', async () => {
      await page.keyboard.press('h');
      const entries = page.getByRole('dialog', { name: 'History of travels' }).getByRole('listitem');
      const verbs = async (): Promise<string[]> =>
        (await entries.locator('strong').allTextContents()).map((words) => words.split(/\W/, 1)[0] ?? '');
      await expect.poll(verbs).toEqual(['Redid', 'Undid', 'Unreverted', 'Reverted']);
    });

    picture('history');

    step('Escape closes the history, and the palette opens', async () => {
      await close(page, page.getByRole('dialog', { name: 'History of travels' }));
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Command or thread' }).waitFor();
    });

    picture('palette');

    step('Escape closes the palette, and ? shows the keys', async () => {
      await close(page, page.getByRole('combobox', { name: 'Command or thread' }));
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    });

    picture('keys');

    step('Escape closes the keys', async () => {
      await close(page, page.getByRole('dialog', { name: 'Keys' }));
    });

    /** Waits for the word on the end of a travel; agrees first, where the plan asks. */
    async function agree(name: RegExp, words: string): Promise<void> {
      const button = gate(page).getByRole('button', { name });
      const ended = said(page, words);
      const asked = await Promise.race([ended.then(() => false), button.waitFor().then(() => true)]);
      if (asked) await button.click();
      await ended;
    }
  });

  describe('taking along', () => {
    step('a turn leaves as a patch that git applies: the bytes after it are those of its last snapshot', async () => {
      const file = path.join(folder, 'turn-5.patch');
      await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem', { name: TURN }).click();
      await page
        .getByRole('tree', { name: 'Files' })
        .getByRole('treeitem', { name: /toast\.js/ })
        .waitFor();
      await host.exportPatch(file, () => page.keyboard.press('e'));
      await said(page, `Patch saved as ${file}.`);
      const [begin, end] = [truth.step(first), truth.step(truth.stepAfter(LAST_PROMPT) - 1)];
      const [applied, wanted] = [path.join(folder, 'applied'), path.join(folder, 'wanted')];
      truth.writeTree(begin.from, applied);
      truth.writeTree(end.to, wanted);
      const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: applied, env: host.env });
      git('apply', '--check', file);
      git('apply', file);
      expect(await manifest(applied)).toEqual(await manifest(wanted));
      expect(await readFile(file, 'utf8')).toMatch(
        /^diff --git a\/scripts\/check\.sh b\/scripts\/check\.sh\nold mode 100644\nnew mode 100755\n/,
      );
    });

    test('no error on the console and nothing asked of the network', () => {
      expect(host.problems()).toEqual([]);
    });
  });
}
