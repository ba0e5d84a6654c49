import path from 'node:path';
import { onTestFinished } from 'vitest';
import { opencode } from '../../../electron/threads/opencode/opencode-source.ts';
import type { Places, ThreadReader } from '../../../electron/threads/source.ts';
import { type OpencodeSample, type OpencodeState, unpackOpencodeSample } from '../../scenarios/opencode.ts';
import { manifest, tempFolder } from '../../scenarios/temp.ts';

export interface OpenedSample {
  sample: OpencodeSample;
  places: Places;
  ownData: string;
  reader: ThreadReader;
}

/** A reader on a session in the known place below a home, read once and closed with the test. */
export async function openSession(home: string, ownData: string, threadId: string, root: string | null): Promise<ThreadReader> {
  const places: Places = { home, env: {} };
  const head = (await opencode.list(places)).threads.find((one) => one.threadId === threadId);
  if (!head) throw new Error(`no session ${threadId}`);
  const reader = await opencode.open(head, { root, data: null, places, ownData });
  onTestFinished(() => reader.close());
  await reader.read();
  return reader;
}

/** One recorded state, opened; when the test ends, its data folder must be as it was, with all times. */
export async function openSample(state: OpencodeState): Promise<OpenedSample> {
  const folder = await tempFolder();
  const sample = await unpackOpencodeSample(folder, state);
  const before = await manifest(sample.dataDir, { mtimes: true });
  onTestFinished(async () => {
    const after = await manifest(sample.dataDir, { mtimes: true });
    if (after.join('\n') !== before.join('\n')) throw new Error('the data folder was touched');
  });
  const ownData = path.join(folder, 'own');
  const reader = await openSession(sample.home, ownData, sample.sessionId, sample.root);
  return { sample, places: { home: sample.home, env: {} }, ownData, reader };
}
