import path from 'node:path';
import type { Range, SecretChoice, ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import type { Patch } from '../host/changes.ts';
import { saveFile } from '../host/save-file.ts';
import { readRegular } from '../snapshots/regular-file.ts';
import { stepsBetween } from '../threads/tree-at-stop.ts';
import { countOf } from './count-words.ts';
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

const choiceOf = ({ args }: Session): SecretChoice => ({ all: args.withSecrets, include: args.include });

const leftOut = (made: Patch | null): { path: string; kinds: string[] }[] =>
  (made?.secrets ?? []).filter(({ included }) => !included).map(({ path: name, kinds }) => ({ path: name, kinds }));

/** Which files stayed out of a patch because secrets show in them, and which left with them, for people. */
function sayLeftOut({ say, args }: Session, made: Patch): void {
  for (const { path: name, kinds, included } of made.secrets)
    if (!args.withSecrets || !included) say(`${included ? 'With secrets' : 'Left out'}: ${showTreePath(name)} (${kinds.join(', ')})`);
  if (made.secrets.some(({ included }) => !included)) say('--include PATH lets one of them in, --with-secrets all.');
}

/** `turnback diff THREAD STEP|stop:K [--to STEP|stop:K|now]` */
export async function diff(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const range = rangeNamed(view, session.args.words[1] ?? '', session.args.to);
  sayMissing(session, view, range);
  const files = await session.desk.filesOf(id, range);
  const made = files.length === 0 ? null : await session.desk.patch(id, range, null, choiceOf(session));
  const patch = made?.bytes ?? Buffer.alloc(0);
  if (made !== null) sayLeftOut(session, made);
  session.json({ files, patch: patch.toString('utf8'), leftOut: leftOut(made) });
  for (const file of files) session.print(`${fileLine(file)}\n`);
  if (files.length === 0) session.say('Nothing differs.');
  else session.print(Buffer.concat([Buffer.from('\n'), patch]));
  return EXIT.done;
}

function stepsNamed(view: ThreadView, first: string, last: string | undefined): Range {
  const from = stepNamed(view, first).id;
  return last === undefined ? { kind: 'step', step: from } : { kind: 'steps', from, to: stepNamed(view, last).id };
}

/** A patch of an earlier time, or an empty file that a script made for it, may be written over; nothing else of the user's may. */
async function mayReplace(target: string): Promise<boolean> {
  const bytes = await readRegular(target).catch(() => null);
  return bytes !== null && (bytes.length === 0 || bytes.subarray(0, 11).toString('latin1') === 'diff --git ');
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
  const made = await session.desk.patch(id, range, null, choiceOf(session));
  sayLeftOut(session, made);
  if (made.files === 0) throw new TurnbackError('PATCH_ALL_SECRET');
  const { output } = session.args;
  if (output !== null) {
    const target = path.resolve(output);
    await saveFile({ path: target, replace: await mayReplace(target) }, made.bytes);
    session.say(`${countOf(made.files, 'file')} in ${target}`);
  } else session.print(made.bytes);
  session.json({
    path: output === null ? null : path.resolve(output),
    files: made.files,
    patch: made.bytes.toString('utf8'),
    leftOut: leftOut(made),
  });
  return EXIT.done;
}
