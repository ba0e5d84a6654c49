import path from 'node:path';
import { _electron } from 'playwright-core';
import { test } from 'vitest';
import { cleanEnv } from '../scenarios/temp.ts';
import { STATES, scenario } from './scenario.ts';
import type { ViewerHost } from './viewer-host.ts';

/** The app in Electron itself, for who has its binary and a display: TURNBACK_REAL_ELECTRON=1 npm test -- test/e2e/real-electron.test.ts */
async function realElectronHost(folder: string): Promise<ViewerHost> {
  const { DISPLAY = '', WAYLAND_DISPLAY = '', XDG_RUNTIME_DIR = '' } = process.env;
  const env = { ...cleanEnv(folder), DISPLAY, WAYLAND_DISPLAY, XDG_RUNTIME_DIR };
  const app = await _electron.launch({ args: [path.resolve('.')], env });
  const page = await app.firstWindow();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return {
    name: 'electron',
    page,
    folder,
    env,
    async exportPatch(file, act) {
      await app.evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = async () => ({ canceled: false, filePath });
      }, file);
      await act();
    },
    systemDialogs: () => [],
    clipboard: () => app.evaluate(({ clipboard }) => clipboard.readText()),
    problems: () => problems,
    close: () => app.close(),
  };
}

if (process.env['TURNBACK_REAL_ELECTRON'] === '1') scenario(realElectronHost, STATES);
else test.skip('the same morning in Electron itself: only where TURNBACK_REAL_ELECTRON=1 asks for it');
