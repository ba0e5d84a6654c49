import { z } from 'zod';
import { reasonSchema } from './errors.ts';
import { listPatchSchema } from './list-patch.ts';
import { canSchema, fileChangeSchema, messageBodySchema, problemSchema, threadHeadSchema, threadSchema } from './model.ts';
import { cleanedSchema, cleanPlanSchema, forgetPlanSchema } from './own-data.ts';
import {
  choiceSchema,
  driftPolicySchema,
  historyEntrySchema,
  hunkSchema,
  interruptedSchema,
  pieceSchema,
  planSchema,
  scopeSchema,
  travelKindSchema,
  travelResultSchema,
} from './plan.ts';
import { foundThreadSchema, hitSchema, searchedSchema, searchedThreadsSchema, wordsSchema } from './search.ts';

/** Which changes to look at. `since`: from after the step to the files on disk. Steps are in log order, `from` first. */
export const rangeSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('step'), step: z.string() }),
  z.object({ kind: z.literal('turn'), turn: z.number() }),
  z.object({ kind: z.literal('steps'), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal('since'), step: z.string() }),
  /** The state after one step against the state after another, whatever changed in between. */
  z.object({ kind: z.literal('between'), from: z.string(), to: z.string() }),
  /** The files as they were at one stop against those at another, or (null) those on disk now; in either order. */
  z.object({ kind: z.literal('stops'), from: z.int().min(0), to: z.int().min(0).nullable() }),
  /** What a travel would change on disk: the disk now against the predicted state. */
  z.object({ kind: z.literal('plan'), stop: z.number() }),
]);
export type Range = z.infer<typeof rangeSchema>;

/** What the bytes of a picture say of it; width and height in points. */
export const imageFactsSchema = z.object({ type: z.enum(['png', 'jpeg', 'gif', 'webp']), width: z.int(), height: z.int() });
export type ImageFacts = z.infer<typeof imageFactsSchema>;

/** A picture with its bytes in base64. */
export const fileImageSchema = imageFactsSchema.extend({ bytes: z.int(), data: z.string() });
export type FileImage = z.infer<typeof fileImageSchema>;

/** One side of a diff. `text` is null for a binary, a link to nowhere, or a file over the limit that was not asked for. */
export const fileSideSchema = z.object({
  kind: z.enum(['file', 'link', 'submodule']),
  executable: z.boolean(),
  bytes: z.number(),
  text: z.string().nullable(),
  binary: z.boolean(),
  tooLarge: z.boolean(),
  encoding: z.enum(['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'latin1', 'binary']),
  eol: z.enum(['lf', 'crlf', 'mixed', 'none']),
  /** The first 256 bytes as hex, for a binary file. */
  head: z.string().nullable(),
  /** Of a binary file that is a picture. */
  image: imageFactsSchema.optional(),
});
export type FileSide = z.infer<typeof fileSideSchema>;

export const fileDiffSchema = z.object({
  path: z.string(),
  before: fileSideSchema.nullable(),
  after: fileSideSchema.nullable(),
  /** Only line endings differ. */
  eolOnly: z.boolean(),
});
export type FileDiff = z.infer<typeof fileDiffSchema>;

/**
 * Neighbouring lines of a file that came from one hand; lines count from 1. `step`: a step of the thread; `you`: somebody outside of the
 * thread; `before`: there before its first step; `unknown`: a step that was not captured (named where it is known) may have changed them.
 */
export const lineRunSchema = z.object({
  from: z.int(),
  count: z.int(),
  who: z.enum(['step', 'you', 'before', 'unknown']),
  step: z.string().nullable(),
  turn: z.number().nullable(),
});
export type LineRun = z.infer<typeof lineRunSchema>;

/** A thread as the viewer and `show` see it: the source's fold plus what may be done with it. */
export const threadViewSchema = threadSchema.extend({
  can: z.object({ revert: canSchema, unrevert: canSchema, undo: canSchema, redo: canSchema, patch: canSchema }),
  /** Names this state of the thread in `thread.changes`; absent where nobody asks for changes. */
  version: z.number().optional(),
});
export type ThreadView = z.infer<typeof threadViewSchema>;

const { messages: _messages, steps: _steps, turns: _turns, gaps: _gaps, ...viewFacts } = threadViewSchema.shape;

/** What is different between two versions of a view: the lists as changes, everything else as it is now. */
export const viewPatchSchema = z.object({
  facts: z.object(viewFacts),
  messages: listPatchSchema(threadViewSchema.shape.messages.element),
  steps: listPatchSchema(threadViewSchema.shape.steps.element),
  turns: listPatchSchema(threadViewSchema.shape.turns.element),
  gaps: listPatchSchema(threadViewSchema.shape.gaps.element),
});
export type ViewPatch = z.infer<typeof viewPatchSchema>;

/** The way from the version that a window has to the newest one; the whole view where the host does not know that version any more. */
export const threadChangesSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('same') }),
  z.object({ kind: z.literal('patch'), patch: viewPatchSchema }),
  z.object({ kind: z.literal('whole'), view: threadViewSchema }),
]);
export type ThreadChanges = z.infer<typeof threadChangesSchema>;

export const appInfoSchema = z.object({
  host: z.enum(['electron', 'browser']),
  version: z.string(),
  platform: z.string(),
  home: z.string(),
  /** Version text, or why git cannot be used. */
  git: z.union([z.object({ version: z.string() }), reasonSchema]),
  /** A thread or path to open at start. */
  open: z.string().nullable(),
});
export type AppInfo = z.infer<typeof appInfoSchema>;

/** Which files of a patch leave with the secrets that show in them: all, or those named. */
export const secretChoiceSchema = z.object({ all: z.boolean(), include: z.array(z.string()) }).default({ all: false, include: [] });
export type SecretChoice = z.output<typeof secretChoiceSchema>;

/** A file of a patch in which secrets show; `kinds` says which. One that is not included stayed out of the patch. */
export const patchSecretSchema = z.object({ path: z.string(), kinds: z.array(z.string()), included: z.boolean() });
export type PatchSecret = z.infer<typeof patchSecretSchema>;

/** What our own safety snapshots may take; null: no limit of that kind. An entry goes when any of the limits says so. */
export const retentionSchema = z.object({
  /** Most days that an entry of the history keeps its snapshot. */
  days: z.int().min(1).max(36_500).nullable(),
  /** Most entries with a snapshot in one workspace. */
  entries: z.int().min(1).max(100_000).nullable(),
  /** Most bytes on disk, all workspaces together. */
  bytes: z.int().min(1_000_000).nullable(),
});
export type Retention = z.infer<typeof retentionSchema>;

export const settingsSchema = z.object({
  version: z.literal(1),
  theme: z.enum(['system', 'light', 'dark', 'contrast']),
  diffLayout: z.enum(['split', 'inline']),
  wrap: z.boolean(),
  ignoreWhitespace: z.boolean(),
  /** Line ends that changed are told in words; else they are drawn, and their lines differ. */
  ignoreLineEnds: z.boolean(),
  filesAs: z.enum(['tree', 'list']),
  /** Paths opened by hand, newest first. */
  recent: z.array(z.string()),
  retention: retentionSchema,
  /** Folders in which threads are looked for besides the known places; absolute paths. */
  folders: z.array(z.string()),
  /** The git to run; absolute. Null: the one on PATH. */
  gitPath: z.string().nullable(),
  /** The keys of commands that the user chose, by command id; the table's own apply where a command is not named. */
  keys: z.record(z.string(), z.array(z.string())),
});
export type Settings = z.infer<typeof settingsSchema>;

export const menuCommandSchema = z.object({ id: z.string(), title: z.string().max(200), keys: z.array(z.string()) });
export type MenuCommand = z.infer<typeof menuCommandSchema>;

const thread = z.object({ thread: z.string() });
const none = z.object({});
/** An operation that can take long: its id names it in `progress` and `cancel`. */
const operation = z.object({ operation: z.string() });
/** The same for calls that may be made without one. */
const maybeOperation = z.object({ operation: z.string().nullable().default(null) });

/** Where a travel goes. `stop` belongs to `revert`, `entry` to `restore`, `piece` to `partial`. */
const where = z.object({
  kind: travelKindSchema,
  stop: z.number().nullable(),
  entry: z.string().nullable(),
  scope: scopeSchema,
  piece: pieceSchema.nullable().default(null),
});

/** Every call of the boundary: name -> input and output. Hosts, client and tests derive from this table. */
export const calls = {
  'app.info': { input: none, output: appInfoSchema },
  'settings.get': { input: none, output: settingsSchema },
  /** Why the settings are not what the file says: it was unreadable, or a newer Turnback wrote it. Null: they are. */
  'settings.notice': { input: none, output: z.object({ notice: reasonSchema.nullable() }) },
  /** Runs a program as `git --version`. Refused with GIT_PATH_REFUSED. */
  'git.check': { input: z.object({ path: z.string() }), output: z.object({ version: z.string() }) },
  'settings.set': { input: settingsSchema.partial().omit({ version: true }), output: settingsSchema },
  'threads.list': { input: none, output: z.object({ threads: z.array(threadHeadSchema), problems: z.array(problemSchema) }) },
  /** Threads at a path that the user named, dropped or chose: a log, a store or a workspace. */
  'threads.locate': { input: z.object({ path: z.string() }), output: z.object({ threads: z.array(threadHeadSchema) }) },
  'sample.make': { input: none, output: threadHeadSchema },
  /** Names a folder that moved as the workspace of threads; checked when they are opened. */
  'threads.relocate': { input: z.object({ threads: z.array(z.string()), root: z.string() }), output: none },
  /** With an operation: progress in bytes, and `thread.preview` with the last messages of a large log before all of it is read. */
  'thread.open': {
    input: thread.extend(maybeOperation.shape).extend({ root: z.string().nullable(), data: z.string().nullable() }),
    output: threadViewSchema,
  },
  /** The same thread with file lists, counts and captured marks filled in from the snapshots. */
  'thread.steps': { input: thread.extend(maybeOperation.shape), output: threadViewSchema },
  /** What changed since a version of the view; with `steps`, after asking the snapshots about the steps. */
  'thread.changes': {
    input: thread.extend(maybeOperation.shape).extend({ version: z.number(), steps: z.boolean() }),
    output: threadChangesSchema,
  },
  /** Looks through all texts of a thread; hits come as `search.hits` while it runs. */
  'search.thread': { input: thread.extend(operation.shape).extend({ words: wordsSchema }), output: searchedSchema },
  /** The same over all threads that can be found; each one with all of the words comes as `search.found`. */
  'search.threads': { input: operation.extend({ words: wordsSchema }), output: searchedThreadsSchema },
  'thread.message': { input: thread.extend({ message: z.string() }), output: messageBodySchema },
  'thread.close': { input: thread, output: none },
  'diff.files': { input: thread.extend({ range: rangeSchema }), output: z.object({ files: z.array(fileChangeSchema) }) },
  'diff.file': { input: thread.extend({ range: rangeSchema, path: z.string(), anyway: z.boolean() }), output: fileDiffSchema },
  /** One side of a file as a picture. Refused with NO_IMAGE or TOO_LARGE. */
  'file.image': {
    input: thread.extend({ range: rangeSchema, path: z.string(), side: z.enum(['before', 'after']) }),
    output: fileImageSchema,
  },
  /** Who wrote each line of a file: at a stop, just after the step with that id, or (null) on disk now. */
  'file.lines': {
    input: thread.extend(operation.shape).extend({ path: z.string(), at: z.union([z.int().min(0), z.string()]).nullable() }),
    output: z.object({ lines: z.int(), runs: z.array(lineRunSchema) }),
  },
  /** With `file`, the patch of that file of the range alone; so for `patch.save`. */
  'patch.text': {
    input: thread.extend({ range: rangeSchema, file: z.string().optional(), secrets: secretChoiceSchema }),
    output: z.object({ text: z.string(), name: z.string(), files: z.number(), secrets: z.array(patchSecretSchema) }),
  },
  /** Asks where to save (a dialog in Electron; `path` in the browser host) and writes the exact bytes. Null: cancelled. */
  'patch.save': {
    input: thread.extend({ range: rangeSchema, path: z.string().nullable(), file: z.string().optional(), secrets: secretChoiceSchema }),
    output: z.object({ path: z.string(), secrets: z.array(patchSecretSchema) }).nullable(),
  },
  'travel.preview': {
    input: thread.extend(where.shape),
    output: planSchema,
  },
  /** One file of a plan: the disk now against what the choice would leave there. */
  'travel.file': {
    input: thread.extend(where.shape).extend({ path: z.string(), choice: choiceSchema, anyway: z.boolean() }),
    output: fileDiffSchema,
  },
  /** The changes of one file in a step, each of which can be brought back alone; or why none can. */
  'travel.hunks': {
    input: thread.extend({ step: z.string(), path: z.string() }),
    output: z.object({ hunks: z.array(hunkSchema), why: reasonSchema.nullable() }),
  },
  'travel.run': {
    input: thread
      .extend(operation.shape)
      .extend(where.shape)
      .extend({
        drift: driftPolicySchema,
        choices: z.record(z.string(), choiceSchema),
        fingerprint: z.string(),
        /** Also while another thread's agent works in the folder, which is refused with FOLDER_BUSY otherwise: the user confirmed it once more. */
        evenBusy: z.boolean().optional(),
      }),
    output: travelResultSchema,
  },
  'travel.history': { input: thread, output: z.object({ entries: z.array(historyEntrySchema) }) },
  /** What our safety snapshots take and what the limits let go: the set ones, or those given here to try them. */
  'clean.preview': { input: z.object({ retention: retentionSchema.nullable() }), output: cleanPlanSchema },
  'clean.run': { input: none, output: cleanedSchema },
  'forget.preview': { input: thread, output: forgetPlanSchema },
  /** Removes all that Turnback keeps of a thread. `evenStanding`: also while a revert stands, which then stays for good. */
  'forget.run': { input: thread.extend({ evenStanding: z.boolean() }), output: none },
  'travel.interrupted': { input: none, output: z.object({ travels: z.array(interruptedSchema) }) },
  'travel.recover': { input: z.object({ entry: z.string(), how: z.enum(['finish', 'roll-back']) }), output: travelResultSchema },
  cancel: { input: operation, output: none },
  /** A native open dialog; null when cancelled. Refused with NOT_AVAILABLE_HERE in the browser host, which lists folders instead. */
  'dialog.open': { input: z.object({ what: z.enum(['log', 'folder']) }), output: z.string().nullable() },
  'folder.list': {
    input: z.object({ path: z.string().nullable() }),
    output: z.object({
      path: z.string(),
      parent: z.string().nullable(),
      entries: z.array(z.object({ name: z.string(), folder: z.boolean() })),
    }),
  },
  /** The page's command table, for the native menu: titles and the keys that are in force. Nothing happens where there is no such menu. */
  'menu.set': { input: z.object({ commands: z.array(menuCommandSchema).max(1000) }), output: none },
  'clipboard.write': { input: z.object({ text: z.string() }), output: none },
  'shell.reveal': { input: thread.extend({ path: z.string() }), output: none },
  /** Opens a text file of the workspace in the program that the system has for it. Refused with EDIT_REFUSED for what it might run. */
  'shell.edit': { input: thread.extend({ path: z.string() }), output: none },
  /** An http(s) link that the user clicked. */
  'shell.link': { input: z.object({ url: z.string() }), output: none },
} as const;

export const fileChangedSchema = z.object({
  thread: z.string(),
  path: z.string(),
  change: z.enum(['created', 'updated', 'deleted']),
});

/** Every event that the host pushes: name -> payload. */
export const events = {
  progress: operation.extend({ done: z.number(), total: z.number().nullable(), label: z.string() }),
  /** The log grew or a travel ended: open again to see it. */
  'thread.changed': thread,
  /** The end of a log that is still being read: its last messages, before `from` nothing was read yet. Bytes. */
  'thread.preview': operation.extend({ thread: z.string(), view: threadViewSchema, from: z.number(), size: z.number() }),
  'search.hits': operation.extend({ hits: z.array(hitSchema) }),
  'search.found': operation.extend(foundThreadSchema.shape),
  'files.changed': fileChangedSchema,
  /** A menu item or another instance asks for a command of the renderer's table. */
  command: z.object({ command: z.string(), argument: z.string().nullable() }),
  /** Something in the background went wrong. */
  notice: z.object({ reason: reasonSchema }),
} as const;

export type CallName = keyof typeof calls;
export type EventName = keyof typeof events;
export type Input<N extends CallName> = z.input<(typeof calls)[N]['input']>;
export type Output<N extends CallName> = z.output<(typeof calls)[N]['output']>;
export type Payload<N extends EventName> = z.output<(typeof events)[N]>;

/** What a call answers on the wire: errors travel as data, so that both hosts carry the same code and sentence. */
export const answerSchema = z.union([
  z.object({ ok: z.literal(true), value: z.unknown() }),
  z.object({ ok: z.literal(false), error: reasonSchema }),
]);
export type Answer = z.infer<typeof answerSchema>;

/** One handler for every call; a call that is forgotten is a type error. */
export type Handlers = { [N in CallName]: (input: z.output<(typeof calls)[N]['input']>) => Promise<Output<N>> };
