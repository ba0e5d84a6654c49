// Runs an app under the double as the `electron` program would: `node run.ts APP [ARGUMENTS]`. The script in dist/ calls it,
// so that ELECTRON_OVERRIDE_DIST_PATH=test/electron-double/dist makes every launcher of Electron end here.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createElectronDouble } from './double.ts';
import { loadMain } from './load-main.ts';

const folder = path.resolve(process.argv[2] ?? '.');
const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { main: string };
// As Electron has it: the program, the app, then what was given.
process.argv = ['electron', folder, ...process.argv.slice(3)];
const double = createElectronDouble({ headless: process.env['ELECTRON_DOUBLE_HEADED'] !== '1' });
loadMain(double, path.join(folder, manifest.main));
process.once('SIGTERM', () => double.app.quit());
process.once('SIGINT', () => double.app.quit());
await Promise.race([double.firstPage(), double.ended]);
process.stdout.write('electron double: the app runs in Chromium, not in Electron\n');
await double.ended;
process.exit(double.app.exitCode ?? 0);
