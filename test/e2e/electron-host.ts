import path from 'node:path';
import { createElectronDouble } from '../electron-double/double.ts';
import { loadMain } from '../electron-double/load-main.ts';
import { cleanEnv } from '../scenarios/temp.ts';
import type { ViewerHost } from './viewer-host.ts';

/** The built app under the double of Electron. It reads this process' environment, which is put back at the end. */
export async function electronHost(folder: string): Promise<ViewerHost> {
  const before = { env: process.env, argv: process.argv };
  const env = cleanEnv(folder);
  process.env = { ...env };
  process.argv = ['electron', path.resolve('.')];
  // What the engine reports as its own failure, in this very process.
  const reported: string[] = [];
  const tell = console.error;
  console.error = (...words: unknown[]) => void reported.push(words.map(String).join(' '));
  const double = createElectronDouble();
  const unload = loadMain(double, path.resolve('out/app/main.cjs'));
  const page = await double.firstPage();
  return {
    name: 'electron',
    page,
    folder,
    env,
    async exportPatch(file, act) {
      double.answers.push({ canceled: false, filePath: file });
      await act();
    },
    systemDialogs: () => double.log.filter(({ kind }) => kind === 'dialog').map((entry) => String(entry['dialog'])),
    clipboard: () => Promise.resolve(double.clipboard()),
    problems: () => [
      ...reported,
      ...double.log
        .filter(({ kind, type }) => ['page-error', 'network', 'blocked-request', 'error-box'].includes(kind) || type === 'error')
        .map((entry) => JSON.stringify(entry)),
    ],
    async close() {
      unload();
      await double.close();
      console.error = tell;
      Object.assign(process, before);
    },
  };
}
