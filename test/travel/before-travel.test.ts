import { execFile } from 'node:child_process';
import { appendFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { standRefusal } from '../../electron/travel/gate.ts';
import { emptyOverlay, type Overlay, settledOverlay, withOverlay } from '../../electron/travel/overlay.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import { viewOf } from '../../electron/travel/view.ts';
import type { Thread } from '../../shared/model.ts';
import { makeView } from '../renderer/make-view.ts';
import { cleanEnv, writeFiles } from '../scenarios/temp.ts';
import { DEFAULTS, put, revertTo, stopOf, twoEdits, UNREVERT } from './tanstack-travelling.ts';

const run = promisify(execFile);
describe('what a plan says beside its files', () => {
  test('where HEAD of the user’s own repository is by now, and nothing where git will not say', async () => {
    const { t, context, answer } = await twoEdits();
    const at = (await context()).thread.thread().steps.findLast((step) => step.at !== null)?.at ?? 0;
    const date = new Date(at + 60_000).toISOString();
    const env = { ...cleanEnv(t.folder), GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    const git = async (...args: string[]) =>
      (await run('git', ['-c', 'user.name=U', '-c', 'user.email=u@x', ...args], { cwd: t.root, env })).stdout.trim();
    await git('init', '-q', '-b', 'main');
    await git('commit', '-q', '--allow-empty', '-m', 'mine');
    const id = (await git('rev-parse', 'HEAD')).slice(0, 7);
    const ctx = await context();
    const notes = async (): Promise<string[]> => (await previewTravel(ctx, revertTo(stopOf(ctx, answer)))).notes;
    const tail = 'Your commits, branch and index are not touched.';
    expect(await notes()).toContain(`HEAD of your own repository moved since the agent's last step: main is at ${id} now. ${tail}`);
    await git('checkout', '-q', '--detach');
    expect(await notes()).toContain(`HEAD of your own repository moved since the agent's last step: it is at ${id} now. ${tail}`);
    await rm(path.join(t.root, '.git/HEAD'));
    expect(await notes()).toContain(`HEAD of your own repository moved since the agent's last step. ${tail}`);
  });

  test('that records of the log cannot be read, by their number', async () => {
    const { t, context, answer } = await twoEdits();
    const notes = async (): Promise<string[]> => {
      const ctx = await context();
      return (await previewTravel(ctx, revertTo(stopOf(ctx, answer), 'files'))).notes;
    };
    const words = 'of the log cannot be read. What the agent changed in';
    expect((await notes()).some((note) => note.includes(words))).toBe(false);
    await appendFile(t.log, '{"broken\n[]\n');
    expect(await notes()).toContain(`A record ${words} it is not known, so it stays.`);
    await appendFile(t.log, '{"broken\n[]\n');
    expect(await notes()).toContain(`Some records ${words} them is not known, so it stays.`);
  });
});

describe('a plan that was confirmed', () => {
  test('and is another one by now says what changed, as far as whoever runs it knows', async () => {
    const { t, context, answer } = await twoEdits();
    const ctx = await context();
    const request = revertTo(stopOf(ctx, answer));
    const { fingerprint } = await previewTravel(ctx, request);
    await writeFiles(t.root, { x: 'mine\n' });
    const stale = (of: typeof ctx) => runTravel(of, request, { ...DEFAULTS, fingerprint }).catch((thrown: Error) => thrown.message);
    expect(await stale(ctx)).toMatch(/^x /);
    // A process that did not make the preview cannot tell what it was made from.
    expect(await stale(await context())).toMatch(/^Something /);
    await writeFiles(t.root, { x: '2\n' });
    await t.turn('three', [{ tool: 'edit_file', edit: put({ other: '3\n' }) }]);
    expect(await stale(ctx)).toMatch(/^(?:other|The conversation) /);
    expect(await readFile(path.join(t.root, 'x'), 'utf8')).toBe('2\n');
  });
});

describe('a revert whose record is gone from the history', () => {
  test('stands as the agent’s own would, and its messages come back', async () => {
    const { t, context, answer } = await twoEdits();
    const ctx = await context();
    await runTravel(ctx, revertTo(stopOf(ctx, answer)), DEFAULTS);
    expect(await readFile(path.join(t.root, 'x'), 'utf8')).toBe('1\n');
    await rm(path.join(t.folder, 'own-data/history'), { recursive: true });
    const later = await context();
    expect((await viewOf(later)).standing).not.toBeNull();
    await runTravel(later, UNREVERT, DEFAULTS);
    expect((await viewOf(later)).standing).toBeNull();
    expect(await readFile(path.join(t.root, 'x'), 'utf8')).toBe('2\n');
  });
});

describe('an overlay', () => {
  const thread: Thread = {
    ...makeView([
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'a', files: [{ path: 'x' }] },
      { role: 'user', text: 'two' },
      { role: 'assistant', text: 'b', files: [{ path: 'y' }] },
    ]),
    keeps: 'overlay',
  };
  const ids = thread.messages.map((message) => message.id);
  const [first = '', second = '', third = '', last = ''] = ids;
  const standing = (messageId: string | null, lastMessageId: string): Overlay => ({
    ...emptyOverlay('t'),
    standing: { messageId, lastMessageId, stop: 0, entry: 'e', at: 1 },
  });
  const hiddenIn = (overlay: Overlay): (string | null)[] =>
    withOverlay(thread, overlay, ['x']).messages.map((message) => message.hidden?.reason ?? null);

  test('hides what came after the message that stays, all of it where none does', () => {
    expect(hiddenIn(emptyOverlay('t'))).toEqual([null, null, null, null]);
    expect(hiddenIn(standing(second, last))).toEqual([null, null, 'reverted', 'reverted']);
    expect(hiddenIn(standing(null, last))).toEqual(['reverted', 'reverted', 'reverted', 'reverted']);
    expect(withOverlay(thread, standing(second, last), ['x']).standing).toMatchObject({ messageId: second, hidden: 2, files: ['x'] });
    expect(withOverlay(thread, standing(null, last), null).standing).toMatchObject({ messageId: '', hidden: 4, files: null });
  });

  test('becomes final with the next prompt, and falls away with the messages that it names', () => {
    expect(settledOverlay(standing(first, second), thread.messages)).toMatchObject({
      standing: null,
      final: [{ messageId: first, lastMessageId: second }],
    });
    for (const gone of [standing('gone', last), standing(first, 'gone'), standing(last, third)]) {
      expect(settledOverlay(gone, thread.messages)).toEqual(emptyOverlay('t'));
    }
    const finals = (...final: Overlay['final']): Overlay => ({ ...emptyOverlay('t'), final });
    expect(hiddenIn(finals({ messageId: first, lastMessageId: second }))).toEqual([null, 'dropped', null, null]);
    expect(hiddenIn(finals({ messageId: 'gone', lastMessageId: second }))).toEqual([null, null, null, null]);
  });

  test('leaves alone what is hidden already, and what has no stop', () => {
    const messages = thread.messages.map((message, at) => (at === 3 ? { ...message, hidden: { reason: 'recalled' as const } } : message));
    const odd = { ...thread, messages: messages.map((message, at) => (at === 2 ? { ...message, stop: null } : message)) };
    const shown = withOverlay(odd, standing(first, last), null);
    expect(shown.messages.map((message) => message.hidden?.reason ?? null)).toEqual([null, 'reverted', 'reverted', 'recalled']);
    const lost = { ...odd, steps: thread.steps.map((step) => ({ ...step, stop: null })) };
    expect(withOverlay(lost, standing(first, last), null).steps.map((step) => step.hidden)).toEqual([null, null]);
  });

  test('a stop that is not there any more cannot be stood at', () => {
    expect(standRefusal(thread, 99)).toMatchObject({ code: 'STOP_DROPPED' });
    expect([standRefusal(thread, 0), standRefusal({ ...thread, keeps: 'log' }, 0)]).toEqual([
      null,
      expect.objectContaining({ code: 'STOP_FIRST_MESSAGE' }),
    ]);
  });
});
