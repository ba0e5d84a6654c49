// Finds the Chromium that the tests drive, or says in one sentence how to get one. `npm test` runs it first.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function runnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The absolute path of a Chromium: the variable CHROMIUM wins, then the usual places, then PATH; null when there is none. */
export function findChromium(env = process.env) {
  if (env.CHROMIUM) return runnable(env.CHROMIUM) ? path.resolve(env.CHROMIUM) : null;
  const onPath = (env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const candidates = [...PLACES, ...onPath.flatMap((folder) => NAMES.map((name) => path.join(folder, name)))];
  return candidates.find(runnable) ?? null;
}

/** Installs Debian's chromium; true when that worked. */
function installOnDebian() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return false;
  process.stderr.write('No Chromium here: installing the Debian package chromium with apt-get.\n');
  const apt = (...args) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  return apt('update').status === 0 && apt('install', '-y', '--no-install-recommends', 'chromium').status === 0;
}

function main() {
  if (findChromium() !== null) return 0;
  if (process.env.CHROMIUM) {
    process.stderr.write(`The variable CHROMIUM names ${process.env.CHROMIUM}, which is not a program: name another one or unset it.\n`);
    return 1;
  }
  if (installOnDebian() && findChromium() !== null) return 0;
  process.stderr.write('The tests need Chromium: install it (Debian: apt-get install chromium) or name one in the variable CHROMIUM.\n');
  return 1;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = main();
