import { expect, test } from 'vitest';
import { rank } from '../../renderer/palette/rank.ts';
import { filterThreads, groupThreads } from '../../renderer/start/thread-groups.ts';
import { findRows } from '../../renderer/store/search-query.ts';
import { indexThread } from '../../renderer/store/thread-index.ts';
import { showPath, titleOfThread, workspaceName } from '../../renderer/ui/names.ts';
import { count, oneLine, showAgo, showBytes, showDuration, splitPath } from '../../renderer/ui/words.ts';
import { parseQuery } from '../../shared/query.ts';
import { headOf, makeView } from './make-view.ts';

test('sizes, durations and counts', () => {
  expect([0, 1, 999, 1000, 1234, 9949, 9999, 104_900_000, 999_600, 3e13].map(showBytes)).toEqual([
    '0 bytes',
    '1 byte',
    '999 bytes',
    '1 KB',
    '1.2 KB',
    '9.9 KB',
    '10 KB',
    '105 MB',
    '1 MB',
    '30 TB',
  ]);
  expect([0.4, 420, 3140, 59_949, 60_000, 125_000, 3_840_000].map(showDuration)).toEqual([
    '0 ms',
    '420 ms',
    '3.1 s',
    '59.9 s',
    '1 min',
    '2 min 5 s',
    '1 h 4 min',
  ]);
  expect([count(1, 'file'), count(1234, 'file'), count(2, 'match', 'matches')]).toEqual(['1 file', '1,234 files', '2 matches']);
});

test('how long ago', () => {
  const now = new Date(2026, 10, 30, 12, 0).getTime();
  const ago = (ms: number): string => showAgo(now - ms, now);
  const hour = 3_600_000;
  expect([ago(10_000), ago(240_000), ago(3 * hour), ago(22 * hour), ago(72 * hour)]).toEqual([
    'just now',
    '4 min ago',
    '3 h ago',
    'yesterday',
    '3 days ago',
  ]);
  expect([showAgo(new Date(2026, 8, 12).getTime(), now), showAgo(new Date(2025, 8, 12).getTime(), now)]).toEqual([
    '12 Sept',
    '12 Sept 2025',
  ]);
});

test('paths and names', () => {
  expect(splitPath('src/a/b.ts')).toEqual({ folder: 'src/a/', name: 'b.ts' });
  expect(splitPath('C:\\work\\b.ts')).toEqual({ folder: 'C:\\work\\', name: 'b.ts' });
  expect([workspaceName('/home/ann/shop/'), workspaceName(null), workspaceName('/')]).toEqual(['shop', 'Unknown workspace', '/']);
  expect([
    showPath('/home/ann/x', '/home/ann'),
    showPath('/home/anna', '/home/ann'),
    showPath('/x', '/'),
    showPath('/x', undefined),
  ]).toEqual(['~/x', '/home/anna', '/x', '/x']);
  expect([titleOfThread(headOf({ title: ' a\n b ' })), titleOfThread(headOf({ title: '  ' }))]).toEqual(['a b', 'Thread t1']);
  expect(oneLine('a\t\n  b ')).toBe('a b');
});

test('threads are grouped by workspace, newest first, sub-agents below their parents', () => {
  const threads = [
    headOf({ id: 'a', threadId: 'a', root: '/one', updatedAt: 10 }),
    headOf({ id: 'b', threadId: 'b', root: '/two', updatedAt: 30 }),
    headOf({ id: 'c', threadId: 'c', root: '/one', updatedAt: 40, parent: 'a' }),
    headOf({ id: 'd', threadId: 'd', root: '/one', updatedAt: 20 }),
    headOf({ id: 'e', threadId: 'e', root: null, updatedAt: null, parent: 'gone' }),
  ];
  expect(groupThreads(threads).map((row) => row.key)).toEqual(['w:/one', 'd', 'a', 'c', 'w:/two', 'b', 'w:', 'e']);
  expect(filterThreads(threads, 'TWO tanstack').map((head) => head.id)).toEqual(['b']);
  expect(filterThreads(threads, ' ')).toHaveLength(5);
  // The folders of logs are named alike: they are meant only by a path.
  const logs = ['/home/ann/save/sessions/shop.jsonl', '/home/ann/save/sessions/talk.jsonl'].map((log) => headOf({ id: log, log }));
  const found = (filter: string): string[] => filterThreads(logs, filter).map((head) => head.id.slice(-10));
  expect([found('session'), found('shop.jsonl'), found('Sessions/talk')]).toEqual([[], ['shop.jsonl'], ['talk.jsonl']]);
});

test('a search is words and fields, all of which must hold', () => {
  expect(parseQuery('tool:bash path:"my file" fix what:ever')).toEqual([
    { field: 'tool', words: 'bash' },
    { field: 'path', words: 'my file' },
    { field: 'any', words: 'fix' },
    { field: 'any', words: 'what:ever' },
  ]);
  const view = makeView([
    { role: 'user', text: 'Fix the login form' },
    { role: 'assistant', text: 'Looking', tools: [{ name: 'bash', summary: 'grep -r login' }] },
    { role: 'assistant', text: '', files: [{ path: 'src/Login.ts' }] },
    { role: 'user', text: 'Thanks' },
  ]);
  const find = (query: string): number[] => findRows(view, indexThread(view), query);
  expect(find('login')).toEqual([0, 1, 2]);
  expect(find('text:login')).toEqual([0]);
  expect(find('tool:bash')).toEqual([1]);
  expect(find('changed:login')).toEqual([2]);
  expect(find('path:src/login')).toEqual([2]);
  expect(find('turn:2')).toEqual([3]);
  expect(find('login tool:bash turn:1')).toEqual([1]);
  expect(find('')).toEqual([]);
  expect(find('tool:')).toEqual([]);
});

test('the palette puts the best match first', () => {
  const titles = ['Look at the next message', 'Next file', 'Copy the patch of what is shown', 'Files as a tree', 'Export'];
  expect(rank(titles, 'next', String)).toEqual(['Next file', 'Look at the next message']);
  expect(rank(titles, 'cpy', String)).toEqual(['Copy the patch of what is shown']);
  expect(rank(titles, '', String)).toEqual(titles);
  expect(rank(titles, 'zzz', String)).toEqual([]);
});
