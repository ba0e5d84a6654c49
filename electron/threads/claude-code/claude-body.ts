import type { Message, MessageBody, Part, ToolCall } from '../../../shared/model.ts';
import { asRecord, asRecords, asText, jsonOf, type Loose } from '../loose.ts';
import { type Block, blocksOf, resultText, withoutTags } from './claude-record.ts';

/** An image block with its bytes as base64 where the log holds them. */
function imagePart(block: Block): Part {
  const source = asRecord(block['source']);
  return { kind: 'image', mediaType: asText(source?.['media_type']) ?? 'image', data: asText(source?.['data']) };
}

function exitOf(text: string, failed: boolean): number | null {
  const code = failed ? /^(?:Error: )?Exit code (\d{1,3})\b/.exec(text)?.[1] : undefined;
  return code === undefined ? null : Number(code);
}

function outputParts(call: ToolCall, result: Block): Part[] {
  const failed = result['is_error'] === true;
  const text = resultText(result);
  return [
    { kind: 'output', callId: call.id, text, failed, exit: exitOf(text, failed) },
    ...asRecords(result['content'])
      .filter((part) => part['type'] === 'image')
      .map(imagePart),
  ];
}

/**
 * The whole content of a message from its records, in their order. A call is followed by what its tool answered; `results` are the
 * blocks of the answers by the id of the call.
 */
export function claudeBody(message: Message, records: readonly Loose[], results: ReadonlyMap<string, Block>): MessageBody {
  const calls = new Map(message.tools.map((call) => [call.id, call]));
  const said = (text: string): string => (message.role === 'system' ? withoutTags(text) : text);
  const parts = records.flatMap(blocksOf).flatMap((block): Part[] => {
    const type = asText(block['type']) ?? 'unknown';
    if (type === 'text') return [{ kind: 'text', text: said(asText(block['text']) ?? '') }];
    if (type === 'thinking') return [{ kind: 'thinking', text: asText(block['thinking']) ?? '' }];
    if (type === 'image') return [imagePart(block)];
    const call = type === 'tool_use' ? calls.get(asText(block['id']) ?? '') : undefined;
    if (!call) return [{ kind: 'raw', type, json: jsonOf(block, 2) ?? 'This value is nested too deep to be shown.' }];
    const result = results.get(call.id);
    return [{ kind: 'call', call, input: jsonOf(block['input'] ?? {}, 2) ?? '' }, ...(result ? outputParts(call, result) : [])];
  });
  return { id: message.id, parts };
}
