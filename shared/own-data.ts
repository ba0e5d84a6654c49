import { z } from 'zod';
import { reasonSchema } from './errors.ts';
import { travelKindSchema } from './plan.ts';

/** A travel of the history whose safety snapshot the limits let go. */
export const cleanEntrySchema = z.object({
  entry: z.string(),
  thread: z.string(),
  at: z.number(),
  kind: travelKindSchema,
  target: z.string(),
  files: z.number(),
  /** Which limit it is over: age, count in its workspace, or the size of all. */
  why: z.enum(['days', 'entries', 'bytes']),
  /** About how many bytes on disk go with it: contents that no other entry needs. */
  frees: z.number(),
});
export type CleanEntry = z.infer<typeof cleanEntrySchema>;

const useSchema = z.object({ entries: z.number(), workspaces: z.number(), bytes: z.number() });

/** What our own safety snapshots take now, and what a clean-up would let go. */
export const cleanPlanSchema = z.object({
  use: useSchema,
  goes: z.array(cleanEntrySchema),
  /** Entries that a standing revert needs, or that are the newest of their thread or workspace: no limit touches them. */
  needed: z.number(),
  /** Threads of which nothing goes, because files of ours about them cannot be read. */
  problems: z.array(z.intersection(reasonSchema, z.object({ thread: z.string() }))),
});
export type CleanPlan = z.infer<typeof cleanPlanSchema>;

/** What a clean-up did. `bytes`: what the stores take afterwards. `waiting`: workspaces that were left for later, as a travel is under way there. */
export const cleanedSchema = z.object({ dropped: z.number(), freed: z.number(), bytes: z.number(), waiting: z.number() });
export type Cleaned = z.infer<typeof cleanedSchema>;

/** What forgetting a thread takes away. Nothing of the agent's is among it. */
export const forgetPlanSchema = z.object({
  /** Travels of the history, and how many of them could still be undone. */
  entries: z.number(),
  undoable: z.number(),
  /** Bytes of the files that only our safety snapshots of this thread still hold. */
  bytes: z.number(),
  /** A revert stands; it could never be taken back. */
  standing: z.boolean(),
  refusal: reasonSchema.nullable(),
});
export type ForgetPlan = z.infer<typeof forgetPlanSchema>;
