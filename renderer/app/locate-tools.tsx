import type { ErrorCode } from '../../shared/errors.ts';
import { runCommand } from '../commands.ts';
import { Button } from '../ui/button.tsx';

const WORKSPACE: ReadonlySet<ErrorCode> = new Set(['NO_WORKSPACE', 'UNKNOWN_WORKSPACE', 'WRONG_WORKSPACE']);
const SNAPSHOTS: ReadonlySet<ErrorCode> = new Set(['NO_STORE', 'WRONG_WORKSPACE']);

/** The way out of a folder that was moved or is not known: naming it. Nothing for other reasons. */
export function LocateTools({ code }: { code: ErrorCode }) {
  return (
    <>
      {WORKSPACE.has(code) ? <Button onClick={() => runCommand('locate-workspace')}>Locate folder…</Button> : null}
      {SNAPSHOTS.has(code) ? <Button onClick={() => runCommand('locate-snapshots')}>Locate snapshots…</Button> : null}
    </>
  );
}
