import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { claudeCode } from '../../electron/threads/claude-code/claude-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { record } from '../figures.ts';
import { claudeSample } from '../scenarios/claude-code.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { readWorkspace } from '../travel/model/disk.ts';
import { revertTo } from '../travel/tanstack-travelling.ts';
import { type ClaudeReference, claudeCodeReference, claudeCodeRevert } from './claude-code-reference.ts';
import { ClaudeWorld, claudeDeed, FORMS } from './claude-code-stores.ts';

const git = createGit();

async function open(log: string, root: string, ownData: string): Promise<OpenThread> {
  const places = { home: '/nobody', env: {} };
  const [head] = await claudeCode.locate(log, places);
  if (!head) throw new Error(`${log} is no log of Claude Code`);
  const reader = await claudeCode.open(head, { root, data: null, places, ownData });
  await reader.read();
  const thread = await OpenThread.open({ reader, git, ownData, id: head.id });
  await thread.fill();
  return thread;
}

/** The product's view of the same log, in the words of the reference. */
async function compareFold(thread: OpenThread, reference: ClaudeReference): Promise<void> {
  const { messages, turns, steps } = thread.thread();
  const gone = (one: { hidden: { reason: string } | null }): boolean => one.hidden?.reason === 'dropped';
  expect(messages.map((message) => ({ id: message.id, role: message.role, dropped: gone(message) }))).toEqual(reference.messages);
  expect(turns.map((turn) => ({ id: turn.id, prompt: turn.prompt, steps: turn.steps, dropped: gone(turn) }))).toEqual(reference.turns);
  const { objects } = thread;
  const textAt = async (tree: string | null, name: string): Promise<string | null> => {
    const entry = tree === null || objects === null ? null : await objects.entry(tree, name);
    return entry === null || objects === null ? null : (await objects.blob(entry.oid)).toString('utf8');
  };
  const ids = new Map(turns.map((turn) => [turn.index, turn.id]));
  const ours = [];
  for (const step of steps) {
    const writes = [];
    for (const name of [...(step.listed ?? [])].sort())
      writes.push({ path: name, before: await textAt(step.from, name), after: await textAt(step.to, name) });
    ours.push({
      id: step.id,
      turn: step.turn === null ? null : (ids.get(step.turn) ?? null),
      calls: step.toolCallIds,
      writes,
      dropped: gone(step),
    });
  }
  expect(ours).toEqual(reference.steps);
  const children = messages.flatMap((message) => message.tools.flatMap(({ id, child }) => (child === null ? [] : [[id, child] as const])));
  expect(new Map(children)).toEqual(reference.children);
}

/** A sub-agent has a log, and so a thread, of its own. */
async function compareAgent(log: string, agent: string, root: string, ownData: string): Promise<void> {
  const file = path.join(log.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`);
  const thread = await open(file, root, ownData);
  await compareFold(thread, claudeCodeReference(file, true));
  await thread.close();
}

const STATES = [
  ...['int_t1', 'int_t2', 'int_t3', 'int_t4', 'int_after_rewind_prompt', 'int_t7', 'int_t9', 'int_exit'].map(
    (state) => ['interactive', state] as const,
  ),
  ...['print_t1', 'print_t2', 'print_t3', 'print_t4'].map((state) => ['print', state] as const),
];

test.each(STATES)('%s %s: what the real log says is what the reference says', async (session, state) => {
  const folder = await tempFolder();
  const { log, root } = await claudeSample(folder, session, state);
  const thread = await open(log, root, path.join(folder, 'own'));
  const reference = claudeCodeReference(log);
  await compareFold(thread, reference);
  for (const agent of reference.children.values()) await compareAgent(log, agent, root, path.join(folder, 'own'));
  await thread.close();
});

const RUNS = size(200, 2000);

test(`${RUNS} random logs: messages, turns, steps, contents and reverts are those of the reference`, { timeout: 7_200_000 }, async () => {
  const folder = await tempFolder();
  const seed = seedOf();
  console.error(`random logs: TURNBACK_SEED=${seed}`);
  let plans = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(claudeDeed, { minLength: 1, maxLength: 7 }),
      fc.constantFrom(...FORMS),
      fc.oneof({ weight: 1, arbitrary: fc.nat({ max: 9 }) }, { weight: 2, arbitrary: fc.constant(null) }),
      async (deeds, form, back) => {
        const world = new ClaudeWorld(path.join(folder, 'session'), form);
        for (const deed of deeds) world.do(deed);
        await world.write();
        const { log, root } = world.log;
        if (!(await readFile(log, 'utf8')).includes('"cwd"')) return;
        const ownData = path.join(folder, 'own');
        const thread = await open(log, root, ownData);
        try {
          const reference = claudeCodeReference(log);
          await compareFold(thread, reference);
          for (const agent of [...reference.children.values()].slice(0, 1)) await compareAgent(log, agent, root, ownData);
          if (back === null) return;
          const shown = reference.messages.filter((message) => !message.dropped);
          const id = shown.at(-1 - (back % shown.length))?.id;
          const gone = shown.slice(shown.findIndex((message) => message.id === id) + 1);
          if (gone.length === 0) return;
          const stop = thread.thread().messages.find((message) => message.id === id)?.stop ?? -1;
          const expected = claudeCodeRevert(
            reference.steps.filter((step) => gone.some((message) => message.id === step.id)),
            world.disk,
          );
          const context: TravelContext = { thread, ownData, git, now: Date.now };
          const plan = await previewTravel(context, revertTo(stop));
          expect([plan.refusal, plan.messages]).toEqual([null, gone.length]);
          const changed = [...new Set([...world.disk.keys(), ...expected.keys()])].filter(
            (name) => world.disk.get(name) !== expected.get(name),
          );
          expect(plan.files.map((one) => one.path)).toEqual(changed.sort());
          await runTravel(context, revertTo(stop), { drift: 'overwrite', choices: {}, fingerprint: null });
          expect(new Map([...readWorkspace(root)].map(([name, { text }]) => [name, text]))).toEqual(expected);
          plans += 1;
        } finally {
          await thread.close();
          // Of one log nothing is known to the next at its place; only a travel would be remembered.
          if (back !== null) await rm(ownData, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
  record('differential', 'random logs of Claude Code as by the reference', RUNS);
  record('differential', 'plans and results of Claude Code as by the reference', plans);
});
