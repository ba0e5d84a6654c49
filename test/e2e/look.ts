import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { expect } from 'vitest';
import type { ViewerHost } from './viewer-host.ts';

const SHOTS = path.resolve('test-output/screenshots');
const SIZES = [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
] as const;

/** Violations as one line each, so that a failure says what to mend. */
async function violations({ page }: ViewerHost): Promise<string[]> {
  // The newer mode opens a page of its own, which a window under the double does not have.
  const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return found.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')} (${rule.help})`));
}

/**
 * One state of the screen: no violation in either theme, and pictures of it in each size and theme. The theme and size are
 * as before afterwards.
 */
export async function look(host: ViewerHost, state: string): Promise<void> {
  const { page, name } = host;
  mkdirSync(SHOTS, { recursive: true });
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await violations(host)).map((line) => `${colorScheme}: ${line}`));
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await page.screenshot({ path: path.join(SHOTS, `${name}-${state}-${size.width}x${size.height}-${colorScheme}.png`) });
    }
    await page.setViewportSize(SIZES[0]);
  }
  expect(found).toEqual([]);
}
