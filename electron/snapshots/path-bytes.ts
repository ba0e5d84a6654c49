import { bytesOfTreePath, type TreePath, treePathOfBytes } from '../../shared/tree-path.ts';

const ASCII = /^[\x00-\x7f]*$/;

/** A path's bytes as latin1 text: one character a byte, so that it splits, compares and joins as git's bytes do. */
export function latin1OfPath(path: TreePath): string {
  return ASCII.test(path) ? path : Buffer.from(bytesOfTreePath(path)).toString('latin1');
}

/** The path for such text. */
export function pathOfLatin1(latin1: string): TreePath {
  return ASCII.test(latin1) ? latin1 : treePathOfBytes(Buffer.from(latin1, 'latin1'));
}
