import { appendFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import { run } from './sizes.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

/** The test file that asks for a figure to be recorded: the one that vitest runs, else the outermost file of ours on the stack. */
function caller(): string {
  const { __vitest_worker__: worker } = globalThis as { __vitest_worker__?: { filepath?: string } };
  if (worker?.filepath?.startsWith(ROOT)) return path.relative(ROOT, worker.filepath).replaceAll(path.sep, '/');
  const files = getCallSites(50)
    .map(({ scriptName }) => (scriptName.startsWith('file:') ? fileURLToPath(scriptName.split('?')[0] ?? '') : scriptName))
    .filter((file) => file.startsWith(path.join(ROOT, 'test')) && file !== import.meta.filename);
  return path.relative(ROOT, files.at(-1) ?? ROOT).replaceAll(path.sep, '/');
}

/**
 * Notes a figure that a test or a benchmark measured, for the table of docs/testing.md (`npm run test:figures`). Each area has
 * one file of lines, so that workers never write over each other. `file`: who measured it, when the stack does not tell.
 */
export function record(area: string, figure: string, value: string | number, file = caller()): void {
  const folder = path.join(ROOT, 'test-output', 'figures');
  mkdirSync(folder, { recursive: true });
  const at = new Date().toISOString();
  appendFileSync(path.join(folder, `${area}.jsonl`), `${JSON.stringify({ area, figure, value: String(value), run, at, file })}\n`);
}
