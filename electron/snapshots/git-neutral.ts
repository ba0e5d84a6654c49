import os from 'node:os';
import path from 'node:path';

const windows = process.platform === 'win32';

/** A folder that cannot exist, for everything git would look for in a home: nobody can create a file below a device. */
const NOWHERE = windows ? path.join(os.tmpdir(), `turnback-nowhere-${process.pid}`) : '/dev/null';

/**
 * The folders of PATH that have a whole path: from `.` or an empty entry, git itself would take a program out of the folder that it works
 * in, which is the workspace.
 */
export function wholePath(inherited: NodeJS.ProcessEnv): string {
  const search = (windows ? (inherited['Path'] ?? inherited['PATH']) : inherited['PATH']) ?? '/usr/local/bin:/usr/bin:/bin';
  const folders = search.split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.join(path.delimiter);
}

/** What of git's own variables a caller may set. */
const PASSED = new Set(['GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_LITERAL_PATHSPECS']);

/**
 * The whole environment of a git process, built from nothing, so that no variable of the user, the agent or a hook
 * reaches it. `extra` may only name the four variables in {@link PASSED}; another one is a mistake of ours and throws.
 */
export function neutralEnvironment(inherited: NodeJS.ProcessEnv, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {
    PATH: wholePath(inherited),
    HOME: NOWHERE,
    XDG_CONFIG_HOME: NOWHERE,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: windows ? 'NUL' : '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    LC_ALL: 'C',
    LANGUAGE: '',
  };
  if (windows) {
    for (const name of ['SystemRoot', 'TEMP', 'TMP']) {
      const value = inherited[name];
      if (value !== undefined) env[name] = value;
    }
  }
  for (const [name, value] of Object.entries(extra)) {
    if (!PASSED.has(name)) throw new Error(`the variable ${name} may not be passed to git`);
    env[name] = value;
  }
  return env;
}

/**
 * Config that outranks every file, on each call: nothing that a repository names is run (quality.md, "Git: forced
 * config"), bytes stay as they are, and what is written is durable. Keys that an older git does not know are ignored by it.
 */
const FORCED: readonly string[] = [
  `core.hooksPath=${NOWHERE}`,
  'core.fsmonitor=false',
  'core.pager=',
  'core.editor=false',
  'core.sshCommand=false',
  'core.askPass=',
  'core.gitProxy=',
  'credential.helper=',
  'diff.external=',
  'diff.ignoreSubmodules=dirty',
  'protocol.allow=never',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.quotePath=false',
  'core.protectNTFS=true',
  'core.protectHFS=true',
  'core.precomposeUnicode=false',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.logAllRefUpdates=false',
  'core.sparseCheckout=false',
  'core.splitIndex=false',
  'advice.addEmbeddedRepo=false',
  'core.fsync=loose-object,pack,pack-metadata,reference',
  'core.fsyncMethod=batch',
  ...(windows ? ['core.longpaths=true'] : ['core.fileMode=true', 'core.symlinks=true']),
];

/** The options that stand before every git command. */
export const forcedOptions: readonly string[] = ['--no-pager', '--no-replace-objects', ...FORCED.flatMap((setting) => ['-c', setting])];
