// Travels in a process of its own and, where asked, ends that process without warning at the first call that fits.
// Only tests start it: node test/travel/kill-child.ts '{"log":…,"root":…,"data":…,"home":…,"ownData":…,"request":{…},"at":"^rename "}'
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { createGit } from '../../electron/snapshots/git.ts';
import { tanstack } from '../../electron/threads/tanstack/tanstack-source.ts';
import { OpenThread } from '../../electron/threads/thread.ts';
import { recoverTravel } from '../../electron/travel/recover.ts';
import { runTravel } from '../../electron/travel/travel.ts';
import type { TravelRequest } from '../../electron/travel/travel-context.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { arm, brokenPromises } from './broken-files.ts';
import { Faults, faultyFileSystem, faultyGit } from './faults.ts';

export interface Asked {
  log: string;
  root: string;
  data: string;
  home: string;
  ownData: string;
  request: TravelRequest;
  /** An interrupted travel that is recovered instead of making a new one. */
  recover: { entry: string; how: 'finish' | 'roll-back' } | null;
  /** The call that ends the process; with `half ` in front it is a write that takes half of its bytes first. */
  at: string | null;
}

const asked = JSON.parse(process.argv[2] ?? '{}') as Asked;
const half = asked.at?.startsWith('half ') ?? false;
const pattern = asked.at === null ? null : new RegExp(half ? asked.at.slice('half '.length) : asked.at);

class Deadly extends Faults {
  #dying = false;

  override hit(call: string): 'short' | undefined {
    super.hit(call);
    if (this.#dying || (pattern?.test(call) && !half)) process.kill(process.pid, 'SIGKILL');
    if (!pattern?.test(call)) return undefined;
    this.#dying = true;
    return 'short';
  }
}

const files = createRequire(import.meta.url)('node:fs/promises');
Object.assign(files, brokenPromises({ ...files }));
syncBuiltinESMExports();

const faults = new Deadly();
const git = faultyGit(createGit(), faults);
const places = { home: asked.home, env: {} };
const { ownData } = asked;

async function opened(): Promise<OpenThread> {
  const [head] = await tanstack.locate(asked.log, places);
  if (!head) throw new Error(`no thread at ${asked.log}`);
  const reader = await tanstack.open(head, { root: asked.root, data: asked.data, places, ownData });
  await reader.read();
  return OpenThread.open({ reader, git, ownData, id: head.id });
}

const thread = await opened();
const fs = faultyFileSystem(faults);
// From here on its parent may end it at any moment.
process.stderr.write('ready\n');
arm(faults);
try {
  const result =
    asked.recover === null
      ? await runTravel({ thread, ownData, git, now: Date.now, fs }, asked.request, { drift: 'merge', choices: {}, fingerprint: null })
      : await recoverTravel({ ownData, git, openThread: async () => thread, fs }, asked.recover.entry, asked.recover.how);
  process.stdout.write(JSON.stringify({ done: result.message }));
} catch (thrown) {
  if (!(thrown instanceof TurnbackError)) throw thrown;
  process.stdout.write(JSON.stringify({ refused: thrown.code }));
} finally {
  arm(null);
  await thread.close();
}
