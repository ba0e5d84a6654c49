import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ownText } from '../../electron/threads/own-text.ts';
import { TextPool } from '../../electron/threads/text-pool.ts';

const THREADS = path.resolve(import.meta.dirname, '../../electron/threads');
const MEGABYTE = 1_000_000;

/** Bytes of heap that a process of its own holds for what the script puts into `kept`. */
function heldBy(script: string): number {
  const use = (file: string): string => JSON.stringify(pathToFileURL(path.join(THREADS, file)).href);
  const whole = `import { ownText } from ${use('own-text.ts')}; import { TextPool } from ${use('text-pool.ts')};
    gc(); const before = process.memoryUsage().heapUsed; const kept = [];
    ${script}
    gc(); gc(); process.stdout.write(String(process.memoryUsage().heapUsed - before)); globalThis.kept = kept;`;
  return Number(execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', whole], { encoding: 'utf8' }));
}

test('equal texts come back equal, also after thousands of others', () => {
  const pool = new TextPool();
  expect([pool.same('a'), pool.same('a'), pool.same(null)]).toEqual(['a', 'a', null]);
  for (let at = 0; at < 3000; at += 1) expect(pool.same(String(at))).toBe(String(at));
  expect(pool.same('a')).toBe('a');
});

test('equal texts of many records are one, and thousands of others are not held', () => {
  const folder = (at: string): string => `JSON.parse('"/work/${'x'.repeat(200)}/' + ${at} + '"')`;
  const held = heldBy(`const pool = new TextPool();
    for (let at = 0; at < 50_000; at += 1) kept.push(pool.same(${folder('at % 10')}));
    for (let at = 0; at < 50_000; at += 1) pool.same(${folder('at')});`);
  expect(held).toBeLessThan(4 * MEGABYTE);
});

test('a text of its own is the same one, with halves of pairs', () => {
  for (const text of ['', 'plain', `a\ud83d${'\u00e9'.repeat(20)}\udc00`]) expect(ownText(text)).toBe(text);
});

test('a text of its own lets go of the text that it was cut out of', () => {
  const held = heldBy(`for (let at = 0; at < 100; at += 1) kept.push(ownText(String(at).repeat(500_000).slice(0, 240)));`);
  expect(held).toBeLessThan(4 * MEGABYTE);
});
