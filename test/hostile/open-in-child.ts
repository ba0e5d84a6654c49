import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sources } from '../../electron/threads/sources.ts';
import { reasonOf } from '../../shared/errors.ts';

/** Bytes of this process in memory: now, and at most since the peak was set back. */
function memory(field: 'VmRSS' | 'VmHWM'): number {
  const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** What is larger is not looked at unless somebody asks for it. */
const MOST_SHOWN = 1_000_000;

/** Opens each log as a viewer does and reads the body of its last messages. Gives rows, and the last body's text of what was read last. */
async function open(log: string, folder: string): Promise<{ rows: number; body: number; stopped: string[] }> {
  const places = { home: folder, env: {} };
  for (const source of sources) {
    const [head] = await source.locate(log, places).catch(() => []);
    if (head === undefined) continue;
    const reader = await source.open(head, { root: null, data: null, places, ownData: path.join(folder, 'own') });
    try {
      await reader.read();
      const { messages, bad, notices } = reader.thread();
      let body = 0;
      for (const { id } of messages.filter(({ bytes }) => bytes < MOST_SHOWN).slice(-4))
        body += JSON.stringify(await reader.body(id)).length;
      return { rows: messages.length, body, stopped: [...bad.map(({ why }) => why), ...notices.map(({ code }) => code)] };
    } finally {
      await reader.close();
    }
  }
  throw new Error(`nothing opens ${log}`);
}

const [small = '', large = '', folder = ''] = process.argv.slice(2);
// Everything that this kind of log needs is loaded and has run once before it counts.
await open(small, folder);
globalThis.gc?.();
writeFileSync('/proc/self/clear_refs', '5');
const before = memory('VmRSS');
const found = await open(large, folder).catch((thrown: unknown) => ({ refused: reasonOf(thrown) }));
process.stdout.write(`${JSON.stringify({ ...found, bytes: memory('VmHWM') - before })}\n`);
