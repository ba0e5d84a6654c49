import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toolEffect } from '../../electron/threads/tool-kinds.ts';

const effect = (name: string, args: unknown, root: string | null = '/work/app'): [string | null, string[] | null, string] => {
  const { sideEffect, wrote, summary } = toolEffect(name, typeof args === 'string' ? args : JSON.stringify(args), root);
  return [sideEffect, wrote, summary];
};

test('file tools say what they write', () => {
  expect(effect('write_file', { path: 'src/a.ts', content: 'x' })).toEqual([null, ['src/a.ts'], 'src/a.ts']);
  expect(effect('edit', { filePath: '/work/app/src/a.ts', oldString: 'a' })).toEqual([null, ['src/a.ts'], '/work/app/src/a.ts']);
  expect(effect('Edit_File', { file_path: './a/../b.ts' })).toEqual([null, ['b.ts'], './a/../b.ts']);
  expect(effect('multiEdit', { edits: [{ path: 'a' }, { path: 'b' }, { path: 'a' }] })[1]).toEqual(['a', 'b']);
  expect(effect('apply_patch', { patchText: '*** Begin Patch\n*** Update File: a b.ts\n*** Move to: c.ts\n*** Add File: d\n' })[1]).toEqual(
    ['a b.ts', 'c.ts', 'd'],
  );
  expect(effect('patch', { diff: '--- a/x.txt\t2026\n+++ b/x.txt\n@@ -1 +1 @@\n--- /dev/null\n+++ b/y\n' })[1]).toEqual(['x.txt', 'y']);
  expect(effect('write', { filePath: 'C:\\app\\src\\a.ts' }, 'C:\\app')[1]).toEqual(['src/a.ts']);
});

test('a write outside the workspace is a side effect, and one that names no path says nothing', () => {
  expect(effect('write_file', { path: '/etc/hosts' })).toEqual(['other', [], '/etc/hosts']);
  expect(effect('write_file', { path: '../other/a' })).toEqual(['other', [], '../other/a']);
  expect(effect('write_file', { path: '/work/app-two/a' })[0]).toBe('other');
  expect(effect('write_file', { path: '/work/app/a' }, null)).toEqual([null, null, '/work/app/a']);
  expect(effect('edit_file', '{}')).toEqual([null, null, '']);
  expect(effect('write', { filePath: 'D:\\x' }, 'C:\\app')[0]).toBe('other');
});

test('tools that read write nothing; the others are side effects by their kind', () => {
  for (const name of ['read_file', 'glob', 'grep', 'TodoWrite', 'list_dir'])
    expect(effect(name, { path: 'a' }).slice(0, 2)).toEqual([null, []]);
  for (const name of ['bash', 'shell', 'exec', 'run_command', 'pwsh', 'runShellCommand']) {
    expect(effect(name, { command: 'rm -rf build\nmake' })).toEqual(['shell', null, 'rm -rf build ↵ make']);
  }
  expect(effect('bash', { command: ['git', 'push'] })[2]).toBe('git push');
  for (const name of ['web_search', 'webfetch', 'http_request', 'fetch'])
    expect(effect(name, { url: 'https://a' })).toEqual(['network', [], 'https://a']);
  expect(effect('mcp__github__create_issue', { title: 'x' })).toEqual(['mcp', null, '{"title":"x"}']);
  expect(effect('task', { prompt: 'look' }).slice(0, 2)).toEqual(['subagent', null]);
  expect(effect('charge_card', { amount: 7 })).toEqual(['other', null, '{"amount":7}']);
  expect(effect('str_replace_based_edit_tool', { command: 'view', path: 'a' }).slice(0, 2)).toEqual([null, []]);
});

test('a summary is one line of at most 200 characters that cuts no character in two', () => {
  const [, , summary] = effect('bash', { command: '\u{1f600}'.repeat(300) });
  expect(summary.length).toBeLessThanOrEqual(200);
  expect(summary.endsWith('…')).toBe(true);
  expect(summary.isWellFormed()).toBe(true);
});

test('nothing that a model may write as a name or as arguments makes it throw', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
      fc.constantFrom(null, '/r', 'C:\\r'),
      (name, args, root) => {
        const result = toolEffect(name, args, root);
        expect(result.summary.length).toBeLessThanOrEqual(200);
        for (const one of result.wrote ?? []) expect(one.startsWith('../') || one.startsWith('/')).toBe(false);
      },
    ),
  );
  for (const name of ['edit', 'bash', '__proto__', 'constructor']) {
    for (const args of [
      'null',
      '[]',
      '"x"',
      '{"path":null}',
      '{"path":{}}',
      '{"__proto__":{"path":"a"}}',
      '{"files":[null,1,{"path":2}]}',
    ]) {
      expect(() => toolEffect(name, args, '/r')).not.toThrow();
    }
  }
});

test('names, paths and patches of any length and shape end where they must', () => {
  const long = `${'x'.repeat(300)}Tool`;
  expect(effect(long, { path: 'a' })).toEqual(['other', null, 'a']);
  expect(effect(long, { path: 'a' })).toEqual(['other', null, 'a']);
  expect(effect('write', { path: '.' })).toEqual(['other', [], '.']);
  expect(effect('write', { path: 'C:\\app\\a' }, null)).toEqual([null, null, 'C:\\app\\a']);
  expect(effect('write', { path: 'a\\b' }, null)[1]).toEqual(['a\\b']);
  expect(effect('delete', { paths: ['a', 7, { path: 'b' }, { path: 8 }], files: 'no list', edits: ['c'] })[1]).toEqual(['a', 'b']);
  expect(effect('patch', { diff: '+++    \t\n+++ b/x\n' })[1]).toEqual(['x']);
  const lines = Array.from({ length: 1500 }, (_, at) => `*** Add File: f${at}`).join('\n');
  expect(effect('apply_patch', { patch: lines })[1]).toHaveLength(1000);
  expect(effect('bash', { command: ['ls', '-l'] })[2]).toBe('ls -l');
  expect(effect('bash', { command: ['ls', 7] })[2]).toBe('{"command":["ls",7]}');
});
