import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { browserPort } from '../../electron/host/browser-port.ts';
import { createEngine, type Engine } from '../../electron/host/engine.ts';
import type { CallName, Input, Output, ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import type { Choice, Plan, Scope, TravelKind, TravelResult } from '../../shared/plan.ts';
import { cleanEnv, manifest, tempFolder } from '../scenarios/temp.ts';
import { expectExitCodesAreErrors } from './exit-codes.ts';
import { neutralSource } from './neutral-source.ts';

const run = promisify(execFile);
const HERE = import.meta.dirname;

/** A hard case as its recipe left it. */
export interface Built {
  /** Everything of it lies below. */
  folder: string;
  root: string;
  store: string;
  log: string;
  outside: string;
  /** The environment the recipe ended with: some set a HOME of their own. */
  home: string;
  stdout: string;
}

/** Runs a recipe (`c-01`) in a fresh folder below `base`. `sizes`: variables that make it smaller or larger. */
export async function buildCase(name: string, base: string, sizes: Readonly<Record<string, string>> = {}): Promise<Built> {
  await mkdir(path.join(base, 'home'), { recursive: true });
  // The session rests: a log that was written a moment ago would be watched for a while.
  const end = 'touch -d 2026-01-02 "$R"/session-*.jsonl; printf "\\n@@%s\\n%s\\n%s\\n%s\\n%s\\n%s\\n" "$R" "$W" "$S" "$L" "$O" "$HOME"';
  const script = `set -eu\n. "${HERE}/tt.sh"\ntt_new\ncd "$W"\n${await readFile(path.join(HERE, 'recipes', `${name}.sh`), 'utf8')}\n${end}`;
  const env = { ...cleanEnv(base), ...sizes, TMPDIR: base, PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
  const { stdout } = await run('bash', ['-c', script], { env, maxBuffer: 1 << 26, cwd: base });
  const at = stdout.lastIndexOf('\n@@');
  const [folder = '', root = '', store = '', log = '', outside = '', home = ''] = stdout.slice(at + 3).split('\n');
  return { folder, root, store, log, outside, home, stdout: stdout.slice(0, at) };
}

/** The environment in which the product runs for a built case. */
export const envOf = (built: Built): Record<string, string> => ({
  ...cleanEnv(built.folder),
  HOME: built.home,
  TURNBACK_DATA: path.join(built.folder, 'own-data'),
  CASE_SESSIONS: built.folder,
});

const WROTE = new Set(['written', 'deleted', 'merged']);

/** A hard case under the real engine, which reads its log with the tests' own source. Every act asserts the rules I1-I6 and I8. */
export class Case {
  readonly built: Built;
  readonly engine: Engine;
  #guarded: string[] | null = null;
  /** Names directly below the case's folder that a test changes itself. */
  readonly loose = new Set(['ws', 'own-data']);

  constructor(built: Built) {
    this.built = built;
    this.engine = createEngine({
      port: browserPort,
      push: () => undefined,
      version: '0',
      open: null,
      env: envOf(built),
      sources: [neutralSource],
    });
  }

  get root(): string {
    return this.built.root;
  }

  get id(): string {
    return `opencode:${path.basename(this.built.log, '.jsonl')}`;
  }

  at(...names: string[]): string {
    return path.join(this.root, ...names);
  }

  /** A file that the recipe or the test made beside the workspace, as text. */
  noted(name: string): Promise<string> {
    return readFile(path.join(this.built.folder, name), 'utf8');
  }

  text(...names: string[]): Promise<string> {
    return readFile(this.at(...names), 'utf8');
  }

  /** The workspace as the recipes' own `mani` prints it. */
  async mani(folder = this.root, mtimes = false): Promise<string[]> {
    const script = `. "${HERE}/tt.sh"; mani "$1" ${mtimes ? '-m' : ''}`;
    const env = { ...cleanEnv(this.built.folder), PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` };
    return (await run('bash', ['-c', script, 'mani', folder], { env, maxBuffer: 1 << 26 })).stdout.split('\n').filter(Boolean);
  }

  /** The workspace without its own repository, or with mtimes. */
  files(mtimes = false): Promise<string[]> {
    return manifest(this.root, { mtimes, skip: ['.git'] });
  }

  /** One call over the boundary; throws the error that it answers. */
  async ask<N extends CallName>(call: N, input: Input<N>): Promise<Output<N>> {
    const answer = await this.engine.answer(call, input);
    if (!answer.ok) throw TurnbackError.of(answer.error);
    return answer.value as Output<N>;
  }

  /** All that no act may touch: the user's own repository (I3), log and snapshots (I5), everything around (I8). */
  async #foreign(): Promise<string[]> {
    const around = await manifest(this.built.folder, { mtimes: true, skip: [...this.loose] });
    const own = await manifest(this.at('.git'), { mtimes: true }).catch(() => []);
    return [...around, ...own.map((line) => `.git: ${line}`)];
  }

  /** From here on the state of everything foreign is held to what it is now. */
  async hold(): Promise<void> {
    this.#guarded = await this.#foreign();
  }

  async #held<T>(act: () => Promise<T>): Promise<T> {
    this.#guarded ??= await this.#foreign();
    const value = await act();
    expect(await this.#foreign()).toEqual(this.#guarded);
    return value;
  }

  /** An act that only looks: not a byte and not an mtime of the workspace changes (I1). */
  async #looking<T>(act: () => Promise<T>): Promise<T> {
    const before = await manifest(this.root, { mtimes: true });
    const value = await this.#held(act);
    expect(await manifest(this.root, { mtimes: true })).toEqual(before);
    return value;
  }

  /** Opens the log by its path, with its steps filled in. */
  open(named: { root?: string; log?: string } = {}): Promise<ThreadView> {
    return this.#looking(async () => {
      const view = await this.ask('thread.open', { thread: named.log ?? this.built.log, root: named.root ?? null, data: null });
      return this.ask('thread.steps', { thread: view.head.id });
    });
  }

  preview(stop: number | null, scope: Scope = 'both', kind: TravelKind = 'revert'): Promise<Plan> {
    return this.#looking(() => this.ask('travel.preview', { thread: this.id, kind, stop, entry: null, scope }));
  }

  /** The files of a plan; of one that is refused and has none, its own reason. */
  async #filesOf(range: { kind: 'plan'; stop: number }): Promise<FileChange[]> {
    const answer = await this.engine.answer('diff.files', { thread: this.id, range });
    if (answer.ok) return (answer.value as Output<'diff.files'>).files;
    const request = { thread: this.id, kind: 'revert' as const, stop: range.stop, entry: null, scope: 'files' as const };
    expect(await this.ask('travel.preview', request)).toMatchObject({ files: [], refusal: answer.error });
    return [];
  }

  /** Every stop, its preview, and every file of it: what moving the cursor and looking at diffs asks for. */
  async look(): Promise<void> {
    const view = await this.open();
    await this.#looking(async () => {
      for (let stop = 0; stop <= view.messages.length; stop++) {
        const range = { kind: 'plan' as const, stop };
        for (const file of await this.#filesOf(range))
          await this.ask('diff.file', { thread: this.id, range, path: file.path, anyway: false });
      }
      for (const step of view.steps.filter((one) => one.captured === true)) {
        const range = { kind: 'step' as const, step: step.id };
        for (const file of step.files ?? []) {
          await this.ask('diff.file', { thread: this.id, range, path: file.path, anyway: true });
        }
      }
    });
  }

  /**
   * Previews and then makes the travel. The result lists what the plan listed, and the disk changed in exactly the paths that it
   * calls written, merged or deleted (I6); everything else keeps its bytes and its mtime (I4).
   */
  async travel(
    kind: TravelKind,
    stop: number | null,
    choices: Readonly<Record<string, Choice>> = {},
    scope: Scope = 'both',
    confirmed: { evenBusy?: boolean } = {},
  ): Promise<TravelResult> {
    const plan = await this.preview(stop, scope, kind);
    const before = await this.files(true);
    const result = await this.#held(() =>
      this.ask('travel.run', {
        thread: this.id,
        operation: `${kind}-${stop}`,
        kind,
        stop,
        entry: null,
        scope,
        drift: 'merge',
        choices: { ...choices },
        fingerprint: plan.fingerprint,
        ...confirmed,
      }),
    );
    const skipped = new Set(plan.skipped.map(({ path: name }) => name));
    const listed = result.files.map(({ path: name }) => name).filter((name) => !skipped.has(name));
    expect(listed.sort()).toEqual(plan.files.map((file) => file.path).sort());
    expect(
      result.files.filter((file) => file.outcome !== 'written' && file.outcome !== 'deleted' && file.outcome !== 'merged' && !file.why),
    ).toEqual([]);
    const wrote = result.files
      .filter((file) => WROTE.has(file.outcome))
      .map((file) => Buffer.from(latin1Of(file.path), 'latin1').toString('latin1'));
    expect(changedBetween(before, await this.files(true))).toEqual(wrote.sort());
    return result;
  }

  revert(stop: number, choices: Readonly<Record<string, Choice>> = {}, scope: Scope = 'both'): Promise<TravelResult> {
    return this.travel('revert', stop, choices, scope);
  }

  unrevert(): Promise<TravelResult> {
    return this.travel('unrevert', null);
  }

  /** Back and forth: afterwards all is as it was before (I2). `between` sees the reverted state. */
  async thereAndBack(
    stop: number,
    choices: Readonly<Record<string, Choice>> = {},
    between?: (result: TravelResult) => Promise<void>,
  ): Promise<void> {
    const before = await this.files();
    const result = await this.revert(stop, choices);
    await between?.(result);
    await this.unrevert();
    expect(await this.files()).toEqual(before);
  }

  /** The patch of a step (or steps), saved to a file beside the workspace. */
  async patch(name: string, range: Input<'patch.save'>['range']): Promise<string> {
    const file = path.join(this.built.folder, 'own-data', name);
    await this.#looking(() => this.ask('patch.save', { thread: this.id, range, path: file, secrets: { all: true, include: [] } }));
    return file;
  }
}

/** A tree path's bytes as latin1, the form of manifests. */
function latin1Of(name: string): string {
  const bytes: number[] = [];
  for (const char of name) {
    const code = char.codePointAt(0) ?? 0;
    if (code >= 0xdc80 && code <= 0xdcff) bytes.push(code - 0xdc00);
    else bytes.push(...Buffer.from(char));
  }
  return Buffer.from(bytes).toString('latin1');
}

/** Names of files and links (folders aside) whose line of a manifest differs. */
function changedBetween(before: readonly string[], after: readonly string[]): string[] {
  const nameOf = (line: string): string => /^([\s\S]*?) (?:F [0-7]+ \d+ [0-9a-f]{64} [\d.]+|L [\s\S]*|D)$/.exec(line)?.[1] ?? line;
  const lines = (list: readonly string[]): Map<string, string> =>
    new Map(list.filter((line) => !line.endsWith(' D')).map((line) => [nameOf(line), line]));
  const [was, is] = [lines(before), lines(after)];
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).sort();
}

/** Builds a recipe and puts the engine over it; both go when the test ends, after rule I7 was held against what the test left. */
export async function hardCase(name: string, sizes: Readonly<Record<string, string>> = {}): Promise<Case> {
  const made = new Case(await buildCase(name, await tempFolder(), sizes));
  onTestFinished(async () => {
    await made.engine.dispose();
    await expectExitCodesAreErrors(made.built, envOf(made.built));
  });
  return made;
}
