import { reason } from '../../../shared/errors.ts';
import type { Message, MessageBody, Part, ToolCall } from '../../../shared/model.ts';
import { type DshEvent, fields, integer, list, replacedRange, text } from './dsh-event.ts';
import { describeCall } from './dsh-tools.ts';
import { messageOf, type Surface } from './surface.ts';
import { resultCallId } from './tool-ledger.ts';

/** What the log says about one tool call besides its announcement. */
export interface CallFacts {
  started: DshEvent | null;
  result: DshEvent | null;
}

type Block = Readonly<Record<string, unknown>>;

const blocksOf = (event: DshEvent): Block[] => list(messageOf(event)['content']).map(fields);

/** A tool result's own blocks: inside its one block up to format 3, the message's content from format 4 on. */
function outputBlocks(event: DshEvent): { blocks: Block[]; failed: boolean } {
  const message = messageOf(event);
  const first = blocksOf(event)[0] ?? {};
  if (first['type'] !== 'tool-result') return { blocks: blocksOf(event), failed: message['isError'] === true };
  return { blocks: list(first['content']).map(fields), failed: first['isError'] === true };
}

/** The bytes of the text that a surface event shows. */
export const shownBytes = (event: DshEvent): number => event.cut?.shown ?? Buffer.byteLength(textIn(blocksOn(event)));

const blocksOn = (event: DshEvent): Block[] => (event.type === 'tool/result' ? outputBlocks(event).blocks : blocksOf(event));

const textIn = (blocks: readonly Block[]): string =>
  blocks.flatMap((block) => (block['type'] === 'text' ? [text(block['text']) ?? ''] : [])).join('\n');

/** Is this a message that a person typed? Only such a message can be taken back. */
export const isPrompt = (event: DshEvent): boolean =>
  event.type === 'user/message' && fields(messageOf(event)['source'])['kind'] === 'user';

export const idOf = (event: DshEvent): string => text(messageOf(event)['id']) ?? `seq:${event.seq}`;

function toolCall(block: Block, facts: CallFacts | undefined, cwd: string | null): ToolCall {
  const output = facts?.result ? outputBlocks(facts.result) : null;
  const started = facts?.started ?? null;
  return {
    id: text(block['id']) ?? '',
    ...describeCall(text(block['name']) ?? 'tool', text(block['arguments']) ?? '', cwd),
    status: output ? (output.failed ? 'failed' : 'done') : started ? 'lost' : 'requested',
    durationMs: started && facts?.result ? Math.max(0, facts.result.time - started.time) : null,
    outputBytes: facts?.result ? shownBytes(facts.result) : null,
    child: null,
  };
}

const NOT_BEFORE_PROMPT = reason('STOP_NOT_BEFORE_PROMPT');

/** The row of a surface event; null for one that no person sees (an empty system message). */
export function rowOf(event: DshEvent, surface: Surface, calls: ReadonlyMap<string, CallFacts>, cwd: string | null): Message | null {
  const blocks = blocksOn(event);
  if (event.type === 'system/message' && blocks.length === 0) return null;
  const shown = textIn(blocks);
  const shadow = surface.shadowed.get(event.seq);
  const data = fields(event.data);
  const [turn, step] = [integer(data['turn']), integer(data['step'])];
  return {
    stop: null,
    id: idOf(event),
    role: event.type === 'assistant/message' ? 'assistant' : event.type === 'tool/result' ? 'tool' : isPrompt(event) ? 'user' : 'system',
    turn,
    step: turn !== null && step !== null ? `${turn}.${step}` : null,
    at: event.time,
    excerpt: shown.slice(0, 240),
    bytes: shownBytes(event),
    images: blocks.filter((block) => block['type'] === 'image').length,
    thinking: blocks.some((block) => block['type'] === 'reasoning'),
    tools: blocks.filter((block) => block['type'] === 'tool-call').map((block) => toolCall(block, calls.get(text(block['id']) ?? ''), cwd)),
    hidden: shadow ? { reason: shadow.reason } : null,
    divider: replacedRange(event) !== null && event.type !== 'tool/result' && event.type !== 'system/message' ? 'compaction' : null,
    canStand: NOT_BEFORE_PROMPT,
  };
}

/** Everything in a message, block by block. */
export function bodyOf(event: DshEvent, row: Message, version: number): MessageBody {
  if (event.type === 'tool/result') {
    const { blocks, failed } = outputBlocks(event);
    const callId = resultCallId(event, version) ?? '';
    return {
      id: row.id,
      parts: [
        { kind: 'output', callId, text: textIn(blocks), failed, exit: null },
        ...blocks.filter((block) => block['type'] !== 'text').map(partOf(row)),
      ],
    };
  }
  return { id: row.id, parts: blocksOf(event).map(partOf(row)) };
}

const partOf =
  (row: Message) =>
  (block: Block): Part => {
    const type = text(block['type']) ?? 'unknown';
    if (type === 'text') return { kind: 'text', text: text(block['text']) ?? '' };
    if (type === 'reasoning') return { kind: 'thinking', text: text(block['text']) ?? '' };
    const call = type === 'tool-call' ? row.tools.find((one) => one.id === block['id']) : undefined;
    if (call) return { kind: 'call', call, input: text(block['arguments']) ?? '' };
    return { kind: 'raw', type, json: JSON.stringify(block) };
  };
