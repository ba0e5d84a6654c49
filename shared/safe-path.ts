import { bytesOfTreePath, type TreePath } from './tree-path.ts';

/** The platforms that differ in which names they take. Others are judged as `linux`. */
export type PathPlatform = 'linux' | 'darwin' | 'win32' | (string & {});

/** Most bytes of one name on the file systems in use. */
const MAX_NAME = 255;
const MAX_PATH = 4096;

/** Characters that HFS+ drops when it compares names: `.g\u200cit` opens `.git` there. */
const IGNORED = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const DEVICES = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$|clock\$)$/i;

/** How Windows opens a name: without a stream, without trailing dots and spaces. */
function windowsName(name: string): string {
  return name.replace(/:.*$/s, '').replace(/[. ]+$/, '');
}

/** True when some file system opens git's own folder by this name. */
function isGitFolder(name: string): boolean {
  const plain = name.replace(IGNORED, '').toLowerCase();
  const windows = windowsName(plain);
  return plain === '.git' || windows === '.git' || windows === 'git~1';
}

function nameProblem(name: string, platform: PathPlatform): string | null {
  if (name === '') return 'The path has an empty part.';
  if (name === '.' || name === '..') return 'The path leaves its folder by a dot part.';
  // A backslash parts names on Windows only, but a checkout may travel there.
  if (name.split('\\').some(isGitFolder)) return "The path leads into a repository's own folder.";
  if (bytesOfTreePath(name).length > MAX_NAME) return `A name in the path is longer than ${MAX_NAME} bytes.`;
  if (platform === 'linux' || (platform !== 'darwin' && platform !== 'win32')) return null;
  if (/[\udc80-\udcff]/.test(name.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '')))
    return 'The name is not UTF-8, which this system cannot keep.';
  if (platform === 'darwin') return null;
  if (/[\u0000-\u001f]/.test(name)) return 'The name holds a control character, which Windows cannot keep.';
  if (name.includes('\\')) return 'The name holds a backslash, which Windows takes for a folder.';
  if (name.includes(':')) return 'The name holds a colon, which Windows takes for a stream or a drive.';
  if (/[<>"|?*]/.test(name)) return 'The name holds a character that Windows does not allow.';
  if (/[. ]$/.test(name)) return 'The name ends in a dot or a space, which Windows drops.';
  if (DEVICES.test(windowsName(name).replace(/\..*$/s, '').trimEnd())) return 'The name is that of a Windows device.';
  return null;
}

/**
 * May this tree path be written on this platform (`process.platform`)? True, or one sentence why not. Looks at the string
 * alone: links, folders and other files on the disk are judged where it is written.
 */
export function safePath(path: TreePath, platform: PathPlatform): true | string {
  if (path === '') return 'The path is empty.';
  if (path.includes('\0')) return 'The path holds a zero byte.';
  if (path.startsWith('/') || (platform === 'win32' && /^(?:[\\/]|[A-Za-z]:)/.test(path))) return 'The path is absolute.';
  if (/[\ud800-\udfff]/.test(path.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '').replace(/[\udc80-\udcff]/g, '')))
    return 'The path holds half a character, which no file name can.';
  for (const name of path.split('/')) {
    const problem = nameProblem(name, platform);
    if (problem !== null) return problem;
  }
  return bytesOfTreePath(path).length > MAX_PATH ? `The path is longer than ${MAX_PATH} bytes.` : true;
}

/** May a link at this path be made with this target (as text)? True, or one sentence why not. Its target may not lead out of the workspace. */
export function safeLink(path: TreePath, target: string, platform: PathPlatform): true | string {
  const windows = platform === 'win32';
  if (target === '' || target.includes('\0')) return 'The link has no target that a disk can keep.';
  if (target.startsWith('/') || (windows && /^(?:[\\/]|[A-Za-z]:)/.test(target))) return 'The link leads out of the workspace.';
  let depth = path.split('/').length - 1;
  for (const part of target.split(windows ? /[\\/]/ : '/')) {
    if (isGitFolder(part)) return "The link leads into a repository's own folder.";
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return 'The link leads out of the workspace.';
  }
  return true;
}

/** What two paths have in common that a file system may take for one name: case and Unicode form do not count. */
export function foldedPath(path: TreePath): string {
  return path.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}
