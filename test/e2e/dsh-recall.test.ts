import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { type DshSession, dshSession, fakeHost, promptEvents, restorableChanges } from '../scenarios/dsh-session.ts';
import { runCli } from '../scenarios/run-cli.ts';
import { cleanEnv, manifest } from '../scenarios/temp.ts';
import { browserHost } from './browser-host.ts';
import { look } from './look.ts';
import { ACT, listen, said as wasSaid } from './patience.ts';
import type { ViewerHost } from './viewer-host.ts';

/** Looking at a state means four pictures and two audits of it. */
const LONG = { timeout: 480_000 };

const gate = (page: Page): Locator => page.getByRole('alertdialog');
const planned = (page: Page): Locator => page.getByRole('region', { name: 'Planned recall' });

/** Waits for the word on what was done. While a dialog is open nothing but it is there for a reader of the screen, so it is over then. */
async function said(page: Page, words: string): Promise<void> {
  await wasSaid(page, words);
  await gate(page).waitFor({ state: 'detached' });
}

async function viewer(session: DshSession, env: Record<string, string> = {}): Promise<ViewerHost> {
  // The workspace is not where the log says; naming it once is remembered.
  await runCli(['show', session.log, '--root', session.root], cleanEnv(session.folder));
  const host = await browserHost(session.folder, env);
  onTestFinished(() => host.close());
  host.page.setDefaultTimeout(ACT);
  await listen(host.page);
  await host.page.setViewportSize({ width: 1280, height: 800 });
  return host;
}

async function takeBack(page: Page, words: string): Promise<void> {
  const row = page.getByRole('article', { name: /^Prompt/ }).filter({ hasText: words });
  await row.hover();
  await row.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: /^Take back/ }).click();
  await gate(page).waitFor();
}

test(
  'a prompt is taken back with its files: asked, planned, carried out when DSH left a step open, and its text stays to copy',
  LONG,
  async () => {
    const session = await dshSession('session-sample-a');
    const changes = await fakeHost(await restorableChanges());
    const host = await viewer(session, changes.env);
    const { page } = host;
    const before = await manifest(session.root);
    const log = await session.bytes();
    await page.getByText('Please create new.txt, change beta').first().click();
    await page.getByRole('feed', { name: 'Transcript' }).waitFor();
    await takeBack(page, 'Now also upper-case gamma');
    const restore = gate(page).getByLabel('Restore these files');
    await restore.waitFor();
    expect(await restore.isChecked()).toBe(false);
    await gate(page).getByText('Turn 3 changed 1 file, which stays').waitFor();
    await look(host, 'recall-gate');
    await restore.check();
    await gate(page).getByRole('table', { name: 'Files' }).getByText('notes.txt', { exact: true }).waitFor();
    await look(host, 'recall-gate-files');
    expect(await manifest(session.root)).toEqual(before);
    await gate(page).getByRole('button', { name: 'Plan to take back 4 messages and restore 1 file' }).click();
    await planned(page).waitFor();
    expect(await planned(page).textContent()).toContain('Recall planned, not yet effective: it takes effect when DSH opens the next step.');
    expect(await readFile(path.join(session.root, 'notes.txt'), 'utf8')).toBe('alpha\nBETA\ngamma\n');
    expect((await session.bytes()).equals(log)).toBe(true);
    expect(await planned(page).getByRole('button', { name: 'Carry out' }).getAttribute('aria-disabled')).toBe('true');
    await look(host, 'recall-planned');

    await planned(page).getByRole('button', { name: 'Drop' }).click();
    await said(page, 'The planned recall was dropped. 1 file put back.');
    await planned(page).waitFor({ state: 'detached' });
    expect(await manifest(session.root)).toEqual(before);

    await takeBack(page, 'Now also upper-case gamma');
    await gate(page).getByRole('button', { name: 'Plan to take back 4 messages' }).click();
    await planned(page).waitFor();
    await session.append(...promptEvents(4, 'Something else'));
    const carry = planned(page).getByRole('button', { name: 'Carry out' });
    await expect.poll(() => carry.getAttribute('aria-disabled'), { timeout: ACT }).toBeNull();
    await carry.click();
    await gate(page).getByRole('button', { name: 'Take back 4 messages' }).click();
    await said(page, 'Recalled: the thread stands before turn 3.');
    await planned(page).waitFor({ state: 'detached' });
    const { events } = await session.read();
    expect(events.at(-1)).toMatchObject({ type: 'system/message', data: { turn: 4, step: 1 }, sourceEventSeqs: [47, 48, 50, 53] });
    const strip = page.getByRole('article').filter({ hasText: '4 messages taken back' });
    await strip.getByText('Now also upper-case gamma.').waitFor();
    await strip.getByRole('button', { name: 'Copy text' }).click();
    await said(page, 'Prompt copied.');
    await look(host, 'recalled');
    expect(host.problems()).toEqual([]);
  },
);

test('what cannot be put back is named, and the way out leaves the files', LONG, async () => {
  const session = await dshSession('session-sample-a');
  const changes = await fakeHost(await restorableChanges(['bin.dat']));
  const host = await viewer(session, changes.env);
  const { page } = host;
  await page.getByText('Please create new.txt, change beta').first().click();
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await page.locator('.transcript').evaluate((area) => area.scrollTo(0, 0));
  await takeBack(page, 'Please create new.txt');
  await gate(page).getByLabel('Restore these files').check();
  await gate(page).getByText('moved.txt cannot be put back.').waitFor();
  await look(host, 'recall-refused');
  await gate(page).getByRole('button', { name: 'Leave the files' }).click();
  await gate(page).getByRole('button', { name: 'Plan to take back 16 messages' }).waitFor();
  expect(await gate(page).getByLabel('Restore these files').isChecked()).toBe(false);
  expect(host.problems()).toEqual([]);
});

test('without a host that holds the lists the gate refuses, and says why', async () => {
  const session = await dshSession('session-sample-a');
  const host = await viewer(session);
  const { page } = host;
  await page.getByText('Please create new.txt, change beta').first().click();
  await page.getByRole('feed', { name: 'Transcript' }).waitFor();
  await takeBack(page, 'Now also upper-case gamma');
  await gate(page).getByText('The file list of turn 3 is no longer available').waitFor();
  expect(
    await gate(page)
      .getByRole('button', { name: /take back/i })
      .count(),
  ).toBe(0);
});
