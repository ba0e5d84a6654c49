import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * What a log of Claude Code says, slowly and simply, written from formats/opencode-and-claude-code.md (Part 2) alone. It shares no
 * code with Turnback, so that both can be compared. It reads everything anew for each question.
 */

type Json = Record<string, unknown>;

/** What a step made of one file: what stood there before (null: nothing) and after. */
export interface ReferenceWrite {
  path: string;
  before: string | null;
  after: string;
}

export interface ClaudeReference {
  /** Prompts by their uuid, answers by `message.id`, and what the user's side holds besides, in the order of the log. */
  messages: { id: string; role: 'user' | 'assistant' | 'system'; dropped: boolean }[];
  turns: { id: string; prompt: string; steps: string[]; dropped: boolean }[];
  steps: { id: string; turn: string | null; calls: string[]; writes: ReferenceWrite[]; dropped: boolean }[];
  /** The agents that calls of the log started. */
  children: Map<string, string>;
}

const blocksOf = (record: Json): Json[] => {
  const content = (record['message'] as Json | undefined)?.['content'];
  return Array.isArray(content) ? (content as Json[]) : typeof content === 'string' ? [{ type: 'text', text: content }] : [];
};
const textOf = (record: Json): string =>
  blocksOf(record)
    .filter((block) => block['type'] === 'text')
    .map((block) => String(block['text']))
    .join('\n');

/** Every line that is a record; of those with one uuid the last wins (2.2), where the first stood. */
function recordsOf(file: string): Json[] {
  const byId = new Map<string, Json>();
  for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    try {
      const record = JSON.parse(line) as Json;
      byId.set(typeof record['uuid'] === 'string' ? record['uuid'] : `line ${at}`, record);
    } catch {
      // Ten facts 10: one bad record never hides the rest.
    }
  }
  return [...byId.values()];
}

type Kind = 'prompt' | 'result' | 'note' | 'other';

/** The table of 2.2. */
function kindOf(record: Json): Kind {
  if (record['type'] !== 'user' || record['isMeta'] === true) return 'other';
  if (blocksOf(record).some((block) => block['type'] === 'tool_result')) return 'result';
  const origin = (record['origin'] as Json | undefined)?.['kind'];
  const said = textOf(record);
  const note =
    record['isCompactSummary'] === true ||
    record['interruptedMessageId'] !== undefined ||
    (record['promptSource'] === 'system' && origin === 'task-notification') ||
    /^\s*<(command-name|local-command-)/.test(said) ||
    said.startsWith('[Request interrupted by user');
  return note ? 'note' : 'prompt';
}

/** 2.3: the text that a patch makes of the whole text before it. */
function patched(original: string, hunks: readonly Json[]): string {
  const lines = original.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  for (const hunk of hunks.toReversed()) {
    const [start, count, body] = [Number(hunk['oldStart']), Number(hunk['oldLines']), hunk['lines'] as string[]];
    const made = body.flatMap((line, at) => {
      if (line.startsWith('-') || line.startsWith('\\')) return [];
      return [line.slice(1) + (body[at + 1]?.startsWith('\\') ? '' : '\n')];
    });
    lines.splice(count === 0 ? start : start - 1, count, ...made);
  }
  return lines.join('');
}

/** The writes that the results of some records tell, in their order, each path once. */
function writesOf(results: readonly Json[], root: string): ReferenceWrite[] {
  const writes = new Map<string, ReferenceWrite>();
  for (const record of results) {
    const result = record['toolUseResult'];
    const failed = blocksOf(record).some((block) => block['is_error'] === true);
    if (failed || typeof result !== 'object' || result === null) continue;
    const { filePath, originalFile, structuredPatch, content, type } = result as Json;
    if (typeof filePath !== 'string') continue;
    const name = path.posix.relative(root, filePath);
    const before = writes.get(name)?.before;
    const original = typeof originalFile === 'string' ? originalFile : null;
    const after = type === undefined ? patched(original ?? '', structuredPatch as Json[]) : String(content);
    writes.set(name, { path: name, before: before === undefined ? original : before, after });
  }
  return [...writes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** `agent`: the log is that of a sub-agent, whose records are all beside the conversation that asked for it. */
export function claudeCodeReference(log: string, agent = false): ClaudeReference {
  const records = recordsOf(log);
  const tree = records.filter((record) => typeof record['uuid'] === 'string' && (record['isSidechain'] === true) === agent);
  const byId = new Map(tree.map((record) => [record['uuid'] as string, record]));
  const root = String(tree.find((record) => typeof record['cwd'] === 'string')?.['cwd']);
  // The prompt that a record hangs on. A compaction starts a new root, and takes nothing away: it goes on from what was there last.
  const promptOf = (record: Json | undefined): Json | null => {
    for (let at = record; at !== undefined; ) {
      if (kindOf(at) === 'prompt') return at;
      at = parentOf(at);
    }
    return null;
  };
  const parentOf = (record: Json): Json | undefined =>
    record['subtype'] === 'compact_boundary' && record['parentUuid'] === null
      ? tree[tree.indexOf(record) - 1]
      : byId.get(String(record['parentUuid']));
  // A rewind shows as a prompt on an older record: what is not above the last record any more was dropped by one.
  const live = new Set<Json>();
  for (let at = promptOf(tree.at(-1)); at !== null; at = promptOf(parentOf(at))) live.add(at);
  const dropped = (record: Json): boolean => {
    const prompt = promptOf(record);
    return prompt !== null && !live.has(prompt);
  };
  const resultsOf = (list: readonly Json[], calls: readonly string[]): Json[] =>
    list.filter((record) => blocksOf(record).some((block) => calls.includes(String(block['tool_use_id']))));

  const answers = Map.groupBy(
    tree.filter((record) => record['type'] === 'assistant'),
    (record) => String((record['message'] as Json)['id']),
  );
  const children = new Map<string, string>();
  const steps = [...answers].map(([id, parts]) => {
    const calls = parts.flatMap(blocksOf).flatMap((block) => (block['type'] === 'tool_use' ? [String(block['id'])] : []));
    const results = resultsOf(tree, calls);
    // What a sub-agent wrote belongs to the call that started it; its own log tells (2.1).
    const helped = results.flatMap((result): Json[] => {
      const agent = (result['toolUseResult'] as Json | undefined)?.['agentId'];
      if (typeof agent !== 'string') return [result];
      children.set(String(blocksOf(result)[0]?.['tool_use_id']), agent);
      const file = path.join(log.replace(/\.jsonl$/, ''), 'subagents', `agent-${agent}.jsonl`);
      return existsSync(file) ? recordsOf(file).filter((record) => kindOf(record) === 'result') : [];
    });
    const [first] = parts;
    const turn = promptOf(first);
    return {
      id,
      turn: turn === null ? null : String(turn['uuid']),
      calls,
      writes: writesOf(helped, root),
      dropped: first !== undefined && dropped(first),
    };
  });
  const seen = new Set<string>();
  const messages = tree.flatMap((record): ClaudeReference['messages'] => {
    const kind = kindOf(record);
    if (record['type'] === 'assistant') {
      const id = String((record['message'] as Json)['id']);
      if (seen.has(id)) return [];
      seen.add(id);
      return [{ id, role: 'assistant', dropped: dropped(record) }];
    }
    if (kind !== 'prompt' && kind !== 'note') return [];
    return [{ id: String(record['uuid']), role: kind === 'prompt' ? 'user' : 'system', dropped: dropped(record) }];
  });
  const turns = tree
    .filter((record) => kindOf(record) === 'prompt')
    .map((record) => ({
      id: String(record['uuid']),
      prompt: textOf(record),
      steps: steps.filter((step) => step.turn === record['uuid']).map((step) => step.id),
      dropped: dropped(record),
    }));
  return { messages, turns, steps, children };
}

/** What going back to before these steps makes of the files: each that one of them wrote is as it was before the first (Part 3). */
export function claudeCodeRevert(steps: readonly { writes: ReferenceWrite[] }[], now: ReadonlyMap<string, string>): Map<string, string> {
  const after = new Map(now);
  for (const write of steps.flatMap((step) => step.writes).toReversed()) {
    if (write.before === null) after.delete(write.path);
    else after.set(write.path, write.before);
  }
  return after;
}
