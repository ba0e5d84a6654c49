import path from 'node:path';
import { writeFiles } from '../scenarios/temp.ts';

const MAIN = `
const path = require('node:path');
const { app, BrowserWindow, ipcMain, protocol, session, dialog, Menu, shell, clipboard } = require('electron');
protocol.registerSchemesAsPrivileged([{ scheme: 'app', privileges: { standard: true } }]);
const PAGES = { '/index.html': ['text/html', '<!doctype html><title>Small</title><h1>Small</h1><iframe src="frame.html"></iframe>'], '/frame.html': ['text/html', '<p>frame</p>'] };
app.on('web-contents-created', (_, contents) => {
  contents.on('will-navigate', (event) => { if (!event.url.startsWith('app://ui/')) event.preventDefault(); });
  contents.setWindowOpenHandler(({ url }) => { shell.openExternal(url); return { action: 'deny' }; });
});
app.on('second-instance', (_event, _argv, _cwd, data) => globalThis.smallWindow.webContents.send('event', data));
app.on('window-all-closed', () => app.quit());
if (!app.requestSingleInstanceLock({ open: '/x' })) app.quit();
else app.whenReady().then(() => {
  protocol.handle('app', (request) => {
    const [type, text] = PAGES[new URL(request.url).pathname] ?? ['text/plain', null];
    return new Response(text, { status: text === null ? 404 : 200, headers: { 'content-type': type } });
  });
  session.defaultSession.setPermissionRequestHandler((_c, _p, answer) => answer(false));
  ipcMain.handle('echo', (event, value) => ({ value, url: event.senderFrame.url, same: event.senderFrame === event.sender.mainFrame }));
  ipcMain.handle('fail', () => { throw new TypeError('no'); });
  ipcMain.handle('open', async () => (await dialog.showOpenDialog({ title: 'Pick' })).filePaths);
  ipcMain.handle('copy', (_event, text) => clipboard.writeText(text));
  ipcMain.on('say', (_event, text) => globalThis.smallWindow.setBounds({ x: text.length }));
  Menu.setApplicationMenu(Menu.buildFromTemplate([{ label: 'File', submenu: [{ id: 'go', label: 'Go', click: () => globalThis.smallWindow.webContents.send('event', 'go') }] }]));
  globalThis.smallWindow = new BrowserWindow({ width: 700, height: 500, show: false, webPreferences: { preload: path.join(__dirname, 'preload.cjs') } });
  globalThis.smallWindow.once('ready-to-show', () => globalThis.smallWindow.show());
  globalThis.smallWindow.loadURL('app://ui/index.html');
});
`;

const PRELOAD = `
const { contextBridge, ipcRenderer } = require('electron');
contextBridge.exposeInMainWorld('small', {
  invoke: (channel, value) => ipcRenderer.invoke(channel, value),
  say: (text) => ipcRenderer.send('say', text),
  subscribe: (listener) => {
    const relay = (_event, value) => listener(value);
    ipcRenderer.on('event', relay);
    return () => { ipcRenderer.removeListener('event', relay); };
  },
});
`;

/** Writes a small app of main, preload and page into a folder; the path of its main script. */
export async function smallApp(folder: string): Promise<string> {
  await writeFiles(folder, { 'package.json': '{"main":"main.cjs"}', 'main.cjs': MAIN, 'preload.cjs': PRELOAD });
  return path.join(folder, 'main.cjs');
}
