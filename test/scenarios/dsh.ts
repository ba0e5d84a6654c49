import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';

/** The folder of real DSH sessions. */
export const dshFixtures = path.resolve(import.meta.dirname, '../fixtures/dsh');

export type DshSample = 'session-sample-a' | 'session-sample-a-recalled' | 'session-sample-b' | 'session-sample-b-open';

const PROJECT = { a: '--home-demo-notes-app--', b: '--home-demo-list-app--' } as const;

/** The log of a sample, where it lies among the fixtures. */
export function dshSampleLog(sample: DshSample, form: 'v0-plain' | 'v0-zstd' | 'v3-plain' | 'v3-zstd'): string {
  const project = sample.startsWith('session-sample-a') ? PROJECT.a : PROJECT.b;
  const name = `session${form.startsWith('v3') ? '.v3' : ''}.jsonl${form.endsWith('zstd') ? '.zstd' : ''}`;
  return path.join(dshFixtures, form, project, sample, name);
}

/** Copies a sample into a DSH home of its own; gives the path of its log there. */
export async function copyDshSample(
  home: string,
  sample: DshSample,
  form: 'v0-plain' | 'v0-zstd' | 'v3-plain' | 'v3-zstd',
): Promise<string> {
  const from = dshSampleLog(sample, form);
  const project = path.basename(path.dirname(path.dirname(from)));
  const folder = path.join(home, '.dsh', 'sessions', project, sample);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await cp(from, path.join(folder, path.basename(from)));
  return path.join(folder, path.basename(from));
}
