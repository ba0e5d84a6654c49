import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../../renderer');
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));

/** Static imports with a value: what lands in the chunk of the file that has them. */
const staticImports = (text: string): string[] =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^'";()]*\sfrom\s+)?['"]([^'"]+)['"]/gm)].map((match) => match[1] ?? '');

test('only monaco-core.ts imports Monaco, and nothing imports monaco-core.ts but by a dynamic import', () => {
  expect(sources.length).toBeGreaterThan(50);
  const monaco = sources.filter((name) =>
    staticImports(readFileSync(path.join(root, name), 'utf8')).some((from) => from.startsWith('monaco-editor')),
  );
  const core = sources.filter((name) =>
    staticImports(readFileSync(path.join(root, name), 'utf8')).some((from) => from.endsWith('monaco-core.ts')),
  );
  expect(monaco).toEqual([path.join('diff', 'monaco-core.ts')]);
  expect(core).toEqual([]);
});
