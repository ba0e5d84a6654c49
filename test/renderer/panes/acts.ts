import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type PanesPage, startPanes } from './page.ts';

/** The window for all tests of a file: it starts before the first and goes after the last. */
export function sharedPanes(): Pick<PanesPage, 'open' | 'faults'> {
  let panes: PanesPage;
  beforeAll(async () => {
    panes = await startPanes();
  }, 180_000);
  afterAll(() => panes.close());
  return {
    open: (...scene) => panes.open(...scene),
    get faults() {
      return panes.faults;
    },
  };
}

/** Polls as long as a busy machine may need. */
export const eventually = <T>(look: () => Promise<T>, message = '') => expect.poll(look, { timeout: 20_000, interval: 100, message });

/** What the window asked the host for by this call, oldest first. */
export const asked = (page: Page, call: string): Promise<Record<string, unknown>[]> =>
  page.evaluate(
    (name) =>
      (window as unknown as { host: { asked: { call: string; input: Record<string, unknown> }[] } }).host.asked
        .filter((entry) => entry.call === name)
        .map((entry) => entry.input),
    call,
  );

/** Violations as one line each, so that a failure says what to mend. */
export async function violations(page: Page): Promise<string[]> {
  const found = await new AxeBuilder({ page }).analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n')}`);
}

/** Chooses a file as the list does. */
export const choose = (page: Page, path: string): Promise<void> =>
  page.evaluate((file) => {
    const { changesStore } = (
      window as unknown as { stores: { changesStore: { setState(change: (state: { fileAsked: number }) => object): void } } }
    ).stores;
    changesStore.setState((state) => ({ file, fileAsked: state.fileAsked + 1 }));
  }, path);
