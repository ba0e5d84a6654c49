import { createTwoFilesPatch } from 'diff';
import type { FileDiff } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';
import type { Hunk, Piece, Plan } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { EXIT, type Exit, openNamed, type Session, stepNamed } from './session.ts';
import { planJson, printPlan, travel } from './travels.ts';

/** The side that `--to` names; without it only what the step changed goes. */
function sideOf({ args }: Session): Piece['side'] {
  if (args.to === null) return 'out';
  if (args.to !== 'before' && args.to !== 'after')
    throw new TurnbackError('USAGE', { what: `--to takes before or after here, not ${args.to}.` });
  if (args.hunk !== null)
    throw new TurnbackError('USAGE', { what: '--hunk takes out one change; --to is for the whole file. Leave one of them out.' });
  return args.to;
}

/** The path of the step that the word means: as it is, or as it is shown where it has odd bytes. */
function pathNamed(step: Step, word: string): TreePath {
  const paths = [...(step.files ?? []).map(({ path }) => path), ...(step.listed ?? [])];
  return paths.find((path) => path === word) ?? paths.find((path) => showTreePath(path) === word) ?? word;
}

const linesWords = ({ before, after }: Hunk): string => `-${before.start},${before.lines} +${after.start},${after.lines}`;

/** The diff of one file of a plan, for people; nothing where it is no text. */
function textDiff({ path, before, after }: FileDiff): string {
  const [now, then] = [before?.text ?? '', after?.text ?? ''];
  if ([before, after].some((side) => side !== null && side.text === null) || now === then) return '';
  const name = showTreePath(path);
  return (
    createTwoFilesPatch(before === null ? '/dev/null' : name, after === null ? '/dev/null' : name, now, then, 'now', 'then', {
      timeout: 2000,
    }) ?? ''
  );
}

async function dryRun(session: Session, id: string, piece: Piece, hunks: readonly Hunk[]): Promise<Exit> {
  const { desk, args } = session;
  const request = { kind: 'partial', stop: null, entry: null, scope: 'files', piece } as const;
  const plan: Plan = await desk.preview(id, request);
  session.json({
    ...planJson(plan),
    piece: { ...piece, hunk: args.hunk },
    hunks: hunks.map(({ number, before, after }) => ({ number, before, after })),
  });
  printPlan(session, plan);
  if (hunks.length > 0)
    session.print(`Changes of this step in the file: ${hunks.map((hunk) => `${hunk.number} (${linesWords(hunk)})`).join(', ')}\n`);
  for (const { path, choice } of plan.refusal === null ? plan.files : []) {
    session.print(textDiff(await desk.travelFile(id, request, { path, choice, anyway: true })));
  }
  return plan.refusal ? EXIT.refused : EXIT.done;
}

/** `turnback bring-back THREAD STEP PATH [--hunk N] [--to before|after] [--drift …] [--dry-run]` */
export async function bringBack(session: Session): Promise<Exit> {
  const { args, desk } = session;
  const side = sideOf(session);
  const { id, view } = await openNamed(session);
  const step = stepNamed(view, args.words[1] ?? '');
  const path = pathNamed(step, args.words[2] ?? '');
  let hunk: string | null = null;
  let hunks: Hunk[] = [];
  if (args.hunk !== null || args.dryRun) {
    const found = await desk.hunks(id, step.id, path);
    ({ hunks } = found);
    const one = hunks.find(({ number }) => number === args.hunk);
    if (args.hunk !== null && one === undefined) {
      throw found.why === null
        ? new TurnbackError('HUNK_UNKNOWN', { step: step.index, path: showTreePath(path) })
        : TurnbackError.of(found.why);
    }
    hunk = one?.id ?? null;
  }
  const piece: Piece = { step: step.id, path, hunk, side };
  return args.dryRun ? dryRun(session, id, piece, hunks) : travel(session, 'partial', { piece });
}
