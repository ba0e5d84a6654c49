/**
 * Most bytes of a log are pieces of texts and arguments that arrive one by one. They change nothing: the whole text comes
 * again in the transcript. These lines are told from the others by their bytes, without parsing them.
 */
const TYPE = Buffer.from('"type":"');
const EVENT = Buffer.from('[{"type":"harness.event"');
/** Types of events that nothing is taken from. */
const SKIPPED = [
  'TEXT_MESSAGE_CONTENT"',
  'TEXT_MESSAGE_END"',
  'REASONING_',
  'THINKING_',
  'TOOL_CALL_START"',
  'TOOL_CALL_ARGS"',
  'STATE_DELTA"',
  'STEP_STARTED"',
  'STEP_FINISHED"',
  'RUN_STARTED"',
].map((text) => Buffer.from(text));
const EVENT_VALUE = Buffer.from('harness.event"');

function hasAt(line: Buffer, at: number, wanted: Buffer): boolean {
  if (at + wanted.length > line.length) return false;
  for (let k = 0; k < wanted.length; k += 1) if (line[at + k] !== wanted[k]) return false;
  return true;
}

/** The line ends like a whole batch. */
function endsWhole(line: Buffer): boolean {
  const end = line[line.length - 1] === 0x0d ? line.length - 1 : line.length;
  return line[end - 1] === 0x5d && line[end - 2] === 0x7d;
}

/** Another record of the batch begins here: after `},{`. Anything else is looked at closely. */
function followsRecord(line: Buffer, at: number): boolean {
  return line[at - 1] === 0x7b && line[at - 2] === 0x2c && line[at - 3] === 0x7d;
}

/**
 * How many records a line holds when all of them are event records that the fold takes nothing from; 0 when the line has
 * to be parsed. Inside a JSON text every quote is escaped, so `"type":"` is always a key with its value.
 */
export function deltaRecords(line: Buffer): number {
  if (!hasAt(line, 0, EVENT) || !endsWhole(line)) return 0;
  let records = 0;
  for (let at = line.indexOf(TYPE); at >= 0; at = line.indexOf(TYPE, at + TYPE.length)) {
    const value = at + TYPE.length;
    if (hasAt(line, value, EVENT_VALUE)) {
      if (records > 0 && !followsRecord(line, at)) return 0;
      records += 1;
    } else if (!SKIPPED.some((skipped) => hasAt(line, value, skipped))) return 0;
  }
  return records;
}

/** The same for one record as text, as databases keep them. */
export function isDeltaRecord(text: string): boolean {
  if (!text.startsWith('{"type":"harness.event"') || !text.endsWith('}}')) return false;
  return deltaRecords(Buffer.from(`[${text}]`)) === 1;
}
