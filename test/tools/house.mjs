// `npm run house [ROOT]`: the rules of the house that no linter knows. Prints each breach as file:line, exits 1 on any.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { codeOnly, importsOf } from './imports-of.mjs';

const MAX_LINES = 400;
const MEDIAN_LINES = 100;
const TOPS = ['shared', 'electron', 'renderer'];

/** The only files that may import the electron package. */
const ELECTRON = new Set(['main', 'window', 'menu', 'security', 'preload', 'host/electron'].map((name) => `electron/${name}.ts`));

/** The only files that may start a process: git's one runner, the command line, and the recorder's backends. */
const SPAWNERS = /^electron\/(snapshots\/git\.ts|cli[^/]*\.ts|recorder\/.*)$/;

/** Which areas an area may import, itself aside. Files that lie directly in electron/ and in electron/cli/ may import all. */
const AREAS = {
  shared: [],
  renderer: ['shared'],
  'electron/snapshots': ['shared'],
  'electron/threads': ['shared', 'electron/snapshots'],
  'electron/recorder': ['shared', 'electron/snapshots'],
  'electron/travel': ['shared', 'electron/snapshots', 'electron/threads'],
  'electron/host': ['shared', 'electron/snapshots', 'electron/threads', 'electron/recorder', 'electron/travel'],
};
const ALL = Object.keys(AREAS).filter((area) => area !== 'renderer');

/** What shared, pure as it must be, may take from packages. */
const SHARED_PACKAGES = new Set(['zod']);

/** Globals of a runtime that shared/ must not lean on. */
const RUNTIME = /\b(process|Buffer|window|document|localStorage|require|__dirname)\s*[.([]/;

function sourcesBelow(root, folder) {
  const full = path.join(root, folder);
  if (!existsSync(full)) return [];
  return readdirSync(full, { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourcesBelow(root, name);
    return /\.(ts|tsx|mts|js|mjs|css)$/.test(entry.name) ? [name] : [];
  });
}

/** The area a file belongs to; files of no named area in electron/ are its entries. */
function areaOf(file) {
  const [top, next, rest] = file.split('/');
  if (top !== 'electron') return top;
  return rest === undefined || next === 'cli' ? 'electron' : `electron/${next}`;
}

const packageOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

function importBreaches(file, found, known, packages) {
  const breaches = [];
  const area = areaOf(file);
  const allowed = area === 'electron' ? ['electron', ...ALL] : [area, ...(AREAS[area] ?? [])];
  for (const { specifier, line } of found) {
    const breach = (text) => breaches.push({ file, line, text });
    if (specifier.startsWith('.')) {
      const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier.split('?')[0]));
      const to = areaOf(target);
      if (target === 'package.json') continue;
      if (!allowed.includes(to)) breach(`${area} must not import ${to} (${specifier})`);
      else if (/\.[cm]?[jt]sx?$/.test(target) && !known.has(target)) breach(`there is no file ${target}`);
      else if (!/\.\w+$/.test(target)) breach(`write the extension of ${specifier}`);
      continue;
    }
    const name = packageOf(specifier);
    const bare = specifier.replace(/^node:/, '');
    if (name === 'electron') {
      if (!ELECTRON.has(file)) breach('only the six files named in the design may import electron');
    } else if (bare === 'child_process') {
      if (!SPAWNERS.test(file)) breach('only git.ts, the command line and the recorder may start processes');
    } else if (isBuiltin(specifier)) {
      if (!file.startsWith('electron/')) breach(`${area} runs without Node, so it must not import ${specifier}`);
      else if (!specifier.startsWith('node:')) breach(`write node:${specifier}`);
    } else if (area === 'shared' && !SHARED_PACKAGES.has(name)) breach(`shared is pure: it must not import ${name}`);
    else if (!packages.has(name)) breach(`${name} is not among the dependencies`);
  }
  return breaches;
}

function shapeBreaches(file, source, found) {
  const breaches = [];
  const lines = source.split('\n').length - (source.endsWith('\n') ? 1 : 0);
  if (lines > MAX_LINES) breaches.push({ file, line: MAX_LINES + 1, text: `${lines} lines; ${MAX_LINES} is the most` });
  const name = path.basename(file).replace(/\.[^.]+$/, '');
  if (/^(index|utils?|helpers?)$/.test(name) && /\.tsx?$/.test(file))
    breaches.push({ file, line: 1, text: `${name} says nothing: name the file after its one thing` });
  if (/\/(utils?|helpers?)\//.test(file)) breaches.push({ file, line: 1, text: 'no folder named utils or helpers' });
  const code = codeOnly(source);
  const passing = found.filter((one) => one.passedOn);
  const own = /(^|\n)\s*export\s+(default|const|let|function|async|class|interface|abstract|type\s+\w+\s*[=<])/.test(code);
  if (passing.length > 0 && !own) breaches.push({ file, line: passing[0].line, text: 'a barrel: import from the file that has the thing' });
  if (file.startsWith('shared/')) {
    code.split('\n').forEach((text, index) => {
      if (RUNTIME.test(text)) breaches.push({ file, line: index + 1, text: 'shared is pure: no global of Node or the browser' });
    });
  }
  return breaches;
}

/** Cycles among value imports, each told once, at the import that closes it. */
function cycleBreaches(imports) {
  const breaches = [];
  const state = new Map();
  for (const start of imports.keys()) {
    if (state.has(start)) continue;
    const stack = [{ file: start, next: 0 }];
    state.set(start, 'open');
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const edge = (imports.get(top.file) ?? [])[top.next++];
      if (edge === undefined) {
        state.set(top.file, 'done');
        stack.pop();
      } else if (state.get(edge.target) === 'open') {
        const from = stack.findIndex((entry) => entry.file === edge.target);
        const ring = [...stack.slice(from).map((entry) => entry.file), edge.target];
        breaches.push({ file: top.file, line: edge.line, text: `a cycle: ${ring.join(' -> ')}` });
      } else if (!state.has(edge.target) && imports.has(edge.target)) {
        state.set(edge.target, 'open');
        stack.push({ file: edge.target, next: 0 });
      }
    }
  }
  return breaches;
}

function breachesOf(root) {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const packages = new Set(Object.keys(manifest.dependencies ?? {}));
  const files = TOPS.flatMap((top) => sourcesBelow(root, top));
  const known = new Set(files);
  const breaches = [];
  const edges = new Map();
  const sizes = [];
  for (const file of files) {
    const source = readFileSync(path.join(root, file), 'utf8');
    const script = /\.(ts|tsx|mts|js|mjs)$/.test(file);
    const found = script ? importsOf(source) : [];
    if (script) sizes.push(source.split('\n').length - 1);
    breaches.push(...importBreaches(file, found, known, packages), ...shapeBreaches(file, source, found));
    const values = found.filter((one) => !one.types && one.specifier.startsWith('.'));
    edges.set(
      file,
      values.map((one) => ({ line: one.line, target: path.posix.normalize(path.posix.join(path.posix.dirname(file), one.specifier)) })),
    );
  }
  breaches.push(...cycleBreaches(edges));
  const median = sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? 0;
  if (median >= MEDIAN_LINES)
    breaches.push({ file: '.', line: 0, text: `the median file has ${median} lines; fewer than ${MEDIAN_LINES} is the rule` });
  return { breaches, files: files.length, median };
}

const { breaches, files, median } = breachesOf(path.resolve(process.argv[2] ?? '.'));
for (const { file, line, text } of breaches) process.stdout.write(`${file}:${line} ${text}\n`);
process.stdout.write(`${files} files, median ${median} lines, ${breaches.length} ${breaches.length === 1 ? 'breach' : 'breaches'}\n`);
process.exitCode = breaches.length > 0 ? 1 : 0;
