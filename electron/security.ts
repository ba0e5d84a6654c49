import type { App, Session, WebContents } from 'electron';
import { isPageUrl } from './host/page-protocol.ts';

/** Schemes that a page of ours may load from: its own, the developer tools', and data in itself. */
const LOADABLE = /^(app:\/\/ui\/|devtools:|data:)/i;

/** Locks one web contents to our page: no navigation away, no redirect, no new window, no webview. */
export function secureContents(contents: WebContents): void {
  const keepHere = (event: { preventDefault(): void; url?: string }, url = event.url ?? ''): void => {
    if (!isPageUrl(url)) event.preventDefault();
  };
  contents.on('will-navigate', (event) => keepHere(event));
  contents.on('will-frame-navigate', (event) => keepHere(event));
  contents.on('will-redirect', (event) => keepHere(event));
  contents.on('will-attach-webview', (event) => event.preventDefault());
  // Links leave through the `shell.link` call alone, which a click makes and main checks.
  contents.setWindowOpenHandler(() => ({ action: 'deny' }));
}

/** Locks a session: every permission refused, asked or checked; no device, no download, no request but for our own page. */
export function secureSession(session: Session): void {
  // Electron grants all permissions where no handler says otherwise.
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on('will-download', (event) => event.preventDefault());
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !LOADABLE.test(url) }));
}

/** Applies both to everything the app ever creates. Call before the app is ready. */
export function secureApp(app: App): void {
  app.enableSandbox();
  app.on('session-created', secureSession);
  app.on('web-contents-created', (_event, contents) => secureContents(contents));
}
