import type { Message, MessageBody, Part } from '../../../shared/model.ts';
import { asList, asName, asNumber, asRecord, asText, jsonOf, type Loose, parseRecord } from '../loose.ts';
import { unwrapRunPrompt } from './prompt-text.ts';
import type { RawPart } from './rows.ts';

/** Parts that only keep the books: their trees are in the step. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set(['step-start', 'step-finish', 'patch', 'snapshot']);

/**
 * The whole content of a message from its stored parts. Calls carry the ids that the fold gave them, in order. Parts that are not
 * known, or cannot be read, are shown raw.
 */
export function messageBody(message: Message, raw: readonly RawPart[], options: { byRun: boolean; error: string | null }): MessageBody {
  const calls = message.tools.values();
  const records = raw.map((part) => ({ part, parsed: parseRecord(part.json) }));
  const prompts = records.filter(({ parsed }) => 'record' in parsed && isSaid(parsed.record));
  const parts = records.flatMap(({ part, parsed }): Part[] => {
    if (!('record' in parsed)) return [{ kind: 'raw', type: 'unreadable', json: part.json }];
    const data = parsed.record;
    if (data['type'] === 'tool') {
      const call = calls.next().value;
      return call ? toolParts(call, asRecord(data['state']) ?? {}) : [];
    }
    const unwrap = options.byRun && message.role === 'user' && prompts.length === 1;
    return BOOKKEEPING.has(data['type']) ? [] : [plainPart(data, part.json, unwrap)];
  });
  if (options.error !== null) parts.push({ kind: 'raw', type: 'error', json: options.error });
  return { id: message.id, parts };
}

const isSaid = (data: Loose): boolean => data['type'] === 'text' && data['synthetic'] !== true && data['ignored'] !== true;

function plainPart(data: Loose, json: string, unwrap: boolean): Part {
  const text = asText(data['text']);
  if (isSaid(data) && text !== null) return { kind: 'text', text: (unwrap ? unwrapRunPrompt(text) : null) ?? text };
  if (data['type'] === 'reasoning' && text !== null) return { kind: 'thinking', text };
  return imageOf(data) ?? { kind: 'raw', type: asName(data['type']) ?? 'unknown', json };
}

function toolParts(call: Message['tools'][number], state: Loose): Part[] {
  const metadata = asRecord(state['metadata']) ?? {};
  const parts: Part[] = [{ kind: 'call', call, input: jsonOf(state['input'] ?? {}, 2) ?? '' }];
  const text = asText(state['output']) ?? asText(state['error']) ?? asText(metadata['output']);
  if (text !== null) {
    parts.push({ kind: 'output', callId: call.id, text, failed: call.status === 'failed', exit: asNumber(metadata['exit']) });
  }
  for (const attached of asList(state['attachments'])) {
    const image = imageOf(asRecord(attached) ?? {});
    if (image) parts.push(image);
  }
  return parts;
}

/** An image with its bytes as base64 where the store holds them; only the address is known of others. */
function imageOf(data: Loose): Part | null {
  const mediaType = asText(data['mime']);
  if (!mediaType?.startsWith('image/')) return null;
  const address = asText(data['url']) ?? '';
  const at = address.startsWith('data:') ? address.indexOf(';base64,') : -1;
  return { kind: 'image', mediaType, data: at < 0 ? null : address.slice(at + ';base64,'.length) };
}
