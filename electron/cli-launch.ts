import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TurnbackError } from '../shared/errors.ts';
import { APP_ROOT } from './host/app-root.ts';
import { APP_VERSION } from './host/app-version.ts';
import { browserPort } from './host/browser-port.ts';
import { createEngine } from './host/engine.ts';
import { openTargetThere } from './host/open-argument.ts';
import { END_SIGNALS, startServing, untilAsked } from './host/serve.ts';
import { ownDataOf } from './threads/places.ts';

export interface ViewerOptions {
  /** A log, a store, a workspace or a thread's id. */
  path: string | null;
  /** Make a sample first, and open it. */
  sample: boolean;
}

/** An Electron that ends with an error this soon never came up. */
const EARLY_MS = 4000;

/** Electron's binary; null when it is not here. Asking the electron package itself would start a download. */
async function electronProgram(env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const folder = path.dirname(createRequire(path.join(APP_ROOT, 'package.json')).resolve('electron/package.json'));
    const name = await readFile(path.join(folder, 'path.txt'), 'utf8').catch(() => 'electron');
    const program = path.join(env['ELECTRON_OVERRIDE_DIST_PATH'] || path.join(folder, 'dist'), name);
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** Why Electron cannot show a window here, as the start of a sentence; null when it can be tried. */
function noWindow(env: NodeJS.ProcessEnv): string | null {
  if (env['ELECTRON_OVERRIDE_DIST_PATH'] || process.platform !== 'linux') return null;
  if (!env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'There is no display here for a window';
  return process.getuid?.() === 0 ? 'Electron does not run as root with its sandbox on' : null;
}

/** Runs the app in Electron until its window closes or we are asked to end. The words why it could not, when it never came up. */
async function runElectron(program: string, open: string | null, env: NodeJS.ProcessEnv): Promise<string | null> {
  const started = Date.now();
  const child = spawn(program, [APP_ROOT, ...(open === null ? [] : [open])], { stdio: 'inherit', env });
  let asked = false;
  const pass = (signal: NodeJS.Signals): void => {
    asked = true;
    child.kill(signal);
  };
  for (const signal of END_SIGNALS) process.on(signal, pass);
  const exit = await new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 1));
  });
  for (const signal of END_SIGNALS) process.off(signal, pass);
  return exit !== 0 && !asked && Date.now() - started < EARLY_MS ? `Electron could not start (${exit})` : null;
}

/**
 * Shows the address in the desktop's browser, where there is a desktop. The address holds the token and other users see
 * the arguments of programs, so what is opened is a page of our own data folder that leads there. Gives the end of that page.
 */
async function showInBrowser(url: string, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const desktop = process.platform === 'darwin' || process.platform === 'win32' || env['DISPLAY'] || env['WAYLAND_DISPLAY'];
  if (!desktop) return async () => {};
  const folder = path.join(ownDataOf(env), 'tmp');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const page = path.join(folder, `open-${randomBytes(8).toString('hex')}.html`);
  await writeFile(page, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>Turnback</title>`, {
    mode: 0o600,
    flag: 'wx',
  });
  const [program, ...words] = process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['explorer.exe'] : ['xdg-open'];
  // Where there is no such program, the printed address works all the same.
  spawn(program, [...words, page], { stdio: 'ignore' }).on('error', () => {});
  return () => rm(page, { force: true });
}

async function madeSample(env: NodeJS.ProcessEnv): Promise<string> {
  const engine = createEngine({ port: browserPort, push: () => {}, version: APP_VERSION, open: null, env });
  try {
    return (await engine.desk.makeSample()).log;
  } finally {
    await engine.dispose();
  }
}

/**
 * Opens the viewer and resolves when it was closed: in Electron where its binary is, else, after one line that says so, as
 * the same app in a browser. Throws NOT_BUILT before `npm run build` has run.
 */
export async function openViewer(options: ViewerOptions, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const main = path.join(APP_ROOT, 'out/app/main.cjs');
  if (!existsSync(main)) throw new TurnbackError('NOT_BUILT', { path: main });
  const named = options.path === null ? null : openTargetThere(options.path, process.cwd());
  const open = options.sample ? await madeSample(env) : named;
  const program = await electronProgram(env);
  let why = program === null ? 'Electron is not installed here and cannot be fetched' : noWindow(env);
  if (program !== null && why === null) {
    why = await runElectron(program, open, env);
    if (why === null) return;
  }
  const serving = await startServing({ port: 0, path: open, env });
  process.stderr.write(`${why}; opening the same app in the browser at ${serving.url}\n`);
  const asked = untilAsked();
  const forget = await showInBrowser(serving.url, env);
  await asked;
  await forget();
  await serving.close();
}
