import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { diskPath, parentsOf } from '../snapshots/disk.ts';
import { isBinary } from '../snapshots/merge.ts';
import { openRegular } from '../snapshots/regular-file.ts';

/** Bytes that are looked at to tell text from anything else. */
const HEAD = 64 * 1024;

const setOf = (...lines: string[]): ReadonlySet<string> => new Set(lines.flatMap((line) => line.split(' ')));

/**
 * Endings that a system opens by running them, or by handing them to something that runs what is in them: programs, installers, links to
 * elsewhere, pages of a browser, documents with macros. What is in doubt is left out: showing it in its folder is always possible.
 */
const RUNS = setOf(
  'action app appimage application appref-ms bat bin chm cmd com command cpl crx deb desktop dll dmg docm ear elf exe fileloc gadget hlp hta',
  'htm html inetloc inf ins isp jar jnlp jse library-ms lnk mht mhtml msc msi msix msp mst osx out pif pkg pptm ps1xml psc1 pyc pyo pyz reg rgs',
  'rpm run scf scpt scptd scr sct search-ms settingcontent-ms shb shs shtml snap so svg terminal theme tool url vb vbe vbs vbscript war webloc',
  'website workflow ws wsc wsf wsh xhtml xlam xll xlsm xpi',
);

/** Scripts that one system opens in an editor and another runs. */
const RUNS_ON: Readonly<Partial<Record<NodeJS.Platform, ReadonlySet<string>>>> = {
  win32: setOf('bash cjs csh fish js ksh lua mjs php pl ps1 psd1 psm1 py pyw rb scm sh tcl zsh'),
  darwin: setOf('py pyw'),
};

function endingOf(file: TreePath): string {
  // Windows drops dots and blanks at the end of a name before it looks at the ending.
  const name = file
    .slice(file.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[. ]+$/, '');
  return name.slice(name.lastIndexOf('.') + 1);
}

async function headOf(full: string): Promise<Buffer> {
  const handle = await openRegular(full);
  try {
    const buffer = Buffer.alloc(HEAD);
    const { bytesRead } = await handle.read(buffer, 0, HEAD, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Why a file may not be handed to the system, or its real path. */
async function check(root: string, file: TreePath, platform: NodeJS.Platform): Promise<{ real: string } | { cause: string }> {
  const parents = parentsOf(root, file);
  if (parents?.kind === 'blocked') return { cause: parents.why.replace(/\.$/, '') };
  const stat = parents === null ? await lstat(diskPath(root, file)).catch(() => null) : null;
  if (stat === null) return { cause: 'nothing that can be read is there now' };
  if (stat.isSymbolicLink()) return { cause: 'it is a link' };
  if (!stat.isFile()) return { cause: 'it is not a file' };
  if (!file.isWellFormed()) return { cause: 'its name is no text' };
  const ending = endingOf(file);
  if (RUNS.has(ending) || RUNS_ON[platform]?.has(ending)) return { cause: `the system may run a .${ending} file instead of showing it` };
  if (platform !== 'win32' && (stat.mode & 0o111) !== 0) return { cause: 'it is executable' };
  const [real, base] = await Promise.all([realpath(diskPath(root, file).toString()), realpath(root)]);
  if (!real.startsWith(base + path.sep)) return { cause: 'it leads out of the workspace' };
  const head = await headOf(real);
  if (isBinary(head)) return { cause: 'it is no text' };
  return head.subarray(0, 2).toString('latin1') === '#!' && platform !== 'linux' ? { cause: 'it is a script' } : { real };
}

/**
 * The absolute path of a workspace's file that may be handed to the system to open, because opening it runs nothing: a regular text file
 * below the root by its real path, not executable, with no ending that the system runs. Throws EDIT_REFUSED with the cause.
 */
export async function editableFile(root: string, file: TreePath, platform: NodeJS.Platform = process.platform): Promise<string> {
  const found = await check(root, file, platform);
  if ('real' in found) return found.real;
  throw new TurnbackError('EDIT_REFUSED', { path: showTreePath(file), cause: found.cause });
}
