import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Range } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { fileLine } from './look.ts';
import { EXIT, type Exit, openNamed, type Session, stepNamed } from './session.ts';

/** `turnback diff THREAD STEP [--to STEP|now]` */
export async function diff(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const step = stepNamed(view, session.args.words[1] ?? '').id;
  const { to } = session.args;
  const range: Range =
    to === null
      ? { kind: 'step', step }
      : to === 'now'
        ? { kind: 'since', step }
        : { kind: 'between', from: step, to: stepNamed(view, to).id };
  const files = await session.desk.filesOf(id, range);
  const patch = files.length === 0 ? Buffer.alloc(0) : (await session.desk.patch(id, range)).bytes;
  session.json({ files, patch: patch.toString('utf8') });
  for (const file of files) session.print(`${fileLine(file)}\n`);
  if (files.length === 0) session.say('Nothing differs.');
  else session.print(Buffer.concat([Buffer.from('\n'), patch]));
  return EXIT.done;
}

/** `turnback patch THREAD STEP[..STEP] [-o F]` */
export async function patch(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  const word = session.args.words[1] ?? '';
  const exact = view.steps.find((step) => step.id === word);
  const [first, last] = exact ? [word] : word.split('..');
  if (!first || last === '') throw new TurnbackError('USAGE', { what: `${word} is not STEP or STEP..STEP.` });
  const from = stepNamed(view, first).id;
  const range: Range = last === undefined ? { kind: 'step', step: from } : { kind: 'steps', from, to: stepNamed(view, last).id };
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
