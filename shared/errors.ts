import { z } from 'zod';

/** What a sentence may speak about: a path, an id, a number, a cause. */
export type Facts = Readonly<Record<string, string | number>>;

const of = (facts: Facts, name: string): string => String(facts[name] ?? '');
/** The stops that can be used instead, where they are known. */
const instead = (facts: Facts, none: string): string => (facts['stops'] === undefined ? none : ` Choose ${of(facts, 'stops')}.`);
const because = (facts: Facts): string => (facts['cause'] === undefined ? '' : ` Cause: ${of(facts, 'cause')}.`);

let atCommandLine = false;

/** From now on next steps are those of the command line: its options, where the window has a control beside the sentence. */
export function speakToCommandLine(): void {
  atCommandLine = true;
}

const option = (name: string): string => (atCommandLine ? ` (${name})` : '');

/**
 * Every refusal and failure that leaves the engine, with the sentence people read: what is off, why, and the next step.
 * Codes are stable; sentences that the seed documents fix are letter for letter theirs.
 */
const SENTENCES = {
  USAGE: (f) => of(f, 'what'),
  INTERNAL: (f) => `Something in Turnback failed.${because(f)} Nothing was written; please report this with the details.`,
  SYSTEM_FAILED: (f) => `The system refused a file operation.${because(f)} Put that right, then try again.`,
  OUTPUT_FAILED: (f) => `The output could not be written.${because(f)} What the command itself did stands.`,
  CANCELLED: () => 'Cancelled. Nothing was written.',
  NO_GIT: () => 'git was not found. Install git 2.26 or newer, or name it in the settings; threads open without files until then.',
  GIT_TOO_OLD: (f) => `git ${of(f, 'version')} is older than 2.26. Install git 2.26 or newer; files cannot be read or written until then.`,
  GIT_FAILED: (f) =>
    `git ${of(f, 'command')} failed with exit code ${of(f, 'exit')}.${because(f)} Nothing was written; try again, and if it stays so check git and the disk.`,
  NOT_FOUND: (f) => `There is nothing at ${of(f, 'path')}. Check the path.`,
  NOT_A_LOG: (f) => `${of(f, 'path')} is not a thread that Turnback knows.${because(f)} Open a session log, its store or its workspace.`,
  LOG_EMPTY: (f) => `${of(f, 'path')} is empty: there is no record in it yet.`,
  LOG_GONE: (f) =>
    `The log of this thread is gone${f['path'] === '' ? '' : ` (${of(f, 'path')})`}. What was done to its files is kept, and can still be brought back.`,
  LOG_UNREADABLE: (f) => `${of(f, 'path')} cannot be read.${because(f)} Check that you may read it.`,
  LOG_NEWER: (f) =>
    `${of(f, 'path')} was written in a newer format (${of(f, 'version')}) than Turnback knows. It opens as far as it is understood, and nothing is written to it.`,
  NO_SQLITE: () => 'This Node has no SQLite. Run Turnback with Node 22.13 or newer (npm run start does).',
  AMBIGUOUS: (f) => `${of(f, 'path')} holds ${of(f, 'count')} threads. Name one of them: ${of(f, 'ids')}.`,
  UNKNOWN_THREAD: (f) => `No thread ${of(f, 'id')} was found. \`turnback threads\` lists those that can be found.`,
  UNKNOWN_MESSAGE: (f) => `There is no message ${of(f, 'id')} in this thread. \`turnback show\` lists them.`,
  NOT_A_PROMPT: (f) => `${of(f, 'id')} is not a message of the user, so it cannot be taken back. \`turnback show\` lists them.`,
  UNKNOWN_STEP: (f) => `There is no step ${of(f, 'id')} in this thread. \`turnback show\` lists them.`,
  UNKNOWN_ENTRY: (f) => `There is no travel ${of(f, 'id')} in the history. \`turnback history\` lists them.`,
  NO_WORKSPACE: (f) => `The workspace folder ${of(f, 'path')} does not exist. Name the folder it was moved to${option('--root DIR')}.`,
  UNKNOWN_WORKSPACE: () => `The log does not say which folder this thread worked in. Name it${option('--root DIR')}.`,
  ELSEWHERE: (f) =>
    `The files and snapshots of this thread are on another side (${of(f, 'name')}). Open it with --via and the command that reaches it; until then only the conversation can be read.`,
  WRONG_WORKSPACE: (f) =>
    `The snapshots belong to another folder than ${of(f, 'path')}: their repository is named after the workspace. Name the right folder${option('--root DIR')}.`,
  NO_STORE: (f) =>
    `The snapshot repository ${of(f, 'path')} is missing or not readable.${because(f)} The conversation can be read; files cannot go back.`,
  NO_SNAPSHOTS: () =>
    'This thread has no snapshots: it ran outside a git project, or snapshots were off. Only the conversation can be read.',
  NO_SNAPSHOTS_DSH: () =>
    'DSH keeps no snapshots: only its running host knows what a turn changed, so files go back with that host (TURNBACK_DSH_URL names it) or not at all. The conversation goes back without it.',
  TREE_MISSING: (f) =>
    `The snapshot ${of(f, 'tree')} is gone from the store: it has expired or was removed. This step's files cannot be shown or go back.`,
  TREE_UNREACHABLE: (f) =>
    `The snapshot ${of(f, 'tree')} is out of reach: its store borrows from ${of(f, 'path')}, and that is not there. Mount its disk or put that folder back, then open the thread again; until then this step's files cannot be shown or go back.`,
  CONTENT_UNREACHABLE: (f) =>
    `Its content is out of reach: the store borrows from ${of(f, 'path')}, and that is not there. Mount its disk or put that folder back, then try again.`,
  TREE_BROKEN: (f) =>
    `The snapshot ${of(f, 'tree')} is damaged: objects that it names are gone. Files that lack them cannot be shown or go back.`,
  TREE_TOO_LARGE: (f) =>
    f['together'] !== undefined
      ? `The steps of this thread change more than ${of(f, 'together')} files together, so those between the snapshots ${of(f, 'tree')} and ${of(f, 'other')} are not listed. Check the store they come from.`
      : f['other'] !== undefined
        ? `The snapshots ${of(f, 'tree')} and ${of(f, 'other')} differ in more than ${of(f, 'count')} files, so they are not compared. Check the store they come from.`
        : `The snapshot ${of(f, 'tree')} names more than ${of(f, 'count')} files, so it is not read. Check the store it comes from.`,
  TREE_EMPTY: () => 'This step has no snapshot id: the agent recorded none.',
  TREES_EQUAL: (f) =>
    `Tools wrote ${of(f, 'files')} in this step, but the snapshots before and after are equal: the change was not captured.`,
  TREE_SHRUNK: (f) =>
    `The snapshot after this step holds ${of(f, 'after')} files, the one before ${of(f, 'before')}: it was not captured whole.`,
  NOT_CAPTURED: (f) => `Step ${of(f, 'step')} was not captured, so its files cannot go back or leave as a patch.${because(f)}`,
  CONTENT_UNKNOWN: (f) =>
    `The log does not tell what ${of(f, 'files')} held around this step, and no backup of it is left. Those files cannot go back.`,
  FILE_TOOLS_ONLY: () =>
    'Claude Code records only what its file tools write. What shell commands changed is in no snapshot and cannot go back; the commands are listed before each revert.',
  STEP_CUT_OFF: () =>
    'This step was cut off before its snapshot was taken, and no later snapshot shows what it left. Its files cannot go back.',
  STEPS_END_LATER: (f) =>
    `The agent was cut off in turn ${of(f, 'turns')}. What it left there is read from the snapshot before the next prompt, so edits of yours in between count as the agent's.`,
  SUBFOLDER_SNAPSHOTS: (f) =>
    `The agent ran in ${of(f, 'folder')}, and its snapshots follow only that folder. What it changed elsewhere was not captured and cannot go back.`,
  REVERT_INSIDE_TURN: () =>
    'The agent reverted into the middle of a message. Its files went back to before that whole message, so it is shown as hidden.',
  NO_TOOL_CALLS: () => 'This step names no tool calls (an older log), so no message owns it and a revert cannot use it.',
  NOT_IDLE: () => 'Wait until the turn ends, then try again.',
  REVERT_STANDS: () => 'A revert stands. Run unrevert, or send a prompt, first.',
  NOTHING_TO_UNDO: () => 'Nothing to undo.',
  NOTHING_TO_REDO: () => 'Nothing to redo.',
  NO_STANDING_REVERT: () => 'No revert stands, so there is nothing to bring back.',
  REVERT_FINAL: () =>
    'The revert does not stand any more: a new prompt made it final, or it was taken back elsewhere. Its files can still come back from the history.',
  STOP_FIRST_MESSAGE: () => 'The agent cannot hide its first message. Choose a later message, or revert the files only.',
  STOP_WITHOUT_ID: (f) =>
    `This message has no id in the log, so the conversation cannot stand here.${instead(f, ' Choose another message.')}`,
  STOP_NOT_BEFORE_PROMPT: (f) =>
    `A recall takes back a prompt and all that follows, so the thread can only stand just before a prompt.${instead(f, '')}`,
  UNSUPPORTED_FORMAT: (f) =>
    `A recall needs format 3 or 4; this session has format ${of(f, 'version')}. Open it once in a newer DSH, which converts it.`,
  NOT_ON_SURFACE: () => 'This prompt is not part of the conversation any more: it was recalled or compacted before.',
  CHANGES_LOST: (f) =>
    `The file list of turn ${of(f, 'turn')} is no longer available (DSH was restarted). The recall is refused because the files would stay changed.`,
  CHANGES_NOT_READY: (f) =>
    `Turn ${of(f, 'turn')} wrote files, but its change list does not exist yet. Let DSH end the turn, then try again.`,
  NOT_RESTORABLE: (f) =>
    `${of(f, 'path')} cannot be put back.${because(f)} Nothing was restored and nothing was recalled; recall without restoring files instead.`,
  CONFLICT: (f) => `${of(f, 'path')} was changed later, so its old lines do not fit. Nothing was restored and nothing was recalled.`,
  COLD_AT_TURN_BOUNDARY: () =>
    'No agent is running and the log ends between turns: there is no step to attach the recall to. It is planned, and takes effect when a step is open.',
  CALL_NOT_STARTED: (f) =>
    `The tool call ${of(f, 'call')} never started, and only DSH itself can close it. Open the session in DSH once, then try again.`,
  HOST_UNREACHABLE: (f) => `The DSH host at ${of(f, 'address')} did not answer.${because(f)} Check its address and token.`,
  STALE_PENDING: () => 'The planned recall was dropped: the conversation is not what it was when it was planned. Look at it again.',
  RECALL_PLANNED: () =>
    'This recall is planned already and not yet effective: it takes effect when DSH opens the next step. Drop it with unrevert, or leave it.',
  RECALL_FINAL: () =>
    'DSH cannot bring recalled messages back. Their text can be copied from the transcript, and files can come back from the history.',
  RECALL_WRITTEN: () =>
    'The recall is in the log of DSH already, and nothing may be taken out of it. Choose Finish; the files can come back from the history.',
  OUTSIDE_WORKSPACE: (f) =>
    `${of(f, 'path')} lies outside the workspace, so it is not put back. Nothing was restored and nothing was recalled; recall without restoring files instead.`,
  CHANGES_NOT_KEPT: () => 'DSH keeps the changes of a turn only in its memory, so this step shows what its tools named, without contents.',
  LOG_STOPPED: (f) =>
    `Reading stopped at line ${of(f, 'line')}.${because(f)} What comes before it is shown, and nothing is written to this log.`,
  LOG_INVALID: (f) =>
    `Event ${of(f, 'seq')} breaks the rules of its format: DSH itself will not open this log.${because(f)} Nothing is written to it.`,
  STOP_DROPPED: () => 'This message was dropped from the conversation, so the thread cannot stand here.',
  LOG_READING: () => 'The log is still being read. This can be done as soon as all of it is there.',
  LOG_RUNNING: (f) => `Wait until the turn ends, then try again. The log shows work that has not ended (${of(f, 'what')}).`,
  LOG_WAITING: () => 'The agent waits for an answer. Answer or cancel it in the agent, then try again.',
  LOG_LIVE: (f) => `Another program is using this thread (${of(f, 'sign')}). Close it, then try again.`,
  LOG_NOT_UNDERSTOOD: (f) => `The log holds records that Turnback does not understand (${of(f, 'what')}), so it will not write to it.`,
  LOG_TRIMMED: (f) => `The log starts at record ${of(f, 'first')}: older history is gone, so Turnback will not write to it.`,
  LOG_TORN: (f) => `The last ${of(f, 'bytes')} bytes of the log are an unfinished record: somebody may be writing. Try again in a moment.`,
  LOG_PROJECTED: () =>
    'The app that wrote this log rewrites its messages in a way that the log does not explain, so Turnback will not write to it.',
  LOG_MOVED: () =>
    'The log changed while Turnback worked, so the files were put back and nothing was added. Look at the new messages, then try again.',
  LOG_READ_ONLY: (f) =>
    `You may not write to ${of(f, 'path')}, so a revert cannot be kept in it.${because(f)} Allow it, or revert the files only.`,
  LOG_OWNED: (f) =>
    `A newer harness keeps this log and records which host owns it (${of(f, 'what')}), so Turnback will not write to it. Revert in the running agent.`,
  LOG_BAD_LINE: (f) => `Line ${of(f, 'line')} of the log cannot be read, so Turnback will not write to it.`,
  STORE_BUSY: (f) =>
    `${of(f, 'path')} exists: another program is writing to the snapshots, or one crashed. Close the agent; if it is closed, remove that file.`,
  FOLDER_BUSY: (f) =>
    `An agent works in this folder: the thread ${of(f, 'thread')} is being written. Wait until it rests, then try again; or go on all the same${option('--even-busy')}.`,
  LEASE_HELD: (f) =>
    f['pid'] === undefined
      ? `${of(f, 'path')} is held, and nobody can tell by whom: ${of(f, 'file')} cannot be read. Close every other Turnback and remove that file, then try again.`
      : `Another Turnback (process ${of(f, 'pid')}) holds ${of(f, 'path')}: ${of(f, 'doing')}. Wait until it ends, then try again.`,
  INTERRUPTED: () => `A travel in this folder was interrupted. Finish it or roll it back first${option('turnback recover')}.`,
  NOT_INTERRUPTED: () => 'No travel was interrupted, so there is nothing to finish or roll back.',
  FILE_UNREADABLE: (f) => `${of(f, 'path')} cannot be read.${because(f)} Check that you may read it.`,
  FILE_BUSY: (f) => `${of(f, 'path')} keeps changing while it is read. Stop what writes to it, then try again.`,
  PLAN_STALE: (f) => `${of(f, 'path')} changed since the preview. Look at the new preview, then try again.`,
  DRIFTED: (f) => `${of(f, 'count')} files were changed since (${of(f, 'paths')}), and --drift fail was asked for. Nothing was written.`,
  DRIFTED_ELSEWHERE: (f) =>
    `${of(f, 'count')} files were changed there since (${of(f, 'paths')}), and there files go back whole, so those changes would be lost. Nothing was written. Keep a copy, then choose overwrite${option('--drift overwrite')}.`,
  WRITE_FAILED: (f) =>
    `${of(f, 'path')} could not be written.${because(f)} Everything was put back as it was. Put the cause right, then try again.`,
  NOTHING_AFTER: () => 'No message comes after this one, so there is nothing to take back. Choose an earlier message.',
  NOTHING_WRITTEN: () => 'This travel wrote no file, so there is nothing to bring back.',
  NO_FILES_AFTER: () => 'No step after this message changed a file, so there is nothing to put back.',
  FILES_ALREADY_THERE: () => 'The files already are as they were at this message, so there is nothing to put back.',
  NOTHING_CAN_GO_BACK: (f) =>
    `None of the ${of(f, 'count')} files can go back. ${of(f, 'path')}: ${of(f, 'cause')} Choose messages only, or another message.`,
  CHOICE_IMPOSSIBLE: (f) => `${of(f, 'path')} cannot be ${of(f, 'choice')}. Look at the preview for what is possible.`,
  OBJECT_DAMAGED: (f) => `The snapshot of ${of(f, 'path')} is damaged: its bytes are not what their id says. Nothing was written.`,
  SAFETY_GONE: () => 'The safety snapshot of this travel is gone, so its files cannot come back.',
  SAFETY_CLEANED: (f) => `Its safety snapshot was cleaned up on ${of(f, 'date')}, so its files cannot come back.`,
  CLEAN_FAILED: (f) =>
    `Old safety snapshots could not be cleaned up.${because(f)} Nothing that is still needed was touched; it is tried again.`,
  FORGET_STANDING: () =>
    `A revert of this thread stands, and forgetting the thread means that it can never be taken back. Unrevert first, or say so in so many words${option('--even-standing')}.`,
  FORGET_BUSY: (f) => `This thread cannot be forgotten now.${because(f)} Nothing was removed; try again in a moment.`,
  HISTORY_UNREADABLE: (f) =>
    `${of(f, 'path')} cannot be read.${because(f)} Move it away to start a new history; no file of yours is touched.`,
  FILE_NOT_IN_STEP: (f) => `Step ${of(f, 'step')} did not change ${of(f, 'path')}. Choose a file that the step lists.`,
  HUNK_UNKNOWN: (f) => `Step ${of(f, 'step')} has no such change in ${of(f, 'path')}. Look at its changes again, and choose one of them.`,
  HUNK_NOT_TEXT: (f) => `Single changes of ${of(f, 'path')} cannot be told apart: ${of(f, 'cause')}. Bring the whole file back instead.`,
  HUNK_NOT_FOUND: (f) =>
    `The change in ${of(f, 'lines')} cannot be found in ${of(f, 'path')} as it is now: it is out already, or its lines were changed since. Nothing is guessed; bring the whole file back, or edit it by hand.`,
  HUNK_AMBIGUOUS: (f) =>
    `The change in ${of(f, 'lines')} fits in ${of(f, 'places')} places of ${of(f, 'path')} as it is now, so none is chosen. Bring the whole file back, or edit it by hand.`,
  RECOVERY_MOVED: () => 'The log changed after the interruption, so the travel cannot be finished. Choose Roll back.',
  RECOVERY_NO_WORKSPACE: (f) =>
    `The folder ${of(f, 'path')} is not there any more, and what was interrupted is half done in it. Move it back there, then finish or roll back.`,
  RECOVERY_OTHER_FOLDER: (f) =>
    `Another folder stands at ${of(f, 'path')} than the one in which what was interrupted is half done. Put that one back there (mount its disk, or move it back), then finish or roll back.`,
  RECOVERY_NEEDS_THREAD: (f) =>
    `The thread ${of(f, 'id')} cannot be opened, and without it this travel cannot be ended. Open it again first.`,
  RECOVERY_FAILED: (f) =>
    `${of(f, 'path')} could not be put back.${because(f)} The safety snapshot is kept; close what uses the file and choose Roll back again.`,
  DISK_FULL: (f) =>
    `The disk of ${of(f, 'path')} is too full: ${of(f, 'need')} bytes are needed and ${of(f, 'free')} are free. Nothing was written. Make room there, then try again.`,
  NO_FILES_IN_PATCH: () => 'There is no file change in this range, so there is nothing to put in a patch.',
  PATCH_ALL_SECRET: () =>
    `Every file of this patch holds what looks like a secret, so nothing is left to export. Let single files in${option('--include PATH')}, or all of them${option('--with-secrets')}.`,
  TOO_LARGE: (f) => `${of(f, 'path')} is ${of(f, 'bytes')} bytes, more than is shown at once. Load it anyway if you want to wait.`,
  NO_IMAGE: (f) => `${of(f, 'path')} is not shown as a picture.${because(f)} Its size and first bytes are shown.`,
  NO_LINES: (f) => `The lines of ${of(f, 'path')} cannot be told apart.${because(f)} Its diff can still be looked at.`,
  BAD_REQUEST: (f) => `The request ${of(f, 'call')} was not understood.${because(f)}`,
  BAD_SENDER: (f) => `A page that is not Turnback's own called ${of(f, 'call')}; it was refused.`,
  NOT_AVAILABLE_HERE: (f) => `${of(f, 'what')} is not available in this window.`,
  FILE_EXISTS: (f) => `There is already something at ${of(f, 'path')}, and it stays as it is. Choose another name.`,
  SAVE_FAILED: (f) => `${of(f, 'path')} could not be saved.${because(f)} Choose a full path in a folder that you may write to.`,
  PATCH_NOT_TEXT: () => 'This patch holds bytes that are not UTF-8 text, so it cannot be copied whole. Save it as a file.',
  EDIT_REFUSED: (f) => `${of(f, 'path')} is not opened from here.${because(f)} Show it in its folder, and open it there if you trust it.`,
  LINK_REFUSED: (f) => `${of(f, 'url')} is not opened: only http and https links are.`,
  PORT_TAKEN: (f) => `Port ${of(f, 'port')} is in use. Name another one with --port, or leave it out to get a free one.`,
  NOT_BUILT: (f) => `The viewer's page is missing at ${of(f, 'path')}. Run npm run build, then try again.`,
  HOST_LOST: () =>
    'The connection to Turnback was lost. It is tried again; if it stays lost, start Turnback again and open its new address.',
  LOG_UNWRITABLE: (f) => `${of(f, 'path')} could not be written.${because(f)} The records before it are whole; check the disk, then go on.`,
  RECORDING_HELD: (f) =>
    `${of(f, 'what')} is being recorded by process ${of(f, 'pid')} on ${of(f, 'host')}. Close that session, then open the thread again.`,
  RECORDING_LOST: (f) => `Another process took over ${of(f, 'what')}, so this session stopped. Open the thread again.`,
  SESSION_CLOSED: () => 'This session is closed. Open the thread again.',
  SNAPSHOTS_OFF: () => 'snapshots: git is not available.',
  NO_TURN: () => 'No turn runs. Begin one with a prompt first.',
  TURN_ENDED: () => 'This turn or step has ended, so nothing can be added to it. Begin a new one.',
  GIT_PATH_REFUSED: (f) =>
    `${of(f, 'path')} is not used as git.${because(f)} Name the full path of a git program of version 2.26 or newer, or leave it empty for the one on PATH.`,
  SETTINGS_DAMAGED: (f) =>
    `The settings could not be read (${of(f, 'path')}).${because(f)} The defaults are used; the file is put aside when you change a setting.`,
  SETTINGS_NEWER: (f) =>
    `The settings (${of(f, 'path')}) were written by a newer Turnback. They stay as they are; the defaults are used, and changes last until Turnback ends.`,
  SETTING_REFUSED: (f) => `The setting ${of(f, 'name')} was not changed.${because(f)}`,
  UNKNOWN_COMMAND: (f) => `There is no command ${of(f, 'name')} in this session.`,
  UNKNOWN_CALL: (f) => `There is no tool call ${of(f, 'id')} in this step. Record the assistant's message with its tool calls first.`,
  BAD_OPTION: (f) => `${of(f, 'name')} cannot be used.${because(f)}`,
  BACKEND_FAILED: (f) => `The other side could not be used: ${of(f, 'what')}.${because(f)} Check that the command reaches it.`,
  NOT_OURS_TO_PURGE: (f) =>
    `The snapshots of this thread (${of(f, 'path')}) were not made by Turnback's recorder, and other threads may use them. Let the agent remove them.`,
  NOT_SUPPORTED: (f) => `${of(f, 'what')} is not possible for this kind of thread.${because(f)}`,
} as const satisfies Record<string, (facts: Facts) => string>;

/** The code of a refusal or failure; stable across versions. */
export type ErrorCode = keyof typeof SENTENCES;

/** A code with its sentence, as it crosses the boundary and appears in JSON. */
export interface Reason {
  code: ErrorCode;
  message: string;
}

const codes = Object.keys(SENTENCES) as [ErrorCode, ...ErrorCode[]];

/** Schema of {@link Reason}. */
export const reasonSchema: z.ZodType<Reason> = z.object({ code: z.enum(codes), message: z.string() });

/** The reason for a code, its sentence filled with the facts at hand. */
export function reason(code: ErrorCode, facts: Facts = {}): Reason {
  return { code, message: SENTENCES[code](facts) };
}

/** The one error class of the engine: thrown inside, sent as {@link Reason} over the boundary. */
export class TurnbackError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, facts: Facts = {}, options?: ErrorOptions) {
    super(SENTENCES[code](facts), options);
    this.name = 'TurnbackError';
    this.code = code;
  }

  /** The error for a reason that was found before, its sentence as it is. */
  static of(why: Reason): TurnbackError {
    const error = new TurnbackError(why.code);
    error.message = why.message;
    return error;
  }

  /** The same error as plain data. */
  get reason(): Reason {
    return { code: this.code, message: this.message };
  }
}

/** Was this refusal thrown? */
export const isRefusal = (thrown: unknown, code: ErrorCode): thrown is TurnbackError =>
  thrown instanceof TurnbackError && thrown.code === code;

/** What a thrown value says of itself. */
export const causeOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The same without what came of it and what to do, for a sentence that says both anew; without its last full stop. */
export const whatFailed = (thrown: unknown): string =>
  causeOf(thrown)
    .replace(/ (?:Nothing was|Everything was|Wait until|Close every) .*$/s, '')
    .replace(/\.$/, '');

/** Did the operating system refuse a call (no permission, a disk that is full or read-only)? */
const isOfTheSystem = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && 'code' in thrown && /^E[A-Z0-9]+$/.test(String(thrown.code));

/** Any thrown value as a reason; what is neither ours nor the system's becomes `INTERNAL` with its own message as the cause. */
export function reasonOf(thrown: unknown): Reason {
  if (thrown instanceof TurnbackError) return thrown.reason;
  if (isOfTheSystem(thrown)) return reason('SYSTEM_FAILED', { cause: causeOf(thrown) });
  return reason('INTERNAL', { cause: causeOf(thrown) });
}
