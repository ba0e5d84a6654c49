/** After `vitest run --coverage`: notes how many branches of each area the tests took, for the table of docs/testing.md. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { record } from '../figures.ts';

const AREAS = ['shared', 'electron/snapshots', 'electron/threads', 'electron/travel'];
const files: Record<string, { branches: { total: number; covered: number } }> = JSON.parse(
  readFileSync(path.resolve('test-output/coverage/coverage-summary.json'), 'utf8'),
);
for (const area of AREAS) {
  let [total, covered] = [0, 0];
  for (const [file, { branches }] of Object.entries(files)) {
    if (!path.relative(process.cwd(), file).replaceAll(path.sep, '/').startsWith(`${area}/`)) continue;
    total += branches.total;
    covered += branches.covered;
  }
  if (total > 0)
    record('coverage', `branches of ${area}`, `${((100 * covered) / total).toFixed(1)} % of ${total}`, 'vitest.coverage.config.ts');
}
