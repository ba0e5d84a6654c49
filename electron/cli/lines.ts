import type { LineRun, ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { LinesAt } from '../host/lines.ts';
import { EXIT, type Exit, openNamed, type Session, stepNamed, stopNamed } from './session.ts';

/** Who wrote a run of lines, in a few signs. */
function label(view: ThreadView, { who, step, turn }: LineRun): string {
  const number = view.steps.find((one) => one.id === step)?.index;
  if (who === 'step') return turn === null ? `step ${number}` : `step ${number}, turn ${turn}`;
  if (who === 'you') return 'outside the thread';
  if (who === 'before') return 'before the thread';
  return number === undefined ? 'not known' : `not known (step ${number})`;
}

function atOf(view: ThreadView, word: string | null): LinesAt {
  if (word === null || word === 'now') return null;
  return /^stop:/.test(word) ? stopNamed(view, word) : stepNamed(view, word).id;
}

/** `turnback lines THREAD PATH [--at stop:K|STEP|now]` */
export async function lines(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const file = (session.args.words[1] ?? '').replace(/^\.\//, '');
  if (file === '') throw new TurnbackError('USAGE', { what: 'turnback lines needs a path below the workspace.' });
  const { text, runs } = await session.desk.lines(id, file, atOf(view, session.args.at));
  session.json({ path: file, lines: text.length, runs });
  const labels = runs.map((run) => label(view, run));
  const [wide, digits] = [Math.max(0, ...labels.map((one) => one.length)), String(text.length).length];
  for (const [at, run] of runs.entries()) {
    for (let line = run.from; line < run.from + run.count; line++)
      session.print(`${(labels[at] ?? '').padEnd(wide)}  ${String(line).padStart(digits)}  ${text[line - 1] ?? ''}\n`);
  }
  return EXIT.done;
}
