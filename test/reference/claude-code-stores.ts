import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { structuredPatch } from 'diff';
import fc from 'fast-check';
import { MadeLog, type MadeRecord } from '../threads/claude-code/made-log.ts';

const FILES = ['a.txt', 'b.txt', 'src/c.js', 'src/deep/d.js'];
const file = fc.constantFrom(...FILES);
const line = fc.nat({ max: 9 });

const call = fc.record({ tool: fc.constantFrom('Write', 'Write', 'Edit', 'Edit', 'Bash', 'Read', 'failed', 'Task'), file, line });

const stepDeed = fc.record({
  calls: fc.array(call, { maxLength: 3 }),
  thinks: fc.boolean(),
  /** The context is summarized before the next step. */
  compacts: fc.boolean(),
});

const turnDeed = fc.record({
  do: fc.constant('turn' as const),
  blocks: fc.boolean(),
  steps: fc.array(stepDeed, { maxLength: 3 }),
  end: fc.constantFrom('done', 'done', 'done', 'interrupted'),
  /** A rewind to before the turn so many back comes first; with files or without. */
  rewind: fc.option(fc.record({ back: fc.nat({ max: 3 }), files: fc.boolean() }), { freq: 3 }),
});

/** What Claude Code, or the user, does. */
export const claudeDeed = fc.oneof(
  { weight: 6, arbitrary: turnDeed },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('user' as const), file, line }) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'command' as const }, { do: 'noise' as const }, { do: 'repeat' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const), back: fc.nat({ max: 2 }) }) },
);
export type ClaudeDeed = typeof claudeDeed extends fc.Arbitrary<infer T> ? T : never;
type Turn = Extract<ClaudeDeed, { do: 'turn' }>;
type Call = Turn['steps'][number]['calls'][number];

/** Which form of checkpoints the log has (2.4): none, as up to 2.1.197, as of 2.1.332. */
export const FORMS = ['none', 'update', 'delta'] as const;
export type Form = (typeof FORMS)[number];

interface Prompt {
  uuid: string;
  parent: string | null;
  /** What every tracked file held before the turn; null: nothing. */
  before: Map<string, string | null>;
}

/** The workspace and log of one random session, written record by record in the forms of Part 2. */
export class ClaudeWorld {
  readonly log: MadeLog;
  readonly #form: Form;
  readonly disk = new Map<string, string>();
  readonly #backups: Record<string, string> = {};
  readonly #tracked = new Map<string, { text: string | null; name: string | null; version: number }>();
  #live: Prompt[] = [];
  #leaf: string | null = null;
  #count = 0;

  constructor(folder: string, form: Form) {
    rmSync(folder, { recursive: true, force: true });
    this.log = new MadeLog(folder);
    this.#form = form;
    for (const name of FILES.slice(0, 3)) this.disk.set(name, `first ${name}\ntwo\nthree\n`);
  }

  #uuid(): string {
    this.#count += 1;
    return `00000000-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
  }

  #tree(record: MadeRecord, parent: string | null = this.#leaf, uuid = this.#uuid()): string {
    const timestamp = new Date(1_780_000_000_000 + this.#count * 1000).toISOString();
    const place = { isSidechain: false, cwd: this.log.root, version: this.#form === 'delta' ? '2.1.332' : '2.1.197' };
    this.log.loose({ parentUuid: parent, uuid, timestamp, ...place, ...record });
    this.#leaf = uuid;
    return uuid;
  }

  do(deed: ClaudeDeed): void {
    if (deed.do === 'turn') this.#turn(deed);
    else if (deed.do === 'user') this.disk.set(deed.file, `by hand ${deed.line}\n`);
    else if (deed.do === 'compact') this.#compact(deed.back);
    else if (deed.do === 'repeat') this.log.lines.push(...this.log.lines.slice(-1));
    else if (deed.do === 'command') {
      const say = (content: string, more: MadeRecord = {}) => this.#tree({ type: 'user', message: { role: 'user', content }, ...more });
      say('<local-command-caveat>ignore this</local-command-caveat>', { isMeta: true });
      say('<command-name>/cost</command-name>\n<command-message>cost</command-message>');
      say('<local-command-stdout>much</local-command-stdout>');
    } else {
      this.log.loose({ type: 'api-request-blob', blob: 'a prompt again' });
      this.log.loose({ type: 'queue-operation', operation: 'enqueue' });
      this.log.loose({ type: 'of-tomorrow', uuidLike: 1 });
      this.#tree({ type: 'attachment', attachment: { type: 'task_reminder', content: [] } });
      this.log.lines.push('{"type":"user", torn');
    }
  }

  #turn(deed: Turn): void {
    const parent = this.#rewound(deed.rewind);
    const uuid = this.#uuid();
    const words = `Change it ${this.#count}`;
    const content = deed.blocks ? [{ type: 'text', text: words }] : words;
    const before = new Map([...this.#tracked.keys()].map((name) => [name, this.disk.get(name) ?? null] as const));
    this.#live.push({ uuid, parent, before });
    const checkpoint = () => this.#checkpoint(uuid, uuid, false);
    // The checkpoint stands before the prompt, or after it.
    if (this.#count % 2 === 0) checkpoint();
    this.#tree(
      { type: 'user', promptId: `p-${uuid}`, promptSource: 'typed', origin: { kind: 'human' }, message: { role: 'user', content } },
      parent,
      uuid,
    );
    if (this.#count % 2 !== 0) checkpoint();
    for (const [at, step] of deed.steps.entries()) {
      this.#step(uuid, step);
      if (step.compacts && at < deed.steps.length - 1 && this.#count % 3 === 0) this.#compact(0);
    }
    if (deed.end === 'interrupted') {
      const text = '[Request interrupted by user]';
      this.#tree({
        type: 'user',
        promptId: `p-${uuid}`,
        message: { role: 'user', content: [{ type: 'text', text }] },
        interruptedMessageId: `msg_${this.#count}`,
      });
    } else {
      const end = { id: `msg_${this.#uuid()}`, role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' };
      this.#tree({ type: 'assistant', message: end });
      this.#tree({ type: 'system', subtype: 'turn_duration', durationMs: 5 });
    }
    this.log.loose({ type: 'last-prompt', lastPrompt: words, leafUuid: this.#leaf });
  }

  /** What the next prompt hangs on. With files: each tracked one as the chosen checkpoint has it, or as it was first known (2.4). */
  #rewound(rewind: Turn['rewind']): string | null {
    const to = rewind === null ? undefined : this.#live[this.#live.length - 1 - rewind.back];
    if (to === undefined || rewind === null) return this.#leaf;
    if (rewind.files && this.#form !== 'none') {
      for (const name of this.#tracked.keys()) {
        const known = to.before.has(name) ? to.before : this.#live.find((prompt) => prompt.before.has(name))?.before;
        const text = known?.get(name);
        if (text == null) this.disk.delete(name);
        else this.disk.set(name, text);
      }
    }
    this.#live = this.#live.slice(0, this.#live.indexOf(to));
    return to.parent;
  }

  #step(prompt: string, { calls, thinks }: Turn['steps'][number]): void {
    const id = `msg_${this.#uuid()}`;
    const say = (block: MadeRecord) =>
      this.#tree({ type: 'assistant', message: { id, role: 'assistant', content: [block], stop_reason: 'tool_use' } });
    if (thinks) say({ type: 'thinking', thinking: 'Well.' });
    if (thinks || calls.length === 0) say({ type: 'text', text: 'Doing it.' });
    const asked = calls.map((one) => {
      const tool = one.tool === 'failed' || (one.tool === 'Edit' && !this.disk.has(one.file)) ? 'Edit' : one.tool;
      const callId = `toolu_${this.#uuid()}`;
      return { one, callId, at: say({ type: 'tool_use', id: callId, name: tool, input: this.#input(one) }) };
    });
    // Parallel calls hang on each other, each result on its own call, and what follows on the last result (2.2).
    for (const { one, callId, at } of asked) {
      const result = this.#run(one, prompt, at);
      const failed = typeof result === 'string';
      const block = { type: 'tool_result', tool_use_id: callId, content: failed ? result : 'ok', ...(failed ? { is_error: true } : {}) };
      this.#tree(
        {
          type: 'user',
          promptId: `p-${prompt}`,
          message: { role: 'user', content: [block] },
          toolUseResult: result,
          sourceToolAssistantUUID: at,
        },
        at,
      );
    }
  }

  #input({ tool, file: name, line: value }: Call): MadeRecord {
    const file_path = this.log.file(name);
    if (tool === 'Bash') return { command: `echo ${value} > ${name}` };
    if (tool === 'Task') return { description: 'help', prompt: 'Please help.' };
    return tool === 'Write'
      ? { file_path, content: 'as asked' }
      : tool === 'Read'
        ? { file_path }
        : { file_path, old_string: 'x', new_string: 'y' };
  }

  /** Does it, and gives its `toolUseResult` (2.3); a text for a failure. */
  #run(one: Call, prompt: string, at: string): MadeRecord | string {
    const { tool, file: name, line: value } = one;
    const old = this.disk.get(name) ?? null;
    const filePath = this.log.file(name);
    if (tool === 'failed' || (tool === 'Edit' && old === null)) return 'Error: String to replace not found in file.';
    if (tool === 'Read') return { type: 'text', file: { filePath, content: old ?? '', numLines: 1, startLine: 1, totalLines: 1 } };
    if (tool === 'Bash') {
      if (value > 6) this.disk.delete(name);
      else this.disk.set(name, `by shell ${value}\n`);
      return { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: true };
    }
    if (tool === 'Task') return this.#help(one);
    this.#track(name, prompt, at);
    return { ...this.#write(one), userModified: false };
  }

  #write({ tool, file: name, line: value }: Call): MadeRecord {
    const old = this.disk.get(name) ?? null;
    this.#count += 1;
    // Some texts have no newline at their end.
    const tail = value > 7 ? '' : '\n';
    const lines = (old ?? '').replace(/\n$/, '').split('\n');
    lines.splice(value % (lines.length + 1), value % 2, `line ${this.#count}`, `more ${value}`);
    const text = tool === 'Edit' ? lines.join('\n') + tail : `written ${this.#count}\n${value}${tail}`;
    this.disk.set(name, text);
    const { hunks } = structuredPatch('a', 'a', old ?? '', text, '', '', { context: 3 });
    const common = { filePath: this.log.file(name), originalFile: old, structuredPatch: old === null ? [] : hunks };
    if (tool === 'Edit') return { ...common, oldString: 'x', newString: 'y', replaceAll: false };
    return { type: old === null ? 'create' : 'update', content: text, ...common };
  }

  /** A sub-agent that writes one file: its own log, and nothing in the checkpoints (2.1, 2.4). */
  #help(one: Call): MadeRecord {
    const agentId = `a${String(this.#count).padStart(16, '0')}`;
    const folder = path.join(this.log.log.replace(/\.jsonl$/, ''), 'subagents');
    mkdirSync(folder, { recursive: true });
    const common = { isSidechain: true, agentId, sessionId: this.log.sessionId, cwd: this.log.root };
    const [asked, called, answered] = [this.#uuid(), this.#uuid(), this.#uuid()];
    const result = this.#write({ ...one, tool: 'Write' });
    const use = {
      type: 'tool_use',
      id: `toolu_${called}`,
      name: 'Write',
      input: { file_path: result['filePath'], content: result['content'] },
    };
    const records = [
      { parentUuid: null, uuid: asked, type: 'user', message: { role: 'user', content: 'Please help.' } },
      { parentUuid: asked, uuid: called, type: 'assistant', message: { id: `msg_${called}`, role: 'assistant', content: [use] } },
      {
        ...{ parentUuid: called, uuid: answered, type: 'user', toolUseResult: result },
        message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: use.id, content: 'ok' }] },
      },
    ];
    writeFileSync(
      path.join(folder, `agent-${agentId}.jsonl`),
      records.map((record) => `${JSON.stringify({ ...common, ...record })}\n`).join(''),
    );
    writeFileSync(path.join(folder, `agent-${agentId}.meta.json`), JSON.stringify({ agentType: 'general-purpose', spawnDepth: 1 }));
    return { status: 'completed', agentId, content: [{ type: 'text', text: 'Helped.' }] };
  }

  #backup(name: string): MadeRecord {
    const known = this.#tracked.get(name);
    const text = this.disk.get(name) ?? null;
    if (known === undefined || known.text !== text) {
      const version = (known?.version ?? 0) + 1;
      const hash = createHash('sha256').update(this.log.file(name)).digest('hex').slice(0, 16);
      const backup = text === null ? null : `${hash}@v${version}`;
      if (backup !== null) this.#backups[backup] = text ?? '';
      this.#tracked.set(name, { text, name: backup, version });
    }
    const { name: backupFileName, version } = this.#tracked.get(name) ?? { name: null, version: 1 };
    return { backupFileName, version, backupTime: new Date(1_780_000_000_000 + this.#count * 1000).toISOString() };
  }

  #checkpoint(messageId: string, prompt: string, update: boolean): void {
    if (this.#form === 'none') return;
    const all = Object.fromEntries(
      [...this.#tracked].map(([name, { name: backupFileName, version }]) => [
        name,
        update ? { backupFileName, version } : this.#backup(name),
      ]),
    );
    const snapshot = { messageId: prompt, timestamp: new Date(1_780_000_000_000).toISOString(), trackedFileBackups: all };
    this.log.loose({ type: 'file-history-snapshot', messageId, isSnapshotUpdate: update, snapshot });
  }

  /** The first edit of a file that was not tracked yet. */
  #track(name: string, prompt: string, at: string): void {
    if (this.#form === 'none' || this.#tracked.has(name)) return;
    const backup = this.#backup(name);
    if (this.#form === 'update') this.#checkpoint(at, prompt, true);
    else this.log.loose({ type: 'file-history-delta', messageId: at, snapshotMessageId: prompt, trackingPath: name, backup });
  }

  /** 2.2: a new root, and what stands for all that was said; `back`: only for what came after the start of an earlier turn. */
  #compact(back: number): void {
    const logical = back === 0 ? this.#leaf : (this.#live.at(-back)?.parent ?? this.#leaf);
    if (this.#leaf === null) return;
    const how = { subtype: 'compact_boundary', logicalParentUuid: logical, compactMetadata: { trigger: 'manual' } };
    this.#tree({ type: 'system', content: 'Conversation compacted', ...how }, null);
    this.#tree({ type: 'user', isCompactSummary: true, message: { role: 'user', content: 'In short: all is well.' } });
  }

  async write(): Promise<void> {
    await this.log.write(this.#backups);
    for (const [name, text] of this.disk) {
      mkdirSync(path.dirname(this.log.file(name)), { recursive: true });
      writeFileSync(this.log.file(name), text);
    }
    const past = Date.now() / 1000 - 3600;
    utimesSync(this.log.log, past, past);
  }
}
