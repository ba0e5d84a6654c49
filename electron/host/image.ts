import type { FileImage, Range } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { readDisk } from '../snapshots/disk.ts';
import { imageFacts } from '../snapshots/image-facts.ts';
import { predictedFile } from '../travel/predict.ts';
import { type ChangesContext, sidesOfRange, snapshotsOf, treeOnDisk, workspaceOf } from './changes.ts';

/** A larger file is not shown as a picture. */
const MOST_BYTES = 8 * 1024 * 1024;
/** A small file can hold a picture that takes gigabytes when it is drawn. */
const MOST_PIXELS = 50_000_000;

async function bytesOf(context: ChangesContext, range: Range, path: TreePath, side: 'before' | 'after', signal?: AbortSignal) {
  if (range.kind === 'plan') {
    if (context.via) throw new TurnbackError('NOT_SUPPORTED', { what: 'A picture of a preview', cause: 'its files are on another side' });
    if (side === 'before') return readDisk(workspaceOf(context), path, MOST_BYTES);
    return (await predictedFile(context, range.stop, path))?.bytes ?? null;
  }
  const sides = await sidesOfRange(context, range, signal);
  if (sides === null) return null;
  const tree = side === 'before' ? sides.from : (sides.to ?? (context.via ? await treeOnDisk(context, signal) : null));
  if (tree === null) return readDisk(workspaceOf(context), path, MOST_BYTES);
  const { objects } = snapshotsOf(context);
  const entry = await objects.entry(tree, path);
  return entry === null || entry.mode === '160000' ? null : objects.blob(entry.oid, MOST_BYTES);
}

/** One side of a file as a picture, by what its bytes are. Throws NO_IMAGE, TOO_LARGE above 8 MiB. */
export async function imageOf(
  context: ChangesContext,
  range: Range,
  path: TreePath,
  side: 'before' | 'after',
  signal?: AbortSignal,
): Promise<FileImage> {
  const bytes = await bytesOf(context, range, path, side, signal);
  const facts = bytes === null ? null : imageFacts(bytes);
  const refuse = (cause: string): never => {
    throw new TurnbackError('NO_IMAGE', { path: showTreePath(path), cause });
  };
  if (bytes === null || facts === null) return refuse('it is no PNG, JPEG, GIF or WebP picture');
  if (bytes.length > MOST_BYTES) throw new TurnbackError('TOO_LARGE', { path: showTreePath(path), bytes: bytes.length });
  if (facts.width * facts.height > MOST_PIXELS) return refuse(`${facts.width} × ${facts.height} points are too many to draw`);
  return { ...facts, bytes: bytes.length, data: bytes.toString('base64') };
}
