import { isRefusal, type Reason, reason, TurnbackError } from '../../shared/errors.ts';
import { safePath } from '../../shared/safe-path.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { readDisk } from '../snapshots/disk.ts';
import { objectId } from '../snapshots/object-id.ts';
import type { RecallChange, Recaller, RecallList } from '../threads/source.ts';
import type { Bench } from './bench.ts';
import type { Chain } from './chains.ts';
import { settleGroups } from './choose.ts';
import { ABSENT, type Content, contentOfDisk } from './content.ts';
import { type Draft, draftOf } from './draft.ts';
import type { World } from './world.ts';

/** No list has the lines of a larger file. */
const MOST_BYTES = 64 * 1024 * 1024;

/** What stands at a path now. */
interface Standing {
  disk: Content;
  bytes: Buffer | null;
  /** Why nothing could be put there, below a file. */
  blocked?: Reason;
}

/** What the turns did to a path, newest first. `back`: an earlier recall may have taken that change out already. */
interface History {
  now: Standing;
  changes: { back: boolean; change: RecallChange }[];
}

const notRestorable = (path: string, cause: string): Reason => reason('NOT_RESTORABLE', { path, cause: cause.replace(/\.$/, '') });

/** Where the path stands now, or why it cannot be put back from a list of lines. */
async function lookAt(world: World, root: string, path: TreePath): Promise<Standing | Reason> {
  const shown = showTreePath(path);
  if (/^(?:[\\/]|[A-Za-z]:)/.test(path) || path.split('/').includes('..')) return reason('OUTSIDE_WORKSPACE', { path: shown });
  const safe = safePath(path, world.platform);
  if (safe !== true) return notRestorable(shown, safe);
  const state = await world.disk(path);
  if (state.kind === 'absent') return { disk: ABSENT, bytes: null };
  if (state.kind === 'blocked') {
    const blocked = notRestorable(shown, state.why);
    return state.empty ? { disk: ABSENT, bytes: null, blocked } : blocked;
  }
  if (state.kind !== 'file') return notRestorable(shown, `it is ${state.kind === 'other' ? state.what : `a ${state.kind}`} now`);
  if (state.size > MOST_BYTES) return notRestorable(shown, 'it is too large');
  const bytes = await readDisk(root, path, MOST_BYTES);
  const disk = contentOfDisk(state);
  if (bytes === null || disk === null || objectId('blob', bytes, state.oid.length === 64 ? 'sha256' : 'sha1') !== state.oid) {
    throw new TurnbackError('FILE_BUSY', { path: shown });
  }
  return { disk, bytes };
}

/** One refusal that names every path of the same kind; what no list can tell comes before what was changed later. */
function refusalOf(stays: ReadonlyMap<TreePath, Reason>): Reason | null {
  const reasons = [...stays.values()];
  const first = reasons.find((why) => why.code !== 'CONFLICT') ?? reasons[0];
  if (first === undefined) return null;
  const same = reasons.filter((why) => why.code === first.code);
  const tail = first.message.slice(short(first).length);
  return { code: first.code, message: same.map(short).join(' ') + tail };
}

/** A reason without what it means for the whole recall. */
const short = (why: Reason): string => why.message.replace(/ Nothing was restored and nothing was recalled.*$/s, '');

/** The same as words beside the path: "It is binary, so the list has no lines of it." */
function whyOf(why: Reason, path: string): string {
  const words = short(why);
  const cause = / Cause: (.+)$/s.exec(words)?.[1];
  const said = cause ?? (words.startsWith(`${path} `) ? `it${words.slice(path.length)}` : words);
  // A name of a file stays as it is.
  return said.replace(/^(?:its?|the|something) /, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`);
}

/**
 * The files of a recall as they were before its turns: the changes of each list taken out backwards, newest turn first, in memory
 * (formats/dsh.md, recall step 8). All of them or none: one that cannot go back refuses the whole. Only reads.
 */
export async function recallDraft(o: {
  recall: Recaller;
  lists: readonly RecallList[];
  /** Turns whose files an earlier recall may have put back already. */
  mayBeBack: ReadonlySet<number>;
  world: World;
  bench: Bench;
  signal: AbortSignal | undefined;
}): Promise<{ draft: Draft; refusal: Reason | null }> {
  const { recall, lists, mayBeBack, world, bench, signal } = o;
  const histories = new Map<TreePath, History>();
  const stays = new Map<TreePath, Reason>();
  for (const list of lists) {
    if (list.total > list.files.length) {
      const name = `The change list of turn ${list.turn}`;
      stays.set(name, notRestorable(name, `it names ${list.files.length} of ${list.total} files`));
    }
    const back = list.recalled || mayBeBack.has(list.turn);
    for (const [index, { path }] of list.files.entries()) {
      if (signal?.aborted) throw new TurnbackError('CANCELLED');
      if (stays.has(path)) continue;
      const now = histories.get(path)?.now ?? (await lookAt(world, bench.root, path));
      if ('code' in now) {
        stays.set(path, now);
        continue;
      }
      const change = await changeOf(recall, list, index);
      if ('code' in change) {
        if (change.code === 'HOST_UNREACHABLE') return { draft: { files: [], skipped: [], already: [] }, refusal: change };
        stays.set(path, change);
        continue;
      }
      const known = histories.get(path)?.changes ?? [];
      histories.set(path, { now, changes: [...known, { back, change }] });
    }
  }
  const chains = new Map<TreePath, Chain>();
  for (const [path, { now, changes }] of histories) {
    if (stays.has(path)) continue;
    const before = takeOutAll(now.bytes, changes);
    if ('code' in before) stays.set(path, now.blocked ?? before);
    else chains.set(path, chainOf(bench, now.disk, before.content));
  }
  const draft = await draftOf(world, chains, signal);
  await settleGroups(draft.files, world.filesIn);
  for (const { path, why } of draft.skipped) stays.set(path, notRestorable(showTreePath(path), why));
  for (const file of draft.files) {
    if (file.choice !== 'write') stays.set(file.path, notRestorable(showTreePath(file.path), file.why ?? 'something stands in its way'));
    // All or nothing: a file cannot be left out of a recall.
    file.choices = ['write'];
  }
  draft.skipped = [...stays].map(([path, why]) => ({ path, why: whyOf(why, showTreePath(path)) }));
  return { draft, refusal: refusalOf(stays) };
}

/** The host may go away while its lists are read: that is this plan's refusal. */
async function changeOf(recall: Recaller, list: RecallList, index: number): Promise<RecallChange | Reason> {
  try {
    return await recall.change(list, index);
  } catch (thrown) {
    if (isRefusal(thrown, 'HOST_UNREACHABLE')) return thrown.reason;
    throw thrown;
  }
}

/** The content before some turns, or the conflict. */
type Before = { content: Buffer | null } | Reason;

/** Takes every change out, newest first. */
function takeOutAll(now: Buffer | null, changes: History['changes']): Before {
  let content = now;
  for (let at = 0; at < changes.length; ) {
    let end = at + 1;
    while (changes[at]?.back && changes[end]?.back) end += 1;
    const out = changes[at]?.back ? takeOutRun(content, changes.slice(at, end)) : takeOutEach(content, changes.slice(at, end));
    if ('code' in out) return out;
    ({ content } = out);
    at = end;
  }
  return { content };
}

function takeOutEach(now: Buffer | null, changes: History['changes']): Before {
  let content = now;
  for (const { change } of changes) {
    const out = change.takeOut(content);
    if ('code' in out) return out;
    ({ content } = out);
  }
  return { content };
}

/**
 * Neighbouring changes that an earlier recall may have taken out, the newest of them first. So many are passed over as are out for
 * certain: put in again, oldest first, each of them fits. A change that somebody edited later is in no way out, and a conflict.
 */
function takeOutRun(now: Buffer | null, run: History['changes']): Before {
  const whole = takeOutEach(now, run);
  if (!('code' in whole)) return whole;
  for (let passed = 1; passed <= run.length; passed++) {
    const out = areOut(now, run.slice(0, passed)) ? takeOutEach(now, run.slice(passed)) : whole;
    if (!('code' in out)) return out;
  }
  return whole;
}

function areOut(now: Buffer | null, changes: History['changes']): boolean {
  let content = now;
  for (const { change } of [...changes].reverse()) {
    const after = change.putIn(content);
    if ('code' in after) return false;
    ({ content } = after);
  }
  return true;
}

function chainOf({ blobs }: Bench, disk: Content, bytes: Buffer | null): Chain {
  const kept = disk.kind === 'file' ? { executable: disk.executable, mode: disk.mode } : { executable: false, mode: null };
  const before: Content = bytes === null ? ABSENT : { kind: 'file', oid: blobs.add(bytes), ...kept };
  return { layers: [{ before, after: disk, bystander: false, own: true, from: 'the recalled turns', position: 0, trees: null }] };
}
