import fc from 'fast-check';
import { expect } from 'vitest';
import { hunksOf } from '../../../electron/travel/hunks.ts';
import type { TravelRequest } from '../../../electron/travel/travel-context.ts';
import type { DriftPolicy, Scope } from '../../../shared/plan.ts';
import { REDO, restoreOf, revertTo, UNDO, UNREVERT } from '../tanstack-travelling.ts';
import { type Op, readWorkspace, timesOf } from './disk.ts';
import type { KnownStep, KnownThread, KnownTravel } from './known-thread.ts';
import { oneChange, seen, verdictOn } from './rules.ts';
import type { Piece, Trouble, Work, World } from './world.ts';

/** Plain files, nested ones, a place where file, folder and link take turns, one that may become ignored. */
const PATHS = ['a', 'b', 'd/c', 'd/e/f', 'k', 'k/x', 'k/y/z', 'secret'];
const name = fc.constantFrom(...PATHS);
const value = fc.nat({ max: 6 });
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant('write' as const), path: name, value }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('delete' as const), path: name }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('chmod' as const), path: name, mode: fc.constantFrom(0o644, 0o755, 0o600, 0o711) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('rename' as const), path: name, to: name }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('link' as const), path: name, to: fc.constantFrom('a', 'b') }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('ignore' as const), on: fc.boolean() }) },
);
export const ops = fc.array(op, { minLength: 1, maxLength: 4 });
/** Far enough back that there is something to go back over. */
const back = fc.integer({ min: 1, max: 11 });
const which = fc.nat({ max: 1 });
const policy = fc.oneof(
  { weight: 4, arbitrary: fc.constant<DriftPolicy>('merge') },
  { weight: 1, arbitrary: fc.constantFrom<DriftPolicy>('keep', 'overwrite') },
);
const scope = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Scope>('both') },
  { weight: 1, arbitrary: fc.constantFrom<Scope>('files', 'messages') },
);
const trouble: fc.Arbitrary<Trouble | null> = fc.option(
  fc.record({
    call: fc.integer({ min: 1, max: 130 }),
    how: fc.constantFrom('once' as const, 'dies' as const),
    wayOut: fc.constantFrom('finish' as const, 'roll-back' as const),
  }),
  { freq: 3 },
);

type Command = fc.AsyncCommand<World, World>;

const command = (words: string, run: (world: World) => Promise<void>, check: (world: World) => boolean = () => true): Command => ({
  check,
  run: (world) => run(world),
  toString: () => words,
});

const threadOf = (world: World, at: number): KnownThread => {
  const thread = world.threads[at % world.threads.length];
  if (thread === undefined) throw new Error('no thread');
  return thread;
};

/** The message so many from the end of the conversation, with its stop; before the first one only files can go back. */
async function target(world: World, thread: KnownThread, back: number): Promise<{ id: string; at: number; stop: number } | null> {
  const context = await world.context(thread);
  const ids = thread.t.messages.flatMap((message) => (typeof message['id'] === 'string' ? [message['id']] : []));
  const id = ids.at(-1 - (back % ids.length)) ?? '';
  const found = context.thread.thread().messages.find((message) => message.id === id && message.stop !== null && message.canStand === true);
  return found?.stop == null ? null : { id, at: thread.indexOf(id), stop: found.stop };
}

async function revert(
  world: World,
  at: number,
  o: { back: number; scope: Scope; policy: DriftPolicy; trouble: Trouble | null },
): Promise<KnownThread | null> {
  const thread = threadOf(world, at);
  const place = await target(world, thread, o.back);
  if (place === null) return null;
  const chains = thread.revert(place.at);
  await world.travel(thread, revertTo(place.stop, o.scope), { ...o, chains, messageId: place.id });
  return thread;
}

const json = JSON.stringify;

const work: fc.Arbitrary<Work> = fc.record({ ops, during: fc.option(fc.array(op, { maxLength: 2 }), { freq: 2 }) });
const turn = fc
  .tuple(which, fc.array(work, { minLength: 1, maxLength: 2 }))
  .map(([at, steps]) => command(`turn ${at} ${json(steps)}`, (world) => world.turn(threadOf(world, at), steps)));
const prompt = which.map((at) => command(`prompt ${at}`, (world) => world.turn(threadOf(world, at), [])));
const user = ops.map((made) => command(`user ${json(made)}`, async (world) => world.user(made)));
const reverts = fc
  .tuple(which, fc.record({ back, scope, policy, trouble }))
  .map(([at, o]) => command(`revert ${at} ${json(o)}`, async (world) => void (await revert(world, at, o))));
const backAndForth = fc
  .tuple(which, fc.record({ back, policy }))
  .map(([at, o]) => command(`there and back ${at} ${json(o)}`, (world) => thereAndBack(world, at, o)));
const carries = fc
  .tuple(which, fc.record({ path: name, via: name, to: name, value, edited: fc.boolean(), back: fc.integer({ min: 5, max: 11 }), policy }))
  .map(([at, o]) => command(`carry ${at} ${json(o)}`, (world) => carry(world, at, o)));
const unreverts = fc.tuple(which, trouble, fc.boolean()).map(([at, befalls, anyway]) =>
  command(
    `unrevert ${at} ${json(befalls)}`,
    async (world) => {
      const thread = threadOf(world, at);
      await world.travel(thread, UNREVERT, { chains: thread.back(thread.stack), takes: thread.stack, trouble: befalls });
    },
    (world) => threadOf(world, at).t.revert !== null || (anyway && at === 0 && world.counts.refused === 0),
  ),
);
const undos = fc.tuple(which, fc.constantFrom('undo' as const, 'redo' as const), trouble, policy).map(([at, kind, befalls, drift]) =>
  command(
    `${kind} ${at} ${json(befalls)} ${drift}`,
    async (world) => {
      const thread = threadOf(world, at);
      await world.travel(thread, kind === 'undo' ? UNDO : REDO, { chains: thread[kind](), trouble: befalls, policy: drift });
    },
    (world) => {
      const { last, t } = threadOf(world, at);
      return world.counts.refused === 0 || (t.revert === null && last?.state === (kind === 'undo' ? 'done' : 'undone'));
    },
  ),
);
const withFiles = (world: World, at: number): KnownTravel[] =>
  threadOf(world, at)
    .travels()
    .filter((travel) => travel.files.size > 0);
const restores = fc.tuple(which, fc.nat({ max: 3 }), trouble).map(([at, older, befalls]) =>
  command(
    `restore ${at} ${older} ${json(befalls)}`,
    async (world) => {
      const thread = threadOf(world, at);
      const travels = withFiles(world, at);
      const travel = travels.at(-1 - (older % travels.length));
      if (travel) await world.travel(thread, restoreOf(travel.entry), { chains: thread.back([travel]), takes: [travel], trouble: befalls });
    },
    (world) => withFiles(world, at).length > 0,
  ),
);
const knownSteps = (thread: KnownThread): KnownStep[] =>
  thread.events.flatMap((event) => ('step' in event && event.step.files.length > 0 ? [event.step] : []));
const sides = fc.constantFrom('out' as const, 'before' as const, 'after' as const, 'change' as const);
const partials = fc
  .tuple(which, fc.record({ older: fc.nat({ max: 7 }), file: fc.nat({ max: 3 }), side: sides, policy, trouble }))
  .map(([at, o]) =>
    command(
      `partial ${at} ${json(o)}`,
      (world) => partial(world, threadOf(world, at), o),
      (world) => knownSteps(threadOf(world, at)).length > 0,
    ),
  );
const wishes = fc
  .tuple(which, fc.record({ older: fc.nat({ max: 7 }), file: fc.nat({ max: 3 }), back: fc.integer({ min: 1, max: 6 }) }))
  .map(([at, o]) =>
    command(
      `wish ${at} ${json(o)}`,
      (world) => wish(world, at, o),
      (world) => knownSteps(threadOf(world, at)).length > 0,
    ),
  );
const restart = fc.constant(command('restart', (world) => world.restart()));

/** What may happen in a history: by the agent, by the user, by Turnback, and to it; what matters most comes most often. */
export const commands: fc.Arbitrary<Command>[] = [
  ...[turn, turn, turn, user, user, user, reverts, reverts, reverts, reverts, backAndForth, backAndForth],
  ...[unreverts, unreverts, undos, undos, restores, restores, partials, partials, partials, carries, wishes, prompt, restart],
];

/** One file of a step loses what the step did to it, which is taken back; then the steps after some message go. */
async function wish(world: World, at: number, o: { older: number; file: number; back: number }): Promise<void> {
  const thread = threadOf(world, at);
  const known = thread.travels().length;
  await partial(world, thread, { ...o, side: 'out', policy: 'merge', trouble: null });
  const travel = thread.travels()[known];
  if (travel === undefined || travel.files.size === 0) return;
  await world.travel(thread, restoreOf(travel.entry), { chains: thread.back([travel]), takes: [travel] });
  await revert(world, at, { back: o.back, scope: 'both', policy: 'merge', trouble: null });
}

/** A file is moved, edited by the user, and moved on or back, with an edit of the agent before it where `edited` says so; then all that goes. */
async function carry(
  world: World,
  at: number,
  o: { path: string; via: string; to: string; value: number; edited: boolean; back: number; policy: DriftPolicy },
): Promise<void> {
  const thread = threadOf(world, at);
  const shell = (op: Op): Work => ({ ops: [op], during: null });
  const { path, via, to, value } = o;
  const first: Op = o.edited ? { op: 'write', path, value: value + 20 } : { op: 'rename', path, to: via };
  await world.turn(thread, [shell(first)]);
  const [from, goal] = o.edited ? [path, via] : [via, to];
  world.user([{ op: 'write', path: from, value }]);
  await world.turn(thread, [shell({ op: 'rename', path: from, to: goal })]);
  await revert(world, at, { back: o.back, scope: 'both', policy: o.policy, trouble: null });
}

/** A revert and its unrevert with nothing in between are nothing at all: bytes, bits and, where nothing was written, times. */
async function thereAndBack(world: World, at: number, o: { back: number; policy: DriftPolicy }): Promise<void> {
  const thread = threadOf(world, at);
  if (thread.t.revert !== null) return;
  const before = readWorkspace(world.root);
  const times = timesOf(world.root, before);
  const known = thread.events.length;
  await revert(world, at, { ...o, scope: 'both', trouble: null });
  if (thread.t.revert === null) return;
  await world.travel(thread, UNREVERT, { chains: thread.back(thread.stack), takes: thread.stack });
  expect(readWorkspace(world.root)).toEqual(before);
  const written = thread.events.slice(known).flatMap((event) => ('travel' in event ? [...event.travel.files.keys()] : []));
  const now = timesOf(world.root, before);
  for (const [name, time] of times) if (!written.includes(name)) expect([name, now.get(name)]).toEqual([name, time]);
}

/** One file of some step, or the one change of its one line; its step may be hidden, dropped, or gone from the thread. */
async function partial(
  world: World,
  thread: KnownThread,
  o: { older: number; file: number; side: 'out' | 'before' | 'after' | 'change'; policy: DriftPolicy; trouble: Trouble | null },
): Promise<void> {
  const steps = knownSteps(thread);
  const step = steps.at(-1 - (o.older % steps.length));
  const path = step?.files[o.file % step.files.length];
  const context = await world.context(thread);
  const shown = context.thread.thread().steps.find((one) => one.toolCallIds[0] === step?.calls[0]);
  if (step === undefined || path === undefined || shown === undefined) return;
  const side = o.side === 'change' ? ('out' as const) : o.side;
  let layers = thread.piece(step, path, side);
  let hunk: string | null = null;
  let code: Piece['code'] = null;
  if (o.side === 'change') {
    const { store } = context.thread;
    if (store === null || shown.from === null || shown.to === null) throw new Error('no snapshots');
    const hunks = await hunksOf(store, { from: shown.from, to: shown.to, path });
    const change = layers[0] === undefined ? null : oneChange(layers[0]);
    layers = change === null ? [] : [change];
    const verdict = change === null ? null : verdictOn(seen(world.disk.get(path)), layers, false);
    if (change === null) code = 'HUNK_NOT_TEXT';
    else if (verdict?.clash) code = 'HUNK_NOT_FOUND';
    // It is out already, and only the bits are other ones.
    else if (verdict?.drift && !verdict.merges) code = 'NOTHING_CAN_GO_BACK';
    hunk = 'code' in hunks ? 'none' : (hunks[0]?.id ?? 'none');
    expect('code' in hunks ? hunks.code : hunks.length).toBe(change === null ? 'HUNK_NOT_TEXT' : 1);
  }
  const request: TravelRequest = { kind: 'partial', stop: null, entry: null, scope: 'files', piece: { step: shown.id, path, hunk, side } };
  // A single change has no whole state to overwrite with: there that means the merge.
  const drift = o.side === 'change' && o.policy === 'overwrite' ? 'merge' : o.policy;
  await world.travel(thread, request, {
    chains: new Map([[path, layers]]),
    policy: drift,
    trouble: o.trouble,
    piece: { step, path, code },
  });
}
