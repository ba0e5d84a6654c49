// Started by restart.test.ts and two-recorders.test.ts: a recorder in a process of its own, told what to do by its arguments.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { localBackend } from '../../electron/recorder/local-backend.ts';
import { jsonlLog } from '../../electron/recorder/log.ts';
import { snapshots } from '../../electron/recorder/snapshots.ts';
import type { Turn } from '../../electron/recorder/turn.ts';

const [root = '', dataDir = '', save = '', script = '[]', threadId = 'fix-login'] = process.argv.slice(2);
const calls = JSON.parse(script) as [string, ...string[]][];
const stop = (): Promise<never> => {
  process.send?.(answers);
  return new Promise(() => setInterval(() => undefined, 1000));
};
const answers: unknown[] = [];
const local = localBackend();
let dieAt: number | string = 0;
const history = snapshots({
  root,
  dataDir,
  backend: {
    ...local,
    // Killed after some of the files were put back, or when all is done and the journal is still there.
    async putBack(o) {
      if (typeof dieAt !== 'number' || dieAt === 0) return local.putBack(o);
      await local.putBack({ ...o, files: o.files.slice(0, dieAt) });
      return stop();
    },
    remove: (file) => (dieAt === 'clear' && file.endsWith('turnback-travel.json') ? stop() : local.remove(file)),
  },
});
const session = await history.open({ threadId, log: jsonlLog({ folder: save }) });

async function step(turn: Turn, id: string, file: string, content: string, finish = true): Promise<void> {
  const step = await turn.beginStep();
  await step.assistant({ toolCalls: [{ id, name: 'edit_file', arguments: {} }] });
  await step.toolStarted(id);
  await writeFile(path.join(root, file), content);
  step.reportFile(file, id);
  if (!finish) return;
  await step.toolResult(id, 'ok');
  await step.end();
}

for (const [at, [name, first = '', second = '', third = '']] of calls.entries()) {
  if (name === 'undo' || name === 'redo') answers.push(await session.runCommand({ name }));
  else if (name === 'revert') answers.push((await session.revert({ messageId: first })).status);
  else if (name === 'unrevert') answers.push((await session.unrevert()).status);
  else if (name === 'turn') answers.push(await session.send(first, (turn) => step(turn, `${threadId}-${at}`, second, third)));
  else if (name === 'begin') await step(await session.beginTurn(first), `call-${at}`, second, third, false);
  else if (name === 'step') await step(await session.beginTurn(first), `call-${at}`, second, third);
  else if (name === 'die-in-revert') {
    dieAt = second;
    await session.revert({ messageId: first });
  }
}
process.send?.(answers);
process.on('message', () => void session.close().then(() => process.disconnect()));
