import { randomBytes } from 'node:crypto';
import type { TreePath } from '../../shared/tree-path.ts';
import { ObjectWriter } from '../snapshots/object-writer.ts';
import type { Bench } from './bench.ts';
import { chainsOf } from './chains.ts';
import { contentFor, type Picked } from './choose.ts';
import { type Content, contentOfDisk, sameContent } from './content.ts';
import type { FileSystem } from './file-system.ts';
import type { Intention } from './intention.ts';
import { endOf } from './log-end.ts';
import { lineMerge } from './merge-lines.ts';
import { readOverlayText } from './overlay.ts';
import { peel } from './peel.ts';
import { readPendingText } from './pending-recall.ts';
import type { Prepared } from './prepare.ts';
import type { MessagesPart, RecordedFile, TravelRecord } from './record.ts';
import { inodeOf } from './same-folder.ts';
import type { Situation } from './situation.ts';
import { folderModesOf } from './travel-folders.ts';

function recordedFiles(picked: readonly Picked[]): RecordedFile[] {
  return picked.flatMap(({ file, choice }) => {
    const after = contentFor(file, choice);
    if (choice === 'keep' || sameContent(after, file.disk)) return [];
    const outcome = choice === 'merge' ? 'merged' : after.kind === 'absent' ? 'deleted' : 'written';
    return [{ path: file.path, before: file.disk, after, outcome } satisfies RecordedFile];
  });
}

async function messagesOf(situation: Situation, intention: Intention, entry: string, at: number): Promise<MessagesPart> {
  const { conversation } = intention;
  if (conversation.how === 'none') return { how: 'none' };
  const { context, fs, thread } = situation;
  if (conversation.how === 'overlay') {
    const before = await readOverlayText(fs, context.ownData, thread.head.id);
    return { how: 'overlay', before, after: JSON.stringify(conversation.after(entry, at)) };
  }
  if (conversation.how === 'recall') return { how: 'recall', span: conversation.span, batch: null };
  if (conversation.how === 'pending') {
    const before = await readPendingText(fs, context.ownData, thread.head.id);
    const after = conversation.after(entry, at);
    return { how: 'pending', before, after: after && JSON.stringify(after) };
  }
  const { standing } = thread;
  const stood = standing && { stop: standing.stop, messageId: standing.messageId, now: standing.now, files: standing.files };
  return { how: 'append', position: null, batch: null, expect: null, stood };
}

/** What each listed path held when the travel started: what the standing revert hides came back first (formats/tanstack.md 12.2.4). */
async function nowOf(prepared: Prepared, bench: Bench, picked: readonly Picked[]): Promise<TravelRecord['now']> {
  const { intention, world, draft, situation } = prepared;
  const { listed, scoped, standingFrom, base } = intention;
  if (listed === null || scoped === null || world === null || draft === null) return null;
  const untouched = new Set(draft.skipped.map(({ path }) => path));
  const choices = new Map(picked.map((one) => [one.file.path, one] as const));
  for (const { file, choice } of picked) if (choice === 'keep') untouched.add(file.path);
  const chains = standingFrom === null ? null : await chainsOf(scoped);
  const files: { path: TreePath; content: Content }[] = [];
  for (const path of listed) {
    if (untouched.has(path)) continue;
    const one = choices.get(path);
    const disk = one?.file.disk ?? contentOfDisk(await world.disk(path));
    if (disk === null) continue;
    const chain = chains?.get(path);
    const layers = chain && 'layers' in chain ? chain.layers.filter((layer) => layer.position >= (standingFrom ?? 0)) : [];
    const text = lineMerge(situation.context.git, bench.blobs, path, bench.tmp);
    const back = await peel(disk, layers, text);
    const content = back === null ? disk : one?.choice === 'overwrite' ? back.target : (back.merged ?? disk);
    files.push({ path, content });
  }
  return files.length === 0 ? null : { base, files };
}

/** The layers of a revert that the agent made and that this travel ends, kept because the log will not tell them any more. */
async function endedLayers(intention: Intention): Promise<TravelRecord['ended']> {
  if (intention.ended === null) return [];
  const ended: TravelRecord['ended'] = [];
  for (const [path, chain] of await chainsOf(intention.ended)) {
    const layer = 'layers' in chain ? chain.layers[0] : undefined;
    if (layer) ended.push({ path, before: layer.before, after: layer.after });
  }
  return ended;
}

/** Folders as they were before the travels that are taken back; the oldest of them knows best. */
function foldersAfter({ takes }: Intention): TravelRecord['foldersAfter'] {
  const modes = new Map<TreePath, number | null>();
  for (const record of takes) for (const { path, mode } of record.folders) modes.set(path, mode);
  return [...modes].map(([path, mode]) => ({ path, mode }));
}

/** Keeps the bytes that merges made in our store, so that finishing after a crash finds them. */
async function keepMade(bench: Bench): Promise<void> {
  if (bench.blobs.made.size === 0) return;
  const writer = new ObjectWriter(bench.safety);
  try {
    for (const bytes of bench.blobs.made.values()) await writer.put('blob', bytes);
    await writer.finish();
  } catch (thrown) {
    await writer.abandon();
    throw thrown;
  }
}

/** The record of a travel that is about to start, phase `intent`. Writes nothing but merged bytes into our own store. */
export async function makeRecord(fs: FileSystem, prepared: Prepared, picked: readonly Picked[], at: number): Promise<TravelRecord> {
  const { situation, intention, bench, draft } = prepared;
  const { thread, context } = situation;
  const entry = `${at.toString(36)}-${randomBytes(4).toString('hex')}`;
  const files = recordedFiles(picked);
  const now = bench === null ? null : await nowOf(prepared, bench, picked);
  if (bench !== null) await keepMade(bench);
  const kept = picked
    .filter(({ choice }) => choice === 'keep')
    .map(({ file, why }) => ({ path: file.path, outcome: 'kept' as const, why }));
  const skipped = (draft?.skipped ?? []).map(({ path, why }) => ({ path, outcome: 'skipped' as const, why }));
  return {
    version: 1,
    entry,
    thread: thread.head.id,
    root: context.thread.root,
    rootInode: bench === null ? null : await inodeOf(fs, bench.root),
    format: bench?.format ?? 'sha1',
    kind: intention.request.kind,
    scope: intention.request.scope,
    at,
    target: intention.target,
    piece: intention.piece?.piece ?? null,
    phase: 'intent',
    token: randomBytes(16).toString('hex'),
    afterStep: thread.steps.at(-1)?.id ?? null,
    covers: intention.covers,
    supersedes: intention.supersedes,
    takes: intention.takes.map((record) => record.entry),
    ended: await endedLayers(intention),
    files,
    left: [...kept, ...skipped],
    folders:
      bench === null
        ? []
        : await folderModesOf(
            fs,
            bench.root,
            files.map((file) => file.path),
          ),
    foldersAfter: foldersAfter(intention),
    logAt: endOf(context.thread),
    messages: await messagesOf(situation, intention, entry, at),
    now,
    safety: { tree: null, bytes: 0 },
  };
}
