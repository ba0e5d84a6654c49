import fc from 'fast-check';
import type { DriftPolicy, Scope } from '../../../shared/plan.ts';
import { REDO, restoreOf, revertTo, UNDO, UNREVERT } from '../tanstack-travelling.ts';
import type { Op } from './disk.ts';
import type { KnownThread, KnownTravel } from './known-thread.ts';
import type { Trouble, World } from './world.ts';

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

const turn = fc
  .tuple(which, fc.array(ops, { minLength: 1, maxLength: 2 }))
  .map(([at, steps]) => command(`turn ${at} ${json(steps)}`, (world) => world.turn(threadOf(world, at), steps)));
const prompt = which.map((at) => command(`prompt ${at}`, (world) => world.turn(threadOf(world, at), [])));
const user = ops.map((made) => command(`user ${json(made)}`, async (world) => world.user(made)));
const reverts = fc
  .tuple(which, fc.record({ back, scope, policy, trouble }))
  .map(([at, o]) => command(`revert ${at} ${json(o)}`, async (world) => void (await revert(world, at, o))));
const backAndForth = fc
  .tuple(which, fc.record({ back, policy }))
  .map(([at, o]) => command(`there and back ${at} ${json(o)}`, (world) => thereAndBack(world, at, o)));
const unreverts = fc.tuple(which, trouble, fc.boolean()).map(([at, befalls, anyway]) =>
  command(
    `unrevert ${at} ${json(befalls)}`,
    async (world) => {
      const thread = threadOf(world, at);
      await world.travel(thread, UNREVERT, { chains: thread.back(thread.stack), trouble: befalls });
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
      if (travel) await world.travel(thread, restoreOf(travel.entry), { chains: thread.back([travel]), trouble: befalls });
    },
    (world) => withFiles(world, at).length > 0,
  ),
);
const restart = fc.constant(command('restart', (world) => world.restart()));

/** What may happen in a history: by the agent, by the user, by Turnback, and to it; what matters most comes most often. */
export const commands: fc.Arbitrary<Command>[] = [
  ...[turn, turn, turn, user, user, user, reverts, reverts, reverts, reverts, backAndForth, backAndForth],
  ...[unreverts, unreverts, undos, undos, restores, restores, prompt, restart],
];

/** A revert and its unrevert with nothing in between are nothing at all: bytes, bits and, where nothing was written, times. */
async function thereAndBack(world: World, at: number, o: { back: number; policy: DriftPolicy }): Promise<void> {
  const thread = threadOf(world, at);
  if (thread.t.revert !== null) return;
  const before = new Map(world.disk);
  await revert(world, at, { ...o, scope: 'both', trouble: null });
  if (thread.t.revert === null) return;
  await world.travel(thread, UNREVERT, { chains: thread.back(thread.stack) });
  const lines = (disk: World['disk']): string[] => [...disk].map((entry) => json(entry)).sort();
  if (json(lines(world.disk)) !== json(lines(before)))
    throw new Error(`there and back is not the same: ${lines(before)} became ${lines(world.disk)}`);
}
