import type { Locator, Page } from 'playwright-core';
import { close } from './patience.ts';
import type { StatesLab } from './states-lab.ts';
import type { ViewerHost } from './viewer-host.ts';

/** The window that all states are looked at in, and the threads below it. */
export interface Stage {
  lab: StatesLab;
  host: ViewerHost;
}

let set: Stage | null = null;

/** To be called before the first test. */
export function setStage(made: Stage): void {
  set = made;
}

export function stage(): Stage {
  if (set === null) throw new Error('The stage is not set.');
  return set;
}

export const page = (): Page => stage().host.page;

export const gate = (): Locator => page().getByRole('alertdialog');

export async function leave(times = 1): Promise<void> {
  for (let at = 0; at < times; at++) await page().keyboard.press('Escape');
}

export const palette = (): Locator => page().getByRole('combobox', { name: 'Command or thread' });

/** Leaves a dialog of that name. */
export const leaveDialog = (name: string | RegExp): Promise<void> => close(page(), page().getByRole('dialog', { name }));
