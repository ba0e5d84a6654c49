import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Range, ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { stepsBetween } from '../threads/tree-at-stop.ts';
import { fileLine } from './look.ts';
import { EXIT, type Exit, openNamed, type Session, stepNamed, stopNamed } from './session.ts';

const isStop = (word: string): boolean => /^stop:\d+$/.test(word);

/** The range that one or two words name: steps, or two stops (the second one `now` where it is left out). */
function rangeNamed(view: ThreadView, word: string, to: string | null): Range {
  if (isStop(word)) return { kind: 'stops', from: stopNamed(view, word), to: to === null || to === 'now' ? null : stopNamed(view, to) };
  const step = stepNamed(view, word).id;
  if (to === null) return { kind: 'step', step };
  return to === 'now' ? { kind: 'since', step } : { kind: 'between', from: step, to: stepNamed(view, to).id };
}

/** What the snapshots do not show of the steps between two stops, for people. */
function sayMissing({ say }: Session, view: ThreadView, range: Range): void {
  if (range.kind !== 'stops') return;
  for (const step of stepsBetween(view, range.from, range.to)) {
    if (step.captured !== null && step.captured !== true) say(`Step ${step.index} was not captured: ${step.captured.message}`);
  }
}

/** `turnback diff THREAD STEP|stop:K [--to STEP|stop:K|now]` */
export async function diff(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const range = rangeNamed(view, session.args.words[1] ?? '', session.args.to);
  sayMissing(session, view, range);
  const files = await session.desk.filesOf(id, range);
  const patch = files.length === 0 ? Buffer.alloc(0) : (await session.desk.patch(id, range)).bytes;
  session.json({ files, patch: patch.toString('utf8') });
  for (const file of files) session.print(`${fileLine(file)}\n`);
  if (files.length === 0) session.say('Nothing differs.');
  else session.print(Buffer.concat([Buffer.from('\n'), patch]));
  return EXIT.done;
}

function stepsNamed(view: ThreadView, first: string, last: string | undefined): Range {
  const from = stepNamed(view, first).id;
  return last === undefined ? { kind: 'step', step: from } : { kind: 'steps', from, to: stepNamed(view, last).id };
}

/** `turnback patch THREAD STEP[..STEP]|stop:K[..stop:K] [-o F]` */
export async function patch(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const word = session.args.words[1] ?? '';
  const exact = view.steps.find((step) => step.id === word);
  const [first, last] = exact ? [word] : word.split('..');
  if (!first || last === '') throw new TurnbackError('USAGE', { what: `${word} is not STEP or STEP..STEP.` });
  const range = isStop(first) ? rangeNamed(view, first, last ?? null) : stepsNamed(view, first, last);
  sayMissing(session, view, range);
  const made = await session.desk.patch(id, range);
  const { output } = session.args;
  if (output !== null) {
    const target = path.resolve(output);
    try {
      await writeFile(target, made.bytes);
    } catch (thrown) {
      throw new TurnbackError('WRITE_FAILED', { path: target, cause: thrown instanceof Error ? thrown.message : String(thrown) });
    }
    session.say(`${made.files} files in ${target}`);
  } else session.print(made.bytes);
  session.json({ path: output === null ? null : path.resolve(output), files: made.files, patch: made.bytes.toString('utf8') });
  return EXIT.done;
}
