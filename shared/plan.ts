import { z } from 'zod';
import { reasonSchema } from './errors.ts';
import { canSchema } from './model.ts';

export const scopeSchema = z.enum(['both', 'files', 'messages']);
export type Scope = z.infer<typeof scopeSchema>;

/** `write`: no drift, exact bytes. The others are choices for a path that has drifted. */
export const choiceSchema = z.enum(['write', 'merge', 'keep', 'overwrite']);
export type Choice = z.infer<typeof choiceSchema>;

export const driftPolicySchema = z.enum(['merge', 'keep', 'overwrite', 'fail']);
export type DriftPolicy = z.infer<typeof driftPolicySchema>;

export const travelKindSchema = z.enum(['revert', 'unrevert', 'undo', 'redo', 'restore', 'recall', 'partial']);
export type TravelKind = z.infer<typeof travelKindSchema>;

/** What a partial travel brings back: one file that a step changed, or one of its changes in it. */
export const pieceSchema = z.object({
  step: z.string(),
  path: z.string(),
  /** The id of one change, as `travel.hunks` lists it; null for the whole file. Only `out` goes with it. */
  hunk: z.string().nullable(),
  /** `out`: what the step changed goes, what came later stays; `before` and `after`: the file exactly as it was then. */
  side: z.enum(['out', 'before', 'after']),
});
export type Piece = z.infer<typeof pieceSchema>;

/** One change of a file in a step: a part of its diff as `git diff` prints it. Lines count from 1; `lines` 0 is a place between two. */
export const hunkSchema = z.object({
  /** Stays the same as long as the step does: its place on both sides and a hash of its lines. */
  id: z.string(),
  number: z.number(),
  before: z.object({ start: z.number(), lines: z.number() }),
  after: z.object({ start: z.number(), lines: z.number() }),
});
export type Hunk = z.infer<typeof hunkSchema>;

export const planFileSchema = z.object({
  path: z.string(),
  /** What happens when it is written: `recreate` brings back a file that does not exist now. */
  verb: z.enum(['restore', 'delete', 'recreate']),
  /** The file on disk is not what the last known step or revert left. */
  drift: z.boolean(),
  choice: choiceSchema,
  /** Every choice that is possible for this path. */
  choices: z.array(choiceSchema),
  /** One sentence: why it drifted, who changed it, why a merge is not possible. Null when there is nothing to say. */
  why: z.string().nullable(),
  /** Lines that the write adds and removes against the file on disk; null for a binary file. */
  added: z.number().nullable(),
  removed: z.number().nullable(),
  binary: z.boolean(),
});
export type PlanFile = z.infer<typeof planFileSchema>;

export const sideEffectSchema = z.object({ turn: z.number(), tool: z.string(), summary: z.string() });
export type SideEffect = z.infer<typeof sideEffectSchema>;

/** What a recall shows besides (formats/dsh.md, recall): the text that comes back, and what changed, be it put back or not. */
export const recallShownSchema = z.object({
  /** The prompt's own text, for copying. */
  text: z.string(),
  /** `appended`: it takes effect at once; `pending`: the log has no open step, so it is planned until DSH opens one; `none`: files only. */
  log: z.enum(['appended', 'pending', 'none']),
  /** Every file of the change lists, turn by turn, newest first. They stay as they are unless files are in scope. */
  changed: z.array(z.object({ turn: z.number(), path: z.string(), added: z.number(), removed: z.number(), binary: z.boolean() })),
});
export type RecallShown = z.infer<typeof recallShownSchema>;

export const planSchema = z.object({
  kind: travelKindSchema,
  target: z.object({ messageId: z.string().nullable(), stop: z.number().nullable() }),
  scope: scopeSchema,
  turns: z.array(z.number()),
  /** How many messages will be hidden (or come back). */
  messages: z.number(),
  files: z.array(planFileSchema),
  sideEffects: z.array(sideEffectSchema),
  skipped: z.array(z.object({ path: z.string(), why: z.string() })),
  /** Things to know that do not stop the travel: HEAD moved since, another agent works here, the agent still remembers. */
  notes: z.array(z.string()),
  refusal: reasonSchema.nullable(),
  /** Only for a recall. */
  recall: recallShownSchema.optional(),
  /** Names the exact plan and state of the disk; `revert` takes it back and refuses when either changed. */
  fingerprint: z.string(),
});
export type Plan = z.infer<typeof planSchema>;

export const outcomeSchema = z.object({
  path: z.string(),
  outcome: z.enum(['written', 'deleted', 'merged', 'kept', 'skipped', 'failed']),
  why: z.string().nullable(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

export const travelResultSchema = z.object({
  /** Id of the entry in the history. */
  entry: z.string(),
  /** One sentence for people; the seed's words where it has them. */
  message: z.string(),
  log: z.enum(['appended', 'overlay', 'pending', 'none']),
  files: z.array(outcomeSchema),
});
export type TravelResult = z.infer<typeof travelResultSchema>;

export const historyEntrySchema = z.object({
  id: z.string(),
  at: z.number(),
  kind: travelKindSchema,
  /** Words for where it went: "message 12", "before turn 3". */
  target: z.string(),
  files: z.number(),
  /** Bytes that its safety snapshot holds. */
  bytes: z.number(),
  /** May its files come back as they were before it? */
  can: canSchema,
});
export type HistoryEntry = z.infer<typeof historyEntrySchema>;

/** A travel that a crash interrupted. */
export const interruptedSchema = z.object({
  entry: z.string(),
  thread: z.string(),
  root: z.string(),
  kind: travelKindSchema,
  at: z.number(),
  files: z.number(),
});
export type Interrupted = z.infer<typeof interruptedSchema>;
