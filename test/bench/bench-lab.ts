import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { cleanEnv } from '../scenarios/temp.ts';

/** A folder for one benchmark, with a workspace and a repository beside it. */
export interface BenchLab {
  folder: string;
  root: string;
  gitDir: string;
  /** Git as it comes, in its own process: the floor. Gives all of its output. */
  plain(args: readonly string[], input?: string): Promise<Buffer>;
  /** The same with the repository and the workspace named. */
  agent(args: readonly string[], input?: string): Promise<Buffer>;
}

/** Makes the folder, runs the benchmark in it and removes it. */
export async function inBenchLab(work: (lab: BenchLab) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'turnback-bench-'));
  const root = path.join(folder, 'ws');
  const gitDir = path.join(folder, 'snap.git');
  await mkdir(root);
  const env = cleanEnv(folder);
  const plain = (args: readonly string[], input = ''): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const child = spawn('git', args, { cwd: root, env, stdio: ['pipe', 'pipe', 'ignore'] });
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.on('error', reject);
      child.on('close', (code) => (code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(`git ${args[0]} ended with ${code}`))));
      // One that reads no input may be gone already.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  const agent = (args: readonly string[], input = ''): Promise<Buffer> =>
    plain([`--git-dir=${gitDir}`, `--work-tree=${root}`, ...args], input);
  try {
    await plain(['init', '-q', '--bare', gitDir]);
    await plain([`--git-dir=${gitDir}`, 'config', 'core.bare', 'false']);
    await work({ folder, root, gitDir, plain, agent });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes files of some lines each, `perFolder` to a folder; gives their paths. */
export async function fillWorkspace(root: string, files: number, perFolder: number): Promise<string[]> {
  const paths: string[] = [];
  for (let at = 0; at < files; at += perFolder) {
    const folder = `area${(at / perFolder) % 20}/part${at / perFolder}`;
    await mkdir(path.join(root, folder), { recursive: true });
    const names = Array.from({ length: Math.min(perFolder, files - at) }, (_, k) => `${folder}/file${at + k}.ts`);
    await Promise.all(names.map((name, k) => writeFile(path.join(root, name), sourceText(at + k, 0))));
    paths.push(...names);
  }
  return paths;
}

/** About four kilobytes of lines; another `version` changes one in ten. */
export function sourceText(seed: number, version: number): string {
  return Array.from(
    { length: 100 },
    (_, line) => `export const value${line} = ${seed * 31 + line + (line % 10 === 0 ? version : 0)}; // ${seed}\n`,
  ).join('');
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Medians of both, run in turn so that the machine's moods hit both alike. `prepare` comes before each, not measured. */
export async function inTurn(o: {
  runs: number;
  prepare?: (run: number) => Promise<void>;
  ours: () => Promise<void>;
  floor: () => Promise<void>;
}): Promise<{ ours: number; floor: number }> {
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let run = 0; run < o.runs; run++) {
    await o.prepare?.(run);
    for (const which of run % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const)) {
      const begin = performance.now();
      await o[which]();
      times[which].push(performance.now() - begin);
    }
  }
  return { ours: median(times.ours), floor: median(times.floor) };
}
