import type { DatabaseSync } from 'node:sqlite';
import type { BadRecord } from '../../../shared/model.ts';
import { asList, asName, asNumber, asRecord, asText, jsonOf, type Loose, parseRecord } from '../loose.ts';
import { messageRow, sizeOfCell } from './message-rows.ts';
import { numberOr, type Tables } from './opencode-database.ts';
import type { Pace } from './pace.ts';
import type { MessageRow } from './rows.ts';

export interface RuntimeMessage {
  row: MessageRow;
  /** Its parts in the classic form, as JSON texts. */
  parts: string[];
}

/** Rows of the new runtime in order of `seq`, put into the classic form (formats/opencode 1.7). */
export async function runtimeMessages(
  db: DatabaseSync,
  tables: Tables,
  session: string,
  pace: Pace,
  bad: BadRecord[],
): Promise<RuntimeMessage[]> {
  const columns = tables.get('session_message');
  if (!columns?.has('seq')) return [];
  const found = db.prepare(
    `select m.id as id, m.type as type, ${numberOr(columns, 'm', 'time_created')} as at, m.data as data
     from session_message m where m.session_id = ? order by m.seq`,
  );
  const messages: RuntimeMessage[] = [];
  for (const row of found.iterate(session)) {
    if (pace.due) await pace.rest();
    const nth = messages.length + 1;
    const id = asName(row['id']) ?? `#${nth}`;
    const parsed = parseRecord(row['data']);
    if ('why' in parsed) bad.push({ line: nth, bytes: sizeOfCell(row['data']), why: `message ${id}: ${parsed.why}` });
    const data = 'record' in parsed ? parsed.record : {};
    const type = asName(row['type']) ?? 'unknown';
    const role = type === 'user' || type === 'assistant' ? type : 'system';
    const base = messageRow(id, asNumber(row['at']), { ...data, role });
    messages.push({ row: base, parts: partsOf(type, data).map((part) => jsonOf(part) ?? '{"type":"nested-too-deeply"}') });
  }
  return messages;
}

function partsOf(type: string, data: Loose): Loose[] {
  const text = asText(data['text']);
  switch (type) {
    case 'user':
      return [{ type: 'text', text: text ?? '' }, ...asList(data['files']).flatMap((file) => fileOf(asRecord(file)))];
    case 'assistant':
      return answerParts(data);
    case 'synthetic':
    case 'system':
      return [{ type: 'text', text: text ?? '' }];
    case 'shell':
      return [
        { type: 'text', text: `$ ${asText(data['command']) ?? ''}` },
        { ...data, type },
      ];
    case 'compaction':
      return [{ type: 'compaction' }, { type: 'text', text: asText(data['summary']) ?? '' }];
    default:
      return [{ ...data, type }];
  }
}

function answerParts(data: Loose): Loose[] {
  const snapshot = asRecord(data['snapshot']) ?? {};
  const time = asRecord(data['time']) ?? {};
  const parts: Loose[] = [{ type: 'step-start', snapshot: snapshot['start'] }];
  for (const item of asList(data['content'])) {
    const content = asRecord(item);
    if (content === null) continue;
    parts.push(content['type'] === 'tool' ? toolPart(content) : content);
  }
  // Without an end a step was cut off, as a classic one without step-finish.
  if (asName(snapshot['end']) !== null || (asNumber(time['completed']) !== null && data['error'] === undefined)) {
    parts.push({ type: 'step-finish', snapshot: snapshot['end'] });
  }
  return parts;
}

function toolPart(content: Loose): Loose {
  const state = asRecord(content['state']) ?? {};
  const time = asRecord(content['time']) ?? {};
  const said = asList(state['content']).flatMap((item) => asText(asRecord(item)?.['text']) ?? []);
  const error = asText(state['error']) ?? asText(asRecord(state['error'])?.['message']);
  return {
    type: 'tool',
    tool: content['name'],
    callID: content['id'],
    state: {
      status: state['status'],
      input: state['input'],
      output: said.length > 0 || error !== null ? [...said, ...(error === null ? [] : [error])].join('\n') : undefined,
      metadata: state['structured'],
      time: { start: time['ran'] ?? time['created'], end: time['completed'] },
    },
  };
}

function fileOf(file: Loose | null): Loose[] {
  return file === null ? [] : [{ ...file, type: 'file', url: file['url'] ?? file['uri'] }];
}
