import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A fresh folder that goes away when the test ends; links in the temp path are resolved. */
export async function tempFolder(prefix = 'turnback-'): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), prefix)));
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return folder;
}

/** An environment of its own: HOME inside `folder`, no git config of the machine, no agent's variables. */
export function cleanEnv(folder: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: path.join(folder, 'home'),
    XDG_DATA_HOME: path.join(folder, 'home', '.local', 'share'),
    XDG_CONFIG_HOME: path.join(folder, 'home', '.config'),
    TURNBACK_DATA: path.join(folder, 'own-data'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    LC_ALL: 'C.UTF-8',
    NO_COLOR: '1',
  };
}

/** A file's content; `link` makes a symbolic link, `mode` sets permission bits. */
export type FileSpec = string | Uint8Array | { link: string } | { content: string | Uint8Array; mode: number };

/** Writes files below `root`, making folders as needed. */
export async function writeFiles(root: string, files: Readonly<Record<string, FileSpec>>): Promise<void> {
  for (const [name, spec] of Object.entries(files)) {
    const target = path.join(root, name);
    await mkdir(path.dirname(target), { recursive: true });
    if (typeof spec === 'object' && 'link' in spec) await symlink(spec.link, target);
    else if (typeof spec === 'object' && 'content' in spec) {
      await writeFile(target, spec.content);
      await chmod(target, spec.mode);
    } else await writeFile(target, spec);
  }
}

/**
 * One line a path below `root`: kind, permission bits, size, digest, link target; with `mtimes` also the mtime of files.
 * Names are latin1 text of their bytes, so that odd names compare too.
 */
export async function manifest(root: string, options: { mtimes?: boolean; skip?: readonly string[] } = {}): Promise<string[]> {
  const lines: string[] = [];
  const walk = async (folder: Buffer, prefix: string): Promise<void> => {
    for (const name of await readdir(folder, { encoding: 'buffer' })) {
      const full = Buffer.concat([folder, Buffer.from('/'), name]);
      const shown = prefix + name.toString('latin1');
      if (options.skip?.includes(shown)) continue;
      const stat = await lstat(full);
      const mtime = options.mtimes && !stat.isDirectory() ? ` ${stat.mtimeMs}` : '';
      if (stat.isSymbolicLink()) lines.push(`${shown} L ${(await readlink(full, { encoding: 'buffer' })).toString('latin1')}${mtime}`);
      else if (stat.isDirectory()) {
        lines.push(`${shown} D`);
        await walk(full, `${shown}/`);
      } else {
        const digest = createHash('sha256')
          .update(await readFile(full))
          .digest('hex');
        lines.push(`${shown} F ${(stat.mode & 0o7777).toString(8)} ${stat.size} ${digest}${mtime}`);
      }
    }
  };
  await walk(Buffer.from(root), '');
  return lines.sort();
}
