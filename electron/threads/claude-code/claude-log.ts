import type { BadRecord } from '../../../shared/model.ts';
import { isBlankLine, type LineAt, type LogPlace, readLogLines } from '../log-lines.ts';
import { asName, asRecord, asText, type Loose, parseRecord } from '../loose.ts';
import { ownText } from '../own-text.ts';
import { isWithin } from '../recorded-path.ts';
import type { OnBytes } from '../source.ts';
import { TextPool } from '../text-pool.ts';
import { type CallFacts, callFacts } from './call-facts.ts';
import { type Block, blocksOf, resultText, type TreeRecord, textOf, treeRecord, withoutTags } from './claude-record.ts';
import { type FileHistory, fileHistory } from './file-history.ts';
import { writesFile } from './tool-edit.ts';

const EXCERPT = 240;

/** Most records call nothing, and answer nothing. */
const NO_CALLS: readonly CallFacts[] = [];
const NO_RESULTS: readonly ResultFacts[] = [];

/** What a tool answered. */
export interface ResultFacts {
  callId: string;
  failed: boolean;
  bytes: number;
  at: number | null;
  /** The sub-agent that the call ran, and whether it had ended. */
  agent: { id: string; ended: boolean } | null;
  /** It tells what a tool wrote: the record says what, and is read again for it, since texts of files are long. */
  edit: boolean;
}

/** One record of the conversation's tree, without its texts. */
export interface Entry {
  /** Where its line lies in the log, in bytes. */
  offset: number;
  length: number;
  tree: TreeRecord;
  /** Written by a sub-agent into the session's own log, as older versions did. */
  aside: boolean;
  excerpt: string;
  bytes: number;
  images: number;
  thinking: boolean;
  calls: readonly CallFacts[];
  results: readonly ResultFacts[];
}

/** The records of one log in their order, read as it grows (formats/opencode-and-claude-code.md 2.2). */
export class ClaudeLog {
  readonly path: string;
  readonly entries: Entry[] = [];
  /** The place of each entry by its uuid. */
  readonly places = new Map<string, number>();
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
  readonly #texts = new TextPool();

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
    this.places.clear();
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
    if (this.places.has(tree.uuid)) return;
    tree.uuid = this.#texts.same(tree.uuid);
    for (const name of ['parent', 'cwd', 'answer'] as const) tree[name] = this.#texts.same(tree[name]);
    this.places.set(tree.uuid, this.entries.length);
    this.cwd ??= tree.cwd;
    this.entries.push(this.#entry(record, tree, at));
  }

  #entry(record: Loose, tree: TreeRecord, { offset, length }: LineAt): Entry {
    const blocks = blocksOf(record);
    const text = tree.user === 'aside' ? withoutTags(textOf(record)) : textOf(record);
    const root = this.cwd;
    const cwd = root !== null && tree.cwd !== null && isWithin(root, tree.cwd) ? tree.cwd : root;
    return {
      offset,
      length,
      tree,
      aside: !this.#sub && record['isSidechain'] === true,
      excerpt: ownText(text.slice(0, EXCERPT)),
      bytes: Buffer.byteLength(text),
      images: blocks.filter((block) => block['type'] === 'image').length,
      thinking: blocks.some((block) => block['type'] === 'thinking' || block['type'] === 'redacted_thinking'),
      calls: this.#calls(blocks, root, cwd),
      results: this.#results(record, blocks, tree.at),
    };
  }

  #calls(blocks: readonly Block[], root: string | null, cwd: string | null): readonly CallFacts[] {
    const used = blocks.filter((block) => block['type'] === 'tool_use');
    if (used.length === 0) return NO_CALLS;
    return used.map((block) => {
      const facts = callFacts(block, root, cwd);
      facts.id = this.#texts.same(facts.id);
      return facts;
    });
  }

  #results(record: Loose, all: readonly Block[], at: number | null): readonly ResultFacts[] {
    const blocks = all.filter((block) => block['type'] === 'tool_result');
    if (blocks.length === 0) return NO_RESULTS;
    const result = asRecord(record['toolUseResult']);
    const agent = asName(result?.['agentId']);
    return blocks.map((block): ResultFacts => {
      const failed = block['is_error'] === true;
      return {
        callId: this.#texts.same(asText(block['tool_use_id']) ?? ''),
        failed,
        bytes: Buffer.byteLength(resultText(block)),
        at,
        agent: agent === null ? null : { id: agent, ended: result?.['status'] === 'completed' },
        // One record per result; one that holds several says nothing about each.
        edit: !failed && blocks.length === 1 && writesFile(result),
      };
    });
  }
}

function titleIn(record: Loose): string | null {
  if (record['type'] === 'custom-title') return asName(record['customTitle']) ?? asName(record['title']);
  if (record['type'] === 'ai-title') return asName(record['aiTitle']) ?? asName(record['title']);
  return record['type'] === 'summary' ? asName(record['summary']) : null;
}
