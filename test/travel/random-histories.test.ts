import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { previewTravel, runTravel } from '../../electron/travel/travel.ts';
import type { TravelContext } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { record } from '../figures.ts';
import { manifest, writeFiles } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { type Neutral, neutral } from './neutral.ts';
import { DEFAULTS, revertTo, UNREVERT } from './tanstack-travelling.ts';

const RUNS = size(100, 2000);

/** Files that both sides edit, each in a line of its own; files that the agent makes, changes and removes; files of the user alone. */
const SHARED = ['s1', 'dir/s2'];
const AGENTS = ['g1', 'new/g2', 'new/deep/g3'];
const MINE = ['m1', 'dir/m2'];

const text = (agent: string, user: string): string => `${agent}\n\n-\n\n${user}\n\n-\n`;

type Act =
  | { do: 'agent'; edits: { file: number; value: number }[]; makes: { file: number; value: number | null; exec: boolean }[] }
  | { do: 'edit'; file: number; value: number }
  | { do: 'touch'; file: number }
  | { do: 'mine'; file: number; value: number }
  | { do: 'revert'; back: number }
  | { do: 'files'; back: number }
  | { do: 'unrevert' }
  | { do: 'prompt' }
  | { do: 'restart' };

const small = fc.nat({ max: 9 });
const file = fc.nat({ max: 2 });
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('agent' as const),
      edits: fc.array(fc.record({ file, value: small }), { maxLength: 2 }),
      makes: fc.array(fc.record({ file, value: fc.option(small), exec: fc.boolean() }), { maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), file, value: small }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('touch' as const), file }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mine' as const), file, value: small }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('revert' as const), back: fc.nat({ max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('files' as const), back: fc.nat({ max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('unrevert' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('prompt' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** What stands at a path, as a manifest line tells it: kind, bits, digest. */
type Disk = ReadonlyMap<string, string>;

async function diskOf(n: Neutral): Promise<Disk> {
  const lines = await manifest(n.root);
  return new Map(lines.filter((line) => / F /.test(line)).map((line) => [line.split(' ')[0] ?? '', line]));
}

/** What the test knows of a step, kept apart from everything that the engine keeps. */
interface Known {
  id: string;
  before: Disk;
  after: Disk;
  /** The agent's line of each shared file before the step. */
  agentLines: ReadonlyMap<string, string>;
}

class Model {
  readonly n: Neutral;
  context: TravelContext;
  readonly steps: Known[] = [];
  /** Paths of the agent's that the user changed since the agent wrote them. */
  readonly touched = new Set<string>();
  count = 0;

  constructor(n: Neutral, context: TravelContext) {
    this.n = n;
    this.context = context;
  }

  async lineOf(name: string, which: 0 | 4): Promise<string> {
    return (await readFile(path.join(this.n.root, name), 'utf8')).split('\n')[which] ?? '';
  }

  async agent(of: Act & { do: 'agent' }): Promise<void> {
    const { n } = this;
    await n.base();
    const before = await diskOf(n);
    const agentLines = new Map(await Promise.all(SHARED.map(async (name) => [name, await this.lineOf(name, 0)] as const)));
    for (const { file: at, value } of of.edits) {
      const name = SHARED[at % SHARED.length] ?? '';
      await writeFile(path.join(n.root, name), text(`agent ${value}`, await this.lineOf(name, 4)));
    }
    for (const { file: at, value, exec } of of.makes) {
      const name = AGENTS[at] ?? '';
      if (value === null) await rm(path.join(n.root, name), { force: true });
      else {
        await writeFiles(n.root, { [name]: `${value}\n` });
        await chmod(path.join(n.root, name), exec ? 0o755 : 0o644);
      }
    }
    const id = await n.step('work');
    this.steps.push({ id, before, after: await diskOf(n), agentLines });
  }

  async act(of: Act): Promise<void> {
    const { n } = this;
    if (of.do === 'agent') {
      await this.prompt();
      await this.agent(of);
    } else if (of.do === 'prompt') await this.prompt();
    else if (of.do === 'edit') {
      const name = SHARED[of.file % SHARED.length] ?? '';
      await writeFile(path.join(n.root, name), text(await this.lineOf(name, 0), `mine ${of.value}`));
    } else if (of.do === 'touch') {
      const name = AGENTS[of.file] ?? '';
      if (!(await diskOf(n)).has(name)) return;
      await writeFile(path.join(n.root, name), `touched ${this.count++}\n`);
      this.touched.add(name);
    } else if (of.do === 'mine') await writeFiles(n.root, { [MINE[of.file % MINE.length] ?? '']: `${of.value}\n` });
    else if (of.do === 'restart') this.context = await n.context();
    else if (of.do === 'unrevert') await this.unrevert();
    else await this.revert(of);
    await this.context.thread.refresh();
    await this.context.thread.fill();
  }

  async prompt(): Promise<void> {
    await this.n.user(`prompt ${this.count++}`);
    await this.context.thread.refresh();
  }

  async unrevert(): Promise<void> {
    const view = await viewOf(this.context);
    const before = await diskOf(this.n);
    if (view.can.unrevert !== true) {
      await expect(runTravel(this.context, UNREVERT, DEFAULTS)).rejects.toThrow(view.can.unrevert.message);
      expect(await diskOf(this.n)).toEqual(before);
      return;
    }
    const lines = await Promise.all(SHARED.map((name) => this.lineOf(name, 4)));
    await runTravel(this.context, UNREVERT, DEFAULTS);
    // The user's lines stay whatever comes back.
    expect(await Promise.all(SHARED.map((name) => this.lineOf(name, 4)))).toEqual(lines);
  }

  async revert({ back, do: what }: Act & { do: 'revert' | 'files' }): Promise<void> {
    const { n, context, touched } = this;
    const view = await viewOf(context);
    const stops = view.messages.flatMap((message) => (message.stop !== null && message.canStand === true ? [message.stop] : []));
    const stop = [0, ...stops].at(-1 - Math.min(back, stops.length)) ?? 0;
    const request = revertTo(stop, what === 'files' ? 'files' : 'both');
    const plan = await previewTravel(context, request);
    const before = await diskOf(n);
    const whole = await manifest(n.root);
    const lines = await Promise.all(SHARED.map((name) => this.lineOf(name, 4)));
    const options = { ...DEFAULTS, fingerprint: plan.fingerprint };
    if (plan.refusal) {
      await expect(runTravel(context, request, options)).rejects.toMatchObject({ code: plan.refusal.code });
      expect(await manifest(n.root)).toEqual(whole);
      return;
    }
    const result = await runTravel(context, request, options);
    const after = await diskOf(n);

    // Preview = plan = result.
    const outcome = { merge: ['merged'], keep: ['kept'], write: ['written', 'deleted'], overwrite: ['written', 'deleted'] };
    const shown = new Map(plan.files.map((one) => [one.path, one]));
    expect(result.files.filter((one) => one.outcome !== 'skipped').map((one) => one.path)).toEqual([...shown.keys()]);
    for (const one of result.files) {
      if (one.outcome !== 'skipped') expect(outcome[shown.get(one.path)?.choice ?? 'keep']).toContain(one.outcome);
    }
    // Nothing but what the plan lists, and what it keeps, is other than before.
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const choice = shown.get(name)?.choice ?? 'keep';
      if (choice === 'keep') expect([name, after.get(name)]).toEqual([name, before.get(name)]);
    }

    // The reference: the agent's state before the oldest step that goes, the user's lines as they are.
    const gone = this.steps.filter((step) => {
      const seen = view.steps.find((one) => one.id === step.id);
      return seen?.stop != null && seen.stop > stop && seen.hidden?.reason !== 'dropped';
    });
    const oldest = (name: string): Known | undefined => gone.find((step) => step.before.get(name) !== step.after.get(name));
    for (const name of SHARED) {
      const first = oldest(name);
      if (first) expect([name, await this.lineOf(name, 0)]).toEqual([name, first.agentLines.get(name)]);
    }
    expect(await Promise.all(SHARED.map((name) => this.lineOf(name, 4)))).toEqual(lines);
    for (const name of AGENTS) {
      const first = oldest(name);
      if (first === undefined) continue;
      if (!touched.has(name)) expect([name, after.get(name)]).toEqual([name, first.before.get(name)]);
      else expect([before.get(name), first.before.get(name)]).toContain(after.get(name));
    }
    for (const name of MINE) expect(after.get(name)).toBe(before.get(name));

    // A revert and its unrevert are nothing at all, the second time round for good.
    if (what === 'revert' && view.standing === null) {
      await runTravel(context, UNREVERT, DEFAULTS);
      expect(await manifest(n.root)).toEqual(whole);
      await runTravel(context, request, DEFAULTS);
      expect(await diskOf(n)).toEqual(after);
    }
  }
}

test(`${RUNS} random histories agree with the reference`, { timeout: 3_600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 12 }), async (acts) => {
      const n = await neutral();
      const start = Object.fromEntries(SHARED.map((name) => [name, text('agent -', 'mine -')]));
      await writeFiles(n.root, { ...start, m1: 'm\n' });
      await n.base();
      await n.user('begin');
      const model = new Model(n, await n.context());
      try {
        for (const one of acts) await model.act(one);
      } finally {
        await model.context.thread.close();
        await rm(n.folder, { recursive: true, force: true });
      }
    }),
    { numRuns: RUNS, seed: seedOf() },
  );
  record('model', 'random histories with line merges', RUNS);
});
