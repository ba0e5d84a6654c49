import { TurnbackError } from '../../shared/errors.ts';
import type { Interrupted } from '../../shared/plan.ts';
import { EXIT, type Exit, leavesOut, type Session } from './session.ts';
import { printResult } from './travels.ts';

function howOf({ args }: Session): 'finish' | 'roll-back' | null {
  if (args.finish && args.rollBack)
    throw new TurnbackError('USAGE', { what: '--finish and --roll-back say opposite things. Leave one of them out.' });
  return args.finish ? 'finish' : args.rollBack ? 'roll-back' : null;
}

function list(session: Session, travels: readonly Interrupted[]): Exit {
  session.json({ travels });
  for (const { entry, kind, at, files, root, thread } of travels) {
    session.print(
      `${entry}  ${new Date(at).toISOString()}  ${kind}, ${files} file${files === 1 ? '' : 's'} in ${root || '(no workspace)'}  ${thread}\n`,
    );
  }
  if (travels.length === 0) session.say('No travel was interrupted.');
  else session.say('End one of them: turnback recover ENTRY --finish, or --roll-back to how everything was before it.');
  return EXIT.done;
}

/** `turnback recover [ENTRY] [--finish|--roll-back]`: lists the travels that a crash interrupted, or ends one. Without ENTRY, the only one. */
export async function recover(session: Session): Promise<Exit> {
  const { desk, args } = session;
  const how = howOf(session);
  const [named] = args.words;
  if (how === null && named !== undefined) throw new TurnbackError('USAGE', { what: 'Say how the travel ends: --finish or --roll-back.' });
  const travels = await desk.interrupted();
  if (how === null) return list(session, travels);
  const [first, second] = travels;
  if (named === undefined && second !== undefined) {
    throw new TurnbackError('USAGE', {
      what: `${travels.length} travels were interrupted. Name one: ${travels.map(({ entry }) => entry).join(', ')}.`,
    });
  }
  const result = await desk.recover(named ?? first?.entry ?? '', how);
  session.json(result);
  printResult(session, result);
  return leavesOut(result) ? EXIT.skipped : EXIT.done;
}
