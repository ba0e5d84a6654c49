import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { CDPSession, Page, Route } from 'playwright-core';
import { codec } from './codec.js';
import { preventable } from './event.ts';
import type { Stage } from './stage.ts';

/** The world that a sandboxed preload runs in. */
const WORLD = 'Electron Isolated Context';

const sourceOf = (name: string): string => readFileSync(path.join(import.meta.dirname, name), 'utf8').replaceAll(/^export /gm, '');

type WindowOpenHandler = (details: { url: string }) => { action: 'allow' | 'deny' };
type Message = { kind: 'send' | 'invoke'; id: number; channel: string; args: unknown[] };

/** A frame as a sender shows it; one object for the page's life, so that frames can be compared. */
export interface Frame {
  readonly url: string;
  readonly parent: Frame | null;
}

/** Web contents over one page of the browser: real main world, real isolated world, real preload bundle. */
export class FakeWebContents extends EventEmitter {
  readonly id: number;
  readonly session: object;
  readonly mainFrame: Frame;
  readonly #stage: Stage;
  #page: Page | null = null;
  #cdp: CDPSession | null = null;
  #isolated: number | null = null;
  #openHandler: WindowOpenHandler | null = null;
  #lastOpen: 'allow' | 'deny' = 'allow';
  #loaded = false;
  /** What events name as their sender: this object as the app sees it. */
  self: object = this;

  constructor(stage: Stage, id: number, session: object) {
    super();
    this.#stage = stage;
    this.id = id;
    this.session = session;
    const address = (): string => this.getURL();
    this.mainFrame = {
      get url() {
        return address();
      },
      parent: null,
    };
  }

  get page(): Page {
    if (this.#page === null) throw new Error('electron double: the page is not there yet');
    return this.#page;
  }

  get loaded(): boolean {
    return this.#loaded;
  }

  /** Makes the page, puts both worlds in place and lets every request through the app's own handlers. */
  async setUp(preload: string | undefined, size: { width: number; height: number }): Promise<void> {
    const context = await this.#stage.context();
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    this.#page = page;
    this.#cdp = cdp;
    await page.setViewportSize(size);
    await page.route('**/*', (route) => this.#route(route));
    page.on('console', (message) => this.#stage.log.push({ kind: 'console', type: message.type(), text: message.text() }));
    page.on('pageerror', (error) => this.#stage.log.push({ kind: 'page-error', message: error.message }));
    page.on('download', (download) => {
      const event = preventable({});
      (this.session as EventEmitter).emit('will-download', event, { getURL: () => download.url() }, this.self);
      this.#stage.log.push({ kind: 'download', prevented: event.defaultPrevented });
      void download.cancel();
    });
    await cdp.send('Runtime.enable');
    await cdp.send('Page.enable');
    cdp.on('Runtime.executionContextCreated', ({ context: made }) => {
      const { isDefault, frameId } = (made.auxData ?? {}) as { isDefault?: boolean; frameId?: string };
      if (made.name === WORLD && isDefault === false && frameId === this.#mainFrameId) this.#isolated = made.id;
    });
    cdp.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
      if (name === '__electronDoubleSend') void this.#receive(payload, executionContextId);
    });
    const { frameTree } = await cdp.send('Page.getFrameTree');
    this.#mainFrameId = frameTree.frame.id;
    await cdp.send('Runtime.addBinding', { name: '__electronDoubleSend', executionContextName: WORLD });
    const event = `e${randomBytes(6).toString('hex')}-`;
    await cdp.send('Page.addScriptToEvaluateOnNewDocument', { source: sourceOf('page-main.js').replace('__EVENT__', event) });
    if (preload !== undefined) {
      const isolated = sourceOf('page-isolated.js').replace('__EVENT__', event);
      const source = `${sourceOf('codec.js')}\n${isolated.replace('__PRELOAD__', () => readFileSync(preload, 'utf8'))}`;
      await cdp.send('Page.addScriptToEvaluateOnNewDocument', { worldName: WORLD, source });
    }
    cdp.on('Page.windowOpen', ({ url }) => {
      const action = this.#openHandler?.({ url: this.#stage.addresses.real(url) }).action ?? 'allow';
      this.#stage.log.push({ kind: 'window-open', url, action });
      this.#lastOpen = action;
    });
    page.on('popup', (popup) => {
      if (this.#lastOpen !== 'allow') void popup.close();
    });
  }

  #mainFrameId = '';

  /** Lets the app decide on a request as Electron does: navigation events, the request filter, then its protocol handler. */
  async #route(route: Route): Promise<void> {
    const request = route.request();
    const { log, addresses, schemeHandlers } = this.#stage;
    const url = addresses.real(request.url());
    if (request.isNavigationRequest() && this.#loaded) {
      const main = request.frame() === this.page.mainFrame();
      for (const name of main ? ['will-frame-navigate', 'will-navigate'] : ['will-frame-navigate']) {
        const event = preventable({ url, isMainFrame: main });
        this.emit(name, event, url);
        if (!event.defaultPrevented) continue;
        log.push({ kind: 'blocked-navigation', url });
        return route.abort('aborted');
      }
    }
    if (this.#cancelled(url, request.method())) {
      log.push({ kind: 'blocked-request', url });
      return route.abort('blockedbyclient');
    }
    const handler = schemeHandlers.get(url.slice(0, url.indexOf(':')));
    if (handler === undefined) {
      if (/^(devtools|data|blob|about):/.test(url)) return route.continue();
      log.push({ kind: 'network', url });
      return route.abort('blockedbyclient');
    }
    const body = request.postDataBuffer();
    const init = { method: request.method(), headers: request.headers(), ...(body === null ? {} : { body: new Uint8Array(body) }) };
    const response = await handler(new Request(url, init));
    return route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  }

  #cancelled(url: string, method: string): boolean {
    let cancel = false;
    this.#stage.requestFilter?.({ url, method }, (decision) => {
      cancel = decision.cancel === true;
    });
    return cancel;
  }

  async #receive(payload: string, executionContext: number): Promise<void> {
    const message = codec.unpack(payload) as Message;
    const event = preventable({ sender: this.self, senderFrame: this.mainFrame, processId: 1, frameId: 1 });
    if (message.kind === 'send') {
      this.#stage.ipcMain.emit(message.channel, event, ...message.args);
      return;
    }
    let text: string;
    try {
      const handler = this.#stage.callHandlers.get(message.channel);
      if (handler === undefined) throw new Error(`No handler registered for '${message.channel}'`);
      text = codec.pack({ id: message.id, ok: true, value: await handler(event, ...message.args) });
    } catch (thrown) {
      text = codec.pack({ id: message.id, ok: false, error: `Error invoking remote method '${message.channel}': ${thrown}` });
    }
    this.#deliver(text, executionContext);
  }

  #deliver(text: string, executionContext: number): void {
    const expression = `__electronDoubleDeliver(${JSON.stringify(text)})`;
    // The page may be gone or loading anew by now: Electron drops such messages as well.
    this.#cdp?.send('Runtime.evaluate', { contextId: executionContext, expression }).catch(() => {});
  }

  send(channel: string, ...args: unknown[]): void {
    const text = codec.pack({ push: channel, args });
    if (this.#isolated !== null) this.#deliver(text, this.#isolated);
  }

  async load(url: string): Promise<void> {
    this.#loaded = false;
    await this.page.goto(this.#stage.addresses.shown(url));
    this.#loaded = true;
    this.emit('did-finish-load');
  }

  setWindowOpenHandler(handler: WindowOpenHandler): void {
    this.#openHandler = handler;
  }

  getURL(): string {
    return this.#page === null ? '' : this.#stage.addresses.real(this.#page.url());
  }

  isDestroyed(): boolean {
    return this.#page?.isClosed() ?? false;
  }
}
