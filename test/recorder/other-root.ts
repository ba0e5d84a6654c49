import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TOOLS = [
  'git',
  'sh',
  'env',
  'cat',
  'mv',
  'ln',
  'mkdir',
  'rm',
  'rmdir',
  'chmod',
  'cp',
  'touch',
  'sync',
  'ls',
  'find',
  'readlink',
  'printf',
];

/**
 * A root file system of its own that holds git, a shell and little else. A command behind `chroot` there sees none of our paths, and
 * we see its files only below the folder: as with a container.
 */
export async function otherRoot(folder: string): Promise<string> {
  const root = path.join(folder, 'other-root');
  const copied = new Set<string>();
  const bring = async (file: string, as: string): Promise<void> => {
    if (copied.has(as)) return;
    copied.add(as);
    await mkdir(path.join(root, path.dirname(as)), { recursive: true });
    await copyFile(await realpath(file), path.join(root, as));
  };
  for (const tool of TOOLS) {
    const { stdout } = await run('sh', ['-c', `command -v ${tool}; which ${tool}`]);
    const file = stdout.split('\n').find((line) => line.startsWith('/')) ?? '';
    await bring(file, `/usr/bin/${tool}`);
    const { stdout: libraries } = await run('ldd', [file]).catch(() => ({ stdout: '' }));
    for (const [library] of libraries.matchAll(/\/\S+/g)) await bring(library, library);
  }
  await mkdir(path.join(root, 'tmp'));
  await mkdir(path.join(root, 'dev'), { recursive: true });
  await run('mknod', ['-m', '666', path.join(root, 'dev/null'), 'c', '1', '3']);
  await run('mknod', ['-m', '666', path.join(root, 'dev/urandom'), 'c', '1', '9']);
  return root;
}

/** A stand-in for ssh into that root: like ssh it joins its arguments and gives them to a shell. */
export async function sshInto(folder: string, root: string): Promise<string> {
  const file = path.join(folder, 'bin', 'ssh');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `#!/bin/sh\n[ "$1" = box ] || exit 255\nshift\nexec chroot '${root}' /usr/bin/sh -c "$*"\n`);
  await chmod(file, 0o755);
  return file;
}
