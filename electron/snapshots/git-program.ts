import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not ours to run: the next folder of PATH is asked.
    return false;
  }
}

/**
 * The absolute path of git on PATH, null when there is none. Folders that are not absolute are passed over: `.` on PATH
 * would let a workspace bring its own git.
 */
export function findGitProgram(env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): string | null {
  const windows = platform === 'win32';
  const search = (windows ? (env['Path'] ?? env['PATH']) : env['PATH']) ?? '';
  for (const folder of search.split(windows ? ';' : ':')) {
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, windows ? 'git.exe' : 'git');
    if (isProgram(file)) return file;
  }
  return null;
}
