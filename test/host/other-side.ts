import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { commandBackend } from '../../electron/recorder/command-backend.ts';
import { jsonlLog, logPath } from '../../electron/recorder/log.ts';
import type { Session } from '../../electron/recorder/session.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import { otherRoot, sshInto } from '../recorder/other-root.ts';
import { tempFolder, writeFiles } from '../scenarios/temp.ts';

export const ROOT = '/srv/acme/work space';
export const DATA = '/var/acme/snapshots';
export const THREAD = 'fix-login';

/** A thread that was recorded behind a command: its log here, its workspace and snapshots in a root file system of its own. */
export interface OtherSide {
  folder: string;
  /** The workspace there, by its path here. */
  work: string;
  /** The repository there, by its path here. */
  repository: string;
  prefix: string[];
  /** The same as one text, as `--via` takes it. */
  via: string;
  log: string;
}

const run = promisify(execFile);

export const sh = async (cwd: string, command: string): Promise<string> => (await run('sh', ['-c', command], { cwd })).stdout;

async function turn(session: Session, work: string, prompt: string, command: string): Promise<void> {
  await session.send(prompt, (one) =>
    one.step(async (step) => {
      await step.assistant({ toolCalls: [{ id: `call_${prompt}`, name: 'bash', arguments: { command } }] });
      const [id = ''] = (await session.transcript()).at(-1)?.toolCalls?.map((call) => call.id) ?? [];
      await step.tool(id, () => sh(work, command));
    }),
  );
}

/** Records one turn for each command, its prompt being the command's name. */
export async function recordThere(side: OtherSide, turns: Readonly<Record<string, string>>): Promise<void> {
  const backend = commandBackend({ prefix: side.prefix, name: 'box' });
  const history = snapshots({ root: ROOT, dataDir: DATA, backend });
  const session = await history.open({ threadId: THREAD, log: jsonlLog({ folder: path.join(side.folder, 'save') }) });
  for (const [prompt, command] of Object.entries(turns)) await turn(session, side.work, prompt, command);
  side.repository = path.join(side.folder, 'other-root', session.repository ?? '');
  await session.close();
}

export async function otherSide(kind: 'chroot' | 'ssh', files: Parameters<typeof writeFiles>[1]): Promise<OtherSide> {
  const folder = await tempFolder('via-');
  const root = await otherRoot(folder);
  const work = path.join(root, ROOT);
  await mkdir(work, { recursive: true });
  await writeFiles(work, files);
  const prefix = kind === 'chroot' ? ['chroot', root] : [await sshInto(folder, root), 'box'];
  const log = logPath(path.join(folder, 'save'), THREAD);
  return { folder, work, repository: '', prefix, via: prefix.map((word) => `'${word}'`).join(' '), log };
}
