import { readFile, rm } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createGit } from '../../electron/snapshots/git.ts';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { record } from '../figures.ts';
import { harnessRedo, harnessRevert, harnessUndo, harnessUnrevert, type Undone } from '../scenarios/tanstack-harness.ts';
import { tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { ops } from '../travel/model/commands.ts';
import { act, type Disk, readWorkspace } from '../travel/model/disk.ts';
import { World } from '../travel/model/world.ts';
import { openScenario, revertTo, UNDO } from '../travel/tanstack-travelling.ts';
import { compareFold } from './tanstack-compare.ts';
import { foldReference, type ReferenceTree, recordsOf, revertReference, undoReference } from './tanstack-reference.ts';

const git = createGit();

/** What the agent's own program does, by real git and its own records. */
const deed = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('turn' as const), steps: fc.array(ops, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revert' as const), back: fc.integer({ min: 1, max: 9 }) }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'unrevert' as const }, { do: 'undo' as const }, { do: 'redo' as const }) },
);

const listed = (disk: Disk): ReferenceTree =>
  new Map([...disk].map(([name, { kind, mode, text }]) => [name, `${kind} ${kind === 'file' ? mode & 0o100 : ''} ${text}`]));

const RUNS = size(200, 3000);

test(`${RUNS} random logs: fold, plan and result are those of the reference`, { timeout: 7_200_000 }, async () => {
  const folder = await tempFolder();
  const seed = seedOf();
  console.error(`random logs: TURNBACK_SEED=${seed}`);
  let plans = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 2, maxLength: 7 }), fc.nat({ max: 11 }), fc.boolean(), async (deeds, back, undoes) => {
      const world = await World.begin(folder, 1);
      const t = world.threads[0]?.t;
      if (t === undefined) throw new Error('no thread');
      await rm(`${t.gitDir}/index`, { force: true });
      let undone: Undone | null = null;
      let fresh = true;
      for (const one of deeds) {
        if (one.do === 'turn') {
          const disk = readWorkspace(t.root);
          await t.turn(
            'more',
            one.steps.map((list) => ({ tool: 'bash', edit: (root) => list.forEach((op) => void act(root, disk, op)) })),
          );
          undone = null;
          fresh = true;
          continue;
        }
        const ids = t.messages.flatMap((message) => (typeof message['id'] === 'string' ? [message['id']] : []));
        if (one.do === 'revert') await harnessRevert(t, ids.at(-1 - (one.back % ids.length)) ?? '');
        else if (one.do === 'unrevert') await harnessUnrevert(t);
        else if (t.revert === null && one.do === 'undo' && undone === null && fresh) {
          const fold = foldReference(recordsOf(await readFile(t.log, 'utf8')));
          const keep = fold.messages.findLastIndex((message) => message.role === 'user');
          const calls = new Set(fold.messages.slice(keep).flatMap((message) => message.calls));
          const steps = fold.steps.filter((step) => step.toolCallIds.some((id) => calls.has(id)));
          if (steps.length > 0) undone = (await harnessUndo(t, { start: steps[0]?.from ?? '', end: steps.at(-1)?.to ?? '' })).undone;
          fresh = steps.length === 0;
        } else if (t.revert === null && one.do === 'redo' && undone !== null) {
          await harnessRedo(t, undone);
          undone = null;
          fresh = true;
        }
        t.rest();
      }
      t.rest();
      const fold = foldReference(recordsOf(await readFile(t.log, 'utf8')));
      const thread = await openScenario(t, git);
      try {
        await thread.fill();
        compareFold(thread.thread(), fold);
        if (fold.standing !== null) return;
        const context: TravelContext = { thread, ownData: world.ownData, git, now: Date.now };
        const now = listed(readWorkspace(t.root));
        const trees = (id: string): ReferenceTree => listed(t.trees.get(id) ?? new Map());
        const options = { drift: 'overwrite' as const, choices: {}, fingerprint: null };
        const point = undoes && undone === null && fresh ? undoReference(fold, now, trees) : null;
        if (point !== null) {
          const plan = await previewTravel(context, UNDO);
          if (plan.refusal !== null) return;
          const result = await runTravel(context, UNDO, options);
          expect(result.message).toBe(`Undid the last turn. Files restored: ${point.files}.`);
          expect(listed(readWorkspace(t.root))).toEqual(point.after);
          plans += 1;
          return;
        }
        const ids = fold.messages.flatMap((message) => message.id ?? []);
        const id = ids.at(-1 - (back % ids.length)) ?? '';
        const stop = thread.thread().messages.find((message) => message.id === id && message.canStand === true)?.stop;
        if (stop == null) return;
        const expected = revertReference(fold, id, now, trees);
        const plan = await previewTravel(context, revertTo(stop));
        if (plan.refusal !== null) return void expect([plan.refusal.code, expected.hidden]).toEqual(['NOTHING_AFTER', 0]);
        expect(plan.messages).toBe(expected.hidden);
        expect(new Map(plan.files.map((file) => [file.path, file.verb] as const))).toEqual(expected.verbs);
        await runTravel(context, revertTo(stop), options);
        expect(listed(readWorkspace(t.root))).toEqual(expected.after);
        await thread.refresh();
        compareFold(thread.thread(), foldReference(recordsOf(await readFile(t.log, 'utf8'))));
        plans += 1;
      } finally {
        await thread.close();
        await rm(world.ownData, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS, seed, endOnFailure: true },
  );
  record('differential', 'random logs folded as by the reference', RUNS);
  record('differential', 'plans and results as by the reference', plans);
});
