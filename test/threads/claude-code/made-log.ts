import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type MadeRecord = Record<string, unknown>;

const SESSION = '11111111-2222-4333-8444-555555555555';

/** Writes a log of Claude Code record by record, in the forms that formats/opencode-and-claude-code.md Part 2 gives. */
export class MadeLog {
  readonly home: string;
  readonly root: string;
  readonly log: string;
  readonly lines: (string | Buffer)[] = [];
  #last: string | null = null;
  #count = 0;
  #prompt = '';

  readonly sessionId: string;

  constructor(folder: string, sessionId = SESSION) {
    this.sessionId = sessionId;
    this.home = path.join(folder, 'home');
    this.root = path.join(folder, 'workspace');
    this.log = path.join(this.home, '.claude/projects/-made', `${sessionId}.jsonl`);
  }

  /** A record that hangs on no tree. */
  loose(record: MadeRecord): this {
    this.lines.push(JSON.stringify({ sessionId: this.sessionId, ...record }));
    return this;
  }

  tree(record: MadeRecord, parent: string | null = this.#last): string {
    this.#count += 1;
    const uuid = `u${this.#count}`;
    const at = new Date(1_790_000_000_000 + this.#count * 1000).toISOString();
    this.loose({ parentUuid: parent, isSidechain: false, uuid, timestamp: at, cwd: this.root, version: '2.1.197', ...record });
    this.#last = uuid;
    return uuid;
  }

  /** A typed prompt; `parent` makes a branch. */
  prompt(content: string | MadeRecord[], parent: string | null = this.#last): string {
    this.#prompt = this.tree({ type: 'user', promptSource: 'typed', message: { role: 'user', content } }, parent);
    return this.#prompt;
  }

  /** One record of an answer. */
  answer(id: string, block: MadeRecord, stop = 'tool_use'): string {
    return this.tree({ type: 'assistant', message: { id, role: 'assistant', content: [block], stop_reason: stop } });
  }

  says(id: string, text: string): string {
    return this.answer(id, { type: 'text', text }, 'end_turn');
  }

  result(call: string, content: unknown, toolUseResult: unknown, failed = false): string {
    const block = { type: 'tool_result', tool_use_id: call, content, ...(failed ? { is_error: true } : {}) };
    return this.tree({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult });
  }

  /** A whole step: one call of a tool and what it answered. */
  step(id: string, name: string, input: MadeRecord, toolUseResult: unknown, failed = false): this {
    this.answer(id, { type: 'tool_use', id: `call-${id}`, name, input });
    this.result(`call-${id}`, failed ? 'failed' : 'ok', toolUseResult, failed);
    return this;
  }

  file(name: string): string {
    return path.join(this.root, name);
  }

  edit(id: string, name: string, before: string | undefined, from: string, to: string, hunks?: MadeRecord[]): this {
    const file = this.file(name);
    const original = before === undefined ? {} : { originalFile: before };
    const patch = hunks ? { structuredPatch: hunks } : {};
    return this.step(
      id,
      'Edit',
      { file_path: file, old_string: from, new_string: to },
      { filePath: file, oldString: from, newString: to, ...original, ...patch, replaceAll: false },
    );
  }

  create(id: string, name: string, content: string): this {
    const file = this.file(name);
    const result = { type: 'create', filePath: file, content, structuredPatch: [], originalFile: null };
    return this.step(id, 'Write', { file_path: file, content }, result);
  }

  /** A checkpoint of the form up to 2.1.197. */
  checkpoint(prompt: string, backups: Record<string, string | null>, update = false): this {
    const trackedFileBackups = Object.fromEntries(
      Object.entries(backups).map(([name, backupFileName]) => [name, { backupFileName, version: 1 }]),
    );
    return this.loose({
      type: 'file-history-snapshot',
      messageId: prompt,
      snapshot: { messageId: prompt, trackedFileBackups },
      isSnapshotUpdate: update,
    });
  }

  /** Writes the log, and the bytes of backups. */
  async write(backups: Record<string, string | Uint8Array> = {}): Promise<this> {
    const history = path.join(this.home, '.claude/file-history', this.sessionId);
    await mkdir(path.dirname(this.log), { recursive: true });
    await mkdir(history, { recursive: true });
    await mkdir(this.root, { recursive: true });
    await writeFile(this.log, Buffer.concat(this.lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
    for (const [name, bytes] of Object.entries(backups)) await writeFile(path.join(history, name), bytes);
    return this;
  }
}
