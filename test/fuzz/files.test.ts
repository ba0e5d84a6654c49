import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSample } from '../../electron/recorder/sample.ts';
import type { Source } from '../../electron/threads/source.ts';
import { sources } from '../../electron/threads/sources.ts';
import { threadSchema } from '../../shared/model.ts';
import { record } from '../figures.ts';
import { claudeSample } from '../scenarios/claude-code.ts';
import { dshSampleLog } from '../scenarios/dsh.ts';
import { readOpencodeDump, unpackOpencodeSample } from '../scenarios/opencode.ts';
import { TanstackDatabase } from '../scenarios/tanstack-sqlite.ts';
import { seedOf, size } from '../sizes.ts';
import { storageFromDump } from '../threads/opencode/storage-from-dump.ts';
import { fuzz, isRefusal } from './fuzz.ts';
import { fileOf, mutateBytes, mutateLines, mutateRecord } from './mutate.ts';
import type { Random } from './random.ts';

const COUNT = size(36, 2500);
const seed = seedOf();

/** A store that is damaged anew for each input: gives the path to name. */
interface Store {
  damage(random: Random): Promise<string>;
}

let folder = '';
let files = 0;
let slowest = 0;
let refused = 0;
const stores = new Map<string, Store>();

const linesOf = (bytes: Buffer): Buffer[] =>
  bytes
    .toString('latin1')
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'latin1'));

/** A text store: one file of lines, written with some of them wrong. */
function lineStore(file: string, whole: Buffer, pack: (random: Random, bytes: Buffer) => Buffer = (_, bytes) => bytes): Store {
  const lines = linesOf(whole);
  return {
    async damage(random) {
      await writeFile(file, pack(random, fileOf(random, mutateLines(random, lines))));
      return file;
    },
  };
}

/** A folder of which one file is wrong at a time. */
async function treeStore(whole: string, named: string, pick: RegExp): Promise<Store> {
  const names = (await readdir(whole, { recursive: true })).filter((name) => pick.test(name)).sort();
  const originals = new Map<string, Buffer>();
  for (const name of names) originals.set(path.join(whole, name), await readFile(path.join(whole, name)));
  const damaged = new Set<string>();
  return {
    async damage(random) {
      for (const file of damaged) await writeFile(file, originals.get(file) ?? '');
      damaged.clear();
      for (let times = 1 + random.below(4); times > 0; times--) {
        const file = path.join(whole, random.pick(names) ?? '');
        const bytes = originals.get(file) ?? Buffer.alloc(0);
        const lines = bytes.includes(0x0a) && file.endsWith('.jsonl') ? linesOf(bytes) : null;
        damaged.add(file);
        if (lines !== null) await writeFile(file, fileOf(random, mutateLines(random, lines)));
        else await writeFile(file, random.chance(0.7) ? mutateRecord(random, bytes) : mutateBytes(random, bytes));
      }
      return path.join(whole, named);
    },
  };
}

/** A database with some bytes or some cells wrong. */
function databaseStore(file: string, whole: Buffer, cells: readonly { table: string; column: string }[]): Store {
  return {
    async damage(random) {
      const bytes = Buffer.from(whole);
      if (random.chance(0.5)) {
        for (let times = 1 + random.below(12); times > 0; times--) {
          bytes[random.below(random.chance(0.5) ? 4096 : bytes.length)] = random.below(256);
        }
        await writeFile(file, random.chance(0.1) ? bytes.subarray(0, random.below(bytes.length)) : bytes);
        return file;
      }
      await writeFile(file, bytes);
      const db = new DatabaseSync(file);
      try {
        db.exec('pragma synchronous = off; pragma journal_mode = memory');
        for (let times = 1 + random.below(4); times > 0; times--) {
          const { table, column } = random.pick(cells) ?? { table: '', column: '' };
          const row = db.prepare(`select rowid as id, ${column} as value from ${table} limit 1 offset ?`).get(random.below(20));
          if (!row) continue;
          const value = Buffer.from(String(row['value']));
          const made = random.chance(0.7) ? mutateRecord(random, value) : mutateBytes(random, value);
          db.prepare(`update or ignore ${table} set ${column} = ? where rowid = ?`).run(
            random.chance(0.8) ? made.toString('utf8') : made,
            row['id'] ?? 0,
          );
        }
      } finally {
        db.close();
      }
      return file;
    },
  };
}

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'turnback-fuzz-')));
  const at = async (...names: string[]): Promise<string> => {
    const file = path.join(folder, ...names);
    await mkdir(path.dirname(file), { recursive: true });
    return file;
  };
  const sample = await readFile((await makeSample(path.join(folder, 'sample'))).log);
  stores.set('tanstack log', lineStore(await at('a', 'sessions', 't1.jsonl'), sample));

  const metadata = {
    'harness:settings': { t1: { cwd: '/w' } },
    'plugin:tanstack/snapshots': { t1: [{ from: 'a'.repeat(40), to: 'b'.repeat(40), files: ['x'], toolCallIds: ['c'] }] },
  };
  await writeFile(await at('meta', 'metadata.json'), JSON.stringify(metadata));
  stores.set('tanstack metadata', await treeStore(path.join(folder, 'meta'), 'metadata.json', /json$/));

  const made = new TanstackDatabase(await at('db', 'agent.db'));
  for (const line of linesOf(sample).slice(0, 60)) made.append('t1', ...(JSON.parse(line.toString('utf8')) as Record<string, unknown>[]));
  made.metadata('harness:settings', 't1', { cwd: '/w' });
  made.db.exec('pragma wal_checkpoint(truncate); pragma journal_mode = delete');
  made.close();
  const cells = [
    { table: 'tanstack_log', column: 'record' },
    { table: 'tanstack_log', column: 'seq' },
    { table: 'tanstack_metadata', column: 'value' },
  ];
  stores.set('tanstack database', databaseStore(await at('db2', 'agent.db'), await readFile(made.file), cells));

  for (const form of ['v0', 'v3'] as const) {
    const name = form === 'v0' ? 'session.jsonl' : 'session.v3.jsonl';
    const plain = await readFile(dshSampleLog('session-sample-a', `${form}-plain`));
    stores.set(`dsh ${form} log`, lineStore(await at('dsh', form, 's', name), plain));
    stores.set(
      `dsh ${form} frames`,
      lineStore(await at('dsh', form, 'z', `${name}.zstd`), plain, (random, bytes) => {
        const cut = random.below(bytes.length);
        const frames = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => zstdCompressSync(part));
        return random.chance(0.5) ? mutateBytes(random, Buffer.concat(frames)) : Buffer.concat(frames);
      }),
    );
  }

  const opencode = await unpackOpencodeSample(path.join(folder, 'oc'), 'after_revert_prompt');
  const parts = [
    { table: 'part', column: 'data' },
    { table: 'message', column: 'data' },
    { table: 'session', column: 'revert' },
    { table: 'session', column: 'directory' },
    { table: 'event', column: 'data' },
    { table: 'message', column: 'time_created' },
  ];
  stores.set('opencode database', databaseStore(await at('oc2', 'opencode.db'), await readFile(opencode.db), parts));
  await storageFromDump(path.join(folder, 'storage'), await readOpencodeDump(path.join(folder, 'dump'), 'before_revert'));
  stores.set('opencode files', await treeStore(path.join(folder, 'storage'), '.', /^storage\/(session|message|part|project)\/.*json$/));
  const claude = await claudeSample(path.join(folder, 'cc'), 'interactive', 'int_exit');
  const log = path.relative(claude.home, claude.log);
  stores.set('claude-code log', lineStore(await at('cc2', '.claude', 'projects', '-w', 's.jsonl'), await readFile(claude.log)));
  stores.set('claude-code files', await treeStore(claude.home, log, /jsonl$|meta\.json$|@v\d+$/));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  record('hostile input', 'fuzz of whole stores: inputs without crash or hang', files);
  record('hostile input', 'fuzz of whole stores: of these refused with a reason', refused);
  record('hostile input', 'fuzz of whole stores: slowest input, ms of processor time', Math.round(slowest));
});

/** What the viewer does when it opens what is at the path: every thread there, its rows, some bodies, what a revert would write. */
async function readAll(source: Source, named: string): Promise<void> {
  const places = { home: path.join(folder, 'home'), env: {} };
  for (const head of (await source.locate(named, places)).slice(0, 3)) {
    const reader = await source.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
    try {
      await reader.read();
      const thread = threadSchema.parse(reader.thread());
      for (const message of thread.messages.slice(0, 3)) await reader.body(message.id);
      for (const stop of [0, 1, thread.messages.length]) {
        try {
          reader.writer?.revert({ stop, now: null, files: null, at: 1 });
        } catch (thrown) {
          if (!isRefusal(thrown)) throw thrown;
        }
      }
      await reader.read();
    } finally {
      await reader.close();
    }
  }
}

const NAMES = [
  'tanstack log',
  'tanstack metadata',
  'tanstack database',
  'dsh v0 log',
  'dsh v0 frames',
  'dsh v3 log',
  'dsh v3 frames',
  'opencode database',
  'opencode files',
  'claude-code log',
  'claude-code files',
];

test('every store is damaged', () => expect([...stores.keys()].sort()).toEqual([...NAMES].sort()));

test.each(NAMES)(`a damaged %s is read or refused (seed ${seed})`, { timeout: 7_200_000 }, async (name) => {
  const store = stores.get(name);
  const source = sources.find((one) => one.kind === name.split(' ')[0]);
  if (!store || !source) throw new Error(name);
  const result = await fuzz({ name, seed, count: COUNT, one: async (random) => readAll(source, await store.damage(random)) });
  expect(result.inputs).toBe(COUNT);
  files += result.inputs;
  refused += result.refused;
  slowest = Math.max(slowest, result.slowest);
});
