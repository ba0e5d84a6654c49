// `npm run test:figures`: writes the table of figures in docs/testing.md from what the tests recorded in test-output/figures.
// A figure that was not measured since keeps its row, so the table always holds the last measurement of each.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const DOCUMENT = path.join(ROOT, 'docs', 'testing.md');
const BEGIN = '<!-- figures: begin -->';
const END = '<!-- figures: end -->';
const HEAD = ['| area | figure | value | run | measured | test |', '| --- | --- | --- | --- | --- | --- |'];

const cell = (text) => String(text).replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();

/** One row of the table; `null` for anything else. */
function rowOf(line) {
  const cells = line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((text) => text.trim());
  if (cells.length !== 6 || cells[0] === 'area' || /^-+$/.test(cells[0])) return null;
  const [area, figure, value, run, day, file] = cells;
  return { area, figure, value, run, day, file: file.replaceAll('`', '') };
}

function measured() {
  const folder = path.join(ROOT, 'test-output', 'figures');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ area, figure, value, run, at, file }) => ({
      area: cell(area),
      figure: cell(figure),
      value: cell(value),
      run,
      day: at.slice(0, 10),
      file,
    }));
}

const text = readFileSync(DOCUMENT, 'utf8');
const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
if (start < 0 || end < start) {
  console.error(`${DOCUMENT} has no place for the table: the lines "${BEGIN}" and "${END}".`);
  process.exit(1);
}
const rows = new Map();
const known = text
  .slice(start, end)
  .split('\n')
  .map(rowOf)
  .filter((row) => row !== null);
for (const row of [...known, ...measured()]) {
  // A test that was moved or taken out takes its figures with it.
  if (existsSync(path.join(ROOT, row.file))) rows.set(`${row.area}\0${row.figure}\0${row.run}`, row);
}
const sorted = [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
const lines = sorted.map(({ area, figure, value, run, day, file }) => `| ${area} | ${figure} | ${value} | ${run} | ${day} | \`${file}\` |`);
writeFileSync(DOCUMENT, [text.slice(0, start) + BEGIN, ...HEAD, ...lines, text.slice(end)].join('\n'));
process.stdout.write(`${sorted.length} figures\n`);
