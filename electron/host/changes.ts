import path from 'node:path';
import type { FileDiff, FileSide, PatchSecret, Range, SecretChoice } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { FileChange } from '../../shared/model.ts';
import type { Plan, PlanFile } from '../../shared/plan.ts';
import type { TreePath } from '../../shared/tree-path.ts';
import { captureWorkspace } from '../snapshots/capture.ts';
import { changesOf } from '../snapshots/diff.ts';
import { diskState, readDisk } from '../snapshots/disk.ts';
import type { ObjectReader } from '../snapshots/objects.ts';
import { patchOf } from '../snapshots/patch.ts';
import { sideOf } from '../snapshots/side.ts';
import type { SnapshotStore } from '../snapshots/store.ts';
import { predictedFile } from '../travel/predict.ts';
import { previewTravel } from '../travel/travel.ts';
import type { TravelContext } from '../travel/travel-context.ts';
import { leftOutWith, secretsInPatch } from './patch-secrets.ts';
import { type LogRange, type Sides, sidesOf } from './range.ts';
import type { Via } from './via.ts';

/** A file that holds more is shown by its size and head only, whatever is asked. */
const MOST_BYTES = 64 * 1024 * 1024;

export interface Patch {
  bytes: Buffer;
  /** A file name to offer. */
  name: string;
  files: number;
  /** Files in which secrets show, or that go with such a one; what is not included stayed out. */
  secrets: PatchSecret[];
}

/** Store and reader of the thread's snapshots; throws why there are none. */
export function snapshotsOf(context: TravelContext): { store: SnapshotStore; objects: ObjectReader } {
  const { store, objects, storeReason, reader } = context.thread;
  if (store && objects) return { store, objects };
  if (storeReason !== null && reader.elsewhere?.()) throw TurnbackError.of(storeReason);
  throw new TurnbackError('NO_STORE', { path: 'of this thread', cause: (storeReason?.message ?? '').replace(/\.$/, '') });
}

/** What the functions here work with; `via`: the thread's files are on another side. */
export interface ChangesContext extends TravelContext {
  via?: Via | null;
}

/** The tree of the files on disk, ignored ones left out; made in our own store, the workspace is only read. */
export async function treeOnDisk(context: ChangesContext, signal?: AbortSignal): Promise<string> {
  const { store } = snapshotsOf(context);
  if (context.via) return context.via.treeNow({ recent: true, signal });
  const root = workspaceOf(context);
  return captureWorkspace(store, { root, indexFile: path.join(store.gitDir, 'workspace-index'), ...(signal && { signal }) });
}

/** The workspace folder; throws NO_WORKSPACE or UNKNOWN_WORKSPACE. */
export function workspaceOf(context: TravelContext): string {
  const { root, rootReason } = context.thread;
  if (root !== null) return root;
  throw rootReason?.code === 'NO_WORKSPACE'
    ? new TurnbackError('NO_WORKSPACE', { path: context.thread.head.root ?? '' })
    : new TurnbackError('UNKNOWN_WORKSPACE');
}

/** The sides of a range, after every step was asked what it changed; null when the range has no snapshots. */
export async function sidesOfRange(context: TravelContext, range: LogRange, signal?: AbortSignal): Promise<Sides | null> {
  await context.thread.fill(signal);
  const sides = sidesOf(context.thread.thread(), range);
  if (sides !== null || range.kind !== 'stops') return sides;
  // Two stops of a thread without snapshots: nothing is known of the files, which is not the same as no difference.
  snapshotsOf(context);
  throw new TurnbackError('NO_SNAPSHOTS');
}

/** The changed files of a range with counts. Throws why a plan that has none is refused. */
export async function filesOfRange(context: ChangesContext, range: Range, signal?: AbortSignal): Promise<FileChange[]> {
  if (range.kind === 'plan') {
    const plan = await previewTravel(context, { kind: 'revert', stop: range.stop, entry: null, scope: 'files' }, signal);
    return changesOfPlan(plan);
  }
  const sides = await sidesOfRange(context, range, signal);
  if (sides === null) return [];
  const to = sides.to ?? (await treeOnDisk(context, signal));
  const own = range.kind !== 'stops' && sides.steps.length === 1 && sides.to !== null;
  const only = own ? sides.steps[0]?.files : null;
  if (only) return only;
  const [files] = await changesOf(snapshotsOf(context).store, [{ from: sides.from, to, only: sides.only }], signal);
  if (Array.isArray(files)) return files;
  throw files === undefined ? new TurnbackError('TREE_MISSING', { tree: sides.from }) : TurnbackError.of(files);
}

/** A plan's files as changes of what stands there now. One that is refused and has none throws why: it is not one that changes no file. */
export function changesOfPlan(plan: Plan): FileChange[] {
  if (plan.files.length === 0 && plan.refusal !== null) throw TurnbackError.of(plan.refusal);
  return plan.files.map(changeOfPlan);
}

function changeOfPlan(file: PlanFile): FileChange {
  const change = file.verb === 'delete' ? 'deleted' : file.verb === 'recreate' ? 'created' : 'modified';
  return { path: file.path, change, added: file.added, removed: file.removed, binary: file.binary };
}

/** Both sides of one file of a range, as text where it is text. */
export async function fileDiffOf(
  context: ChangesContext,
  range: Range,
  file: TreePath,
  anyway: boolean,
  signal?: AbortSignal,
): Promise<FileDiff> {
  if (range.kind === 'plan') {
    const predicted = await predictedFile(context, range.stop, file);
    return diffOf(file, await diskSide(context, file, anyway), predicted && sideOf({ mode: predicted.mode }, predicted.bytes, { anyway }));
  }
  const sides = await sidesOfRange(context, range, signal);
  if (sides === null) return diffOf(file, null, null);
  const { objects } = snapshotsOf(context);
  const before = await treeSide(objects, sides.from, file, anyway);
  const end = sides.to ?? (context.via ? await treeOnDisk(context, signal) : null);
  const after = end === null ? await diskSide(context, file, anyway) : await treeSide(objects, end, file, anyway);
  return diffOf(file, before, after);
}

/** Two sides of a file, with what only differs in line ends marked. */
export function diffOf(file: TreePath, before: FileSide | null, after: FileSide | null): FileDiff {
  const [a, b] = [before?.text ?? null, after?.text ?? null];
  const eolOnly = a !== null && b !== null && a !== b && a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');
  return { path: file, before, after, eolOnly };
}

/** What a tree holds at the path, as text where it is text; null where it holds nothing. */
export async function treeSide(objects: ObjectReader, tree: string, file: TreePath, anyway: boolean): Promise<FileSide | null> {
  const entry = await objects.entry(tree, file);
  if (entry === null) return null;
  if (entry.mode === '160000') return sideOf(entry, Buffer.from(`Subproject commit ${entry.oid}\n`), { anyway });
  return sideOf(entry, await objects.blob(entry.oid, MOST_BYTES), { anyway });
}

/** What stands on disk at the path, as text where it is text; null where there is no file. */
export async function diskSide(context: TravelContext, file: TreePath, anyway: boolean): Promise<FileSide | null> {
  const root = workspaceOf(context);
  const state = await diskState(root, file);
  if (state.kind !== 'file' && state.kind !== 'link') return null;
  const bytes = await readDisk(root, file, MOST_BYTES);
  if (bytes === null) return null;
  const mode = state.kind === 'link' ? '120000' : state.mode & 0o111 ? '100755' : '100644';
  return sideOf({ mode }, bytes, { anyway });
}

/** A file's name as the end of another file's name: no folders, no sign that a shell or a file system minds. */
const nameIn = (file: TreePath): string => `-${(file.split('/').at(-1) ?? '').replace(/[^A-Za-z0-9._-]+/g, '_').slice(-60)}`;

/** Contents larger than this are not looked through for secrets when they are binary. */
const MOST_LOOKED = 32 * 1024 * 1024;

/**
 * The range as a patch that `git apply` takes, byte for byte what git writes; with `file`, of that file alone. Files in which secrets show
 * stay out unless `choice` lets them in; the rest still applies. Refused when a step was not captured or nothing changed.
 */
export async function patchOfRange(
  context: ChangesContext,
  range: Range,
  file: TreePath | null,
  choice: SecretChoice = { all: false, include: [] },
  signal?: AbortSignal,
): Promise<Patch> {
  if (range.kind === 'plan') throw new TurnbackError('NOT_SUPPORTED', { what: 'A patch of a preview' });
  const files = (await filesOfRange(context, range, signal)).filter((one) => file === null || one.path === file);
  const sides = await sidesOfRange(context, range, signal);
  if (sides === null || files.length === 0) throw new TurnbackError('NO_FILES_IN_PATCH');
  const { store, objects } = snapshotsOf(context);
  const to = sides.to ?? (await treeOnDisk(context, signal));
  const make = async (paths: TreePath[] | null): Promise<Buffer> => {
    const parts: Buffer[] = [];
    // Objects are not written there by a path of this machine.
    const [end, only] = context.via && paths !== null ? [await context.via.mixed(sides.from, to, paths), null] : [to, paths];
    for await (const part of patchOf(store, { from: sides.from, to: end, only, ...(signal && { signal }) })) parts.push(part);
    return Buffer.concat(parts);
  };
  const all = files.map((one) => one.path);
  const whole = await make(sides.only === null && file === null ? null : all);
  const name = `turnback-${sides.name}${file === null ? '' : nameIn(file)}.patch`;
  const found = await secretsInPatch(whole, (path) => sidesOfBinary(objects, [sides.from, to], path));
  const out = choice.all ? [] : found.filter(({ path }) => !choice.include.includes(path)).map(({ path }) => path);
  if (out.length === 0) return { bytes: whole, name, files: files.length, secrets: found.map((one) => ({ ...one, included: true })) };
  const more = leftOutWith(out, all);
  const left = new Set([...out, ...more.map(({ path }) => path)]);
  const rest = all.filter((path) => !left.has(path));
  const bytes = rest.length === 0 ? Buffer.alloc(0) : await make(rest);
  return { bytes, name, files: rest.length, secrets: [...found, ...more].map((one) => ({ ...one, included: !left.has(one.path) })) };
}

async function sidesOfBinary(objects: ObjectReader, trees: readonly string[], path: TreePath): Promise<Buffer[]> {
  const sides: Buffer[] = [];
  for (const tree of trees) {
    const entry = await objects.entry(tree, path);
    const info = entry === null || entry.mode === '160000' ? null : await objects.info(entry.oid);
    if (entry !== null && info !== null && info.size <= MOST_LOOKED) sides.push(await objects.blob(entry.oid, MOST_LOOKED));
  }
  return sides;
}
