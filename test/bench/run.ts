// `npm run bench [NAME…]`: runs the benchmarks one after the other and compares each with its floor, measured in the same run, or with a limit. Times in milliseconds.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchRow } from './bench-row.ts';

const MODULES = ['capture', 'patch', 'counts', 'blobs', 'open-log', 'follow-log', 'revert', 'window'];

interface Measured extends BenchRow {
  module: string;
  ratio: number;
  reached: boolean;
}

const milliseconds = (value: number): string => (value < 10 ? value.toFixed(2) : value.toFixed(0));

function table(rows: readonly Measured[]): string {
  const cells = rows.map((row) => [
    row.name,
    milliseconds(row.ours),
    milliseconds(row.floor),
    `${row.ratio.toFixed(2)}x`,
    `${row.target.toFixed(2)}x`,
    row.reached ? 'reached' : 'missed',
  ]);
  const head = ['benchmark', 'ours', 'floor', 'ratio', 'target', ''];
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ');
  return [head, ...cells].map((row) => line(row).trimEnd()).join('\n');
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !MODULES.includes(name));
if (unknown.length > 0) throw new Error(`There is no benchmark ${unknown.join(', ')}; there are ${MODULES.join(', ')}.`);

const rows: Measured[] = [];
for (const name of MODULES) {
  const file = path.join(import.meta.dirname, `${name}.ts`);
  if ((asked.length > 0 && !asked.includes(name)) || !existsSync(file)) continue;
  process.stderr.write(`${name}…\n`);
  const { default: run } = (await import(pathToFileURL(file).href)) as { default: (report: (row: BenchRow) => void) => Promise<void> };
  await run((row) => {
    const ratio = row.ours / row.floor;
    rows.push({ ...row, module: name, ratio, reached: ratio <= row.target });
  });
}

const machine = { node: process.version, platform: process.platform, cpus: os.cpus().length, cpu: os.cpus()[0]?.model ?? '' };
await mkdir('test-output', { recursive: true });
await writeFile('test-output/bench.json', `${JSON.stringify({ at: new Date().toISOString(), machine, rows }, null, 2)}\n`);
process.stdout.write(`${table(rows)}\n`);
process.exitCode = rows.length > 0 && rows.every((row) => row.reached) ? 0 : 1;
