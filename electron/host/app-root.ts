import path from 'node:path';

/**
 * The folder that holds `package.json` and `out/`. Bundles lie in `out/app` and `out/cli`, this source in `electron/host`:
 * two levels below it each time.
 */
export const APP_ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the build puts the page. */
export const PAGE_FOLDER = path.join(APP_ROOT, 'out/renderer');
