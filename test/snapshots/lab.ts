import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createGit, type Git } from '../../electron/snapshots/git.ts';
import { ObjectReader } from '../../electron/snapshots/objects.ts';
import { openQuarantine, openSafetyStore, type SnapshotStore } from '../../electron/snapshots/store.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { cleanEnv, tempFolder } from '../scenarios/temp.ts';

export interface PlainOptions {
  input?: string | Uint8Array;
  cwd?: string;
  env?: Record<string, string>;
}

/** A workspace, an agent's snapshot store beside it, and our own data folder. */
export interface Lab {
  folder: string;
  root: string;
  foreign: string;
  ownData: string;
  git: Git;
  /** Git as a person would run it, for what a test expects. */
  plain(args: readonly string[], options?: PlainOptions): Buffer;
  /** What the agent does at the start and end of a step: the id of the workspace's tree. */
  snap(): string;
  /** Trees of the agent, read as we read them. */
  quarantine(): Promise<SnapshotStore>;
  safety(): Promise<SnapshotStore>;
  reader(store: SnapshotStore): ObjectReader;
}

export async function makeLab(o: { format?: 'sha1' | 'sha256'; git?: Git } = {}): Promise<Lab> {
  const format = o.format ?? 'sha1';
  const folder = await tempFolder();
  const root = path.join(folder, 'ws');
  const foreign = path.join(folder, 'snap.git');
  const ownData = path.join(folder, 'own-data');
  await mkdir(root);
  await mkdir(path.join(folder, 'home'), { recursive: true });
  const env = cleanEnv(folder);
  const plain = (args: readonly string[], options: PlainOptions = {}): Buffer =>
    execFileSync('git', args, {
      cwd: options.cwd ?? root,
      env: { ...env, ...options.env },
      input: options.input ?? '',
      maxBuffer: 1024 * 1024 * 1024,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  plain(['init', '-q', '--bare', `--object-format=${format}`, foreign]);
  plain([`--git-dir=${foreign}`, 'config', 'core.bare', 'false']);
  const git = o.git ?? createGit();
  const agent = [
    `--git-dir=${foreign}`,
    `--work-tree=${root}`,
    '-c',
    'core.autocrlf=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'core.fsmonitor=false',
  ];
  return {
    folder,
    root,
    foreign,
    ownData,
    git,
    plain,
    snap: () => {
      plain([...agent, 'add', '-A', '.']);
      return plain([...agent, 'write-tree'])
        .toString()
        .trim();
    },
    quarantine: () => openQuarantine({ git, ownData, objectFolders: [path.join(foreign, 'objects')], format }),
    safety: () => openSafetyStore({ git, ownData, root, format }),
    reader: (store) => {
      const reader = new ObjectReader(store);
      onTestFinished(() => reader.close());
      return reader;
    },
  };
}

/** Runs a module as a user who may not read everything, as root may, and gives what it prints. */
export function asOrdinaryUser(script: string): string {
  const ordinary = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  return execFileSync(process.execPath, ['--input-type=module-typescript', '-e', script], { ...ordinary, cwd: '/' }).toString();
}

/** All pieces of a stream in one. */
export async function collect(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

/** The names of a NUL-parted answer as latin1 text. */
export function namesOf(output: Buffer): string[] {
  return output.toString('latin1').split('\0').filter(Boolean);
}

/** Names that have broken tools (cases C-08), as tree paths. */
export const HOSTILE_NAMES: readonly TreePath[] = [
  'a b.txt',
  '-rf',
  '--help',
  'new\nline.txt',
  'tab\there',
  'q"uote.txt',
  'back\\slash.txt',
  '中文".txt',
  'caf\u00e9',
  'cafe\u0301',
  ':(glob)**',
  ':!x',
  '*.txt',
  '[x].txt',
  '?',
  '#hash',
  ' lead',
  'trail ',
  '%41.txt',
  '$(touch PWNED)',
  '`id`',
  '🙂.txt',
  'bad\udcff\udcfe.bin',
  '..foo',
  'HEAD',
  '.gitattributes.bak',
  'esc\u001b[31m',
];
