import { z } from 'zod';

/** One file of a turn's change list, as the DSH service gives it (formats/dsh.md, workspace changes service). */
export const changedFileSchema = z.object({
  path: z.string(),
  display: z.string().optional(),
  added: z.number(),
  deleted: z.number(),
  binary: z.boolean().optional(),
  oversized: z.boolean().optional(),
});

export const changeSummarySchema = z.object({ turn: z.number(), files: z.array(changedFileSchema), total: z.number() });
export type ChangeSummary = z.infer<typeof changeSummarySchema>;

export const hunkSchema = z.object({
  oldStart: z.number().int().nonnegative(),
  oldLines: z.number().int().nonnegative(),
  newStart: z.number().int().nonnegative(),
  newLines: z.number().int().nonnegative(),
  lines: z.array(z.string()),
});
export type ChangeHunk = z.infer<typeof hunkSchema>;

export const changeDiffSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('text'),
    path: z.string(),
    before: z.boolean(),
    after: z.boolean(),
    hunks: z.array(hunkSchema),
    coarse: z.boolean(),
  }),
  z.object({ kind: z.literal('binary'), path: z.string() }),
  z.object({ kind: z.literal('oversized'), path: z.string() }),
]);
export type ChangeDiff = z.infer<typeof changeDiffSchema>;

/** Where the change lists of a running DSH come from. Null: the host does not hold it (any more). */
export interface ChangeLists {
  summary(sessionId: string, seq: number): Promise<ChangeSummary | null>;
  diff(sessionId: string, seq: number, index: number): Promise<ChangeDiff | null>;
}

/** No running host is known: every list is lost, as after a restart of DSH. */
export const noChangeLists: ChangeLists = { summary: async () => null, diff: async () => null };
