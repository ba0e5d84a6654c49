import { z } from 'zod';
import { reasonSchema } from './errors.ts';

/** True, or why not: the form of everything that may be off. */
export const canSchema = z.union([z.literal(true), reasonSchema]);
export type Can = z.infer<typeof canSchema>;

export const sourceKindSchema = z.enum(['tanstack', 'dsh', 'opencode', 'claude-code']);
/** A kind of store. */
export type SourceKind = z.infer<typeof sourceKindSchema>;

/** `idle`: a travel may start; `waiting`: the agent waits for a person; `unknown`: the log cannot tell. */
export const threadStatusSchema = z.enum(['idle', 'running', 'waiting', 'unknown']);
export type ThreadStatus = z.infer<typeof threadStatusSchema>;

/** Epoch milliseconds as the log has them; null where it has none. Never used for order. */
const time = z.number().nullable();

/** A tree path as text, see `tree-path.ts`. */
const path = z.string();

export const threadHeadSchema = z.object({
  /** Unique on this machine: `<source>:<thread id>`, with a suffix when two stores hold the same id. */
  id: z.string(),
  source: sourceKindSchema,
  title: z.string().nullable(),
  /** Absolute path of the workspace, null when the log does not say. */
  root: z.string().nullable(),
  /** Absolute path of the log or database. */
  log: z.string(),
  /** The id inside the store. */
  threadId: z.string(),
  /** The parent's `threadId` for a sub-agent's thread. */
  parent: z.string().nullable(),
  updatedAt: time,
  /** Bytes of the log. */
  size: z.number().nullable(),
  /** How many turns there are, and how many files they changed; null or absent where a look at the start of the log does not tell. */
  turns: z.number().nullable().optional(),
  files: z.number().nullable().optional(),
  /** The workspace folder is not there (any more). */
  rootGone: z.boolean().optional(),
});
export type ThreadHead = z.infer<typeof threadHeadSchema>;

export const problemSchema = z.object({ path: z.string(), message: z.string() });
export type Problem = z.infer<typeof problemSchema>;

export const fileChangeSchema = z.object({
  path,
  change: z.enum(['created', 'modified', 'deleted', 'mode', 'kind']),
  /** Lines; null for a binary file, or while not yet counted. */
  added: z.number().nullable(),
  removed: z.number().nullable(),
  binary: z.boolean(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

export const toolStatusSchema = z.enum(['requested', 'running', 'needs-approval', 'done', 'failed', 'lost']);
export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** What a tool call may have done that no revert reaches. */
export const sideEffectKindSchema = z.enum(['shell', 'network', 'mcp', 'subagent', 'other']);
export type SideEffectKind = z.infer<typeof sideEffectKindSchema>;

export const toolCallSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** One line: the command, the path, or the arguments, cut at 200 characters. */
  summary: z.string(),
  status: toolStatusSchema,
  sideEffect: sideEffectKindSchema.nullable(),
  /** Tree paths this call says it wrote; null for a tool that does not say. Empty for one that writes nothing. */
  wrote: z.array(path).nullable(),
  durationMs: z.number().nullable(),
  outputBytes: z.number().nullable(),
  /** `threadId` of the sub-agent thread this call started. */
  child: z.string().nullable(),
});
export type ToolCall = z.infer<typeof toolCallSchema>;

/** Why a message is not part of the conversation any more. */
export const hiddenReasonSchema = z.enum(['reverted', 'undone', 'recalled', 'compacted', 'dropped']);
export type HiddenReason = z.infer<typeof hiddenReasonSchema>;

export const messageSchema = z.object({
  /** The stop after this message; null for one that is no place to stand any more (dropped, compacted, undone). */
  stop: z.number().nullable(),
  /** The id in the log, or one that we gave (`#12`) when the log has none. */
  id: z.string(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  /** Index of the turn, from 1; null before the first. */
  turn: z.number().nullable(),
  step: z.string().nullable(),
  at: time,
  /** The first 240 characters of the text. */
  excerpt: z.string(),
  /** UTF-8 bytes of the whole text. */
  bytes: z.number(),
  images: z.number(),
  thinking: z.boolean(),
  tools: z.array(toolCallSchema),
  hidden: z.object({ reason: hiddenReasonSchema }).nullable(),
  /** A divider to draw before it: a reset of the model's context, or a compaction. */
  divider: z.enum(['reset', 'compaction']).nullable(),
  /** May the cursor stand after this message, with the conversation following? */
  canStand: canSchema,
});
export type Message = z.infer<typeof messageSchema>;

export const turnSchema = z.object({
  /** From 1, in the order of the log. */
  index: z.number(),
  id: z.string(),
  /** The first 240 characters of the prompt. */
  prompt: z.string(),
  startedAt: time,
  status: z.enum(['completed', 'failed', 'aborted', 'interrupted', 'running', 'unknown']),
  steps: z.array(z.string()),
  /** The stop just before the turn's prompt and the one after its last message; null for a dropped turn. */
  firstStop: z.number().nullable(),
  lastStop: z.number().nullable(),
  hidden: z.object({ reason: hiddenReasonSchema }).nullable(),
});
export type Turn = z.infer<typeof turnSchema>;

export const stepSchema = z.object({
  id: z.string(),
  /** From 1 over the thread. */
  index: z.number(),
  turn: z.number().nullable(),
  /**
   * The stop after the message that made this step's calls: the step lies after stop s exactly when `stop > s`.
   * Null when no message of the conversation owns it (it can be looked at, not travelled).
   */
  stop: z.number().nullable(),
  /** Snapshots before and after: ids of git trees, 40 or 64 hex. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  toolCallIds: z.array(z.string()),
  tools: z.array(z.string()),
  /** The paths that the log lists for this step. They are believed; null where the trees alone tell. */
  listed: z.array(path).nullable(),
  /** Changed files with counts; null until the snapshots have been asked. */
  files: z.array(fileChangeSchema).nullable(),
  /** What the snapshots show, or why not. Null until the snapshots have been asked. */
  captured: canSchema.nullable(),
  at: time,
  durationMs: z.number().nullable(),
  sideEffects: z.number(),
  hidden: z.object({ reason: hiddenReasonSchema }).nullable(),
});
export type Step = z.infer<typeof stepSchema>;

/** Files that changed between two steps while no agent ran: the user's own edits. */
export const gapSchema = z.object({ afterStep: z.string().nullable(), beforeStep: z.string(), from: z.string(), to: z.string() });
export type Gap = z.infer<typeof gapSchema>;

export const standingSchema = z.object({
  messageId: z.string(),
  stop: z.number(),
  /** How many messages are hidden. */
  hidden: z.number(),
  /** Paths whose content went back; null when the log does not say. */
  files: z.array(path).nullable(),
  /** Snapshot of the files just before the revert, in the agent's store; null when it has none. */
  now: z.string().nullable(),
  /** A recall that is planned and not yet effective: it waits for the agent, or may be carried out now. The agent still sees the messages. */
  pending: z.enum(['waits', 'ready']).optional(),
});
export type Standing = z.infer<typeof standingSchema>;

export const badRecordSchema = z.object({ line: z.number(), bytes: z.number(), why: z.string() });
export type BadRecord = z.infer<typeof badRecordSchema>;

/** What a source makes of its store: the whole thread without the texts of its messages. */
export const threadSchema = z.object({
  head: threadHeadSchema,
  status: threadStatusSchema,
  standing: standingSchema.nullable(),
  turns: z.array(turnSchema),
  steps: z.array(stepSchema),
  messages: z.array(messageSchema),
  gaps: z.array(gapSchema),
  /** Records that could not be read; each is a visible row. */
  bad: z.array(badRecordSchema),
  /** Things that are off, shown as banners: no store, newer log, torn tail… */
  notices: z.array(reasonSchema),
  /** How a revert of messages is kept: in the agent's own log, or only with us. */
  keeps: z.enum(['log', 'overlay']),
});
export type Thread = z.infer<typeof threadSchema>;

export const partSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string() }),
  z.object({ kind: z.literal('thinking'), text: z.string() }),
  z.object({ kind: z.literal('call'), call: toolCallSchema, input: z.string() }),
  z.object({ kind: z.literal('output'), callId: z.string(), text: z.string(), failed: z.boolean(), exit: z.number().nullable() }),
  z.object({ kind: z.literal('image'), mediaType: z.string(), data: z.string().nullable() }),
  z.object({ kind: z.literal('raw'), type: z.string(), json: z.string() }),
]);
export type Part = z.infer<typeof partSchema>;

/** The whole content of one message, read when it is looked at. */
export const messageBodySchema = z.object({ id: z.string(), parts: z.array(partSchema) });
export type MessageBody = z.infer<typeof messageBodySchema>;
