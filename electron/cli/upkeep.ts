import { TurnbackError } from '../../shared/errors.ts';
import { withoutPaths } from '../host/forgetting.ts';
import { EXIT, type Exit, type Session } from './session.ts';

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;
const count = (number: number, word: string, plural = `${word}s`): string => `${number} ${number === 1 ? word : plural}`;
const WHY = { days: 'older than the limit', entries: 'more than the limit in its workspace', bytes: 'over the size limit' } as const;

/** `turnback clean [--dry-run]`: lets go of the safety snapshots that are over the limits of the settings. */
export async function clean(session: Session): Promise<Exit> {
  const { upkeep, args, print } = session;
  const { use, goes, needed, problems } = await upkeep.preview();
  print(`${count(use.entries, 'safety snapshot')} in ${count(use.workspaces, 'workspace')}, ${megabytes(use.bytes)}; ${needed} needed\n`);
  for (const one of goes) {
    print(
      `  ${new Date(one.at).toISOString()}  ${one.kind} to ${one.target}, ${count(one.files, 'file')}: ${WHY[one.why]} (${one.thread})\n`,
    );
  }
  for (const { thread, message } of problems) session.say(`${thread}: ${message}`);
  if (args.dryRun) {
    session.json({ use, goes, needed, problems, cleaned: null });
    print(
      goes.length === 0
        ? 'Nothing is over the limits.\n'
        : `${count(goes.length, 'snapshot')} would go. Nothing was removed (--dry-run).\n`,
    );
    return EXIT.done;
  }
  const cleaned = await upkeep.clean();
  session.json({ use, goes, needed, problems, cleaned });
  print(`${count(cleaned.dropped, 'snapshot')} cleaned up, ${megabytes(cleaned.freed)} freed, ${megabytes(cleaned.bytes)} kept.\n`);
  if (cleaned.waiting > 0) session.say(`${count(cleaned.waiting, 'workspace')} left for later: a travel is under way there.`);
  return cleaned.waiting > 0 ? EXIT.skipped : EXIT.done;
}

async function idOf({ desk, args }: Session): Promise<string> {
  const word = args.words[0] ?? '';
  try {
    return (await desk.open(word, { root: args.root, data: args.data })).head.id;
  } catch (thrown) {
    // A thread whose log is gone can be forgotten by its id.
    if (thrown instanceof TurnbackError) return word;
    throw thrown;
  }
}

/** `turnback forget THREAD [--yes] [--even-standing]`: what we keep of a thread; with `--yes` all of it goes. */
export async function forget(session: Session): Promise<Exit> {
  const { desk, args, print, settings } = session;
  const id = await idOf(session);
  const plan = await desk.forgetPreview(id);
  if (args.yes) {
    const gone = await desk.forget(id, args.evenStanding);
    const { recent } = await settings.get();
    const left = withoutPaths(recent, gone);
    if (left.length < recent.length) await settings.set({ recent: left });
  }
  session.json({ thread: id, ...plan, removed: args.yes });
  const what = `${count(plan.entries, 'travel')} of the history, ${plan.undoable} of which could still be undone, and ${megabytes(plan.bytes)} of safety snapshots`;
  if (args.yes) print(`Forgot ${id}: ${what}. Log, workspace and snapshots of the agent stay as they are.\n`);
  else {
    print(`Turnback keeps of ${id}: ${what}. Nothing was removed; --yes removes it, and those travels can never be undone after that.\n`);
    if (plan.standing) print('A revert of this thread stands: it stays for good then. --even-standing says that this is meant.\n');
    if (plan.refusal) print(`Not possible now: ${plan.refusal.message}\n`);
  }
  return EXIT.done;
}
