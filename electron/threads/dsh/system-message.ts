import { type DshEvent, fields, text } from './dsh-event.ts';

/** What is wrong with a system message in an open step, by its format (formats/dsh.md, system/message); null when nothing is. */
export function checkSystemMessage(version: number, event: DshEvent): string | null {
  const data = fields(event.data);
  const message = fields(data['message']);
  const source = fields(message['source']);
  if (message['role'] !== 'system') return 'system message requires role system';
  if (version >= 4) return source['kind'] === 'system-prompt' ? null : 'message must have system-prompt source';
  const extra = extraKey(data, ['turn', 'step', 'message']) ?? extraKey(message, ['id', 'role', 'source', 'content']);
  if (extra !== null) return `system message has unexpected field ${extra}`;
  return source['kind'] === 'plugin' && (text(source['plugin']) ?? '') !== '' ? null : 'system message requires plugin source';
}

function extraKey(object: Readonly<Record<string, unknown>>, allowed: readonly string[]): string | null {
  return Object.keys(object).find((key) => !allowed.includes(key)) ?? null;
}
