import { spawn } from 'node:child_process';
import path from 'node:path';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import type { TanstackScenario } from '../scenarios/tanstack.ts';
import type { Asked } from './kill-child.ts';

/** How a process of its own ended. */
export interface Ended {
  signal: NodeJS.Signals | null;
  said: string;
}

/** Starts a travel, or a recovery, in a process of its own. `at`: it ends itself there; `afterMs`: it is ended that long after it began. */
export function travelApart(
  t: TanstackScenario,
  request: TravelRequest,
  o: { at?: string | null; afterMs?: number; recover?: Asked['recover'] } = {},
): Promise<Ended> {
  const { at = null, afterMs, recover = null } = o;
  const places = { log: t.log, root: t.root, data: t.dataDir, home: t.env['HOME'] ?? t.folder, ownData: path.join(t.folder, 'own-data') };
  const asked: Asked = { ...places, request, recover, at };
  return new Promise((resolve, reject) => {
    const script = path.join(import.meta.dirname, 'kill-child.ts');
    const started = spawn(process.execPath, [script, JSON.stringify(asked)], { env: t.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    let complained = '';
    started.stdout.on('data', (bytes: Buffer) => {
      said += bytes.toString();
    });
    started.stderr.on('data', (bytes: Buffer) => {
      complained += bytes.toString();
      if (afterMs !== undefined && complained.includes('ready')) setTimeout(() => started.kill('SIGKILL'), afterMs);
    });
    started.on('error', reject);
    started.on('close', (code, signal) => {
      if (code !== 0 && signal === null) reject(new Error(complained));
      else resolve({ signal, said });
    });
  });
}
