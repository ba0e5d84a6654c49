import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

describe('the README', () => {
  const rows = [...readme.matchAll(/^\| (.+?) \| `([\w/-]+\.test\.ts)`: (.+?) \|$/gm)].map(([, rule, file, name]) => ({
    rule,
    file,
    name,
  }));

  test('names a test for at least 50 rules', () => {
    expect(rows.length).toBeGreaterThanOrEqual(50);
  });

  test.each(rows)('$rule', ({ file, name }) => {
    const source = readFileSync(path.join(root, 'test', file ?? ''), 'utf8');
    // Names stand in the source as they are written there: with a quote escaped, or a value still to be filled in.
    const names = [
      ...source.matchAll(/\b(?:test|it|describe)(?:\.each\([^)]*\)|\.skipIf\([^)]*\))?\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g),
    ].map((found) => found[2] ?? '');
    expect(names.some((one) => one.replaceAll('\\', '').includes(name ?? ' '))).toBe(true);
  });

  test('its pictures and its commands exist', () => {
    for (const [, picture] of readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g))
      expect([picture, existsSync(path.join(root, picture ?? ''))]).toEqual([picture, true]);
    const scripts = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    for (const [, script] of readme.matchAll(/`npm run ([\w:]+)`/g)) expect(Object.keys(scripts.scripts)).toContain(script);
  });
});
