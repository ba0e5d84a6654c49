import { z } from 'zod';
import { pieceSchema, scopeSchema, travelKindSchema } from '../../shared/plan.ts';
import { contentSchema } from './content.ts';

const path = z.string();

/** A path that a travel wrote: what stood there and what stands there after it. */
const recordedFileSchema = z.object({
  path,
  before: contentSchema,
  after: contentSchema,
  outcome: z.enum(['written', 'deleted', 'merged']),
});
export type RecordedFile = z.infer<typeof recordedFileSchema>;

const logRecordSchema = z.looseObject({ type: z.string() });

/** How the agent's log, or our overlay, looks once the messages went along; compared to find out whether they did. */
const logStateSchema = z.union([
  z.object({ standing: z.object({ messageId: z.string(), now: z.string().nullable() }).nullable() }),
  z.object({ last: z.enum(['undone', 'done']) }),
]);
export type LogState = z.infer<typeof logStateSchema>;

const standingSchema = z.object({ stop: z.number(), messageId: z.string(), now: z.string().nullable(), files: z.array(path).nullable() });

const seq = z.number().int().nonnegative();
const spanSchema = z.object({
  targetSeq: seq,
  targetMessageId: z.string(),
  startSeq: seq,
  endSeq: seq,
  nodes: z.array(seq),
  logLength: seq,
});

/** What happens to the conversation, and how to tell afterwards whether it did. */
const messagesPartSchema = z.discriminatedUnion('how', [
  z.object({ how: z.literal('none') }),
  z.object({
    how: z.literal('append'),
    /** Where the log ended when the batch was made, the batch, and the state that it makes; null until the files are safe. */
    position: z.string().nullable(),
    batch: z.array(logRecordSchema).nullable(),
    expect: logStateSchema.nullable(),
    /** What stood before, so that rolling back can bring it back. */
    stood: standingSchema.nullable(),
  }),
  z.object({ how: z.literal('overlay'), before: z.string().nullable(), after: z.string() }),
  z.object({
    /** A tombstone in the agent's log, named after the entry. */
    how: z.literal('recall'),
    span: spanSchema,
    /** Where the log ended when the bytes were made, and the bytes (base64); null until the files are safe. */
    batch: z.object({ length: z.number(), bytes: z.string() }).nullable(),
  }),
  /** A recall that is planned (`after`), or one that is dropped (null). */
  z.object({ how: z.literal('pending'), before: z.string().nullable(), after: z.string().nullable() }),
]);
export type MessagesPart = z.infer<typeof messagesPartSchema>;

/**
 * One travel, whole: in `journal/` while it is under way, in `entries/` afterwards. Everything that finishing it or rolling it
 * back needs is here or in the safety snapshot.
 */
export const travelRecordSchema = z.object({
  version: z.literal(1),
  entry: z.string().regex(/^[0-9a-z]+-[0-9a-f]+$/),
  thread: z.string(),
  root: z.string().nullable(),
  /** What told the folder from others when it was made (its inode; device numbers change over a reboot). Null: nobody knows. */
  rootInode: z.string().nullable().default(null),
  format: z.enum(['sha1', 'sha256']),
  kind: travelKindSchema,
  scope: scopeSchema,
  at: z.number(),
  target: z.object({ messageId: z.string().nullable(), stop: z.number().nullable(), words: z.string() }),
  /** The file or change that a partial travel brought back. */
  piece: pieceSchema.nullable().default(null),
  /** `intent`: nothing written yet; `saved`: the safety snapshot is pinned; `logging`: the log may have the batch; `logged`: it has; `back`: being rolled back. */
  phase: z.enum(['intent', 'saved', 'logging', 'logged', 'done', 'back']),
  /** Names the temporary files, so that recovery finds them and nobody can guess them before. */
  token: z.string().regex(/^[0-9a-f]{32}$/),
  /** The newest step when it was made; the travel lies above it. Null where the thread had none. */
  afterStep: z.string().nullable(),
  /** Steps whose messages it hid, or brought back. */
  covers: z.array(z.string()),
  /** The entry of the revert that it ended because a new one was made. */
  supersedes: z.string().nullable(),
  /** The entries that it took back. */
  takes: z.array(z.string()).default([]),
  /** Layers of a revert that the agent itself had made, and that this one ended. */
  ended: z.array(z.object({ path, before: contentSchema, after: contentSchema })),
  files: z.array(recordedFileSchema),
  /** Paths of the plan that stay as they are, each with its reason. */
  left: z.array(z.object({ path, outcome: z.enum(['kept', 'skipped']), why: z.string().nullable() })),
  /** Folders above the files as they were: permission bits, or null where there was none. */
  folders: z.array(z.object({ path, mode: z.number().nullable() })),
  /** The same as they shall be afterwards, where an earlier travel knows; others follow the files. */
  foldersAfter: z.array(z.object({ path, mode: z.number().nullable() })),
  /** Where the thread's log ended when it was planned. */
  logAt: z.string(),
  messages: messagesPartSchema,
  /** For the agent's own record of it: each path with what it held when the travel started, and a tree of the agent's to build on. */
  now: z.object({ base: z.string().nullable(), files: z.array(z.object({ path, content: contentSchema })) }).nullable(),
  safety: z.object({ tree: z.string().nullable(), bytes: z.number() }),
});
export type TravelRecord = z.infer<typeof travelRecordSchema>;
