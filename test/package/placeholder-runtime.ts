import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ZipFile, zipOf } from './zip.ts';

/** The wire of fuses as it stands in Electron's binary: sentinel, version, length, all of them off. */
const FUSES = Buffer.concat([Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'), Buffer.from([1, 9]), Buffer.from('0'.repeat(9))]);

/** The version of Electron that this project pins. */
export function electronVersion(): string {
  return (JSON.parse(readFileSync('node_modules/electron/package.json', 'utf8')) as { version: string }).version;
}

/**
 * Writes a stand-in for Electron's zip into `folder`: a shell script of a few lines where the binary would be. Packaging runs
 * for real with it; what comes out is a placeholder that cannot run.
 */
export async function placeholderRuntime(folder: string): Promise<void> {
  const script = Buffer.from('#!/bin/sh\necho "This is a placeholder made by a test, not Electron." >&2\nexit 1\n');
  const plain = (name: string, text: string, mode = 0o644): ZipFile => ({ name, bytes: Buffer.from(text), mode });
  const files: ZipFile[] = [
    { name: 'electron', bytes: Buffer.concat([script, FUSES]), mode: 0o755 },
    plain('chrome-sandbox', 'placeholder', 0o755),
    plain('version', electronVersion()),
    plain('LICENSE', 'placeholder'),
    plain('LICENSES.chromium.html', 'placeholder'),
    plain('resources/default_app.asar', 'placeholder'),
    plain('locales/en-US.pak', 'placeholder'),
  ];
  await writeFile(path.join(folder, `electron-v${electronVersion()}-linux-x64.zip`), zipOf(files));
}
