import { describe, expect, test } from 'vitest';
import { call, finish, says, start, tree } from './make-database.ts';
import { threadOf, trees, W, write } from './thread-of.ts';

describe('trees of steps', () => {
  test('a step that was cut off ends where the next one starts, and the thread says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), write('a'), { type: 'patch', hash: tree('1'), files: ['/w/a'] }]], {
        error: { name: 'MessageAbortedError', data: { message: 'aborted' } },
        finish: undefined,
      });
      made.turn('ses_1', 'b', 'two', [[start(tree('2')), says('ok'), finish(tree('2'))]]);
    });
    expect(trees(thread)).toEqual(['a_1 1>2', 'b_1 2>2']);
    expect(thread.turns.map((turn) => turn.status)).toEqual(['aborted', 'completed']);
    expect(thread.gaps).toEqual([]);
    expect(thread.notices).toEqual([
      {
        code: 'STEPS_END_LATER',
        message:
          "The agent was cut off in turn 1. What it left there is read from the snapshot before the next prompt, so edits of yours in between count as the agent's.",
      },
    ]);
  });

  test('the last step of a thread that was cut off is not captured', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), call('bash', { command: 'x' }, { status: 'error', error: 'aborted' })]], {
        error: { name: 'MessageAbortedError' },
        finish: undefined,
      });
    });
    expect(trees(thread)).toEqual(['a_1 1>- STEP_CUT_OFF']);
    expect(thread.status).toBe('idle');
  });

  test('a step that was cut off before it wrote anything left what it found; what follows is the user', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [[start(tree('1')), says('I will')]], { error: { name: 'MessageAbortedError' }, finish: undefined });
      made.turn('ses_1', 'b', 'two', [[start(tree('2')), says('ok'), finish(tree('2'))]]);
    });
    expect(trees(thread)).toEqual(['a_1 1>1', 'b_1 2>2']);
    expect(thread.gaps).toEqual([{ afterStep: 'a_1', beforeStep: 'b_1', from: tree('1'), to: tree('2') }]);
    expect(thread.notices).toEqual([]);
  });

  test('inside a turn the chain wins over a start tree that already holds the writes of its step', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), write('a'), finish(tree('2'))],
        [start(tree('3')), write('b'), finish(tree('3'))],
        [start(tree('3')), says('done'), finish(tree('3'))],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>2', 'a_2 2>3', 'a_3 3>3']);
  });

  test('an empty or missing snapshot is none; a step that may have written is not captured', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), call('bash', { command: 'x' }), finish('')],
        [start(tree('3')), write('b'), finish(tree('4'))],
        [start(tree('4')), call('read', { filePath: '/w/b' }), finish()],
        [start('../../etc'), write('c'), finish(tree('5'))],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>- TREE_EMPTY', 'a_2 3>4', 'a_3 4>-', 'a_4 ->5 TREE_EMPTY']);
    expect(thread.gaps).toEqual([]);
  });

  test('a call that failed without its step being cut off wrote nothing; a command may have', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: W });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), write('a', { status: 'error', error: 'no' }), finish('')],
        [start(''), call('bash', { command: 'x' }, { status: 'error', error: 'timeout' }), finish('')],
      ]);
    });
    expect(trees(thread)).toEqual(['a_1 1>-', 'a_2 ->- TREE_EMPTY']);
  });

  test('without a git project there are no snapshots, and the thread says so', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: '/home/me/notes', vcs: null });
      made.turn('ses_1', 'a', 'one', [[start(), call('write', { filePath: '/home/me/notes/a.md' }), finish()]], {
        path: { root: '/', cwd: '/home/me/notes' },
      });
    });
    expect(thread.head.root).toBe('/home/me/notes');
    expect(thread.notices.map((notice) => notice.code)).toEqual(['NO_SNAPSHOTS']);
    expect(trees(thread)).toEqual(['a_1 ->- NO_SNAPSHOTS']);
    expect(thread.messages[1]?.tools[0]?.wrote).toEqual(['a.md']);
  });

  test('a session in a subfolder: paths are those of the whole worktree, and the limit is said', async () => {
    const thread = await threadOf((made) => {
      made.session({ id: 'ses_1', directory: '/w/front/app', worktree: '/w', path: 'front/app' });
      made.turn('ses_1', 'a', 'one', [
        [start(tree('1')), call('write', { filePath: '/w/front/app/x.ts' }), call('edit', { filePath: '/w/back/y.go' }), finish(tree('2'))],
      ]);
    });
    expect(thread.head.root).toBe('/w');
    expect(thread.messages[1]?.tools.map((tool) => tool.wrote)).toEqual([['front/app/x.ts'], ['back/y.go']]);
    expect(thread.notices).toEqual([
      expect.objectContaining({ code: 'SUBFOLDER_SNAPSHOTS', message: expect.stringContaining('/w/front/app') }),
    ]);
  });
});
