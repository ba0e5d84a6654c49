import { EventEmitter } from 'node:events';
import path from 'node:path';
import { preventable } from './event.ts';

export interface AppOptions {
  userData: string;
  /** False: another instance holds the lock. */
  lock: boolean;
  packaged: boolean;
  /** Closes every window and the browser. */
  end: () => Promise<void>;
}

/** Electron's `app` as far as an app may lean on it; what must be called before it is ready is refused afterwards. */
export class FakeApp extends EventEmitter {
  readonly isPackaged: boolean;
  readonly paths = new Map<string, string>();
  /** What the app gave to `requestSingleInstanceLock`. */
  lockData: unknown = null;
  sandboxed = false;
  exitCode: number | null = null;
  readonly #options: AppOptions;
  #ready: Promise<void> | null = null;
  #isReady = false;
  #quitting = false;

  constructor(options: AppOptions) {
    super();
    this.#options = options;
    this.isPackaged = options.packaged;
    this.paths.set('userData', options.userData);
  }

  get quitting(): boolean {
    return this.#quitting;
  }

  isReady(): boolean {
    return this.#isReady;
  }

  /** Ready comes a moment after the main script has run, as in Electron. */
  whenReady(): Promise<void> {
    this.#ready ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#isReady = true;
        this.emit('ready');
        resolve();
      });
    });
    return this.#ready;
  }

  /** Throws when the app is ready already. */
  before(what: string): void {
    if (this.#isReady) throw new Error(`${what} must be called before the app is ready`);
  }

  enableSandbox(): void {
    this.before('app.enableSandbox()');
    this.sandboxed = true;
  }

  requestSingleInstanceLock(data: unknown): boolean {
    this.lockData = structuredClone(data);
    return this.#options.lock;
  }

  /** Documents that the system was told of, newest first. */
  recentDocuments: string[] = [];

  addRecentDocument(file: string): void {
    this.recentDocuments = [file, ...this.recentDocuments.filter((one) => one !== file)];
  }

  clearRecentDocuments(): void {
    this.recentDocuments = [];
  }

  setPath(name: string, value: string): void {
    this.paths.set(name, value);
  }

  getPath(name: string): string {
    return this.paths.get(name) ?? path.join(this.#options.userData, name);
  }

  /** Asks the app first, through `before-quit`. */
  quit(): void {
    const event = preventable({});
    this.emit('before-quit', event);
    if (event.defaultPrevented || this.#quitting) return;
    this.#quitting = true;
    this.exitCode = 0;
    void this.#options.end().then(() => {
      this.emit('will-quit', preventable({}));
      this.emit('quit', {}, 0);
    });
  }

  exit(code = 0): void {
    this.#quitting = true;
    this.exitCode = code;
    void this.#options.end().then(() => this.emit('quit', {}, code));
  }
}
