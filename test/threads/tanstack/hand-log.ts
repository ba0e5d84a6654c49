import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ThreadReader } from '../../../electron/threads/source.ts';
import { tanstack } from '../../../electron/threads/tanstack/tanstack-source.ts';
import { tempFolder } from '../../scenarios/temp.ts';

export type Rec = { type?: unknown; [key: string]: unknown };

/** A log written by hand, record by record. */
export class HandLog {
  readonly folder: string;
  readonly file: string;

  constructor(folder: string, file: string) {
    this.folder = folder;
    this.file = file;
  }

  /** Appends one batch. */
  async batch(...records: Rec[]): Promise<void> {
    await appendFile(this.file, `${JSON.stringify(records)}\n`);
  }

  /** Appends bytes as they are. */
  async bytes(bytes: string | Uint8Array): Promise<void> {
    await appendFile(this.file, bytes);
  }

  async open(o: { threadId?: string; root?: string | null; data?: string | null } = {}): Promise<ThreadReader> {
    const places = { home: path.join(this.folder, 'home'), env: {} };
    const threadId = o.threadId ?? decodeURIComponent(path.basename(this.file, '.jsonl'));
    const head = {
      id: `tanstack:${threadId}`,
      source: 'tanstack' as const,
      title: null,
      root: null,
      log: this.file,
      threadId,
      parent: null,
      updatedAt: null,
      size: null,
    };
    const reader = await tanstack.open(head, {
      root: o.root ?? null,
      data: o.data ?? null,
      places,
      ownData: path.join(this.folder, 'own'),
    });
    await reader.read();
    return reader;
  }
}

/** An empty log `<folder>/save/sessions/<thread>.jsonl`. */
export async function handLog(threadId = 't1'): Promise<HandLog> {
  const folder = await tempFolder();
  const file = path.join(folder, 'save', 'sessions', `${encodeURIComponent(threadId)}.jsonl`);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, '');
  return new HandLog(folder, file);
}

export const user = (id: string, content: unknown = `prompt ${id}`): Rec => ({ id, role: 'user', content });
export const say = (id: string, content: unknown = `answer ${id}`): Rec => ({ id, role: 'assistant', content });
export const answer = (toolCallId: string, content = 'ok', extra: Rec = {}): Rec => ({ role: 'tool', toolCallId, content, ...extra });

/** An assistant message with calls: `call('a1', ['c1', 'edit_file', { path: 'a' }])`. */
export function call(id: string, ...calls: [string, string, unknown?][]): Rec {
  const toolCalls = calls.map(([callId, name, args]) => ({
    id: callId,
    type: 'function',
    function: { name, arguments: JSON.stringify(args ?? {}) },
  }));
  return { id, role: 'assistant', content: null, toolCalls };
}

export const transcript = (keep: number, ...add: Rec[]): Rec => ({ type: 'harness.transcript', keep, add });
export const input = (inputId: string, op = 'prompt', extra: Rec = {}, at = 1000): Rec => ({
  type: 'harness.input',
  inputId,
  input: { op, message: `prompt ${inputId}`, ...extra },
  at,
});
export const applied = (inputId: string, operationId = `op-${inputId}`, attempt = 1): Rec => ({
  type: 'harness.input.applied',
  inputId,
  operationId,
  attempt,
});
export const settled = (inputId: string, outcome = 'completed'): Rec => ({
  type: 'harness.input.settled',
  inputId,
  operationId: `op-${inputId}`,
  outcome,
});
export const event = (value: Rec, operationId = 'session'): Rec => ({ type: 'harness.event', operationId, event: value });
export const custom = (name: string, value: unknown, operationId = 'session'): Rec =>
  event({ type: 'CUSTOM', name, value, timestamp: 5 }, operationId);
export const revert = (messageId: string | null, files?: unknown): Rec => ({
  type: 'harness.revert',
  revert: messageId === null ? null : files === undefined ? { messageId } : { messageId, files },
});
export const tree = (digit: string): string => digit.repeat(40);
export const step = (from: string, to: string, files: string[], toolCallIds: string[], extra: Rec = {}): Rec => ({
  type: 'tanstack/snapshots:step',
  from: tree(from),
  to: tree(to),
  files,
  toolCallIds,
  ...extra,
});

/** A settled turn with one message of each side. */
export async function plainTurn(log: HandLog, n: number, keep: number): Promise<void> {
  await log.batch(input(`in${n}`), applied(`in${n}`), transcript(keep, user(`u${n}`)));
  await log.batch(transcript(keep + 1, say(`a${n}`)), settled(`in${n}`));
}
