interface Pipe {
  destroy(): unknown;
}

/** Time that a process has to remove its own temporary files before it is killed. */
const GRACE = 200;
const GONE: ReadonlySet<unknown> = new Set(['ESRCH', 'EPERM']);

/** As much of a child process as is needed to end it. */
interface Ending {
  readonly pid?: number | undefined;
  readonly stdin?: Pipe | null;
  readonly stdout?: Pipe | null;
  readonly stderr?: Pipe | null;
  kill(signal: NodeJS.Signals): boolean;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Ends a process that leads its own group, and everything it started: asks first, then kills. What left the group and still holds its
 * pipes is not waited for.
 */
export function endGroup(child: Ending): void {
  const send = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      if (process.platform === 'win32') child.kill(signal);
      else process.kill(-child.pid, signal);
    } catch (error) {
      // Gone already; macOS says EPERM for a group of which only the remains are left.
      if (!GONE.has((error as NodeJS.ErrnoException).code)) throw error;
    }
  };
  send('SIGTERM');
  const timer = setTimeout(() => {
    send('SIGKILL');
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  }, GRACE);
  child.once('close', () => clearTimeout(timer));
}
