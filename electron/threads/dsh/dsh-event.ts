import { z } from 'zod';

const count = z.number().int().nonnegative();

/** First line of a log (formats/dsh.md, header). Unknown keys are refused by DSH itself; we only remember that there were some. */
export const headerSchema = z.looseObject({
  type: z.literal('session'),
  version: count,
  id: z.string(),
  createdAt: count,
  delegationDepth: count,
  cwd: z.string().optional(),
  parentSession: z.unknown().optional(),
  origin: z.string().optional(),
  agentPreset: z.unknown().optional(),
});
export type DshHeader = z.infer<typeof headerSchema>;

const replaceSchema = z.looseObject({ op: z.literal('replace') });

/** One event of a log, its payload still unchecked. */
export const eventSchema = z.looseObject({
  type: z.string(),
  seq: count,
  time: z.number(),
  data: z.unknown(),
  ignorable: z.boolean().optional(),
  surfaceOp: z.union([z.literal('append'), replaceSchema]).optional(),
  sourceEventSeqs: z.array(z.unknown()).optional(),
});

/** Where the line of an event can be had again: in the log, or in what was unpacked of it. Bytes. */
export interface Spot {
  offset: number;
  length: number;
}

/** Where all of an event whose long texts were cut is, and how many bytes it would show. */
export interface Cut extends Spot {
  shown: number;
}

export type DshEvent = z.infer<typeof eventSchema> & {
  readonly line: number;
  /** Set when its long texts were cut. */
  readonly cut?: Cut | undefined;
};

/** Members of an object, or nothing when the value is none: payloads are foreign and may be anything. */
export function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const integer = (value: unknown): number | null => (typeof value === 'number' && Number.isSafeInteger(value) ? value : null);

/** A longer list cannot come from one log of a sane size; ranges make it cheap to ask for billions. */
const MOST_SOURCES = 1_000_000;

/** `sourceEventSeqs` with its `[first,last]` ranges expanded; null when it is no list of sequence numbers. */
export function sourcesOf(event: { sourceEventSeqs?: readonly unknown[] | undefined }): number[] | null {
  const seqs: number[] = [];
  for (const item of event.sourceEventSeqs ?? []) {
    const [first, last] = Array.isArray(item) ? [integer(item[0]), integer(item[1])] : [integer(item), integer(item)];
    if (first === null || last === null || last < first || seqs.length + (last - first) > MOST_SOURCES) return null;
    if (Array.isArray(item) && item.length !== 2) return null;
    for (let seq = first; seq <= last; seq += 1) seqs.push(seq);
  }
  return seqs;
}

/** The range that a replacing surface event covers: `startSeq`/`endSeq` from format 3 on, `start`/`end` before. Null for an append. */
export function replacedRange(event: DshEvent): { start: number; end: number } | null {
  const op = event.surfaceOp;
  if (op === undefined || op === 'append') return null;
  const start = integer(op['startSeq'] ?? op['start']);
  const end = integer(op['endSeq'] ?? op['end']);
  return start === null || end === null ? { start: -1, end: -1 } : { start, end };
}
