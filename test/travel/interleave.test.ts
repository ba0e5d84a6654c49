import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { appendFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { LogFile } from '../../electron/recorder/log-file.ts';
import { createGit } from '../../electron/snapshots/git.ts';
import { appendLine } from '../../electron/threads/tanstack/jsonl-append.ts';
import type { OpenThread } from '../../electron/threads/thread.ts';
import { takeLease } from '../../electron/travel/lease.ts';
import { ownIdentity } from '../../electron/travel/process-identity.ts';
import { interruptedTravels } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import { viewOf } from '../../electron/travel/view.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { record } from '../figures.ts';
import { manifest, tempFolder } from '../scenarios/temp.ts';
import { seedOf, size } from '../sizes.ts';
import { arm } from './broken-files.ts';
import { act } from './model/disk.ts';
import { World } from './model/world.ts';
import { DEFAULTS, openScenario, REDO, revertTo, UNDO, UNREVERT } from './tanstack-travelling.ts';
import { type End, filesInTurn, Turns } from './turns.ts';

const clock = vi.hoisted(() => ({ sleep: null as (() => Promise<undefined>) | null }));
vi.mock('node:fs/promises', async (original) => (await import('./broken-files.ts')).brokenPromises(await original()));
vi.mock('node:timers/promises', async (original) => {
  const real = await original<typeof import('node:timers/promises')>();
  const setTimeout = (...args: Parameters<typeof real.setTimeout>) => (clock.sleep === null ? real.setTimeout(...args) : clock.sleep());
  return { ...real, setTimeout };
});

const git = createGit();
const seed = seedOf();
let meetings = 0;
beforeAll(() => console.error(`interleavings: TURNBACK_SEED=${seed}`));

/** Refusals that another one's work may lead to. */
const MAY_REFUSE = new Set([
  'LEASE_HELD',
  'LOG_MOVED',
  'LOG_LIVE',
  'PLAN_STALE',
  'INTERRUPTED',
  'NOT_IDLE',
  'REVERT_STANDS',
  'NOTHING_AFTER',
  'NO_STANDING_REVERT',
  'REVERT_FINAL',
  'NOTHING_TO_UNDO',
  'NOTHING_TO_REDO',
  'NOTHING_CAN_GO_BACK',
  'FILES_ALREADY_THERE',
]);

/** One who acts: a travel of a viewer on a thread, or a turn of the agent's own program. */
type Deed = { thread: number; travel: (world: World, opened: OpenThread) => TravelRequest } | { thread: number; turn: string };

/** The stop after the message so many from the end of what the agent's own program knows. */
function stopOf(world: World, thread: number, back: number, opened: OpenThread): number {
  const ids = world.threads[thread]?.t.messages.flatMap((message) => (typeof message['id'] === 'string' ? [message['id']] : [])) ?? [];
  const stop = opened.thread().messages.find((message) => message.id === ids.at(-1 - back))?.stop;
  if (stop == null) throw new Error(`nobody can stand ${back} messages from the end`);
  return stop;
}

/** Does it; a viewer opens the thread for itself, as a window or a command of its own would. */
async function doIt(world: World, deed: Deed, turns: Turns | null): Promise<void> {
  const thread = world.threads[deed.thread];
  if (thread === undefined) throw new Error('no such thread');
  if ('turn' in deed) {
    await thread.t.turn('go on', [{ tool: 'bash', edit: (root) => act(root, world.disk, { op: 'write', path: deed.turn, value: 7 }) }]);
    return;
  }
  const opened = await openScenario(thread.t, git);
  try {
    const fs = turns === null ? {} : { fs: filesInTurn(turns) };
    await runTravel({ thread: opened, ownData: world.ownData, git, now: Date.now, ...fs }, deed.travel(world, opened), {
      ...DEFAULTS,
      drift: 'overwrite',
    });
  } finally {
    await opened.close();
  }
}

/** What somebody sees afterwards. */
async function seen(world: World): Promise<object> {
  const threads: unknown[] = [];
  for (const thread of world.threads) {
    thread.t.rest();
    const opened = await openScenario(thread.t, git);
    const view = await viewOf({ thread: opened, ownData: world.ownData, git, now: Date.now });
    await opened.close();
    threads.push({
      standing: view.standing?.stop ?? null,
      visible: view.messages.filter((message) => message.hidden === null).length,
      bad: view.bad,
    });
  }
  return { files: (await manifest(world.root)).filter((line) => / [FL] /.test(line)), threads };
}

const lines = (world: World): string[] =>
  world.threads.flatMap(({ t }) => {
    const text = readFileSync(t.log, 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    return text.trimEnd().split('\n');
  });

/** Many meetings of the same deeds, in orders that are drawn. Each must end as one after the other would have ended. */
async function meet(o: { threads: number; first: readonly Deed[]; deeds: Readonly<Record<string, Deed>>; times: number }): Promise<void> {
  const folder = await tempFolder();
  const begin = async (): Promise<World> => {
    const world = await World.begin(folder, o.threads);
    for (const deed of o.first) {
      for (const { t } of world.threads) t.rest();
      await doIt(world, deed, null);
    }
    for (const { t } of world.threads) t.rest();
    return world;
  };
  /** How it ends when these are done one after the other and nothing else is. */
  const serial = new Map<string, object[]>();
  const serially = async (names: readonly string[]): Promise<object[]> => {
    const key = [...names].sort().join(' ');
    const known = serial.get(key);
    if (known) return known;
    const found: object[] = [];
    for (const order of names.length === 2 ? [names, [...names].reverse()] : [names]) {
      const world = await begin();
      const went: string[] = [];
      for (const name of order) {
        const deed = o.deeds[name];
        for (const { t } of world.threads) t.rest();
        if (deed)
          await doIt(world, deed, null)
            .then(() => went.push(name))
            .catch((thrown: unknown) => expect(thrown).toBeInstanceOf(TurnbackError));
      }
      if (went.length === names.length) found.push(await seen(world));
    }
    serial.set(key, found);
    return found;
  };
  for (let turn = 0; turn < o.times; turn++) {
    const world = await begin();
    const before = lines(world);
    const turns = new Turns(seed + turn, () => {
      for (const { t } of world.threads) utimesSync(t.log, 1_700_000_000, 1_700_000_000);
    });
    arm({ hit: () => turns.gate() });
    clock.sleep = () => turns.gate(true);
    const ends: Record<string, End> = {};
    try {
      const actors = Object.fromEntries(Object.entries(o.deeds).map(([name, deed]) => [name, () => doIt(world, deed, turns)]));
      Object.assign(ends, await turns.run(actors));
    } finally {
      arm(null);
      clock.sleep = null;
    }
    const at = `meeting ${turn} of seed ${seed}: ${turns.order.join('').slice(0, 400)}`;
    const did: string[] = [];
    for (const [name, end] of Object.entries(ends)) {
      if ('done' in end) did.push(name);
      else
        expect([at, name, end.failed instanceof TurnbackError ? MAY_REFUSE.has(end.failed.code) || end.failed.code : end.failed]).toEqual([
          at,
          name,
          true,
        ]);
    }
    // Somebody always gets through, and nobody else's record is lost.
    expect([at, did.length]).not.toEqual([at, 0]);
    const after = lines(world);
    for (const line of before) expect(after).toContain(line);
    for (const line of after) JSON.parse(line);
    expect([at, await interruptedTravels(world.ownData)]).toEqual([at, []]);
    const whole = await serially(did);
    expect([at, did, whole]).toEqual([at, did, expect.arrayContaining([await seen(world)])]);
    meetings += 1;
    await rm(world.ownData, { recursive: true, force: true });
  }
}

const revertOf = (thread: number, back: number, scope: TravelRequest['scope'] = 'both'): Deed => ({
  thread,
  travel: (world, opened) => revertTo(stopOf(world, thread, back, opened), scope),
});
const deed = (thread: number, request: TravelRequest): Deed => ({ thread, travel: () => request });

test('two viewers revert the messages of one thread', { timeout: 3_600_000 }, () =>
  meet({ threads: 1, first: [], deeds: { A: revertOf(0, 2, 'messages'), B: revertOf(0, 4, 'messages') }, times: size(24, 1500) }),
);

test('one viewer takes a revert back while another makes a new one', { timeout: 3_600_000 }, () =>
  meet({
    threads: 1,
    first: [revertOf(0, 2, 'messages')],
    deeds: { A: deed(0, UNREVERT), B: revertOf(0, 4, 'messages') },
    times: size(16, 1000),
  }),
);

test('two viewers revert the files of one thread', { timeout: 3_600_000 }, () =>
  meet({ threads: 1, first: [], deeds: { A: revertOf(0, 2), B: revertOf(0, 6) }, times: size(14, 800) }),
);

test('one viewer undoes the last turn while another reverts', { timeout: 3_600_000 }, () =>
  meet({ threads: 1, first: [], deeds: { A: deed(0, UNDO), B: revertOf(0, 6) }, times: size(10, 600) }),
);

test('two viewers redo the same turn', { timeout: 3_600_000 }, () =>
  meet({ threads: 1, first: [deed(0, UNDO)], deeds: { A: deed(0, REDO), B: deed(0, REDO) }, times: size(10, 400) }),
);

test('two viewers travel with two threads of one folder', { timeout: 3_600_000 }, () =>
  meet({ threads: 2, first: [], deeds: { A: revertOf(0, 6), B: revertOf(1, 2) }, times: size(12, 600) }),
);

test('the agent takes a turn in another thread of the folder while a viewer reverts this one', { timeout: 3_600_000 }, () =>
  meet({ threads: 2, first: [], deeds: { A: revertOf(0, 6), B: { thread: 1, turn: 'hosts' } }, times: size(16, 800) }),
);

test('many want the lease of a process that died: one at a time, and each in its turn', { timeout: 3_600_000 }, async () => {
  const folder = await tempFolder();
  const me = ownIdentity();
  const file = path.join(folder, 'leases', 'key.json');
  mkdirSync(path.dirname(file), { recursive: true });
  const dead = { version: 1, ...me, started: '1', at: 0 };
  for (let turn = 0; turn < size(500, 5000); turn++) {
    const random = turn.toString(16).padStart(32, '0');
    // A live writer's lease is never taken; that of one that died is, by one, also when another one died while it took it.
    const alive = turn % 4 === 3;
    writeFileSync(file, JSON.stringify({ ...dead, random, ...(alive ? { started: me.started } : {}) }));
    if (turn % 4 === 1) writeFileSync(`${file}.stale-${random}-0`, JSON.stringify({ ...dead, random: 'f'.repeat(32) }));
    const turns = new Turns(seed + turn);
    clock.sleep = () => turns.gate(true);
    let holders = 0;
    const taken: string[] = [];
    const want = (name: string) => async (): Promise<void> => {
      const lease = await takeLease(filesInTurn(turns), folder, 'key', alive ? 0 : 60_000);
      holders += 1;
      taken.push(name);
      for (let step = 0; step < 3; step++) {
        await turns.gate();
        expect(holders).toBe(1);
      }
      holders -= 1;
      await lease.release();
    };
    const ends = await turns.run({ A: want('A'), B: want('B'), C: want('C') });
    clock.sleep = null;
    const at = `meeting ${turn} of seed ${seed}: ${turns.order.join('').slice(0, 400)}`;
    if (alive) {
      expect([at, taken, JSON.parse(readFileSync(file, 'utf8')).random]).toEqual([at, [], random]);
      for (const end of Object.values(ends)) expect([at, end]).toMatchObject([at, { failed: { code: 'LEASE_HELD' } }]);
    } else
      expect([at, taken.sort(), ends]).toEqual([
        at,
        ['A', 'B', 'C'],
        { A: { done: undefined }, B: { done: undefined }, C: { done: undefined } },
      ]);
    await rm(file, { force: true });
    meetings += 1;
  }
});

test('viewers, a recorder and the agent append to one log: nobody loses a record, nobody finds half of one', {
  timeout: 3_600_000,
}, async () => {
  const file = path.join(await tempFolder(), 'log.jsonl');
  const line = (name: string): string => `[{"type":"app.${name}","text":"${name.repeat(300)}"}]\n`;
  const begin = line('begin').repeat(3);
  for (let turn = 0; turn < size(1000, 10_000); turn++) {
    writeFileSync(file, begin);
    const { dev, ino } = statSync(file);
    const anchor = Buffer.from(begin).subarray(-256).toString('hex');
    const place = { identity: `${dev}:${ino}`, offset: begin.length, line: 3, anchor, open: false };
    const turns = new Turns(seed + turn);
    // A look that is followed at once by what it allows is one step; everything else may come between.
    arm({ hit: (call) => (/^fs (read|truncate) /.test(call) ? undefined : turns.gate()) });
    clock.sleep = () => turns.gate(true);
    const viewer = (name: string) => () => appendLine(file, place, JSON.parse(line(name)));
    const recorder = async (): Promise<void> => {
      const log = new LogFile(file);
      await log.read();
      await log.append(JSON.parse(line('recorder')));
    };
    const cast = [
      { viewer1: viewer('viewer1'), viewer2: viewer('viewer2') },
      { viewer1: viewer('viewer1'), host: () => appendFile(file, line('host')) },
      { viewer1: viewer('viewer1'), viewer2: viewer('viewer2'), host: () => appendFile(file, line('host')) },
      { viewer1: viewer('viewer1'), recorder },
    ];
    let ends: Record<string, End>;
    try {
      ends = await turns.run(cast[turn % cast.length] ?? {});
    } finally {
      arm(null);
      clock.sleep = null;
    }
    const text = readFileSync(file, 'utf8');
    const at = `meeting ${turn} of seed ${seed}: ${turns.order.join(' ')}`;
    expect([at, text.startsWith(begin)]).toEqual([at, true]);
    const found = text
      .slice(begin.length)
      .split(/(?<=\n)/)
      .filter(Boolean);
    for (const [name, end] of Object.entries(ends)) {
      const count = found.filter((one) => one === line(name)).length;
      const code = 'failed' in end ? (end.failed as TurnbackError).code : 'done';
      const may = code === 'done' ? [1] : name === 'recorder' || code === 'LOG_UNWRITABLE' ? [0, 1] : [0];
      expect([at, name, code, may]).toEqual([
        at,
        name,
        expect.stringMatching(/^(done|LOG_MOVED|LOG_UNWRITABLE)$/),
        expect.arrayContaining([count]),
      ]);
    }
    expect([at, found.filter((one) => !Object.keys(ends).some((name) => one === line(name)))]).toEqual([at, []]);
    meetings += 1;
  }
});

test('a thousand meetings in an ordinary run', () => {
  expect(meetings).toBeGreaterThanOrEqual(1000);
  record('concurrency', 'scheduled interleavings', meetings);
});
