import { EventEmitter } from 'node:events';
import { preventable } from './event.ts';
import { strict } from './strict.ts';
import type { FakeWebContents } from './web-contents.ts';

interface Preferences {
  preload?: string;
  contextIsolation?: boolean;
  sandbox?: boolean;
  nodeIntegration?: boolean;
}

export interface WindowOptions {
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  show?: boolean;
  title?: string;
  webPreferences?: Preferences;
}

const REQUIRED = { contextIsolation: true, sandbox: true, nodeIntegration: false } as const;

/** A window over one page. Refuses the web preferences that would make the double's worlds untrue. */
export class FakeWindow extends EventEmitter {
  readonly id: number;
  readonly options: WindowOptions;
  readonly contents: FakeWebContents;
  /** The web contents as the app sees them: strict. */
  readonly webContents: FakeWebContents;
  readonly ready: Promise<void>;
  #destroyed = false;
  #visible: boolean;
  #minimized = false;
  #maximized = false;
  #bounds: { x: number; y: number; width: number; height: number };

  constructor(options: WindowOptions, contents: FakeWebContents) {
    super();
    const preferences = options.webPreferences ?? {};
    for (const [name, needed] of Object.entries(REQUIRED)) {
      const given = preferences[name as keyof typeof REQUIRED] ?? needed;
      if (given !== needed) throw new Error(`electron double refuses webPreferences.${name}=${given}`);
    }
    this.id = contents.id;
    this.options = options;
    this.contents = contents;
    this.webContents = strict(contents, 'webContents');
    contents.self = this.webContents;
    this.#visible = options.show !== false;
    this.#bounds = { x: options.x ?? 0, y: options.y ?? 0, width: options.width ?? 800, height: options.height ?? 600 };
    this.ready = contents.setUp(preferences.preload, this.#bounds).then(() => {
      contents.page.on('close', () => this.#gone());
    });
  }

  async loadURL(url: string): Promise<void> {
    await this.ready;
    await this.contents.load(url);
    this.emit('ready-to-show');
  }

  show(): void {
    this.#visible = true;
    this.emit('show');
  }

  focus(): void {
    this.emit('focus');
  }

  isVisible(): boolean {
    return this.#visible;
  }

  isDestroyed(): boolean {
    return this.#destroyed;
  }

  minimize(): void {
    this.#minimized = true;
  }

  isMinimized(): boolean {
    return this.#minimized;
  }

  restore(): void {
    this.#minimized = false;
  }

  maximize(): void {
    this.#maximized = true;
  }

  isMaximized(): boolean {
    return this.#maximized;
  }

  setBounds(bounds: Partial<{ x: number; y: number; width: number; height: number }>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
  }

  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { ...this.#bounds };
  }

  /** Closes unless a listener of `close` prevents it. */
  close(): void {
    const event = preventable({});
    this.emit('close', event);
    if (!event.defaultPrevented) void this.contents.page.close();
  }

  #gone(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.emit('closed');
  }
}
