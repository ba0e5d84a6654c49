import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import { createEngine, type Engine } from '../../electron/host/engine.ts';
import type { CallName, Input, Output, Range, ThreadView } from '../../shared/contract.ts';
import type { Can } from '../../shared/model.ts';
import type { Plan } from '../../shared/plan.ts';
import { BadGit } from '../hostile/bad-git.ts';
import { manifest } from '../scenarios/temp.ts';
import type { Built } from './case.ts';
import { neutralSource } from './neutral-source.ts';

/** What git is asked for, and the exit codes that nobody expects with which each of them ends in turn, without a word. */
const EXITS = { 'diff-tree': 3, diff: 129, 'cat-file': 128, 'update-ref': 1, '*': 1 } as const;
const REVERT = { kind: 'revert', stop: 0, entry: null, scope: 'files' } as const;
/** As many steps of a thread are asked about. */
const MOST_STEPS = 3;

/** What is told of the files of one thing: all of it, or a reason why it cannot be told. */
type Part = { tells: unknown } | { code: string };
type Told = Map<string, Part>;

const partOf = (why: Can | null, tells: unknown): Part => (why !== null && why !== true ? { code: why.code } : { tells });

/** Opens the thread and asks all that git has a part in. */
async function ask(engine: Engine, log: string): Promise<Told> {
  const told: Told = new Map();
  const put = async <N extends CallName>(name: string, call: N, input: Input<N>): Promise<Output<N> | null> => {
    const answer = await engine.answer(call, input);
    told.set(name, answer.ok ? { tells: answer.value } : { code: answer.error.code });
    return answer.ok ? (answer.value as Output<N>) : null;
  };
  const opened = await engine.answer('thread.open', { thread: log, root: null, data: null });
  if (!opened.ok) return told;
  const { head, steps } = opened.value as ThreadView;
  const thread = head.id;
  const view = await put('steps', 'thread.steps', { thread });
  if (view !== null) told.delete('steps');
  for (const { id, files, captured } of view?.steps ?? []) told.set(`step ${id}`, partOf(captured, files));
  const plan = await put('plan', 'travel.preview', { thread, ...REVERT });
  if (plan !== null) told.set('plan', partOf(plan.refusal, plan));
  const ranges: Range[] = [{ kind: 'plan', stop: 0 }, ...steps.slice(0, MOST_STEPS).map(({ id }) => ({ kind: 'step' as const, step: id }))];
  for (const range of ranges) {
    const name = JSON.stringify(range);
    const listed = await put(`files of ${name}`, 'diff.files', { thread, range });
    const file = listed?.files[0];
    if (file) await put(`${file.path} of ${name}`, 'diff.file', { thread, range, path: file.path, anyway: false });
    const secrets = { all: true, include: [] };
    await put(`patch of ${name}`, 'patch.text', { thread, range, secrets });
  }
  return told;
}

/**
 * Rule I7 of the cases: an exit code of git other than the expected one is an error, never "no changes". Whatever the thread tells of
 * files with a git that works is told just so, or refused by a code, with one that fails; and no travel is made with it.
 */
export async function expectExitCodesAreErrors(built: Built, env: Readonly<Record<string, string>>): Promise<void> {
  const bin = path.join(built.folder, 'own-data', 'i7');
  await mkdir(bin, { recursive: true });
  const git = new BadGit(bin);
  const engineNow = (): Engine =>
    createEngine({
      port: browserPort,
      push: () => undefined,
      version: '0',
      open: null,
      env: { ...env, TURNBACK_DATA: path.join(bin, 'data') },
      sources: [neutralSource],
    });
  const first = engineNow();
  expect(await first.answer('settings.set', { gitPath: git.program })).toMatchObject({ ok: true });
  const good = await ask(first, built.log);
  await first.dispose();
  const before = await manifest(built.root, { mtimes: true });
  const plan = good.get('plan');
  const fingerprint = plan && 'tells' in plan ? (plan.tells as Plan).fingerprint : null;
  for (const [command, exit] of Object.entries(EXITS)) {
    const deed = `exit ${exit}`;
    git.will(deed, command);
    const engine = engineNow();
    const bad = await ask(engine, built.log);
    for (const [question, answer] of bad) {
      // An error by its own name; or what a git that works led to, where this one was not needed.
      const wanted = 'code' in answer ? { code: expect.stringMatching(/^(?!INTERNAL$)/) } : good.get(question);
      expect([command, deed, question, answer]).toEqual([command, deed, question, wanted]);
    }
    if (fingerprint !== null && (command === 'update-ref' || command === '*')) {
      const thread = `opencode:${path.basename(built.log, '.jsonl')}`;
      const run = { thread, ...REVERT, operation: command, drift: 'overwrite', choices: {}, fingerprint, evenBusy: true } as const;
      expect([command, await engine.answer('travel.run', run)]).toMatchObject([command, { ok: false }]);
    }
    await engine.dispose();
    git.behave();
  }
  expect(await manifest(built.root, { mtimes: true })).toEqual(before);
}
