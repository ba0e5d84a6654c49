import { createHash } from 'node:crypto';

/** The hash that a store names its objects with. */
export type ObjectFormat = 'sha1' | 'sha256';

/** The kinds of object that we write. */
export type ObjectKind = 'blob' | 'tree';

/** The format of an id by its length (40 or 64 hex digits), null for anything else. */
export function formatOfId(id: string): ObjectFormat | null {
  if (/^[0-9a-f]{40}$/.test(id)) return 'sha1';
  return /^[0-9a-f]{64}$/.test(id) ? 'sha256' : null;
}

/** The bytes that git puts before an object's content, both in its id and in a loose file. */
export function objectHeader(kind: ObjectKind, size: number): Buffer {
  return Buffer.from(`${kind} ${size}\0`);
}

/** The id that git gives to an object with this content: 40 or 64 hex digits. */
export function objectId(kind: ObjectKind, content: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(objectHeader(kind, content.length)).update(content).digest('hex');
}

/** The id of the tree that holds nothing; git knows it even where no such object is stored. */
export function emptyTree(format: ObjectFormat): string {
  return objectId('tree', new Uint8Array(0), format);
}
