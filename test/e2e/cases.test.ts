import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Built, buildCase } from '../cases/case.ts';
import { BadGit } from '../hostile/bad-git.ts';
import { cleanEnv } from '../scenarios/temp.ts';
import { size } from '../sizes.ts';
import { AFTER_REVERT } from './after-revert.ts';
import { browserHost } from './browser-host.ts';
import { files, foreign, text } from './case-files.ts';
import { ACT, TEST } from './patience.ts';

type Host = Awaited<ReturnType<typeof browserHost>>;

const NAMES = Array.from({ length: 20 }, (_, at) => `c-${String(at + 1).padStart(2, '0')}`);
const SIZES = {
  TURNS: String(size(1000, 12_000)),
  MEGABYTES: String(size(3, 30)),
  MANY: String(size(40, 400)),
  KEYS: String(size(160_000, 440_000)),
};

let base = '';
let host: Host;
let page: Page;
let env: Record<string, string> = {};
let git: BadGit;
const built = new Map<string, Built>();

const of = (name: string): Built => {
  const found = built.get(name);
  if (!found) throw new Error(`${name} was not built`);
  return found;
};
const serve = (): Promise<Host> => browserHost(base, env, [path.resolve('test/cases/serve-case.ts')]);

beforeAll(async () => {
  base = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-cases-')));
  for (const name of NAMES) {
    const folder = path.join(base, name);
    await mkdir(folder);
    built.set(name, await buildCase(name, folder, SIZES));
  }
  // All of them are opened under the poisoned environment of C-13 and the hostile settings of C-11.
  const poison = (await readFile(path.join(of('c-13').folder, 'env.sh'), 'utf8')).matchAll(/(\w+)=(?:"([^"]*)"|(\S*))/g);
  for (const [, name = '', quoted, plain] of poison) env[name] = quoted ?? plain ?? '';
  await mkdir(path.join(base, 'bin'));
  git = new BadGit(path.join(base, 'bin'));
  const search = `${git.folder}:${process.env['PATH']}`;
  env = { ...env, PATH: search, HOME: of('c-11').home, XDG_CONFIG_HOME: path.join(of('c-11').home, '.config') };
  env['CASE_SESSIONS'] = NAMES.map((name) => `case ${name}=${of(name).folder}`).join('\n');
  host = await serve();
  page = host.page;
  page.setDefaultTimeout(ACT);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page
    .getByRole('option', { name: /^case c-/ })
    .first()
    .waitFor();
}, TEST);

afterAll(async () => {
  await host?.close();
  await rm(base, { recursive: true, force: true, maxRetries: 3 });
});

const gate = (): Locator => page.getByRole('alertdialog');
/** Not by its role: a dialog over it takes that away. */
const standing = (): Locator => page.locator('section[aria-label="Standing revert"]');
const cursor = (): Locator => page.getByRole('slider', { name: 'Time cursor' });
const feed = (): Locator => page.getByRole('feed', { name: 'Transcript' });

/** Opens a case's thread by its name in the palette, whatever a test before left open. */
async function open(name: string): Promise<void> {
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Command or thread' });
  await field.fill(`case ${name}`);
  await page
    .getByRole('option', { name: new RegExp(`^case ${name}`) })
    .first()
    .click();
  await field.waitFor({ state: 'detached' });
  await page.getByRole('banner').getByText(`case ${name}`).waitFor();
  await feed().waitFor();
}

/** Moves the time cursor by its keys to a stop. */
async function moveTo(stop: number): Promise<void> {
  await cursor().focus();
  if (stop === 0) await page.keyboard.press('Home');
  const now = async (): Promise<number> => Number(await cursor().getAttribute('aria-valuenow'));
  for (let moves = 0; (await now()) !== stop && moves < 100; moves++) {
    await page.keyboard.press((await now()) > stop ? 'ArrowLeft' : 'ArrowRight');
  }
  expect(await now()).toBe(stop);
}

/** Cursor to the stop, Enter, and the gate with its plan. Neither writes a byte (I1). */
async function ask(name: string, stop = 0): Promise<void> {
  const before = await files(of(name), true);
  await moveTo(stop);
  await page.keyboard.press('Enter');
  await gate()
    .getByRole('button', { name: /^(Revert|Close)/ })
    .first()
    .waitFor();
  expect(await files(of(name), true)).toEqual(before);
}

/** Agrees to the plan and waits until the revert stands. */
async function agree(): Promise<void> {
  await gate()
    .getByRole('button', { name: /^Revert/ })
    .click();
  await standing().waitFor();
  await leaveReport();
}

/** A travel that left something as it is says so until it is put away. */
async function leaveReport(): Promise<void> {
  const close = page.getByRole('dialog').getByRole('button', { name: /^(Close|Done|OK)$/ });
  if (await close.count()) await close.first().click();
}

async function takeBack(): Promise<void> {
  await standing().getByRole('button', { name: 'Unrevert' }).click();
  const sure = gate().getByRole('button', { name: /^Unrevert/ });
  await Promise.race([standing().waitFor({ state: 'detached' }), sure.waitFor().then(() => sure.click())]);
  await standing().waitFor({ state: 'detached' });
  await leaveReport();
}

/** What the journals of travels under way say, as one text. */
async function journals(): Promise<string> {
  const folder = path.join(base, 'own-data', 'journal');
  const found = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'));
  return (await Promise.all(found.map((name) => readFile(path.join(folder, name), 'utf8').catch(() => '')))).join('\n');
}

/** Agrees to the plan, and kills the viewer once all is kept and the first file is about to be written; false where it came too late. */
async function killInTheMiddle(name: string): Promise<boolean> {
  await ask(name);
  // The window may not even have noticed yet.
  const click = gate()
    .getByRole('button', { name: /^Revert/ })
    .click()
    .catch(() => undefined);
  let ended = false;
  const end = standing()
    .waitFor()
    .then(
      () => {
        ended = true;
      },
      () => undefined,
    );
  while (!ended) {
    if (!(await journals()).includes('"phase":"saved"')) continue;
    host.server.kill('SIGKILL');
    await click;
    return true;
  }
  await end;
  await leaveReport();
  return false;
}

/** The whole of a case: open, cursor, gate, revert, look at the disk, unrevert; all else stays as it is. */
async function thereAndBack(name: string, look: (b: Built) => Promise<void>, stop = 0): Promise<void> {
  const one = of(name);
  const [before, around] = [await files(one), await foreign(one)];
  await open(name);
  await ask(name, stop);
  await agree();
  await look(one);
  await takeBack();
  expect(await files(one)).toEqual(before);
  expect(await foreign(one)).toEqual(around);
}

test.each(AFTER_REVERT)(
  '%s: there and back by the cursor and the gate',
  async (name, look, stop = 0) => {
    await thereAndBack(name, look, stop);
  },
  TEST,
);

test(
  'c-05: the gate says why nothing can go back, and offers nothing that writes',
  async () => {
    await open('c-05');
    await ask('c-05');
    expect(await gate().textContent()).toMatch(/the snapshots before and after are equal/);
    expect(
      await gate()
        .getByRole('button', { name: /^Revert \d/ })
        .count(),
    ).toBe(0);
    expect(await page.getByText(/no changes/i).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect([await text(of('c-05'), 'f.txt'), await text(of('c-05'), 'g.txt')]).toEqual(['v2\n', 'g\n']);
  },
  TEST,
);

test(
  'c-07: the other session is named, and waited for while it works',
  async () => {
    const one = of('c-07');
    const other = path.join(one.folder, 'session-B.jsonl');
    const growing = setInterval(() => void appendFile(other, '{"type":"note"}\n'), 200);
    try {
      await open('c-07');
      await ask('c-07');
      await gate().getByText('An agent works in this folder').waitFor();
      expect(await text(one, 'a.txt')).toBe('A\n');
      await page.keyboard.press('Escape');
    } finally {
      clearInterval(growing);
    }
  },
  TEST,
);

test(
  'c-16: a damaged log opens, with a row for each line that cannot be read',
  async () => {
    await open('c-16');
    await feed()
      .getByText(/^Line \d+ unreadable/)
      .first()
      .waitFor();
    await feed().getByText('msg 6').first().waitFor();
  },
  TEST,
);

test(
  'c-17: a huge transcript draws few rows, jumps to both ends and finds one message',
  async () => {
    await open('c-17');
    const rows = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length);
    await cursor().focus();
    for (const key of ['Home', 'End']) {
      await page.keyboard.press(key);
      expect(await rows()).toBeLessThan(5000);
    }
    const turns = Number(SIZES.TURNS);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+f');
    await page.getByLabel('Search the thread').fill(`needle${turns - 1} `);
    await page.getByRole('status', { name: /^Match 1 of/ }).waitFor();
    await feed()
      .getByText(new RegExp(`needle${turns - 1} `))
      .first()
      .waitFor();
    expect(await rows()).toBeLessThan(5000);
  },
  TEST,
);

test(
  'c-19: the step leaves as a patch that git applies',
  async () => {
    const one = of('c-19');
    const file = path.join(base, 'p.patch');
    await open('c-19');
    await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
    await page.getByRole('tree', { name: 'Files' }).getByRole('treeitem').first().waitFor();
    await host.exportPatch(file, () => page.keyboard.press('e'));
    await expect.poll(() => readFile(file, 'latin1').catch(() => '')).toContain('GIT binary patch');
    const git = (...args: string[]): string =>
      execFileSync('git', args, { cwd: path.join(one.folder, 'x'), env: cleanEnv(base), encoding: 'utf8' });
    git('apply', '--check', '--whitespace=nowarn', file);
    git('apply', '--whitespace=nowarn', file);
    git('-c', 'core.autocrlf=false', 'add', '-A', '-f', '.');
    expect(`T1=${git('write-tree')}`.trim()).toBe(one.stdout.trim());
  },
  TEST,
);

test(
  'c-20: a heavy file is told by its size and loaded when asked; the last one chosen wins',
  async () => {
    await open('c-20');
    await page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem').first().click();
    const tree = page.getByRole('tree', { name: 'Files' });
    const changes = page.getByRole('region', { name: 'Changes' });
    // As git compares them: the first lines are there at once.
    await tree.getByRole('treeitem', { name: /big\.txt/ }).click();
    await changes.getByRole('article', { name: 'big.txt' }).getByText('line 7919 31').first().waitFor();
    const filter = page.getByRole('searchbox', { name: 'Filter' }).or(page.getByPlaceholder('Filter by path')).first();
    await filter.fill('min.js');
    await tree.getByRole('treeitem', { name: /min\.js/ }).click();
    await changes.getByRole('article', { name: 'min.js' }).getByRole('button', { name: 'Load anyway' }).waitFor();
    // Only one line of it really changed, as `git diff --ignore-cr-at-eol` counts.
    await filter.fill('eol.cpp');
    await tree.getByRole('treeitem', { name: /eol\.cpp/ }).click();
    await changes
      .getByRole('article', { name: 'eol.cpp' })
      .getByText(/Line endings changed, 1 line changed/)
      .waitFor();
    // Another one is chosen at once: it is the one that is shown.
    await filter.fill('many1.txt');
    await tree.getByRole('treeitem', { name: /many1\.txt/ }).click();
    await changes.getByRole('article', { name: 'many1.txt' }).getByText('X', { exact: true }).first().waitFor();
  },
  TEST,
);

test(
  'I7: a git that fails in the middle of a revert is told with its code, the cause and what to do, and nothing has changed',
  async () => {
    const one = of('c-01');
    const [before, around] = [await files(one, true), await foreign(one)];
    await open('c-01');
    await ask('c-01');
    git.will('echo "fatal: cannot lock the ref" >&2; exit 41', 'update-ref');
    const revert = gate().getByRole('button', { name: /^Revert/ });
    await revert.click();
    const sentence = 'git update-ref failed with exit code 41. Cause: fatal: cannot lock the ref. Nothing was written; try again,';
    await gate().getByText(sentence).waitFor();
    expect(git.done).toContain('update-ref');
    expect([await files(one, true), await foreign(one), await standing().count()]).toEqual([before, around, 0]);
    git.behave();
    await agree();
    expect(await files(one)).not.toEqual(before);
    await takeBack();
  },
  TEST,
);

test(
  'c-15: killed in the middle, the next start offers both ways and rolls back',
  async () => {
    const one = of('c-15');
    const after = (await readFile(path.join(one.folder, 'm1'), 'utf8')).split('\n').filter((line) => / F /.test(line)).length;
    const before = await files(one);
    expect(before.filter((line) => / F /.test(line))).toHaveLength(after);
    await open('c-15');
    while (!(await killInTheMiddle('c-15'))) await takeBack();
    await host.close();
    host = await serve();
    page = host.page;
    const banner = page.getByText(/was interrupted at/);
    await banner.waitFor();
    await page.getByRole('button', { name: 'Roll back' }).click();
    await banner.waitFor({ state: 'detached' });
    expect(await files(one)).toEqual(before);
  },
  TEST,
);

test('nothing ran that a config named, no error on the console, nothing asked of the network', async () => {
  expect(await readdir(path.join(of('c-12').folder, 'pwn'))).toEqual(['.keep']);
  expect(host.problems()).toEqual([]);
});
