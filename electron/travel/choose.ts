import { TurnbackError } from '../../shared/errors.ts';
import type { Choice, DriftPolicy } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import type { Content } from './content.ts';
import type { DraftFile } from './draft.ts';
import { type Group, groupsThatStay, type Move } from './folder-groups.ts';

/** What one path ends as. */
export interface Picked {
  file: DraftFile;
  choice: Choice;
  why: string | null;
}

type Chosen = Pick<Picked, 'file' | 'choice'>;
type FilesIn = (folder: TreePath) => Promise<TreePath[]>;

/** What a choice puts at the path. */
export function contentFor(file: DraftFile, choice: Choice): Content {
  if (choice === 'keep') return file.disk;
  return choice === 'merge' && file.merged !== null ? file.merged : file.target;
}

function groupsUnder(chosen: readonly Chosen[], filesIn: FilesIn): Promise<Group[]> {
  const moves = chosen.flatMap(({ file, choice }): Move[] => {
    if (choice === 'keep') return file.disk.kind === 'absent' ? [] : [{ path: file.path, act: 'stay', folderThere: false }];
    const act = contentFor(file, choice).kind === 'absent' ? 'delete' : 'write';
    return [{ path: file.path, act, folderThere: file.state.kind === 'folder' }];
  });
  return groupsThatStay(moves, filesIn);
}

/** One sentence for a group of paths that stay because a file and a folder want one place. */
function groupReason({ at, blocker }: Group, planned: ReadonlySet<TreePath>): string {
  if (at === blocker) return `A file stands at ${showTreePath(at)}, where a folder is needed, so neither is touched.`;
  const what = planned.has(blocker) ? 'a file that stays' : 'a file of yours';
  return `The folder ${showTreePath(at)} holds ${what} (${showTreePath(blocker)}), so no file can take its place.`;
}

/** The strongest thing that may be chosen: one change of a file has no whole state to overwrite with, so there it is the merge. */
const strongest = ({ choices }: DraftFile): Choice =>
  choices.find((choice) => choice === 'write' || choice === 'overwrite') ?? choices.find((choice) => choice === 'merge') ?? 'keep';

/** What may be chosen for a path that no longer counts as undrifted. */
export const asDrifted = (choices: readonly Choice[]): Choice[] => (choices.includes('write') ? ['keep', 'overwrite'] : [...choices]);

/** Marks paths that a file and a folder both want: for good where nothing can be chosen that would help, else preselected to stay. */
export async function settleGroups(files: readonly DraftFile[], filesIn: FilesIn): Promise<void> {
  const planned = new Map(files.map((file) => [file.path, file] as const));
  const paths = new Set(planned.keys());
  const stay = (groups: readonly Group[], choices: Choice[] | null): void => {
    for (const group of groups) {
      const why = groupReason(group, paths);
      for (const path of group.paths) {
        const file = planned.get(path);
        if (file) Object.assign(file, { drift: true, choice: 'keep', why, choices: choices ?? asDrifted(file.choices) });
      }
    }
  };
  stay(
    await groupsUnder(
      files.map((file) => ({ file, choice: strongest(file) })),
      filesIn,
    ),
    ['keep'],
  );
  stay(
    await groupsUnder(
      files.map((file) => ({ file, choice: file.choice })),
      filesIn,
    ),
    null,
  );
}

function choiceFor(file: DraftFile, policy: DriftPolicy, choices: Readonly<Record<string, Choice>>): Choice {
  const asked = Object.hasOwn(choices, file.path) ? choices[file.path] : undefined;
  if (asked !== undefined) {
    // "Write" and "overwrite" mean the same to whoever chooses: the exact state.
    const meant =
      asked === 'write' && file.drift ? 'overwrite' : asked === 'overwrite' && !file.choices.includes('overwrite') ? 'write' : asked;
    if (!file.choices.includes(meant)) {
      throw new TurnbackError('CHOICE_IMPOSSIBLE', { path: showTreePath(file.path), choice: asked === 'merge' ? 'merged' : 'written' });
    }
    return meant;
  }
  if (!file.drift || policy === 'merge' || policy === 'fail') return file.choice;
  if (policy === 'keep') return 'keep';
  return strongest(file);
}

/**
 * What every path ends as under a policy and single choices, which outrank it. Groups of files and folders stay whole. Throws
 * DRIFTED for policy `fail`, CHOICE_IMPOSSIBLE for a choice that the preview did not offer.
 */
export async function pick(
  files: readonly DraftFile[],
  options: { drift: DriftPolicy; choices: Readonly<Record<string, Choice>> },
  filesIn: FilesIn,
): Promise<Picked[]> {
  if (options.drift === 'fail') {
    const drifted = files.filter((file) => file.drift && !Object.hasOwn(options.choices, file.path));
    if (drifted.length > 0) {
      const names = drifted.slice(0, 3).map((file) => showTreePath(file.path));
      throw new TurnbackError('DRIFTED', { count: drifted.length, paths: names.join(', ') + (drifted.length > 3 ? ', …' : '') });
    }
  }
  const chosen = files.map((file): Chosen => ({ file, choice: choiceFor(file, options.drift, options.choices) }));
  const groups = await groupsUnder(chosen, filesIn);
  const paths = new Set(files.map((file) => file.path));
  const forced = new Map(groups.flatMap((group) => group.paths.map((path) => [path, groupReason(group, paths)] as const)));
  return chosen.map(({ file, choice }) => {
    const stays = forced.get(file.path);
    if (stays !== undefined) return { file, choice: 'keep', why: stays };
    return { file, choice, why: file.why };
  });
}
