import { spawnSync } from 'node:child_process';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';
import { findChromium } from '../tools/find-chromium.mjs';

test('the variable CHROMIUM wins, and must name a program', async () => {
  const folder = await tempFolder();
  await writeFiles(folder, { mine: { content: '#!/bin/sh\n', mode: 0o755 }, text: 'no program' });
  expect(findChromium({ CHROMIUM: path.join(folder, 'mine'), PATH: '' })).toBe(path.join(folder, 'mine'));
  expect(findChromium({ CHROMIUM: path.join(folder, 'text'), PATH: '' })).toBeNull();
  expect(findChromium({ CHROMIUM: folder, PATH: '' })).toBeNull();
});

test('a variable CHROMIUM that names nothing is told in one sentence, and nothing is installed', () => {
  const run = spawnSync(process.execPath, ['test/tools/find-chromium.mjs'], {
    env: { ...process.env, CHROMIUM: '/nowhere/chromium' },
    encoding: 'utf8',
  });
  expect([run.status, run.stdout, run.stderr]).toEqual([
    1,
    '',
    'The variable CHROMIUM names /nowhere/chromium, which is not a program: name another one or unset it.\n',
  ]);
});

test('where Chromium is, nothing is said', () => {
  const run = spawnSync(process.execPath, ['test/tools/find-chromium.mjs'], { encoding: 'utf8' });
  expect([run.status, run.stdout, run.stderr]).toEqual([0, '', '']);
});

/** `.ci/run` in a folder of its own, with an npm that writes the given report and fails where it is told to. */
async function ci(options: { report: unknown; fails?: string }): Promise<{ status: number | null; last: string; out: string }> {
  const folder = await tempFolder();
  const npm = `#!/bin/sh
for argument in "$@"; do
  case "$argument" in --outputFile.json=*) printf '%s' '${JSON.stringify(options.report)}' > "\${argument#*=}";; esac
done
case "$*" in "${options.fails ?? 'nothing'}"*) exit 1;; esac
`;
  await writeFiles(folder, { 'bin/npm': { content: npm, mode: 0o755 } });
  spawnSync('cp', ['-r', path.resolve('.ci'), folder]);
  await chmod(path.join(folder, '.ci/run'), 0o755);
  const env = { ...process.env, PATH: `${path.join(folder, 'bin')}:${process.env['PATH']}` };
  const { status, stdout } = spawnSync(path.join(folder, '.ci/run'), [], { env, encoding: 'utf8' });
  return { status, last: stdout.trimEnd().split('\n').at(-1) ?? '', out: stdout };
}

const good = { numPassedTests: 10, numFailedTests: 0, testResults: [] };

test('CI counts tests and stages in its last line', async () => {
  // Two reports of ten tests, six stages.
  expect(await ci({ report: good })).toMatchObject({ status: 0, last: '26 passed, 0 failed' });
});

test('CI fails with a failed stage, and still runs the others', async () => {
  const { status, last, out } = await ci({ report: good, fails: 'run check' });
  expect([status, last]).toEqual([1, '25 passed, 1 failed']);
  expect(out).toContain('== npm run test:package: passed');
});

test('CI fails with a failed test, with a file that could not run, and without a report', async () => {
  expect(await ci({ report: { ...good, numFailedTests: 2 } })).toMatchObject({ status: 1, last: '26 passed, 4 failed' });
  const broken = { ...good, testResults: [{ status: 'failed', assertionResults: [] }] };
  expect(await ci({ report: broken })).toMatchObject({ status: 1, last: '26 passed, 2 failed' });
  expect(await ci({ report: null })).toMatchObject({ status: 1, last: '6 passed, 2 failed' });
});

test('CI stops at once when the packages cannot be installed', async () => {
  expect(await ci({ report: good, fails: 'ci' })).toMatchObject({ status: 1, last: '1 passed, 1 failed' });
});
