import { rmSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { createGit } from '../../../electron/snapshots/git.ts';
import { nodeFileSystem } from '../../../electron/travel/file-system.ts';
import { readHistory } from '../../../electron/travel/history-file.ts';
import { interruptedTravels, recoverTravel } from '../../../electron/travel/recover.ts';
import { previewTravel, runTravel } from '../../../electron/travel/travel.ts';
import type { TravelContext, TravelRequest } from '../../../electron/travel/travel-context.ts';
import { viewOf } from '../../../electron/travel/view.ts';
import type { DriftPolicy, Plan, TravelResult } from '../../../shared/plan.ts';
import type { ModelStep } from '../../scenarios/tanstack.ts';
import { Faults, faultyFileSystem, faultyGit, once, systemError } from '../faults.ts';
import { openScenario } from '../tanstack-travelling.ts';
import { CheapScenario } from './cheap-scenario.ts';
import { act, type Disk, type Op, readWorkspace, timesOf } from './disk.ts';
import { type Chains, type KnownStep, KnownThread, type KnownTravel } from './known-thread.ts';
import { GROUP, pathsThatStay } from './paths-that-stay.ts';
import { choiceUnder, type Layer, put, same, seen, type Verdict, verdictOn, type Want } from './rules.ts';

/** A fault at some call, or the end of the process, and the way out of it. */
export interface Trouble {
  call: number;
  how: 'once' | 'dies';
  wayOut: 'finish' | 'roll-back';
}

/** What one step of the agent does, and the user meanwhile. */
export interface Work {
  ops: readonly Op[];
  during: readonly Op[] | null;
}

/** One file of a step that comes back, and why it must be refused, by the model; null where the plan is looked at. */
export interface Piece {
  step: KnownStep;
  path: string;
  code: 'HUNK_NOT_TEXT' | 'HUNK_NOT_FOUND' | 'NOTHING_CAN_GO_BACK' | null;
}

const git = createGit();

/** A workspace with its threads, really and in the model. */
export class World {
  readonly folder: string;
  readonly threads: KnownThread[] = [];
  disk: Disk = new Map();
  counts = { travels: 0, recovered: 0, refused: 0, pieces: 0, held: 0 };
  readonly #shared = { trees: new Map<string, Disk>(), index: new Set<string>() };

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Begins anew in a folder that the last history may have used: its objects stay, all else goes. */
  static async begin(folder: string, threads: number): Promise<World> {
    const world = new World(folder);
    for (let at = 0; at < threads; at++) world.threads.push(new KnownThread(new CheapScenario(folder, `thread-${at + 1}`, world.#shared)));
    const [first] = world.threads;
    if (first === undefined) throw new Error('no thread');
    const { t } = first;
    for (const old of [t.root, path.dirname(t.log), world.ownData]) await rm(old, { recursive: true, force: true });
    for (const needed of [
      t.root,
      path.dirname(t.log),
      path.join(t.gitDir, 'objects'),
      path.join(t.gitDir, 'refs'),
      path.join(t.gitDir, 'info'),
      t.env['HOME'] ?? '',
    ]) {
      await mkdir(needed, { recursive: true });
    }
    await writeFile(path.join(t.gitDir, 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(path.join(t.gitDir, 'config'), '[core]\n\trepositoryformatversion = 0\n\tbare = true\n');
    await writeFile(path.join(t.gitDir, 'info', 'attributes'), '* -text -ident -filter\n');
    const settings = Object.fromEntries(world.threads.map((one) => [one.t.threadId, { cwd: t.root }]));
    await writeFile(path.join(t.save, 'metadata.json'), JSON.stringify({ 'harness:settings': settings }));
    const write = (name: string, value: number): Op => ({ op: 'write', path: name, value });
    world.user([write('a', 1), write('d/c', 1), write('k', 1)]);
    for (const [at, one] of world.threads.entries()) {
      // Something to go back over from the first command on: written, changed, run, removed, made.
      const shell = (...ops: Op[]): Work => ({ ops, during: null });
      await world.turn(one, [shell(write('a', 10 + at), write('b', 10 + at))]);
      await world.turn(one, [
        shell({ op: 'chmod', path: 'b', mode: 0o755 }, write('d/e/f', 10 + at)),
        shell({ op: 'delete', path: 'd/c' }, write('secret', at)),
      ]);
    }
    return world;
  }

  get ownData(): string {
    return path.join(this.folder, 'own-data');
  }

  get root(): string {
    return path.join(this.folder, 'workspace');
  }

  /**
   * A turn of the agent. A step without `during` is a shell: all that changed is listed. With it the tool says what it wrote, and
   * what the user did meanwhile is in the trees and in no list.
   */
  async turn(thread: KnownThread, steps: readonly Work[]): Promise<void> {
    const { t } = thread;
    const before = t.steps.length;
    const made = await t.turn(
      'go',
      steps.map(({ ops, during }): ModelStep => {
        if (during === null) return { tool: 'bash', edit: () => this.user(ops) };
        const files: string[] = [];
        const edit = (): void => {
          this.user(during);
          const before = new Map(this.disk);
          this.user(ops);
          const names = new Set([...before.keys(), ...this.disk.keys()]);
          files.push(...[...names].filter((name) => !same(seen(before.get(name)), seen(this.disk.get(name)))).sort());
        };
        return { tool: 'write', files, edit };
      }),
    );
    thread.stack = [];
    const known = t.steps.slice(before).map((step) => {
      const message = t.messages.find((one) =>
        (one['toolCalls'] as { id: string }[] | undefined)?.some((call) => step.toolCallIds.includes(call.id)),
      );
      const [from, to] = [t.trees.get(step.from) ?? new Map(), t.trees.get(step.to) ?? new Map()];
      return { message: String(message?.['id']), files: step.files, from, to, calls: step.toolCallIds };
    });
    for (const step of known) thread.events.push({ step });
    thread.last = { steps: known, keep: thread.indexOf(made.userId), state: 'done', removed: [] };
    await this.check();
  }

  async context(thread: KnownThread, faults: Faults | null = null): Promise<TravelContext> {
    thread.open ??= await openScenario(thread.t, git);
    await thread.open.refresh();
    await thread.open.fill();
    const base = { thread: thread.open, ownData: this.ownData, now: Date.now };
    return faults === null ? { ...base, git } : { ...base, git: faultyGit(git, faults), fs: faultyFileSystem(faults) };
  }

  async restart(): Promise<void> {
    for (const thread of this.threads) {
      await thread.open?.close();
      thread.open = null;
    }
  }

  user(ops: readonly Op[]): void {
    for (const op of ops) act(this.root, this.disk, op);
  }

  /** Disk and conversations are what the model says. */
  async check(): Promise<void> {
    const lines = (disk: Disk): string[] =>
      [...disk].map(([name, { kind, text, mode }]) => `${name} ${kind} ${mode.toString(8)} ${text}`).sort();
    expect(lines(readWorkspace(this.root))).toEqual(lines(this.disk));
  }

  #verdicts(chains: Chains): Map<string, Verdict> {
    const ignores = this.disk.get('.gitignore')?.text.includes('secret') ?? false;
    const verdicts = new Map<string, Verdict>();
    for (const [name, layers] of chains) {
      const verdict = verdictOn(seen(this.disk.get(name)), layers, ignores && name.split('/').includes('secret'));
      if (verdict !== null) verdicts.set(name, verdict);
    }
    return verdicts;
  }

  /** Something stands where the path, or a folder above it, should be: a file for a folder or the other way round. */
  #inTheWay(name: string, others: Iterable<string>): boolean {
    return [...this.disk.keys(), ...others].some((one) => one.startsWith(`${name}/`) || name.startsWith(`${one}/`));
  }

  /** The plan is the model's. Gives what each path ends as under the policy. */
  #comparePlan(plan: Plan, verdicts: ReadonlyMap<string, Verdict>, chains: Chains, policy: DriftPolicy): Map<string, Want> {
    const wants = new Map<string, Want>();
    const skipped = new Map(plan.skipped.map((one) => [one.path, one.why] as const));
    const planned = new Map(plan.files.map((file) => [file.path, file] as const));
    // Below a link nobody can tell what stands at a path, so it is told even where nothing would have to be done. Below a file is nothing.
    const blocked = (name: string): boolean => [...this.disk].some(([one, { kind }]) => kind === 'link' && name.startsWith(`${one}/`));
    const told = [...skipped.keys()].filter((name) => verdicts.has(name) || !blocked(name));
    expect([...planned.keys(), ...told].sort()).toEqual([...verdicts.keys()].sort());
    const stays = pathsThatStay(plan, verdicts, chains, this.disk);
    this.counts.held += stays.size > 0 ? 1 : 0;
    for (const [name, alone] of verdicts) {
      const file = planned.get(name);
      const verdict: Verdict = stays.has(name) ? { ...alone, drift: true, choice: 'keep' } : alone;
      if (file === undefined) {
        expect([name, skipped.get(name), [...this.disk.keys()].some((one) => name.startsWith(`${one}/`))]).toEqual([
          name,
          expect.any(String),
          true,
        ]);
        continue;
      }
      if (file.why !== null && GROUP.test(file.why)) {
        expect([name, file.choice, this.#inTheWay(name, verdicts.keys())]).toEqual([name, 'keep', true]);
        if (policy !== 'overwrite') continue;
        // What the user insists on is another matter: it is done where the whole group can be.
        if (!file.choices.includes('overwrite') && !file.choices.includes('write')) continue;
        wants.set(name, verdict.target);
        continue;
      }
      expect([name, file.drift, file.choice]).toEqual([name, verdict.drift, verdict.choice]);
      const choice = choiceUnder(policy, verdict);
      if (choice !== 'keep') wants.set(name, choice === 'merge' ? verdict.merged : verdict.target);
    }
    return wants;
  }

  /** A travel, really and in the model, whatever befalls it. */
  async travel(
    thread: KnownThread,
    request: TravelRequest,
    o: {
      chains: Chains;
      messageId?: string | null;
      policy?: DriftPolicy;
      trouble?: Trouble | null;
      piece?: Piece | null;
      takes?: readonly KnownTravel[];
    },
  ): Promise<void> {
    const { policy = 'merge', trouble = null, messageId = null, piece = null, takes = [] } = o;
    thread.t.rest();
    const context = await this.context(thread);
    const plan = await previewTravel(context, request);
    const verdicts = request.scope === 'messages' ? new Map<string, Verdict>() : this.#verdicts(o.chains);
    if (piece !== null) expect(this.#pieceMay(thread, plan, verdicts, piece)).toContain(plan.refusal?.code ?? null);
    const options = { drift: policy, choices: {}, fingerprint: plan.fingerprint };
    if (plan.refusal !== null) {
      this.counts.refused += 1;
      if (piece === null) this.#mayRefuse(thread, request, plan, verdicts);
      await expect(runTravel(context, request, options)).rejects.toMatchObject({ code: plan.refusal.code });
      return this.check();
    }
    const wants = this.#comparePlan(plan, verdicts, o.chains, policy);
    const times = timesOf(this.root, this.disk);
    const history = (): ReturnType<typeof readHistory> => readHistory(nodeFileSystem, this.ownData, context.thread.head.id);
    const known = (await history()).length;
    const faults = new Faults();
    if (trouble !== null) faults.failAt(trouble.call, trouble.how === 'once' ? once('EIO') : systemError('EDEAD'), trouble.how === 'dies');
    const result = await runTravel(trouble === null ? context : await this.context(thread, faults), request, options).catch(
      (thrown: unknown) => thrown,
    );
    thread.t.rest();
    if (trouble !== null) await this.#recover(thread, trouble);
    const travels = await history();
    const entry = travels.at(-1)?.id ?? '';
    if (trouble === null) expect(result).toMatchObject({ entry });
    if (travels.length > known) this.#apply(thread, request, { wants, messageId, entry, piece, takes, about: new Set(o.chains.keys()) });
    this.counts.travels += 1;
    this.counts.pieces += piece === null ? 0 : 1;
    await this.check();
    await this.#checkConversation(thread);
    if (trouble !== null) return;
    if (!(result instanceof Error)) this.#compareResult(plan, result as TravelResult, policy);
    // Nothing but what the plan writes was touched, not even its time.
    const now = timesOf(this.root, this.disk);
    for (const [name, time] of times) if (!wants.has(name)) expect([name, now.get(name)]).toEqual([name, time]);
  }

  /** Refusals that have nothing to do with the model's own rules are only those of a travel that has nothing to do. */
  #mayRefuse(thread: KnownThread, { kind }: TravelRequest, plan: Plan, verdicts: ReadonlyMap<string, Verdict>): void {
    const code = plan.refusal?.code;
    if (thread.t.revert !== null && (kind === 'undo' || kind === 'redo')) expect(code).toBe('REVERT_STANDS');
    else if (thread.t.revert === null && kind === 'unrevert') expect(['NO_STANDING_REVERT', 'REVERT_FINAL']).toContain(code);
    else if (kind === 'undo')
      expect(
        thread.last?.state === 'undone' || thread.last === null || ['NOTHING_CAN_GO_BACK', 'NOTHING_TO_UNDO'].includes(code ?? ''),
      ).toBe(true);
    else {
      expect([
        'NOTHING_AFTER',
        'NO_FILES_AFTER',
        'NOTHING_WRITTEN',
        'FILES_ALREADY_THERE',
        'NOTHING_CAN_GO_BACK',
        'STOP_FIRST_MESSAGE',
        'NOTHING_TO_REDO',
        'SAFETY_GONE',
      ]).toContain(code);
      // A clean path is always a reason to go.
      if (code === 'NOTHING_CAN_GO_BACK') {
        for (const [name, verdict] of verdicts)
          if (!verdict.drift) expect([name, this.#inTheWay(name, verdicts.keys())]).toEqual([name, true]);
      }
    }
  }

  /** The refusals that one file, or one change of it, may meet; null where there must be none. */
  #pieceMay(thread: KnownThread, plan: Plan, verdicts: ReadonlyMap<string, Verdict>, { path: name, code }: Piece): (string | null)[] {
    const standing = thread.t.revert === null ? [] : thread.stack;
    if (standing.some((travel) => travel.files.has(name))) return ['REVERT_STANDS'];
    // The agent's record of the revert may list a file that had nothing to lose.
    const listed = standing.some((travel) => travel.about.has(name)) ? ['REVERT_STANDS'] : [];
    const blocked = plan.skipped.length > 0 || plan.files.some((file) => file.why !== null && GROUP.test(file.why));
    if (blocked && this.#inTheWay(name, verdicts.keys())) return [...listed, 'NOTHING_CAN_GO_BACK', code];
    return [...listed, code ?? (verdicts.has(name) ? null : 'FILES_ALREADY_THERE')];
  }

  async #recover(thread: KnownThread, { wayOut }: Trouble): Promise<void> {
    // The process that held it is this one, which a real crash would have ended.
    rmSync(path.join(this.ownData, 'leases'), { recursive: true, force: true });
    await this.restart();
    for (const { entry } of await interruptedTravels(this.ownData)) {
      const { thread: opened } = await this.context(thread);
      thread.t.rest();
      await recoverTravel({ ownData: this.ownData, git, openThread: async () => opened }, entry, wayOut);
      this.counts.recovered += 1;
    }
    expect(await interruptedTravels(this.ownData)).toEqual([]);
    thread.t.rest();
  }

  #apply(
    thread: KnownThread,
    { kind, scope }: TravelRequest,
    o: {
      wants: ReadonlyMap<string, Want>;
      messageId: string | null;
      entry: string;
      piece: Piece | null;
      takes: readonly KnownTravel[];
      about: ReadonlySet<string>;
    },
  ): void {
    const files = new Map<string, Layer>();
    for (const [name, want] of o.wants) {
      const before = seen(this.disk.get(name));
      if (!same(before, want)) files.set(name, { before, after: want, at: 0 });
    }
    for (const [name, { after }] of files) put(this.disk, name, after);
    const about = scope === 'messages' ? new Set<string>() : o.about;
    thread.went(
      { kind, entry: o.entry, files, piece: o.piece?.step ?? null, takes: o.takes, about },
      { messageId: scope === 'files' ? null : o.messageId, files: scope !== 'messages' },
    );
  }

  #compareResult(plan: Plan, result: TravelResult, policy: DriftPolicy): void {
    const outcomes = { merge: ['merged'], keep: ['kept'], write: ['written', 'deleted'], overwrite: ['written', 'deleted'] };
    const shown = new Map(plan.files.map((file) => [file.path, file] as const));
    expect(result.files.filter((one) => one.outcome !== 'skipped').map((one) => one.path)).toEqual([...shown.keys()]);
    for (const one of result.files) {
      const choice = shown.get(one.path)?.choice;
      if (one.outcome !== 'skipped' && policy === 'merge' && choice !== undefined) expect(outcomes[choice]).toContain(one.outcome);
    }
  }

  async #checkConversation(thread: KnownThread): Promise<void> {
    const view = await viewOf(await this.context(thread));
    const visible = view.messages.flatMap((message) =>
      message.hidden === null && message.id !== '' && message.role !== 'tool' ? [message.id] : [],
    );
    expect(visible).toEqual(thread.visible());
    expect(view.standing?.messageId ?? null).toBe(thread.t.revert?.messageId ?? null);
    expect(view.bad).toEqual([]);
  }
}
