import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Doing, doingSchema, wordsOfDoing } from '../../shared/doing.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { startOfProcess, thisHost } from './process-alive.ts';

type Side = 'use' | 'sweep';

/** Why somebody passes the gate, as it is told to whoever waits too long for it. */
export interface Passing {
  doing: Doing;
  /** What is held, for people: the workspace or the repository. */
  place: string;
  /** Milliseconds after which the waiting ends. */
  patience?: number;
}

/** Milliseconds between two looks at the other side, and after which the waiting ends. */
const LOOK = 20;
const PATIENCE = 60_000;
/** A sign of another machine or container counts for this long; milliseconds. */
const STRANGE = 600_000;

const host = createHash('sha256').update(thisHost).digest('hex').slice(0, 8);
const folderOf = (gitDir: string): string => `${gitDir}.busy`;

interface Sign {
  name: string;
  side: string;
  pid: number;
}

/** Those who are at the repository. What a process that ended left is taken away. */
async function signsIn(folder: string): Promise<Sign[]> {
  const signs: Sign[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [, side = '', pid = '', start = '', at = ''] = /^(use|sweep)-(\d+)-([\d?]+)-([0-9a-f]{8})-/.exec(name) ?? [];
    if (side === '') continue;
    const file = path.join(folder, name);
    const alive = at === host ? isAlive(Number(pid), start) : Date.now() - ((await stat(file).catch(() => null))?.mtimeMs ?? 0) < STRANGE;
    if (alive) signs.push({ name, side, pid: Number(pid) });
    else await rm(file, { force: true });
  }
  return signs;
}

function isAlive(pid: number, start: string): boolean {
  const since = startOfProcess(pid);
  return since !== undefined && (since === null || start === '?' || since === start);
}

async function leaveSign(folder: string, side: Side, doing: Doing): Promise<string> {
  const name = `${side}-${process.pid}-${startOfProcess(process.pid) ?? '?'}-${host}-${randomBytes(6).toString('hex')}`;
  for (;;) {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(path.join(folder, name), doing, { flag: 'wx', mode: 0o600 });
      return name;
    } catch (thrown) {
      // The last one to leave took the folder away.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown;
    }
  }
}

/** What somebody does there; null when it has left by now, or does not say it. */
async function doingOf(folder: string, { name }: Sign): Promise<Doing | null> {
  return doingSchema.parse(await readFile(path.join(folder, name), 'utf8').catch(() => null));
}

async function takeSign(folder: string, name: string): Promise<void> {
  await rm(path.join(folder, name), { force: true });
  // While others are there, the folder stays.
  await rmdir(folder).catch(() => undefined);
}

/**
 * Runs work while nobody of the other side is at the repository. Each side leaves its sign before it looks for the other's, so never
 * do both miss each other; a sweep gives way, the others keep their sign and wait. Throws LEASE_HELD when that takes too long.
 */
async function pass<T>(gitDir: string, side: Side, { doing, place, patience = PATIENCE }: Passing, work: () => Promise<T>): Promise<T> {
  const folder = folderOf(gitDir);
  const until = performance.now() + patience;
  let name = await leaveSign(folder, side, doing);
  try {
    for (;;) {
      const own = name;
      const others = (await signsIn(folder)).filter((sign) => sign.name !== own && (side === 'sweep' || sign.side === 'sweep'));
      const [first] = others;
      if (first === undefined) return await work();
      if (performance.now() > until)
        throw new TurnbackError('LEASE_HELD', { path: place, pid: first.pid, doing: wordsOfDoing(await doingOf(folder, first)) });
      if (side === 'sweep') await takeSign(folder, name);
      await sleep(LOOK + Math.random() * LOOK);
      if (side === 'sweep') name = await leaveSign(folder, side, doing);
    }
  } finally {
    await takeSign(folder, name);
  }
}

/** Runs what keeps something in a repository of ours: from the first object until what names it is written. */
export function whileUsing<T>(gitDir: string, why: Passing, work: () => Promise<T>): Promise<T> {
  return pass(gitDir, 'use', why, work);
}

/** Runs what removes from a repository of ours: from the look at what is needed until the last object is gone. */
export function whileSweeping<T>(gitDir: string, why: Passing, work: () => Promise<T>): Promise<T> {
  return pass(gitDir, 'sweep', why, work);
}
