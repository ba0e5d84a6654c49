import type { FileChange } from '../../shared/model.ts';
import type { TreePath } from '../../shared/tree-path.ts';

/** A visible row of the files pane. */
export type FileRow =
  | { kind: 'folder'; path: TreePath; name: string; depth: number; open: boolean; files: number; position: number; size: number }
  | { kind: 'file'; path: TreePath; name: string; depth: number; file: FileChange; position: number; size: number };

interface Folder {
  path: TreePath;
  name: string;
  folders: Map<string, Folder>;
  files: FileChange[];
  count: number;
}

const folderAt = (path: TreePath, name: string): Folder => ({ path, name, folders: new Map(), files: [], count: 0 });

function grow(files: readonly FileChange[]): Folder {
  const root = folderAt('', '');
  for (const file of files) {
    let folder = root;
    folder.count += 1;
    let start = 0;
    for (let slash = file.path.indexOf('/'); slash >= 0; slash = file.path.indexOf('/', start)) {
      const name = file.path.slice(start, slash);
      const known = folder.folders.get(name);
      const next = known ?? folderAt(file.path.slice(0, slash), name);
      if (known === undefined) folder.folders.set(name, next);
      next.count += 1;
      folder = next;
      start = slash + 1;
    }
    folder.files.push(file);
  }
  return root;
}

/** A folder that holds nothing but one folder is one row with it: `src/app`. */
function shorten(folder: Folder): Folder {
  let last = folder;
  let name = folder.name;
  while (last.files.length === 0 && last.folders.size === 1) {
    const only = last.folders.values().next().value;
    if (only === undefined) break;
    last = only;
    name += `/${only.name}`;
  }
  return { ...last, name };
}

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The name of a file without its folders. */
export const nameOf = (path: TreePath): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * The rows of the tree, in git's own order (a folder sorts as its name with a slash), so that the tree and the scroll of diffs run the
 * same way; the insides of a closed folder are left out. `position` and `size` count among siblings, for screen readers. Walks with a
 * list of its own, so that no depth of folders can break it.
 */
export function treeRows(files: readonly FileChange[], closed: ReadonlySet<TreePath>): FileRow[] {
  const rows: FileRow[] = [];
  type Item = { key: string } & ({ folder: Folder } | { file: FileChange });
  const pending: { item: Item; depth: number; position: number; size: number }[] = [];
  const open = (folder: Folder, depth: number): void => {
    const folders = [...folder.folders.values()].map((entry) => ({ key: `${entry.name}/`, folder: shorten(entry) }));
    const own = folder.files.map((file) => ({ key: nameOf(file.path), file }));
    const items = [...folders, ...own].sort((a, b) => byName(a.key, b.key));
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at];
      if (item !== undefined) pending.push({ item, depth, position: at + 1, size: items.length });
    }
  };
  open(grow(files), 0);
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { item, depth, position, size } = next;
    if ('file' in item) {
      rows.push({ kind: 'file', path: item.file.path, name: nameOf(item.file.path), depth, file: item.file, position, size });
      continue;
    }
    const { path, name, count } = item.folder;
    const isOpen = !closed.has(path);
    rows.push({ kind: 'folder', path, name, depth, open: isOpen, files: count, position, size });
    if (isOpen) open(item.folder, depth + 1);
  }
  return rows;
}

/** The rows of the flat list: whole paths, in the order of the changes. */
export function listRows(files: readonly FileChange[]): FileRow[] {
  return files.map((file, at) => ({
    kind: 'file',
    path: file.path,
    name: file.path,
    depth: 0,
    file,
    position: at + 1,
    size: files.length,
  }));
}
