import type * as sync from 'node:fs';
import type * as promises from 'node:fs/promises';

/**
 * What a file call below the travel's own file layer may meet: reading the log and the disk, writing objects, refs and records of the
 * agent. Test files put it under the engine with `vi.mock`; while nothing is armed every call passes.
 */
export interface Armed {
  /** Throws, says that a write shall take only a part, or holds the call up for a while. */
  hit(call: string): 'short' | undefined | Promise<undefined>;
}

let armed: Armed | null = null;

/** Opens every call to `faults` from now on; null lets all pass again. */
export function arm(faults: Armed | null): void {
  armed = faults;
}

/** Starts a call that was counted already, so that it is not counted again one layer below. */
export function passing<T>(work: () => T): T {
  const was = armed;
  armed = null;
  try {
    return work();
  } finally {
    armed = was;
  }
}

type Call = (...args: never[]) => unknown;

const HANDLE = new Set(['read', 'write', 'writeFile', 'readFile', 'appendFile', 'sync', 'datasync', 'truncate', 'stat', 'chmod']);
const PROMISES = [
  ...['open', 'readFile', 'writeFile', 'appendFile', 'copyFile', 'rename', 'rm', 'unlink', 'link', 'symlink', 'mkdir', 'mkdtemp', 'rmdir'],
  ...['stat', 'lstat', 'readdir', 'readlink', 'realpath', 'access', 'utimes', 'chmod', 'truncate', 'statfs'],
] as const;
const SYNC = ['openSync', 'readSync', 'lstatSync', 'statSync', 'fstatSync', 'readlinkSync', 'readdirSync', 'readFileSync'] as const;

/** A write takes about half of what it is given, as a disk does that becomes full meanwhile. */
function half(call: Call, self: unknown, args: unknown[]): unknown {
  const [bytes, ...rest] = args;
  const short = bytes instanceof Uint8Array ? bytes.subarray(0, bytes.length >> 1) : bytes;
  return Reflect.apply(call, self, rest.length === 0 ? [short] : [bytes, 0, (bytes as Uint8Array).length >> 1]);
}

function guarded(name: string, call: Call, self: unknown = undefined, at = ''): (...args: unknown[]) => Promise<unknown> {
  return async (...args) => {
    const said = await armed?.hit(`fs ${name} ${at || args[0]}`);
    return said === 'short' && name === 'write' ? half(call, self, args) : Reflect.apply(call, self, args);
  };
}

function guardedHandle(handle: promises.FileHandle, at: string): promises.FileHandle {
  return new Proxy(handle, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return HANDLE.has(String(name)) ? guarded(String(name), value as Call, target, at) : value.bind(target);
    },
  });
}

/** node:fs/promises with every call of the engine open to a fault. */
export function brokenPromises(real: typeof promises): typeof promises {
  const calls: Record<string, unknown> = {};
  for (const name of PROMISES) calls[name] = guarded(name, real[name] as unknown as Call);
  calls['open'] = async (...args: Parameters<typeof real.open>) => {
    if (armed === null) return real.open(...args);
    await armed.hit(`fs open ${args[0]}`);
    return guardedHandle(await real.open(...args), String(args[0]));
  };
  return { ...real, ...calls };
}

/** The looks of node:fs that the engine takes at once, open to a fault. */
export function brokenSync(real: typeof sync): typeof sync {
  const calls: Record<string, unknown> = {};
  for (const name of SYNC) {
    const call = real[name] as unknown as Call;
    calls[name] = (...args: unknown[]) => {
      // What a process is, is no file.
      if (!/^\/proc\/(?!self\/fd)/.test(String(args[0]))) void armed?.hit(`fs ${name} ${args[0]}`);
      return Reflect.apply(call, undefined, args);
    };
  }
  return { ...real, ...calls };
}
