import { rm } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { opencode } from '../../electron/threads/opencode/opencode-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import type { Thread } from '../../shared/model.ts';
import { record } from '../figures.ts';
import { OPENCODE_STATES, unpackOpencodeSample } from '../scenarios/opencode.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { type Disk, readWorkspace } from '../travel/model/disk.ts';
import { revertTo } from '../travel/tanstack-travelling.ts';
import { LAYOUTS, opencodeDeed } from './opencode-deeds.ts';
import { changedPaths, type OpencodeReference, type OpencodeTree, opencodeReference, opencodeRevert } from './opencode-reference.ts';
import { OpencodeWorld } from './opencode-stores.ts';

const git = createGit();

async function open(home: string, threadId: string, root: string, ownData: string): Promise<OpenThread> {
  const places = { home, env: {} };
  const head = (await opencode.list(places)).threads.find((one) => one.threadId === threadId);
  if (!head) throw new Error(`no session ${threadId}`);
  const reader = await opencode.open(head, { root, data: null, places, ownData });
  await reader.read();
  return OpenThread.open({ reader, git, ownData, id: head.id });
}

/** The product's view of the same store, in the words of the reference. */
function compareFold(thread: Thread, reference: OpencodeReference, root: string): void {
  const calls = thread.messages.flatMap((message) => message.tools);
  expect(thread.messages.map(({ id, role, hidden }) => [id, role, hidden?.reason ?? null])).toEqual(
    reference.messages.map(({ id, role, hidden }) => [id, role, hidden]),
  );
  expect(thread.turns.map(({ id, prompt, steps, hidden }) => ({ id, prompt, steps, hidden: hidden?.reason ?? null }))).toEqual(
    reference.turns,
  );
  const turnIds = new Map(thread.turns.map((turn) => [turn.index, turn.id]));
  expect(
    thread.steps.map((step) => {
      const own = calls.filter((call) => step.toolCallIds.includes(call.id));
      return {
        id: step.id,
        turn: step.turn === null ? null : (turnIds.get(step.turn) ?? null),
        from: step.from,
        to: step.to,
        calls: step.toolCallIds,
        wrote: own.flatMap((call) => (call.status === 'done' ? (call.wrote ?? []) : [])),
        tells: own.every((call) => call.wrote !== null),
        hidden: step.hidden?.reason ?? null,
      };
    }),
  ).toEqual(reference.steps.map((step) => ({ ...step, wrote: step.wrote.map((file) => path.posix.relative(root, file)) })));
  expect([thread.standing?.hidden ?? 0, thread.standing?.now ?? null]).toEqual([
    reference.messages.filter((message) => message.hidden === 'reverted').length,
    reference.marker?.now ?? null,
  ]);
  expect(thread.head.parent).toBe(reference.parent);
  const children = thread.messages.flatMap((message) =>
    message.tools.flatMap(({ id, child }) => (child === null ? [] : [[id, child] as const])),
  );
  expect(new Map(children)).toEqual(reference.children);
}

test.each(OPENCODE_STATES)('%s: what the real thread says is what the reference says', async (state) => {
  const folder = await tempFolder();
  const sample = await unpackOpencodeSample(folder, state);
  const thread = await open(sample.home, sample.sessionId, sample.root, path.join(folder, 'own'));
  compareFold(thread.thread(), opencodeReference(sample.dataDir, sample.sessionId), '/workspace/scratch-oc');
  await thread.close();
});

const RUNS = size(200, 2000);

test(`${RUNS} random stores: messages, turns, steps and trees are those of the reference`, { timeout: 7_200_000 }, async () => {
  const folder = await tempFolder();
  const ownData = path.join(folder, 'own');
  const seed = seedOf();
  console.error(`random stores: TURNBACK_SEED=${seed}`);
  let dropped = 0;
  let others = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(opencodeDeed, { minLength: 1, maxLength: 7 }),
      fc.constantFrom(...LAYOUTS),
      fc.boolean(),
      async (deeds, layout, run) => {
        const world = new OpencodeWorld(folder, layout, run);
        for (const deed of deeds) world.do(deed);
        await world.write();
        const thread = await open(world.home, world.sessionId, world.root, ownData);
        try {
          const reference = opencodeReference(world.dataDir, world.sessionId);
          compareFold(thread.thread(), reference, world.root);
          // A sub-agent's session, or a fork, is a thread of its own.
          for (const other of [...world.others.keys()].slice(0, 1)) {
            const own = await open(world.home, other, world.root, ownData);
            compareFold(own.thread(), opencodeReference(world.dataDir, other), world.root);
            await own.close();
            others += 1;
          }
          dropped += reference.messages.filter((message) => message.hidden === 'dropped').length;
        } finally {
          await thread.close();
        }
      },
    ),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
  record('differential', 'random stores of OpenCode as by the reference', RUNS);
  record('differential', 'sessions of sub-agents and forks in them', others);
  record('differential', 'messages of dropped branches in them', dropped);
});

const TRAVELS = size(50, 1000);
const listed = (disk: Disk): OpencodeTree =>
  new Map([...disk].map(([name, { kind, mode, text }]) => [name, `${kind} ${kind === 'file' ? mode & 0o100 : ''} ${text}`]));

test(`${TRAVELS} random stores with real trees: plan and result of a revert are those of the reference`, {
  timeout: 7_200_000,
}, async () => {
  const folder = await tempFolder();
  const ownData = path.join(folder, 'own');
  const seed = seedOf();
  console.error(`random reverts: TURNBACK_SEED=${seed}`);
  let plans = 0;
  const anyDeeds = fc.array(opencodeDeed, { minLength: 2, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(anyDeeds, fc.constantFrom(...LAYOUTS), fc.nat({ max: 9 }), async (deeds, layout, back) => {
      const world = new OpencodeWorld(folder, layout, false);
      for (const deed of deeds) world.do(deed);
      await world.write();
      const reference = opencodeReference(world.dataDir, world.sessionId);
      const trees = (id: string): OpencodeTree => listed(world.trees.get(id) ?? new Map());
      const thread = await open(world.home, world.sessionId, world.root, ownData);
      try {
        await thread.fill();
        expect(thread.thread().steps.map((step) => step.files?.map((file) => file.path).sort())).toEqual(
          reference.steps.map(({ from, to }) => (from === null || to === null ? [] : changedPaths(trees(from), trees(to)))),
        );
        const context: TravelContext = { thread, ownData, git, now: Date.now };
        const shown = reference.messages.filter((message) => message.hidden === null);
        if (shown.length === 0) return;
        const id = shown.at(-1 - (back % shown.length))?.id;
        const stop = thread.thread().messages.find((message) => message.id === id && message.canStand === true)?.stop ?? null;
        const gone = shown.slice(shown.findIndex((message) => message.id === id) + 1);
        const steps = reference.steps.filter((step) => gone.some((message) => message.id === step.id));
        const now = listed(readWorkspace(world.root));
        const expected = opencodeRevert(steps, world.root, now, trees);
        expect(stop).not.toBeNull();
        const plan = await previewTravel(context, revertTo(stop ?? 0));
        const refused =
          reference.marker !== null
            ? 'REVERT_STANDS'
            : gone.length === 0
              ? 'NOTHING_AFTER'
              : expected.verbs.size === 0 && expected.skipped.length > 0
                ? 'NOTHING_CAN_GO_BACK'
                : null;
        expect(plan.refusal?.code ?? null).toBe(refused);
        if (refused !== null) return;
        expect(plan.messages).toBe(gone.length);
        expect(plan.files.map((one) => one.path)).toEqual([...expected.verbs.keys()].sort());
        for (const { path: name, drift, choice, verb } of plan.files) {
          // What drifted may be merged, its verb is that of the merge then; what somebody else changed is kept, unless told otherwise.
          if (!drift) expect([name, verb]).toEqual([name, expected.verbs.get(name)]);
          if (expected.others.has(name)) expect([name, choice]).toEqual([name, 'keep']);
        }
        expect(plan.skipped.map((file) => file.path)).toEqual(expected.skipped);
        await runTravel(context, revertTo(stop ?? 0), { drift: 'overwrite', choices: {}, fingerprint: null });
        expect(listed(readWorkspace(world.root))).toEqual(expected.after);
        plans += 1;
      } finally {
        await thread.close();
        await rm(ownData, { recursive: true, force: true });
      }
    }),
    { numRuns: TRAVELS, seed, endOnFailure: true },
  );
  record('differential', 'plans and results of OpenCode as by the reference', plans);
});
