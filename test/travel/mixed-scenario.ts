import { cp, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TanstackScenario } from '../scenarios/tanstack.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';

/** What a travel must leave: the state before it or the state after it. */
export interface Mixed {
  t: TanstackScenario;
  /** The answer of the first turn, and the message before its first step. */
  answer: string;
  started: string;
  /** Manifest of the workspace, and of what a revert to the answer makes of it. */
  before: string[];
  after: string[];
  log: Buffer;
  /** Brings workspace, log and our own data back to how they were before any travel. */
  reset(): Promise<void>;
  /** Makes the log look as if it had rested: one that was written just now would be watched for a moment. */
  rest(): Promise<void>;
}

/** A turn that does every kind of thing to files, and a user's edit in one of them. */
export async function mixedScenario(t: TanstackScenario): Promise<Mixed> {
  await writeFiles(t.root, {
    'edited.txt': '1\n2\n3\n4\n5\n',
    'gone/only.txt': 'g\n',
    conf: 'c\n',
    link: { link: 'edited.txt' },
    'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
    bystander: 'b\n',
  });
  const first = await t.turn('begin', [{ tool: 'edit_file', edit: (root) => writeFiles(root, { started: 's\n' }) }]);
  const after = await manifest(t.root);
  await t.turn('everything', [
    {
      tool: 'bash',
      edit: async (root) => {
        const at = (name: string): string => path.join(root, name);
        await writeFile(at('edited.txt'), 'one\n2\n3\n4\n5\n');
        await rm(at('gone'), { recursive: true });
        await rm(at('conf'));
        await mkdir(at('conf'));
        await writeFiles(root, { 'conf/a.ini': 'a\n', 'made/deep/new.txt': 'n\n', 'made/two.txt': '2\n' });
        await rm(at('link'));
        await writeFile(at('link'), 'a file now\n');
        await rename(at('run.sh'), at('walk.sh'));
        await symlink('bystander', at('new-link'));
      },
    },
  ]);
  await writeFile(path.join(t.root, 'edited.txt'), 'one\n2\n3\n4\nfive, mine\n');
  const before = await manifest(t.root);
  const log = await readFile(t.log);
  const aside = path.join(t.folder, 'aside');
  await copyTree(t.root, aside);
  // The merge that is preselected keeps the user's line.
  await writeFile(path.join(t.root, 'edited.txt'), '1\n2\n3\n4\nfive, mine\n');
  const mergedLine = (await manifest(t.root)).find((line) => line.startsWith('edited.txt')) ?? '';
  const rest = async (): Promise<void> => {
    const past = new Date(Date.now() - 60_000);
    await utimes(t.log, past, past);
  };
  const reset = async (): Promise<void> => {
    for (const name of await readdir(t.root)) await rm(path.join(t.root, name), { recursive: true });
    await copyTree(aside, t.root);
    await writeFile(t.log, log);
    await rest();
    await rm(path.join(t.folder, 'own-data'), { recursive: true, force: true });
  };
  await reset();
  const expected = after.map((line) => (line.startsWith('edited.txt') ? mergedLine : line));
  return { t, answer: first.answerId, started: first.userId, before, after: expected, log, reset, rest };
}

async function copyTree(from: string, to: string): Promise<void> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}
