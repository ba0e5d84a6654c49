import { appendFile, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { Neighbours } from '../../electron/threads/neighbours.ts';
import type { ThreadReader } from '../../electron/threads/source.ts';
import type { Message, Step, Thread, ThreadHead } from '../../shared/model.ts';
import { tempFolder } from '../scenarios/temp.ts';

interface Known {
  head: ThreadHead;
  wrote?: string[];
  listed?: string[];
  failed?: string[];
}

/** Threads of which only what they wrote is known; `peeks` counts the looks into each. */
function neighbours(known: Known[]): { others: Neighbours; peeks: string[]; closed: string[] } {
  const [peeks, closed]: [string[], string[]] = [[], []];
  const call = (wrote: string[], status: string) => ({ wrote, status });
  const others = new Neighbours({
    list: async () => ({ threads: known.map(({ head }) => head) }),
    async peek(head) {
      peeks.push(head.id);
      const found = known.find((one) => one.head.id === head.id);
      if (found?.wrote === undefined) throw new Error('it cannot be read');
      const tools = [call(found.wrote, 'done'), call(found.failed ?? [], 'failed'), { wrote: null, status: 'done' }];
      const thread = {
        messages: [{ tools } as unknown as Message],
        steps: [{ listed: found.listed ?? null } as Step],
      } as unknown as Thread;
      return { thread: () => thread, close: async () => void closed.push(head.id) } as unknown as ThreadReader;
    },
  });
  return { others, peeks, closed };
}

const head = (id: string, root: string | null, more: Partial<ThreadHead> = {}): ThreadHead => ({
  id,
  source: 'opencode',
  title: `Title ${id}`,
  root,
  log: `/logs/${id}`,
  threadId: id,
  parent: null,
  updatedAt: 1,
  size: 10,
  ...more,
});

test('who else wrote a path: the newest other thread of the folder that says so', async () => {
  const root = await tempFolder();
  await symlink(root, `${root}-link`);
  const own = head('own', root);
  const { others, peeks, closed } = neighbours([
    { head: own, wrote: ['a'] },
    { head: head('old', root, { updatedAt: 1 }), wrote: ['a', 'b'], failed: ['z'] },
    {
      head: head('new', `${root}-link`, { updatedAt: 9, title: `two\n lines \u001b[1m of ${'x'.repeat(80)}` }),
      wrote: ['a'],
      listed: ['l'],
    },
    { head: head('unread', root), wrote: undefined as never },
    { head: head('large', root, { size: 65 * 1024 * 1024 }), wrote: ['b', 'c'] },
    { head: head('elsewhere', path.dirname(root)), wrote: ['a', 'c'] },
    { head: head('gone', `${root}/gone`), wrote: ['c'] },
    { head: head('nowhere', null), wrote: ['c'] },
  ]);
  const words = await others.wrote(own, root, ['a', 'b', 'l', 'c', 'z']);
  expect([...words]).toEqual([
    ['a', `The thread “two lines [1m of ${'x'.repeat(42)}…” changed it, too.`],
    ['l', `The thread “two lines [1m of ${'x'.repeat(42)}…” changed it, too.`],
    ['b', 'The thread “Title old” changed it, too.'],
  ]);
  expect(peeks.sort()).toEqual(['new', 'old', 'unread']);
  expect(closed.sort()).toEqual(['new', 'old']);
  // Nothing is read twice while the logs are the same.
  await others.wrote(own, root, ['a']);
  expect(peeks).toHaveLength(3);
});

test('a log that changed is looked into again, one without a title goes by its id', async () => {
  const root = await tempFolder();
  const known = [{ head: head('b', root, { title: null, threadId: 'ses_b' }), wrote: ['a'] }];
  const { others, peeks } = neighbours(known);
  expect([...(await others.wrote(head('own', root), root, ['a'])).values()]).toEqual(['The thread “ses_b” changed it, too.']);
  known[0] = { head: head('b', root, { size: 11 }), wrote: ['c'] };
  await others.atWork(head('own', root), root, true);
  expect([...(await others.wrote(head('own', root), root, ['a', 'c'])).keys()]).toEqual(['c']);
  expect(peeks).toEqual(['b', 'b']);
});

test('no more than the twelve newest are looked into', async () => {
  const root = await tempFolder();
  const known = Array.from({ length: 20 }, (_, at) => ({
    head: head(`t${at}`, root, { updatedAt: at === 3 ? null : at }),
    wrote: [`f${at}`],
  }));
  const { others, peeks } = neighbours(known);
  await others.wrote(head('own', root), root, ['x']);
  expect(peeks).toEqual(Array.from({ length: 12 }, (_, at) => `t${19 - at}`));
});

test('an agent is at work where another log of the folder grows', async () => {
  const root = await tempFolder();
  await mkdir(path.join(root, 'logs'));
  const log = (name: string): string => path.join(root, 'logs', name);
  for (const name of ['rests', 'grows', 'shared']) await writeFile(log(name), '1\n');
  const own = head('own', root, { log: log('shared') });
  const at = (id: string, more: Partial<ThreadHead> = {}): Known => ({
    head: head(id, root, { log: log(id), updatedAt: Date.now(), ...more }),
  });
  const resting = [at('rests'), at('shared', { id: 'sibling', threadId: 'sibling' }), at('grows', { updatedAt: null })];
  const timer = setInterval(() => void appendFile(log('grows'), '2\n'), 50);
  const shared = setInterval(() => void appendFile(log('shared'), '2\n'), 50);
  try {
    // In a store of many threads the one that was not written lately is not the one that is.
    const old = { updatedAt: Date.now() - 60_000 };
    const { others } = neighbours([...resting, at('grows', old), at('grows', { ...old, id: 'other', threadId: 'other' })]);
    expect(await others.atWork(own, root, true)).toBeNull();
    expect(await neighbours([...resting, at('grows')]).others.atWork(own, root, false)).toBe('“Title grows”');
    // A log of its own is known to grow before the list of threads was made again.
    expect(await neighbours([at('rests'), at('grows', old), at('gone', old)]).others.atWork(own, root, false)).toBe('“Title grows”');
  } finally {
    clearInterval(timer);
    clearInterval(shared);
  }
});

test('the list of all threads is asked for again only after a while, or when it must be fresh', async () => {
  const root = await tempFolder();
  let asked = 0;
  const others = new Neighbours({
    list: async () => {
      asked += 1;
      return { threads: [] };
    },
    peek: () => Promise.reject(new Error('not asked')),
  });
  await others.wrote(head('own', root), root, ['a']);
  await others.atWork(head('own', root), root, false);
  expect(asked).toBe(1);
  await others.atWork(head('own', root), root, true);
  expect(asked).toBe(2);
});
