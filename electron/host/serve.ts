import type { EventName } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { PAGE_FOLDER } from './app-root.ts';
import { APP_VERSION } from './app-version.ts';
import { type BrowserHost, createBrowserHost } from './browser.ts';
import { browserPort } from './browser-port.ts';
import { createEngine, type EngineOptions } from './engine.ts';
import { openTargetThere } from './open-argument.ts';
import { type PageFiles, pageFiles } from './page-files.ts';

export interface ServeOptions extends Pick<EngineOptions, 'sources'> {
  /** 0: any free port. */
  port: number;
  /** The thread or path to open at start. */
  path: string | null;
  env?: NodeJS.ProcessEnv;
}

export interface Serving {
  /** The address with its token. */
  readonly url: string;
  readonly port: number;
  /** Waits for travels under way, then lets go of threads and port. */
  close(): Promise<void>;
}

async function builtPage(): Promise<PageFiles> {
  try {
    return await pageFiles(PAGE_FOLDER);
  } catch (thrown) {
    throw new TurnbackError('NOT_BUILT', { path: PAGE_FOLDER }, { cause: thrown });
  }
}

/** Starts the browser host over an engine of its own. Throws NOT_BUILT or PORT_TAKEN. */
export async function startServing({ port, path, env = process.env, sources }: ServeOptions): Promise<Serving> {
  const pages = await builtPage();
  let host: BrowserHost | null = null;
  const push = (event: EventName, payload: unknown): void => host?.push(event, payload);
  const open = path === null ? null : openTargetThere(path, process.cwd());
  const engine = createEngine({ port: browserPort, push, version: APP_VERSION, open, env, ...(sources && { sources }) });
  try {
    host = await createBrowserHost({ pages, port, answer: engine.answer });
  } catch (thrown) {
    await engine.dispose();
    if ((thrown as NodeJS.ErrnoException).code === 'EADDRINUSE') throw new TurnbackError('PORT_TAKEN', { port });
    throw thrown;
  }
  const { url, port: bound, close } = host;
  return {
    url,
    port: bound,
    async close() {
      await engine.dispose();
      await close();
    },
  };
}

/** The signals that ask a process to end. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Resolves when the process is asked to end: Ctrl+C, SIGTERM, a closed terminal, or the death of the process that relaunched us. */
export function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    const parent = process.ppid;
    // A parent that started us again on a newer Node cannot pass a signal on while it waits.
    const watch = setInterval(() => {
      if (process.env['TURNBACK_RELAUNCHED'] === '1' && process.ppid !== parent) end();
    }, 500);
    const end = (): void => {
      clearInterval(watch);
      for (const signal of END_SIGNALS) process.off(signal, end);
      resolve();
    };
    for (const signal of END_SIGNALS) process.on(signal, end);
  });
}

/** `turnback serve`: prints the address on stdout and serves until asked to end. */
export async function serve(options: ServeOptions): Promise<void> {
  const serving = await startServing(options);
  process.stdout.write(`${serving.url}\n`);
  process.stderr.write(
    `Open this address in a browser on this machine; Ctrl+C ends it. From another one, first: ssh -L ${serving.port}:127.0.0.1:${serving.port} HOST\n`,
  );
  await untilAsked();
  await serving.close();
}
