import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { ViewerHost } from './viewer-host.ts';

const SHOTS = path.resolve('test-output/screenshots');
const AXE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
);

export type Look = 'dark' | 'light' | 'contrast' | 'forced';

export const WIDE = { width: 1280, height: 800 };
export const SMALL = { width: 800, height: 600 };

interface Axe {
  run(
    options: object,
  ): Promise<{ violations: { id: string; help: string; nodes: { target: unknown[]; any: readonly { message: string }[] }[] }[] }>;
}

/** Shows the window in a look, which ends the one before. */
export async function wear(page: Page, look: Look): Promise<void> {
  await page.emulateMedia({
    colorScheme: look === 'light' ? 'light' : 'dark',
    forcedColors: look === 'forced' ? 'active' : 'none',
    reducedMotion: 'reduce',
  });
  await page.evaluate((contrast) => {
    if (contrast) document.documentElement.dataset['theme'] = 'contrast';
    else delete document.documentElement.dataset['theme'];
  }, look === 'contrast');
}

/** What axe finds wrong with the page as it is, one line each. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found = await page.evaluate(() => (window as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }));
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, any }) => `${id}: ${target.join(' ')} (${help}) ${any[0]?.message ?? ''}`),
  );
}

export interface AuditOptions {
  /** Pictures at 800x600 too. */
  small?: boolean;
}

/** The page is the same one in both hosts, so the looks beyond the two themes are seen in one of them. */
const LOOKS: Readonly<Record<ViewerHost['name'], readonly Look[]>> = {
  browser: ['dark', 'light', 'contrast', 'forced'],
  electron: ['dark', 'light'],
};

/** One state in every look: axe in each, a picture of each theme. Gives what is wrong. */
export async function audit({ page, name: host }: ViewerHost, state: string, { small = false }: AuditOptions = {}): Promise<string[]> {
  mkdirSync(SHOTS, { recursive: true });
  const wrong: string[] = [];
  const shoot = (name: string): Promise<unknown> => page.screenshot({ path: path.join(SHOTS, `state-${state}-${host}-${name}.png`) });
  for (const look of LOOKS[host]) {
    await wear(page, look);
    wrong.push(...(await violations(page)).map((line) => `${state}, ${look}: ${line}`));
    if (look !== 'forced') await shoot(look);
  }
  for (const look of small ? (['light', 'dark'] as const) : []) {
    await page.setViewportSize(SMALL);
    await wear(page, look);
    await shoot(`${look}-small`);
  }
  if (small) await page.setViewportSize(WIDE);
  await wear(page, 'dark');
  return wrong;
}
