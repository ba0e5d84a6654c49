import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { jsonlLog } from './log.ts';
import { commitAll } from './sample/own-repository.ts';
import { reportingTools, ScriptedAgent } from './sample/scripted-agent.ts';
import { tellStory } from './sample/story.ts';
import { StoryClock } from './sample/story-clock.ts';
import { workspaceFiles } from './sample/workspace-files.ts';
import { snapshots } from './snapshots.ts';

const THREAD = 'lumen-login';
const MORNING = Date.UTC(2026, 8, 14, 9, 2);

/**
 * Makes a small workspace with a thread that was recorded in it: a scripted agent edits files and runs commands for real. Below `dir`:
 * `workspace`, `save` (the log) and `snapshots`. Returns the id of the thread as the catalog knows it, and the absolute paths of the
 * workspace, the folder of the snapshot repositories and the log. Throws FILE_EXISTS when the folder holds something already, NO_GIT.
 */
export async function makeSample(dir: string): Promise<{ thread: string; root: string; data: string; log: string }> {
  const base = path.resolve(dir);
  await mkdir(base, { recursive: true });
  if ((await readdir(base)).length > 0) throw new TurnbackError('FILE_EXISTS', { path: base });
  const root = path.join(base, 'workspace');
  const data = path.join(base, 'snapshots');
  for (const [name, content] of Object.entries(workspaceFiles)) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await commitAll(root, { message: 'Lumen Notes 0.4.0', at: MORNING - 3 * 86_400_000 });
  const clock = new StoryClock(MORNING);
  const history = snapshots({ root, dataDir: data, reporting: reportingTools });
  const session = await history.open({ threadId: THREAD, log: jsonlLog({ folder: path.join(base, 'save') }), user: { id: 'ada' }, clock });
  try {
    if (session.repository === null) throw new TurnbackError('NO_GIT');
    await tellStory({ session, agent: new ScriptedAgent(root, clock), clock });
  } finally {
    await session.close();
  }
  return { thread: `tanstack:${THREAD}`, root, data, log: session.log };
}
