import { type FileHandle, stat } from 'node:fs/promises';
import type { ThreadHead } from '../../../shared/model.ts';
import { openRegular } from '../../snapshots/regular-file.ts';
import { isBlankLine, logError, readLogLines } from '../log-lines.ts';
import { batchOf } from './jsonl-log.ts';
import { logIdOfFile } from './jsonl-store.ts';
import { LogFold } from './log-fold.ts';
import { NextOf } from './quick-lines.ts';
import { type JsonObject, textField } from './record.ts';
import type { StepRecord } from './step-record.ts';
import { titleOf } from './thread-model.ts';

/** A list of threads reads no more of each log than this. */
const HEAD_BYTES = 60 << 10;
/** The first line can hold a copied conversation; to tell what a file is, this much of it is read. */
const FIRST_LINE_BYTES = 8 << 20;
const LINES_TRIED = 20;

/** What a log says of itself at its start. */
export interface LogHead {
  /** The other threads that its records name. */
  threads: string[];
  title: string | null;
  root: string | null;
  /** Turns and changed files of the thread that the log is named after; null where the start is not all of the log. */
  turns: number | null;
  files: number | null;
}

/** The parent that an id of a child names: `<thread>:<agent>:<input>`, `<thread>/agent/<run>` (`formats/tanstack.md`, id formats). */
export function parentOf(threadId: string): string | null {
  const parts = threadId.split(':');
  if (parts.length >= 3) return parts.slice(0, -2).join(':');
  if (parts.length === 2) return parts[0] === 'subagent' ? null : (parts[0] ?? null);
  const agent = threadId.lastIndexOf('/agent/');
  return agent > 0 ? threadId.slice(0, agent) : null;
}

async function startOf(file: string, length: number): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await openRegular(file);
  } catch (error) {
    throw logError(file, error);
  }
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw logError(file, error);
  } finally {
    await handle.close();
  }
}

/** The whole lines at the start of the bytes; `all`: what comes after the last newline too. */
function linesOf(bytes: Buffer, all: boolean): Buffer[] {
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const lines: Buffer[] = [];
  let at = marked ? 3 : 0;
  for (let end = bytes.indexOf(0x0a, at); end >= 0; end = bytes.indexOf(0x0a, at)) {
    lines.push(bytes.subarray(at, end));
    at = end + 1;
  }
  if (all) lines.push(bytes.subarray(at));
  return lines.filter((line) => !isBlankLine(line));
}

function isBatch(line: Buffer): boolean {
  const records = batchOf(line);
  return typeof records !== 'string' && records.some((record) => textField(record, 'type') !== null);
}

/** True when one of the first lines is a batch of records: a log of this kind, perhaps damaged. `start`: what it begins with. */
async function isJsonlLog(file: string, start: Buffer): Promise<boolean> {
  const first = start.find((byte) => byte > 0x20 && byte < 0x7f);
  // A line of any other kind of log begins with an object.
  if (first === undefined) return false;
  const bytes = start.length === HEAD_BYTES && start.indexOf(0x0a) < 0 ? await startOf(file, FIRST_LINE_BYTES) : start;
  return linesOf(bytes, bytes.length < HEAD_BYTES)
    .slice(0, LINES_TRIED)
    .some(isBatch);
}

/** How many files the steps list; null when a step lists none, so that only its snapshots tell. */
function filesOf(steps: readonly StepRecord[]): number | null {
  // Without any step nobody looked at the files.
  if (steps.length === 0) return null;
  const files = new Set<string>();
  for (const step of steps) {
    if (step.files === null) return null;
    for (const file of step.files) files.add(file);
  }
  return files.size;
}

function headOf(log: LogFold, threads: ReadonlySet<string>, whole: boolean): LogHead {
  const { thread } = log;
  const prompt = [...thread.inputs.byId.values()].find((input) => input.prompt !== '')?.prompt ?? null;
  return {
    threads: [...threads],
    title: titleOf(thread) ?? prompt,
    root: thread.workspace?.root ?? null,
    turns: whole ? thread.turns.all.length : null,
    files: whole ? filesOf(thread.steps) : null,
  };
}

function add(log: LogFold, threads: Set<string>, records: readonly JsonObject[], seq: number): void {
  for (const [index, record] of records.entries()) {
    const thread = textField(record, 'thread');
    if (thread !== null && thread !== log.logId) threads.add(thread);
    log.apply(record, { seq: seq + index, ref: { kind: 'row', seq: seq + index } });
  }
}

/** Reads the start of a log only, and once: a list of many reads no more of each. Null when it is no log of the harness. */
export async function readLogHead(file: string): Promise<LogHead | null> {
  const id = logIdOfFile(file);
  const log = new LogFold({ threadId: id, logId: id, root: null });
  const threads = new Set<string>();
  const bytes = await startOf(file, HEAD_BYTES);
  if (!(await isJsonlLog(file, bytes))) return null;
  for (const line of linesOf(bytes, bytes.length < HEAD_BYTES)) {
    const records = batchOf(line);
    if (typeof records !== 'string') add(log, threads, records, log.seq + 1);
  }
  return headOf(log, threads, bytes.length < HEAD_BYTES);
}

const THREAD = Buffer.from('"thread":"');

/** The ids of every other thread that shares the log. Reads all of it. */
export async function threadsOfLog(file: string): Promise<string[]> {
  const id = logIdOfFile(file);
  const threads = new Set<string>();
  const named = new NextOf(THREAD);
  const skip = (bytes: Buffer, start: number, end: number): boolean => named.at(bytes, start) >= end;
  const each = (bytes: Buffer): void => {
    const records = batchOf(Buffer.from(bytes));
    for (const record of typeof records === 'string' ? [] : records) {
      const thread = textField(record, 'thread');
      if (thread !== null && thread !== id) threads.add(thread);
    }
  };
  await readLogLines(file, null, each, { skip });
  return [...threads];
}

/** The thread of a log as it is listed. `root`: where the metadata beside it says that it works. */
export async function jsonlThread(file: string, threadId: string, head: LogHead, root: string | null): Promise<ThreadHead> {
  const { size, mtimeMs } = await stat(file);
  const own = threadId === logIdOfFile(file);
  return {
    id: `tanstack:${threadId}`,
    source: 'tanstack',
    title: own ? head.title : null,
    root: root ?? head.root,
    log: file,
    threadId,
    parent: parentOf(threadId) ?? (own ? null : logIdOfFile(file)),
    updatedAt: mtimeMs,
    size,
    turns: own ? head.turns : null,
    files: own ? head.files : null,
  };
}
