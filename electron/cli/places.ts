import path from 'node:path';
import { TurnbackError } from '../../shared/errors.ts';
import { healthOf } from '../host/health.ts';
import { makeSample } from '../recorder/sample.ts';
import { countOf } from './count-words.ts';
import { PENDING_WORDS } from './look.ts';
import { EXIT, type Exit, openNamed, type Session } from './session.ts';

/** `turnback sample DIR` */
export async function sample(session: Session): Promise<Exit> {
  const folder = path.resolve(session.args.words[0] ?? '');
  const made = await makeSample(folder);
  // Opening it once makes its id known, so that the next command can name it.
  const { head } = await session.desk.open(made.log);
  session.json({ thread: head.id, root: made.root, data: made.data, log: made.log });
  session.print(`A sample workspace and its recorded thread are in ${folder}.\nLook at it: turnback ${made.log}\nIts id is ${head.id}.\n`);
  return EXIT.done;
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

/** `turnback doctor THREAD`: exit 1 when something is off. */
export async function doctor(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const health = await healthOf(await session.desk.open(id), await session.desk.forgetPreview(id));
  const stale = view.notices.find((notice) => notice.code === 'STALE_PENDING');
  if (stale) health.problems.push(stale);
  const pending = view.standing?.pending ? { stop: view.standing.stop, messages: view.standing.hidden } : null;
  session.json({ thread: id, ...health, ...(pending && { pending }) });
  if (pending) session.print(`${PENDING_WORDS}\n`);
  session.print('version' in health.git ? `git ${health.git.version}\n` : `git: ${health.git.message}\n`);
  session.print(`log ${health.log.path}${health.log.unreadable > 0 ? `, ${health.log.unreadable} records unreadable` : ''}\n`);
  session.print(`workspace ${health.root ?? '(not found)'}\n`);
  for (const folder of health.folders) {
    const garbage = folder.garbage > 0 ? `, ${folder.garbage} files that are no objects` : '';
    session.print(`snapshots ${folder.path}: ${folder.loose} loose objects, ${folder.packs} packs${garbage}, ${megabytes(folder.bytes)}\n`);
  }
  session.print(
    `trees: ${health.trees.named} named, ${health.trees.missing.length} missing (${health.trees.expired} expired), ${health.trees.unreachable.length} out of reach, ${health.trees.broken.length} damaged; steps not captured: ${health.stepsNotCaptured}\n`,
  );
  const { own } = health;
  session.print(
    `Turnback keeps of it: ${countOf(own.entries, 'travel')} (${own.undoable} can be undone), ${megabytes(own.bytes)} of safety snapshots, ${megabytes(own.read)} of what was read\n`,
  );
  for (const remark of health.remarks) session.print(`${remark.message}\n`);
  for (const problem of health.problems) session.print(`! ${problem.message}\n`);
  if (health.problems.length === 0) session.print('All is well.\n');
  return health.problems.length === 0 ? EXIT.done : EXIT.refused;
}

/** `turnback serve` and `turnback [PATH]` show a window; they have no JSON. */
export function noJson(session: Session): void {
  if (session.args.json) throw new TurnbackError('USAGE', { what: `turnback ${session.args.command} opens the viewer; it has no --json.` });
}
