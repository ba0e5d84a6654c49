import type { BadRecord } from '../../../shared/model.ts';
import { isBlankLine, type LineAt, type LogPlace, readLogLines } from '../log-lines.ts';
import { asName, asRecord, asText, type Loose, parseRecord } from '../loose.ts';
import { isWithin } from '../recorded-path.ts';
import type { OnBytes } from '../source.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import { blocksOf, resultText, type TreeRecord, textOf, treeRecord, withoutTags } from './claude-record.ts';
import { type FileHistory, fileHistory } from './file-history.ts';
import { type ToolEdit, toolEdit } from './tool-edit.ts';

const EXCERPT = 240;

/** What a tool answered. */
export interface ResultFacts {
  callId: string;
  failed: boolean;
  bytes: number;
  at: number | null;
  /** The sub-agent that the call ran, and whether it had ended. */
  agent: { id: string; ended: boolean } | null;
  edit: ToolEdit | null;
}

/** One record of the conversation's tree, without its texts. */
export interface Entry {
  at: LineAt;
  tree: TreeRecord;
  /** Written by a sub-agent into the session's own log, as older versions did. */
  aside: boolean;
  excerpt: string;
  bytes: number;
  images: number;
  thinking: boolean;
  calls: CallFacts[];
  results: ResultFacts[];
}

/** The records of one log in their order, read as it grows (formats/opencode-and-claude-code.md 2.2). */
export class ClaudeLog {
  readonly path: string;
  readonly entries: Entry[] = [];
  /** Checkpoints, each with the number of entries that came before it. */
  readonly checkpoints: { before: number; history: FileHistory }[] = [];
  bad: BadRecord[] = [];
  title: string | null = null;
  cwd: string | null = null;
  torn = 0;
  size = 0;
  modifiedMs = 0;
  /** Records of this shape at all; a log without one is not of Claude Code. */
  known = 0;
  /** How often it was read from its start. */
  restarts = 0;
  #place: LogPlace | null = null;
  readonly #sub: boolean;
  readonly #uuids = new Set<string>();

  /** `sub`: the log of a sub-agent, whose records all say that they stand beside the conversation. */
  constructor(path: string, sub: boolean) {
    this.path = path;
    this.#sub = sub;
  }

  /** Reads what is new; true when anything was. Throws NOT_FOUND, LOG_UNREADABLE, CANCELLED. */
  async read(signal?: AbortSignal, onBytes?: OnBytes): Promise<boolean> {
    const from = this.#place;
    this.#place = null;
    if (from === null) this.#restart();
    let changed = from === null;
    const growth = await readLogLines(
      this.path,
      from,
      (bytes, at) => {
        changed = true;
        this.take(bytes, at);
      },
      {
        signal,
        onBytes,
        onRestart: () => {
          changed = true;
          this.#restart();
        },
        onTooLong: (at) => this.bad.push({ line: at.number, bytes: at.length, why: 'the line is too long to be read' }),
      },
    );
    // A last line without its newline is whole when it parses; else it is being written.
    const { tail } = growth;
    const whole = tail !== null && 'record' in parseRecord(tail.bytes);
    if (tail !== null && whole) {
      changed = true;
      this.take(tail.bytes, tail.at);
    }
    this.torn = tail !== null && !whole ? tail.bytes.length : 0;
    this.#place = whole && tail !== null ? tail.after : growth.place;
    this.size = growth.size;
    this.modifiedMs = growth.modifiedMs;
    return changed;
  }

  #restart(): void {
    this.restarts += 1;
    this.entries.length = 0;
    this.checkpoints.length = 0;
    this.bad = [];
    this.title = null;
    this.cwd = null;
    this.known = 0;
    this.#uuids.clear();
  }

  /** Takes one line; `bytes` are only read during the call. */
  take(bytes: Buffer, at: LineAt): void {
    if (isBlankLine(bytes)) return;
    const parsed = parseRecord(bytes);
    if ('why' in parsed) {
      this.bad.push({ line: at.number, bytes: bytes.length, why: parsed.why });
      return;
    }
    const { record } = parsed;
    if (asName(record['sessionId']) !== null || asName(record['type'])?.startsWith('file-history-')) this.known += 1;
    const history = fileHistory(record);
    if (history) this.checkpoints.push({ before: this.entries.length, history });
    this.title = titleIn(record) ?? this.title;
    const tree = treeRecord(record);
    if (tree === null) return;
    // The log is a record of what was written; the same one twice is one.
    if (this.#uuids.has(tree.uuid)) return;
    this.#uuids.add(tree.uuid);
    this.cwd ??= tree.cwd;
    this.entries.push(this.#entry(record, tree, at));
  }

  #entry(record: Loose, tree: TreeRecord, at: LineAt): Entry {
    const blocks = blocksOf(record);
    const text = tree.user === 'aside' ? withoutTags(textOf(record)) : textOf(record);
    const root = this.cwd;
    const cwd = root !== null && tree.cwd !== null && isWithin(root, tree.cwd) ? tree.cwd : root;
    return {
      at,
      tree,
      aside: !this.#sub && record['isSidechain'] === true,
      excerpt: Buffer.from(text.slice(0, EXCERPT), 'utf16le').toString('utf16le'),
      bytes: Buffer.byteLength(text),
      images: blocks.filter((block) => block['type'] === 'image').length,
      thinking: blocks.some((block) => block['type'] === 'thinking' || block['type'] === 'redacted_thinking'),
      calls: blocks.flatMap((block) => (block['type'] === 'tool_use' ? callFacts(block, root, cwd) : [])),
      results: resultsOf(record, tree.at),
    };
  }
}

function titleIn(record: Loose): string | null {
  if (record['type'] === 'custom-title') return asName(record['customTitle']) ?? asName(record['title']);
  if (record['type'] === 'ai-title') return asName(record['aiTitle']) ?? asName(record['title']);
  return record['type'] === 'summary' ? asName(record['summary']) : null;
}

function resultsOf(record: Loose, at: number | null): ResultFacts[] {
  const blocks = blocksOf(record).filter((block) => block['type'] === 'tool_result');
  const result = asRecord(record['toolUseResult']);
  return blocks.map((block): ResultFacts => {
    const failed = block['is_error'] === true;
    const agent = asName(result?.['agentId']);
    return {
      callId: asText(block['tool_use_id']) ?? '',
      failed,
      bytes: Buffer.byteLength(resultText(block)),
      at,
      agent: agent === null ? null : { id: agent, ended: result?.['status'] === 'completed' },
      // One record per result; one that holds several says nothing about each.
      edit: failed || blocks.length !== 1 ? null : toolEdit(result),
    };
  });
}
