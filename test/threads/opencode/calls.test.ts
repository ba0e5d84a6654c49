import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../scenarios/temp.ts';
import { call, finish, makeDatabase, start, tree } from './make-database.ts';
import { openSession } from './open-sample.ts';
import { threadOf, trees, W, write } from './thread-of.ts';

describe('calls', () => {
  test('what a patch names, what lies outside, and what other tools may do', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const patchText =
        '*** Begin Patch\n*** Update File: src/a.ts\n*** Move to: src/b.ts\n@@\n+*** Add File: no\n*** Delete File: c\n*** End Patch';
      made.turn('ses_1', 'a', 'one', [
        [
          start(tree('1')),
          call('apply_patch', { patchText }),
          call('apply_patch', { patchText }, { metadata: { files: [{ filePath: '/w/x', movePath: '/w/y' }] } }),
          call('write', { filePath: '/etc/hosts' }),
          call('webfetch', { url: 'https://example.org' }),
          call('github_create_issue', { title: 'x' }),
          call('mytool', { a: 1 }),
          call('bash', { command: `echo 1 &&\n   echo 2${' '.repeat(10)}${'é'.repeat(300)}` }),
          call('write', { filePath: 'rel.txt' }, { status: 'running' }),
          call('edit', { filePath: '/w/z' }, { status: 'pending' }),
          finish(tree('2')),
        ],
      ]);
    });
    const tools = thread.messages[1]?.tools ?? [];
    expect(tools.map((tool) => [tool.name, tool.sideEffect, tool.wrote, tool.status])).toEqual([
      ['apply_patch', null, ['src/a.ts', 'src/b.ts', 'c'], 'done'],
      ['apply_patch', null, ['x', 'y'], 'done'],
      ['write', 'other', [], 'done'],
      ['webfetch', 'network', [], 'done'],
      ['github_create_issue', 'mcp', null, 'done'],
      ['mytool', 'other', null, 'done'],
      ['bash', 'shell', null, 'done'],
      ['write', null, ['rel.txt'], 'lost'],
      ['edit', null, [], 'lost'],
    ]);
    expect(tools[3]?.summary).toBe('https://example.org');
    expect(tools[4]?.summary).toBe('{"title":"x"}');
    expect(tools[6]?.summary.startsWith('echo 1 && ↵ echo 2 ')).toBe(true);
    expect([...(tools[6]?.summary ?? '')].length).toBe(200);
    expect(thread.steps[0]?.sideEffects).toBe(5);
  });

  test('calls that a provider numbers from 0 in each answer get ids of their own', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      const zero = { type: 'tool', tool: 'bash', callID: 'call_0', state: { status: 'completed', input: {} } };
      made.turn('ses_1', 'a', 'one', [[zero, { ...zero, callID: '' }], [zero]]);
    });
    const ids = thread.messages.flatMap((message) => message.tools.map((tool) => tool.id));
    expect(ids).toEqual(['call_0', 'a_1#1', 'call_0@a_2#0']);
    expect(thread.steps.map((step) => step.toolCallIds)).toEqual([['call_0', 'a_1#1'], ['call_0@a_2#0']]);
  });

  test('a sub-agent is a thread of its own, named by the call that started it', async () => {
    const folder = await tempFolder();
    const made = await makeDatabase(folder);
    made.session({ id: 'ses_1', directory: W });
    made.session({ id: 'ses_2', directory: W, parent: 'ses_1', title: 'look (@explore subagent)' });
    made.turn('ses_1', 'a', 'one', [
      [
        start(tree('1')),
        call('task', { description: 'Look around', prompt: 'p' }, { output: 'task_id: ses_2 (for resuming)\n\nses_9 said so' }),
        call('task', { description: 'Other' }, { metadata: { sessionId: 'ses_9' }, output: '' }),
        finish(tree('2')),
      ],
    ]);
    made.turn('ses_2', 'b', 'p', [[start(tree('1')), write('a'), finish(tree('2'))]]);
    made.db.close();
    const parent = (await openSession(folder, path.join(folder, 'own'), 'ses_1', null)).thread();
    expect(parent.messages[1]?.tools.map((tool) => [tool.summary, tool.sideEffect, tool.child])).toEqual([
      ['Look around', 'subagent', 'ses_2'],
      ['Other', 'subagent', null],
    ]);
    const child = (await openSession(folder, path.join(folder, 'own'), 'ses_2', null)).thread();
    expect(child.head).toMatchObject({ parent: 'ses_1', title: 'look (@explore subagent)' });
    expect(trees(child)).toEqual(['b_1 1>2']);
  });
});
