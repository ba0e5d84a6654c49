import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { FuseV1Options, FuseVersion } from '@electron/fuses';
import type { App, BrowserWindow, BrowserWindowConstructorOptions, IpcMainInvokeEvent, Session, WebContents } from 'electron';
import { describe, expect, test } from 'vitest';
import { CSP, PAGE_HEADERS } from '../../electron/host/csp.ts';
import { senderAllowed } from '../../electron/host/electron.ts';
import { pageFiles } from '../../electron/host/page-files.ts';
import { isPageUrl, PAGE_URL, pageProtocol } from '../../electron/host/page-protocol.ts';
import { secureApp, secureContents, secureSession } from '../../electron/security.ts';
import { openWindow, webPreferences } from '../../electron/window.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

// The checklist of electronjs.org/docs/latest/tutorial/security, item by item, then what this project adds.

const main = readFileSync('electron/main.ts', 'utf8');
const preload = readFileSync('electron/preload.ts', 'utf8');
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
const preferences = webPreferences('/p/preload.cjs', false);

/** The names of a policy's directives with their sources. */
const directives = new Map(
  CSP.split('; ').map((part) => {
    const [name = '', ...sources] = part.split(' ');
    return [name, sources] as const;
  }),
);

function contents(): WebContents & { open: (details: unknown) => { action: string } } {
  const made = Object.assign(new EventEmitter(), {
    setWindowOpenHandler(handler: (details: unknown) => { action: string }) {
      made.open = handler;
    },
    open: (_: unknown): { action: string } => ({ action: 'allow' }),
  });
  return made as unknown as WebContents & { open: (details: unknown) => { action: string } };
}

type Answerer = (...args: unknown[]) => unknown;

function session(): { session: Session; handlers: Record<string, Answerer>; emitter: EventEmitter } {
  const handlers: Record<string, Answerer> = {};
  const keep = (name: string) => (handler: Answerer) => {
    handlers[name] = handler;
  };
  const emitter = Object.assign(new EventEmitter(), {
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
    webRequest: { onBeforeRequest: keep('before') },
  });
  return { session: emitter as unknown as Session, handlers, emitter };
}

function prevented(emitter: EventEmitter, name: string, event: Record<string, unknown>): boolean {
  let stopped = false;
  emitter.emit(name, {
    ...event,
    preventDefault: () => {
      stopped = true;
    },
  });
  return stopped;
}

const OWN = ['app://ui/index.html', 'app://ui/', 'app://ui/assets/a.js?x#y'];
const FOREIGN = [
  'https://example.org/',
  'http://localhost/',
  'file:///etc/passwd',
  'app://evil/index.html',
  'app://ui.evil/index.html',
  'app://user@ui/index.html',
  'app:ui/index.html',
  'xapp://ui/index.html',
  'javascript:alert(1)',
  'data:text/html,<p>',
  'about:blank',
  'blob:app://ui/1',
  '',
];

describe('1: only content of our own, from a scheme of our own', () => {
  test.each(OWN)('%s is ours', (url) => expect(isPageUrl(url)).toBe(true));
  test.each(FOREIGN)('%s is not ours', (url) => expect(isPageUrl(url)).toBe(false));
  test('the window loads the page and nothing else', () => {
    expect(PAGE_URL).toBe('app://ui/index.html');
    expect(main).not.toMatch(/loadURL|loadFile|https?:\/\//);
  });
});

describe('2-4: no Node for the page, isolated, sandboxed', () => {
  test.each([
    ['nodeIntegration', false],
    ['nodeIntegrationInWorker', false],
    ['nodeIntegrationInSubFrames', false],
    ['contextIsolation', true],
    ['sandbox', true],
  ] as const)('%s is %s', (name, value) => expect(preferences[name]).toBe(value));

  test('every renderer is sandboxed, also one that nobody thought of', () => {
    let sandboxed = false;
    const app = Object.assign(new EventEmitter(), {
      enableSandbox: () => {
        sandboxed = true;
      },
    });
    secureApp(app as unknown as App);
    expect(sandboxed).toBe(true);
    expect(main.indexOf('secureApp(app)')).toBeGreaterThan(-1);
  });
});

describe('5: permissions are refused', () => {
  const { session: made, handlers, emitter } = session();
  secureSession(made);
  test.each(['media', 'geolocation', 'notifications', 'clipboard-read', 'openExternal', 'fullscreen', 'storage-access'])(
    '%s when asked and when checked',
    (permission) => {
      let answer: unknown;
      handlers['request']?.({}, permission, (given: unknown) => {
        answer = given;
      });
      expect([answer, handlers['check']?.({}, permission, 'app://ui')]).toEqual([false, false]);
    },
  );
  test('devices', () => expect(handlers['device']?.({ deviceType: 'usb' })).toBe(false));
  test('downloads', () => expect(prevented(emitter, 'will-download', {})).toBe(true));
});

describe('6, 8, 9, 10, 11: web security stays on', () => {
  test.each([
    ['webSecurity', true],
    ['allowRunningInsecureContent', false],
    ['experimentalFeatures', false],
    ['webviewTag', false],
    ['navigateOnDragDrop', false],
  ] as const)('%s is %s', (name, value) => expect(preferences[name]).toBe(value));
  test('no Blink feature is switched on', () => {
    expect(preferences.enableBlinkFeatures).toBeUndefined();
    expect(main).not.toMatch(/appendSwitch|enableBlinkFeatures/);
  });
});

describe('7: the policy', () => {
  test('all is off that is not named', () => expect(directives.get('default-src')).toEqual(["'none'"]));
  test.each(['script-src', 'connect-src', 'worker-src', 'font-src'])('%s is our own origin alone', (name) => {
    expect(directives.get(name)).toEqual(["'self'"]);
  });
  test('no eval, no inline script, no remote source anywhere', () => {
    expect(CSP).not.toMatch(/unsafe-eval|wasm-unsafe-eval|https?:|\*|blob:/);
    expect([...directives].filter(([, sources]) => sources.includes("'unsafe-inline'")).map(([name]) => name)).toEqual(['style-src']);
  });
  test.each(['base-uri', 'form-action', 'frame-ancestors'])('%s is none', (name) => expect(directives.get(name)).toEqual(["'none'"]));
  test('it comes as a header with each answer of the protocol, also a refusal', async () => {
    const folder = await tempFolder();
    await writeFiles(folder, { 'page/index.html': '<p>', 'secret.json': '{}' });
    const answer = pageProtocol(await pageFiles(`${folder}/page`));
    const seen: unknown[] = [];
    for (const [url, method] of [
      ['app://ui/index.html', 'GET'],
      ['app://ui/', 'GET'],
      ['app://ui/gone.js', 'GET'],
      ['app://ui/..%2fsecret.json', 'GET'],
      ['app://evil/index.html', 'GET'],
      ['app://ui/index.html', 'POST'],
    ] as const) {
      const response = await answer(new Request(url, { method }));
      seen.push([response.status, response.headers.get('content-security-policy') === CSP, await response.text()]);
    }
    expect(seen).toEqual([
      [200, true, '<p>'],
      [200, true, '<p>'],
      [404, true, ''],
      [403, true, ''],
      [404, true, ''],
      [405, true, ''],
    ]);
    expect(PAGE_HEADERS['x-content-type-options']).toBe('nosniff');
  });
});

describe('12: webviews', () => {
  test('none is attached', () => {
    const made = contents();
    secureContents(made);
    expect(prevented(made as unknown as EventEmitter, 'will-attach-webview', {})).toBe(true);
  });
});

describe('13: navigation', () => {
  const made = contents();
  secureContents(made);
  test.each(['will-navigate', 'will-frame-navigate', 'will-redirect'])('%s leaves our page for nothing', (name) => {
    for (const url of FOREIGN) expect([url, prevented(made as unknown as EventEmitter, name, { url })]).toEqual([url, true]);
    for (const url of OWN) expect([url, prevented(made as unknown as EventEmitter, name, { url })]).toEqual([url, false]);
  });
  test('it holds for whatever contents the app makes', () => {
    const app = Object.assign(new EventEmitter(), { enableSandbox: () => undefined });
    secureApp(app as unknown as App);
    const later = contents();
    app.emit('web-contents-created', {}, later);
    expect(prevented(later as unknown as EventEmitter, 'will-navigate', { url: 'https://example.org/' })).toBe(true);
    expect(later.open({ url: 'https://example.org/' }).action).toBe('deny');
  });
});

describe('14: new windows', () => {
  test.each([...FOREIGN, ...OWN])('none for %s', (url) => {
    const made = contents();
    secureContents(made);
    expect(made.open({ url })).toEqual({ action: 'deny' });
  });
});

test('15: only the checked port opens links, and main itself never does', () => {
  expect(main).not.toContain('openExternal');
  // Which links pass is in handlers.test.ts: http and https alone.
  expect(readFileSync('electron/host/electron.ts', 'utf8').match(/openExternal/g)).toHaveLength(1);
});

test('16: Electron is pinned to one version, and its lock agrees', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> };
  expect(manifest['devDependencies']?.['electron']).toMatch(/^\d+\.\d+\.\d+$/);
  expect(lock.packages['node_modules/electron']?.version).toBe(manifest['devDependencies']?.['electron']);
});

describe('17: the sender of each call', () => {
  const frame = (url: string): object => ({ url });
  const own = frame(PAGE_URL);
  const page = { mainFrame: own };
  const window = { webContents: page, isDestroyed: () => false } as unknown as BrowserWindow;
  const from = (sender: unknown, senderFrame: unknown) => ({ sender, senderFrame }) as IpcMainInvokeEvent;

  test('our window’s main frame on our page is heard', () => expect(senderAllowed(from(page, own), window)).toBe(true));
  test.each<[string, unknown, unknown]>([
    ['a frame inside the page', page, frame(PAGE_URL)],
    ['a frame that is gone', page, null],
    ['another contents', { mainFrame: own }, own],
  ])('%s is not', (_, sender, senderFrame) => expect(senderAllowed(from(sender, senderFrame), window)).toBe(false));
  test.each(FOREIGN)('the main frame at %s is not', (url) => {
    const elsewhere = frame(url);
    const other = { mainFrame: elsewhere };
    const shown = { webContents: other, isDestroyed: () => false } as unknown as BrowserWindow;
    expect(senderAllowed(from(other, elsewhere), shown)).toBe(false);
  });
  test('nobody is, without a window or after it', () => {
    expect(senderAllowed(from(page, own), null)).toBe(false);
    expect(senderAllowed(from(page, own), { webContents: page, isDestroyed: () => true } as unknown as BrowserWindow)).toBe(false);
  });
});

describe('18: no file protocol', () => {
  test('the scheme is privileged as a standard, secure one, and for nothing more', () => {
    expect(/privileges: \{([^}]*)\}/.exec(main)?.[1]?.trim()).toBe('standard: true, secure: true, supportFetchAPI: true, codeCache: true');
    expect(main).not.toMatch(/file:|bypassCSP|corsEnabled/);
  });
});

describe('19: fuses', async () => {
  // By a name that is made up, so that the types of Forge, which do not all check, stay out of this project's.
  const { default: config } = (await import(pathToFileURL(path.resolve('forge.config.ts')).href)) as {
    default: { plugins: { fusesConfig: Record<string, unknown> }[] };
  };
  const [plugin] = config.plugins;
  test('each is decided on', () => {
    expect(plugin?.fusesConfig).toEqual({
      version: FuseVersion.V1,
      strictlyRequireAllFuses: true,
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableCookieEncryption]: true,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
      [FuseV1Options.WasmTrapHandlers]: true,
    });
  });
});

describe('20: nothing of Electron reaches the page but the transport', () => {
  test('one global with three functions', () => {
    expect(preload.match(/exposeInMainWorld/g)).toHaveLength(1);
    const exposed = preload.slice(preload.indexOf('exposeInMainWorld'));
    expect([...exposed.matchAll(/^ {2}(\w+):/gm)].map((match) => match[1])).toEqual(['invoke', 'subscribe', 'pathOf']);
  });
  test('channels are constants, not what the page says', () => {
    expect([...preload.matchAll(/ipcRenderer\.\w+\((\w+)/g)].map((match) => match[1])).toEqual([
      'CALL_CHANNEL',
      'EVENT_CHANNEL',
      'EVENT_CHANNEL',
    ]);
  });
});

describe('ours: no network', () => {
  const { session: made, handlers } = session();
  secureSession(made);
  const cancelled = (url: string): unknown => {
    let decision: unknown;
    handlers['before']?.({ url }, (given: { cancel: boolean }) => {
      decision = given.cancel;
    });
    return decision;
  };
  test.each([...FOREIGN.filter((url) => !url.startsWith('data:')), 'ws://127.0.0.1/ipc', 'https://app//ui/'])(
    'a request for %s is cancelled',
    (url) => {
      expect(cancelled(url)).toBe(true);
    },
  );
  test.each([...OWN, 'data:image/png;base64,', 'devtools://devtools/x'])('a request for %s passes', (url) =>
    expect(cancelled(url)).toBe(false),
  );
  test('no spelling dictionary is fetched', () => expect(preferences.spellcheck).toBe(false));
});

test('ours: developer tools are for developers', () => {
  expect([webPreferences('/p', true).devTools, webPreferences('/p', false).devTools]).toEqual([true, false]);
  expect(main).toContain('devTools: !app.isPackaged');
});

test('ours: the window is made with exactly these preferences, hidden until its page has drawn', async () => {
  const folder = await tempFolder();
  const made: BrowserWindowConstructorOptions[] = [];
  const loaded: string[] = [];
  const fake = Object.assign(new EventEmitter(), { loadURL: async (url: string) => void loaded.push(url), show: () => undefined });
  openWindow({
    create: (options) => {
      made.push(options);
      return fake as unknown as BrowserWindow;
    },
    preload: '/p/preload.cjs',
    ownData: folder,
    areas: [],
    dark: true,
    devTools: false,
  });
  expect(loaded).toEqual([PAGE_URL]);
  expect([made[0]?.show, made[0]?.webPreferences]).toEqual([false, preferences]);
});

test('ours: one instance, and no module that Electron took away or that updates by itself', () => {
  expect(main).toContain('requestSingleInstanceLock');
  const named = Object.keys({ ...manifest['dependencies'], ...manifest['devDependencies'] });
  expect(named.filter((name) => /remote|updater|electron-(store|serve|context-menu)/.test(name))).toEqual([]);
});
