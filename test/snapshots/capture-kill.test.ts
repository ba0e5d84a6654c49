import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { capturePaths, captureWorkspace } from '../../electron/snapshots/capture.ts';
import { pin, pins } from '../../electron/snapshots/store.ts';
import { writeFiles } from '../scenarios/temp.ts';
import { makeLab } from './lab.ts';

const here = path.resolve('electron/snapshots');

it('a kill at any moment leaves a store that is whole and goes on working', async () => {
  const lab = await makeLab();
  const names = Array.from({ length: 120 }, (_, k) => `d${k % 11}/f${k}`);
  await writeFiles(lab.root, Object.fromEntries(names.map((name, k) => [name, `${name}\n`.repeat(50 + k * 20)])));
  await writeFiles(lab.root, { 'large.bin': Buffer.alloc(6_000_000, 'large') });
  const paths = [...names, 'large.bin'];
  const script = path.join(lab.folder, 'forever.ts');
  await writeFile(
    script,
    `import { createGit } from '${here}/git.ts';
import { openSafetyStore, pin } from '${here}/store.ts';
import { capturePaths, captureWorkspace } from '${here}/capture.ts';
import { appendFileSync } from 'node:fs';
const [root, ownData] = ${JSON.stringify([lab.root, lab.ownData])};
const store = await openSafetyStore({ git: createGit(), ownData, root });
console.log('begun');
for (let k = 0; ; k++) {
  appendFileSync(root + '/d0/f0', k + ' ' + process.pid + '\\n');
  const { tree } = await capturePaths(store, { root, paths: ${JSON.stringify(paths)} });
  await pin(store, 'kept-' + process.pid + '-' + k, tree);
  await captureWorkspace(store, { root, indexFile: ownData + '/index' });
  console.log('round');
}
`,
  );
  const store = await lab.safety();
  let round = 0;
  for (let run = 0; run < 9; run++) {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const said = (): Promise<void> => new Promise((resolve) => child.stdout.once('data', () => resolve()));
    await said();
    const begin = performance.now();
    // The first shows how long a round takes on this machine; the others die somewhere in their first two.
    if (run === 0) {
      await said();
      round = performance.now() - begin;
    } else await new Promise((resolve) => setTimeout(resolve, (round * 2 * run) / 9));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
  }
  expect(lab.plain([`--git-dir=${store.gitDir}`, 'fsck', '--full', '--strict', '--no-dangling']).toString()).toBe('');
  const kept = await pins(store);
  expect(kept.length).toBeGreaterThan(0);
  const reader = lab.reader(store);
  for (const { tree } of kept) for (const { oid } of (await reader.entries(tree)).values()) expect(await reader.info(oid)).not.toBeNull();
  const { tree } = await capturePaths(store, { root: lab.root, paths });
  await pin(store, 'last', tree);
  expect(await captureWorkspace(store, { root: lab.root, indexFile: path.join(lab.ownData, 'index') })).toBe(tree);
  expect(tree).toBe(lab.snap());
  expect(await readdir(lab.root)).toHaveLength(12);
}, 180_000);
