import { FuseV1Options, FuseVersion } from '@electron/fuses';
import { MakerDeb, type MakerDebConfig } from '@electron-forge/maker-deb';
import { MakerZIP } from '@electron-forge/maker-zip';
import { FusesPlugin } from '@electron-forge/plugin-fuses';
import type { ForgeConfig } from '@electron-forge/shared-types';

/** Everything is bundled by the build: what ships is `package.json` and `out/`, without maps, which hold the sources. */
const SHIPPED = /^(\/package\.json|\/out|\/out\/(app|renderer|cli)(\/.*)?)$/;

/** Where a test keeps a stand-in for Electron's own zip; a release takes the real one. */
const runtime = process.env['TURNBACK_FORGE_RUNTIME'];

const deb: MakerDebConfig = {
  options: {
    name: 'turnback',
    bin: 'turnback',
    productName: 'Turnback',
    genericName: 'Time travel for coding agents',
    section: 'devel',
    categories: ['Development'],
    maintainer: 'The Turnback developers',
    recommends: ['git'],
    // Logs open with us where the user chooses so; nobody's default is taken over.
    mimeType: ['application/jsonl', 'application/x-ndjson', 'application/vnd.sqlite3'],
    // The maker's type knows one picture only; the tool it calls takes one for each size, and `scalable` is an SVG.
    icon: { scalable: 'renderer/icon.svg' } as unknown as string,
  },
};

const config: ForgeConfig = {
  outDir: process.env['TURNBACK_FORGE_OUT'] ?? 'dist-forge',
  packagerConfig: {
    name: 'Turnback',
    executableName: 'turnback',
    appBundleId: 'dev.turnback.app',
    appCategoryType: 'public.app-category.developer-tools',
    extendInfo: {
      CFBundleDocumentTypes: [
        {
          CFBundleTypeName: 'Session log',
          CFBundleTypeRole: 'Viewer',
          LSHandlerRank: 'Alternate',
          CFBundleTypeExtensions: ['jsonl', 'ndjson', 'db', 'sqlite', 'zst'],
        },
      ],
    },
    asar: true,
    prune: false,
    ignore: (file) => file !== '' && (!SHIPPED.test(file) || file.endsWith('.map')),
    ...(runtime === undefined ? {} : { electronZipDir: runtime }),
  },
  makers: [new MakerZIP({}, ['linux', 'darwin', 'win32']), new MakerDeb(deb, ['linux'])],
  plugins: [
    new FusesPlugin({
      version: FuseVersion.V1,
      // A fuse that a newer Electron adds must be decided on, not inherited.
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
    }),
  ],
};

export default config;
