import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Places } from '../source.ts';

/** One generation of a session: `session.jsonl` is format 0, `session.vN.jsonl` format N (formats/dsh.md, paths). */
export interface Generation {
  file: string;
  version: number;
  zstd: boolean;
}

/** What a file name says; null for a name that is no session log. */
export function generationOf(file: string): Generation | null {
  const match = /^session(?:\.v([1-9]\d{0,5}))?\.jsonl(\.zstd)?$/.exec(path.basename(file));
  return match ? { file, version: Number(match[1] ?? 0), zstd: match[2] !== undefined } : null;
}

/** The live log of a session folder: the highest generation; null when the folder holds none. */
export async function liveGeneration(folder: string): Promise<Generation | null> {
  const names = await readdir(folder);
  const found = names.flatMap((name) => generationOf(path.join(folder, name)) ?? []);
  return found.sort((a, b) => b.version - a.version)[0] ?? null;
}

/** The folder that holds all sessions. */
export function sessionsFolder(places: Places): string {
  return path.join(places.env['DSH_HOME'] ?? path.join(places.home, '.dsh'), 'sessions');
}
