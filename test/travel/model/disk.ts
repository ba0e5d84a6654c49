import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** What stands at a path: a file with its permission bits, or a link (its text is the target). */
export interface Entry {
  kind: 'file' | 'link';
  text: string;
  mode: number;
}

/** The model of a workspace: a path and what stands there. */
export type Disk = Map<string, Entry>;

export const contentAt = (disk: Disk, name: string): Entry | null => disk.get(name) ?? null;

/** What really is on the disk. */
export function readWorkspace(root: string, below = ''): Disk {
  const disk: Disk = new Map();
  for (const name of readdirSync(path.join(root, below)).sort()) {
    const at = below === '' ? name : `${below}/${name}`;
    const full = path.join(root, at);
    const stat = lstatSync(full);
    if (stat.isDirectory()) for (const [inside, entry] of readWorkspace(root, at)) disk.set(inside, entry);
    else if (stat.isSymbolicLink()) disk.set(at, { kind: 'link', text: readlinkSync(full), mode: 0o777 });
    else disk.set(at, { kind: 'file', text: readFileSync(full, 'utf8'), mode: stat.mode & 0o7777 });
  }
  return disk;
}

/** The mtime of every file and link. */
export function timesOf(root: string, disk: Disk): Map<string, number> {
  return new Map([...disk.keys()].map((name) => [name, lstatSync(path.join(root, name)).mtimeMs]));
}

/** What somebody does to the workspace. */
export type Op =
  | { op: 'write'; path: string; value: number }
  | { op: 'chmod'; path: string; mode: number }
  | { op: 'delete'; path: string }
  | { op: 'rename'; path: string; to: string }
  | { op: 'link'; path: string; to: string }
  | { op: 'ignore'; on: boolean };

const foldersAbove = (name: string): string[] =>
  name
    .split('/')
    .slice(0, -1)
    .map((_, at, all) => all.slice(0, at + 1).join('/'));

/** Makes room for a file at the path: what stands in its way goes, be it a folder at it or a file above it. */
function clear(root: string, disk: Disk, name: string): void {
  for (const above of foldersAbove(name)) {
    if (!disk.has(above)) continue;
    rmSync(path.join(root, above));
    disk.delete(above);
  }
  rmSync(path.join(root, name), { recursive: true, force: true });
  for (const known of [...disk.keys()]) if (known === name || known.startsWith(`${name}/`)) disk.delete(known);
  mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
}

/** Does it to the disk and to the model of the disk. */
export function act(root: string, disk: Disk, op: Op): void {
  if (op.op === 'ignore') {
    if (op.on) act(root, disk, { op: 'write', path: '.gitignore', value: -1 });
    else act(root, disk, { op: 'delete', path: '.gitignore' });
    return;
  }
  const full = path.join(root, op.path);
  const known = disk.get(op.path);
  if (op.op === 'write') {
    const text = op.value < 0 ? 'secret\n' : `${op.value}\n`;
    if (known?.kind === 'file') {
      writeFileSync(full, text);
      disk.set(op.path, { ...known, text });
      return;
    }
    clear(root, disk, op.path);
    writeFileSync(full, text);
    chmodSync(full, 0o644);
    disk.set(op.path, { kind: 'file', text, mode: 0o644 });
  } else if (op.op === 'link') {
    clear(root, disk, op.path);
    symlinkSync(op.to, full);
    disk.set(op.path, { kind: 'link', text: op.to, mode: 0o777 });
  } else if (known === undefined) return;
  else if (op.op === 'delete') {
    rmSync(full);
    disk.delete(op.path);
  } else if (op.op === 'chmod') {
    if (known.kind !== 'file') return;
    chmodSync(full, op.mode);
    disk.set(op.path, { ...known, mode: op.mode });
  } else if (op.op === 'rename' && op.to !== op.path && !op.to.startsWith(`${op.path}/`) && !op.path.startsWith(`${op.to}/`)) {
    clear(root, disk, op.to);
    renameSync(full, path.join(root, op.to));
    disk.delete(op.path);
    disk.set(op.to, known);
  }
}
