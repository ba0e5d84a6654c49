import { readdir, readFile, readlink, realpath } from 'node:fs/promises';

/** The search for processes ends after this time: it is a courtesy, the times of the files are the rule. */
const SEARCH_MS = 300;

/** A process of OpenCode that has a database open for writing. Linux only; elsewhere, and for other users' processes, none is found. */
export async function holderOf(database: string, proc = '/proc'): Promise<number | null> {
  if (process.platform !== 'linux') return null;
  const until = performance.now() + SEARCH_MS;
  try {
    const real = await realpath(database);
    for (const name of await readdir(proc)) {
      if (performance.now() > until) return null;
      if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
      if (await holds(`${proc}/${name}`, real)) return Number(name);
    }
  } catch {
    // No /proc here, or the database is gone.
  }
  return null;
}

async function holds(folder: string, file: string): Promise<boolean> {
  try {
    if (!(await readFile(`${folder}/cmdline`, 'latin1')).includes('opencode')) return false;
    for (const fd of await readdir(`${folder}/fd`)) {
      if ((await readlink(`${folder}/fd/${fd}`)) !== file) continue;
      // A reader (another Turnback that copies it) is no sign; the low bits of the flags are the access mode.
      const flags = /^flags:\s*([0-7]+)/m.exec(await readFile(`${folder}/fdinfo/${fd}`, 'latin1'))?.[1];
      if (flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0) return true;
    }
  } catch {
    // It ended meanwhile, or belongs to somebody else.
  }
  return false;
}
