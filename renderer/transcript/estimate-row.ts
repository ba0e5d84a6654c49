import type { Row } from './rows.ts';

const LINE = 20;
const PER_LINE = 62;
/** Texts above this are cut until they are opened. */
const MOST_CHARACTERS = 1800;

/** A guess at the height of a row before it is measured, near enough that the scroll bar does not jump. */
export function estimateRow(row: Row | undefined): number {
  if (row === undefined || row.kind !== 'message') return 36;
  const { message } = row;
  if (message.role === 'tool') return 30;
  const characters = Math.min(message.bytes, MOST_CHARACTERS);
  const lines = Math.max(message.excerpt.split('\n').length, Math.ceil(characters / PER_LINE));
  return 44 + (characters === 0 ? 0 : lines * LINE) + message.tools.length * 34 + (message.thinking ? 28 : 0);
}
