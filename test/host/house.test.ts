import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

const HOUSE = path.resolve('test/tools/house.mjs');

async function house(files: Record<string, string>): Promise<{ status: number | null; lines: string[] }> {
  const root = await tempFolder();
  const good = {
    'package.json': JSON.stringify({ dependencies: { zod: '1', react: '1', ws: '1' } }),
    'shared/model.ts': "import { z } from 'zod';\nexport const model = z;\n",
  };
  await writeFiles(root, { ...good, ...files });
  const { status, stdout } = spawnSync(process.execPath, [HOUSE, root], { encoding: 'utf8' });
  return { status, lines: stdout.trimEnd().split('\n').slice(0, -1) };
}

const lines = (count: number): string => 'export const a = 1;\n'.repeat(count);

const PLANTED: readonly [rule: string, files: Record<string, string>, breach: string][] = [
  [
    'shared imports electron/',
    { 'electron/a.ts': 'export const a = 1;\n', 'shared/x.ts': "import { a } from '../electron/a.ts';\nexport const x = a;\n" },
    'shared/x.ts:1 shared must not import electron (../electron/a.ts)',
  ],
  [
    'shared imports Node',
    { 'shared/x.ts': "\nimport fs from 'node:fs';\nexport const x = fs;\n" },
    'shared/x.ts:2 shared runs without Node, so it must not import node:fs',
  ],
  [
    'shared imports React',
    { 'shared/x.ts': "import react from 'react';\nexport const x = react;\n" },
    'shared/x.ts:1 shared is pure: it must not import react',
  ],
  [
    'shared uses a runtime global',
    { 'shared/x.ts': 'export const x = 1;\nexport const y = process.env;\n' },
    'shared/x.ts:2 shared is pure: no global of Node or the browser',
  ],
  [
    'renderer imports electron/',
    {
      'electron/host/a.ts': 'export const a = 1;\n',
      'renderer/x.tsx': "import { a } from '../electron/host/a.ts';\nexport const x = a;\n",
    },
    'renderer/x.tsx:1 renderer must not import electron/host (../electron/host/a.ts)',
  ],
  [
    'renderer imports Node',
    { 'renderer/x.ts': "import { join } from 'node:path';\nexport const x = join;\n" },
    'renderer/x.ts:1 renderer runs without Node, so it must not import node:path',
  ],
  [
    'renderer imports the electron package',
    { 'renderer/x.ts': "import type { App } from 'electron';\nexport type X = App;\n" },
    'renderer/x.ts:1 only the six files named in the design may import electron',
  ],
  [
    'electron imports renderer/',
    { 'renderer/a.ts': 'export const a = 1;\n', 'electron/host/x.ts': "import { a } from '../../renderer/a.ts';\nexport const x = a;\n" },
    'electron/host/x.ts:1 electron/host must not import renderer (../../renderer/a.ts)',
  ],
  [
    'a handler imports electron',
    { 'electron/host/x.ts': "import { app } from 'electron';\nexport const x = app;\n" },
    'electron/host/x.ts:1 only the six files named in the design may import electron',
  ],
  [
    'a dynamic import of electron',
    { 'electron/cli.ts': "export const x = () => import('electron');\n" },
    'electron/cli.ts:1 only the six files named in the design may import electron',
  ],
  [
    'snapshots point back to travel',
    {
      'electron/travel/a.ts': 'export const a = 1;\n',
      'electron/snapshots/x.ts': "import type { a } from '../travel/a.ts';\nexport type X = typeof a;\n",
    },
    'electron/snapshots/x.ts:1 electron/snapshots must not import electron/travel (../travel/a.ts)',
  ],
  [
    'threads point back to host',
    {
      'electron/host/a.ts': 'export const a = 1;\n',
      'electron/threads/dsh/x.ts': "import { a } from '../../host/a.ts';\nexport const x = a;\n",
    },
    'electron/threads/dsh/x.ts:1 electron/threads must not import electron/host (../../host/a.ts)',
  ],
  [
    'recorder imports travel',
    {
      'electron/travel/a.ts': 'export const a = 1;\n',
      'electron/recorder/x.ts': "import { a } from '../travel/a.ts';\nexport const x = a;\n",
    },
    'electron/recorder/x.ts:1 electron/recorder must not import electron/travel (../travel/a.ts)',
  ],
  [
    'an area imports an entry',
    { 'electron/menu.ts': 'export const a = 1;\n', 'electron/host/x.ts': "import { a } from '../menu.ts';\nexport const x = a;\n" },
    'electron/host/x.ts:1 electron/host must not import electron (../menu.ts)',
  ],
  [
    'shipped code imports test/',
    { 'electron/host/x.ts': "import { a } from '../../test/a.ts';\nexport const x = a;\n" },
    'electron/host/x.ts:1 electron/host must not import test (../../test/a.ts)',
  ],
  [
    'a process from the host',
    { 'electron/host/x.ts': "import { spawn } from 'node:child_process';\nexport const x = spawn;\n" },
    'electron/host/x.ts:1 only git.ts, the command line and the recorder may start processes',
  ],
  [
    'a process by require',
    { 'electron/travel/x.ts': "export const x = require('child_process');\n" },
    'electron/travel/x.ts:1 only git.ts, the command line and the recorder may start processes',
  ],
  [
    'a builtin without node:',
    { 'electron/host/x.ts': "import fs from 'fs';\nexport const x = fs;\n" },
    'electron/host/x.ts:1 write node:fs',
  ],
  [
    'a package that is not listed',
    { 'renderer/x.ts': "import left from 'left-pad';\nexport const x = left;\n" },
    'renderer/x.ts:1 left-pad is not among the dependencies',
  ],
  [
    'an import without extension',
    { 'shared/x.ts': "import { model } from './model';\nexport const x = model;\n" },
    'shared/x.ts:1 write the extension of ./model',
  ],
  [
    'an import of nothing',
    { 'shared/x.ts': "import { a } from './gone.ts';\nexport const x = a;\n" },
    'shared/x.ts:1 there is no file shared/gone.ts',
  ],
  [
    'a cycle',
    {
      'shared/a.ts': "import { b } from './b.ts';\nexport const a = () => b;\n",
      'shared/b.ts': "import { a } from './a.ts';\nexport const b = () => a;\n",
    },
    'shared/b.ts:1 a cycle: shared/a.ts -> shared/b.ts -> shared/a.ts',
  ],
  [
    'a barrel',
    { 'shared/x.ts': "export { model } from './model.ts';\n" },
    'shared/x.ts:1 a barrel: import from the file that has the thing',
  ],
  [
    'an index',
    { 'renderer/index.ts': 'export const a = 1;\n' },
    'renderer/index.ts:1 index says nothing: name the file after its one thing',
  ],
  [
    'a utils file',
    { 'electron/host/utils.ts': 'export const a = 1;\n' },
    'electron/host/utils.ts:1 utils says nothing: name the file after its one thing',
  ],
  ['a long file', { 'shared/x.ts': lines(401) }, 'shared/x.ts:401 401 lines; 400 is the most'],
  ['a long style sheet', { 'renderer/x.css': 'a {}\n'.repeat(401) }, 'renderer/x.css:401 401 lines; 400 is the most'],
];

describe('a planted breach is found', () => {
  test.each(PLANTED)('%s', async (_, files, breach) => {
    const { status, lines: printed } = await house(files);
    expect(printed).toContain(breach);
    expect(status).toBe(1);
  });

  test('a high median', async () => {
    const { status, lines: printed } = await house({ 'shared/a.ts': lines(120), 'shared/b.ts': lines(130) });
    expect([status, printed]).toEqual([1, ['.:0 the median file has 120 lines; fewer than 100 is the rule']]);
  });
});

test('a good house has no breach', async () => {
  const { status, lines: printed } = await house({
    'electron/snapshots/git.ts': "import { spawn } from 'node:child_process';\nexport const git = spawn;\n",
    'electron/cli-launch.ts':
      "import { spawn } from 'node:child_process';\nimport { git } from './snapshots/git.ts';\nexport const launch = [spawn, git];\n",
    'electron/travel/a.ts': "import { git } from '../snapshots/git.ts';\nexport const a = git;\n",
    'electron/host/electron.ts':
      "import { ipcMain } from 'electron';\nimport { a } from '../travel/a.ts';\nexport const host = [ipcMain, a];\n",
    'electron/main.ts':
      "import { app } from 'electron';\nimport { host } from './host/electron.ts';\nimport { WebSocket } from 'ws';\nexport const main = [app, host, WebSocket];\n",
    'renderer/app.tsx':
      "import react from 'react';\nimport { model } from '../shared/model.ts';\nimport './app.css';\nimport worker from './w.ts?worker';\nexport const app = [react, model, worker];\n",
    'renderer/w.ts': "// import fs from 'node:fs' is a comment\nexport const w = 'import fs from \"node:fs\"';\n",
    'renderer/app.css': 'a {}\n',
    'shared/a.ts':
      "import type { B } from './b.ts';\nexport interface A { b: B }\nexport const text = 'process.env and window.x in words';\n",
    'shared/b.ts': "import type { A } from './a.ts';\nexport interface B { a: A | null }\nexport type { A } from './a.ts';\n",
    'shared/c.ts': lines(400),
  });
  expect([status, printed]).toEqual([0, []]);
});
