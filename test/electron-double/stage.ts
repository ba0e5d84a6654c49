import { EventEmitter } from 'node:events';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { findChromium } from '../tools/find-chromium.mjs';
import { Addresses } from './addresses.ts';

/** One thing that happened at the edge of the app: a refused request, a dialog, an opened link, a line on the console. */
export type LogEntry = { kind: string } & Record<string, unknown>;

export type SchemeHandler = (request: Request) => Response | Promise<Response>;
export type CallHandler = (event: unknown, ...args: unknown[]) => unknown;
export type RequestFilter = (details: { url: string; method: string }, answer: (decision: { cancel?: boolean }) => void) => void;

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What the parts of one double share: the browser behind it, its registries and its log. */
export class Stage {
  readonly log: LogEntry[] = [];
  readonly addresses = new Addresses();
  readonly schemeHandlers = new Map<string, SchemeHandler>();
  readonly callHandlers = new Map<string, CallHandler>();
  readonly ipcMain = new EventEmitter();
  readonly headless: boolean;
  requestFilter: RequestFilter | null = null;
  #browser: Promise<Browser> | null = null;
  #context: Promise<BrowserContext> | null = null;

  /** A folder for what Chromium itself writes, outside of the app's. */
  readonly #home: string;

  constructor(headless: boolean, home: string) {
    this.headless = headless;
    this.#home = home;
  }

  /** The one browser context of the double, started on first use. */
  context(): Promise<BrowserContext> {
    this.#context ??= this.#start();
    return this.#context;
  }

  async #start(): Promise<BrowserContext> {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error('There is no Chromium here: node test/tools/find-chromium.mjs says how to get one.');
    const env = { ...process.env, HOME: this.#home, XDG_CONFIG_HOME: '', XDG_CACHE_HOME: '', XDG_DATA_HOME: '' };
    this.#browser = chromium.launch({ executablePath, headless: this.headless, args: ARGUMENTS, env });
    const browser = await this.#browser;
    return browser.newContext({ acceptDownloads: true });
  }

  async close(): Promise<void> {
    const browser = await this.#browser;
    this.#browser = null;
    this.#context = null;
    await browser?.close();
  }
}
