import { asList, asName, asRecord, asRecords, asText, type Loose } from '../loose.ts';

/** One block of a message, as the API has them. */
export type Block = Loose;

/** A record that stands in the tree of the conversation. Times are epoch milliseconds. */
export interface TreeRecord {
  type: 'user' | 'assistant' | 'system' | 'attachment';
  uuid: string;
  parent: string | null;
  at: number | null;
  cwd: string | null;
  /** The API's id of an answer: several records share one (formats/opencode-and-claude-code.md 2.2). */
  answer: string | null;
  /** What a user record is; null for every other type. */
  user: UserKind | null;
  subtype: string | null;
  interrupted: boolean;
  stopReason: string | null;
}

/** `prompt`: typed by a person. `result`: what tools answered. `summary`: of a compaction. `aside`: everything else the tool writes in the user's name. */
export type UserKind = 'prompt' | 'result' | 'summary' | 'aside';

/** The blocks of a record's message; a plain text is one text block. */
export function blocksOf(record: Loose): Block[] {
  const content = asRecord(record['message'])?.['content'];
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return asRecords(content);
}

/** The text of a record's message, its blocks joined by line breaks. */
export function textOf(record: Loose): string {
  return blocksOf(record)
    .flatMap((block) => (block['type'] === 'text' ? [asText(block['text']) ?? ''] : []))
    .join('\n');
}

/** Text of a tool's answer: a plain text, or its text blocks. */
export function resultText(block: Block): string {
  const content = block['content'];
  if (typeof content === 'string') return content;
  return asList(content)
    .flatMap((part) => asText(asRecord(part)?.['text']) ?? [])
    .join('\n');
}

const tagged = (text: string, tag: string): string | null => {
  const found = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(text)?.[1];
  return found === undefined ? null : found.trim();
};

/** What a person sees of the words that the tool keeps around its own commands: the command, or what it said. Other texts as they are. */
export function withoutTags(text: string): string {
  if (!ASIDE.test(text)) return text;
  const command = tagged(text, 'command-name');
  if (command !== null) return `${command} ${tagged(text, 'command-args') ?? ''}`.trim();
  const said = ['local-command-stdout', 'local-command-stderr', 'bash-input', 'bash-stdout', 'bash-stderr'].flatMap(
    (tag) => tagged(text, tag) ?? [],
  );
  return said.length > 0 ? said.filter((words) => words !== '').join('\n') : text;
}

const ASIDE = /^\s*<(?:command-name|command-message|local-command-|bash-(?:input|stdout|stderr))/;

function kindOfUser(record: Loose): UserKind {
  const blocks = blocksOf(record);
  if (blocks.some((block) => block['type'] === 'tool_result')) return 'result';
  if (record['isCompactSummary'] === true) return 'summary';
  const text = textOf(record);
  const fromTool = asRecord(record['origin'])?.['kind'] === 'task-notification' || record['promptSource'] === 'system';
  const interruption = record['interruptedMessageId'] !== undefined || text.startsWith('[Request interrupted by user');
  return record['isMeta'] === true || fromTool || interruption || ASIDE.test(text) ? 'aside' : 'prompt';
}

/** The place of a record in the tree; null for the records that hang on no tree (bookkeeping, file history). */
export function treeRecord(record: Loose): TreeRecord | null {
  const type = record['type'];
  const uuid = asName(record['uuid']);
  if (uuid === null || (type !== 'user' && type !== 'assistant' && type !== 'system' && type !== 'attachment')) return null;
  const message = asRecord(record['message']);
  const at = Date.parse(asText(record['timestamp']) ?? '');
  const user = type === 'user' ? kindOfUser(record) : null;
  return {
    type,
    uuid,
    // A compaction starts a new root and says what it follows.
    parent: asName(record['parentUuid']) ?? asName(record['logicalParentUuid']),
    at: Number.isFinite(at) ? at : null,
    cwd: asName(record['cwd']),
    answer: type === 'assistant' ? (asName(message?.['id']) ?? uuid) : null,
    user,
    subtype: asName(record['subtype']),
    interrupted: user === 'aside' && textOf(record).startsWith('[Request interrupted by user'),
    stopReason: asName(message?.['stop_reason']),
  };
}
