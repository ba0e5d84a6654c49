// Travels in a process of its own and, where asked, ends that process without warning at the first call that fits.
// Only tests start it: node test/travel/kill-child.ts '{"log":…,"root":…,"data":…,"home":…,"ownData":…,"stop":4,"at":"^rename "}'
import { createGit } from '../../electron/snapshots/git.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { Faults, faultyFileSystem, faultyGit } from './faults.ts';

const asked: { log: string; root: string; data: string; home: string; ownData: string; stop: number; at: string | null } = JSON.parse(
  process.argv[2] ?? '{}',
);

class Deadly extends Faults {
  override hit(call: string): void {
    super.hit(call);
    if (asked.at !== null && new RegExp(asked.at).test(call)) process.kill(process.pid, 'SIGKILL');
  }
}

const faults = new Deadly();
const git = faultyGit(createGit(), faults);
const places = { home: asked.home, env: {} };
const [head] = await tanstack.locate(asked.log, places);
if (!head) throw new Error(`no thread at ${asked.log}`);
const reader = await tanstack.open(head, { root: asked.root, data: asked.data, places, ownData: asked.ownData });
await reader.read();
const thread = await OpenThread.open({ reader, git, ownData: asked.ownData, id: head.id });
const context = { thread, ownData: asked.ownData, git, now: Date.now, fs: faultyFileSystem(faults) };
// From here on its parent may end it at any moment.
process.stderr.write('ready\n');
try {
  const request = { kind: 'revert', stop: asked.stop, entry: null, scope: 'both' } as const;
  const result = await runTravel(context, request, { drift: 'merge', choices: {}, fingerprint: null });
  process.stdout.write(JSON.stringify({ done: result.message }));
} catch (thrown) {
  if (!(thrown instanceof TurnbackError)) throw thrown;
  process.stdout.write(JSON.stringify({ refused: thrown.code }));
} finally {
  await thread.close();
}
