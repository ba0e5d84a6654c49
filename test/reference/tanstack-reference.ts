/**
 * What a log of the harness says, slowly and simply, written from formats/tanstack.md (sections 6, 11 and 12) and the seed alone. It
 * shares no code with Turnback, so that both can be compared. It reads everything anew for each question.
 */

type Rec = Record<string, unknown> & { type: string };

export interface ReferenceMessage {
  id: string | null;
  role: string;
  calls: string[];
}

export interface ReferenceStep {
  from: string;
  to: string;
  files: string[];
  toolCallIds: string[];
}

export interface ReferenceFold {
  messages: ReferenceMessage[];
  /** What `transcript()` shows: up to the message of a standing revert. */
  visible: ReferenceMessage[];
  standing: string | null;
  /** Every well-formed step record, in log order. */
  steps: ReferenceStep[];
  turns: { prompt: string; outcome: string | null }[];
}

const strings = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string');

/** 10.1: the well-formed ones of some step records. One of the first era names no calls: it can be looked at, and no revert uses it (16). */
function stepsOf(values: readonly unknown[]): ReferenceStep[] {
  return values.flatMap((value): ReferenceStep[] => {
    const { from, to, files, toolCallIds = [] } = value as Record<string, unknown>;
    const whole = typeof from === 'string' && typeof to === 'string' && strings(files) && strings(toolCallIds);
    return whole ? [{ from, to, files, toolCallIds }] : [];
  });
}

/** 1.6 and 10.1: what the metadata keep of a thread whose host has no log. */
export function metadataReference(text: string, threadId: string): { steps: ReferenceStep[]; standing: string | null } {
  const metadata = JSON.parse(text) as Record<string, Record<string, unknown> | undefined>;
  const steps = stepsOf((metadata['plugin:tanstack/snapshots']?.[threadId] as unknown[] | undefined) ?? []);
  const revert = metadata['harness:revert']?.[threadId] as { messageId: string } | null | undefined;
  return { steps, standing: revert?.messageId ?? null };
}

/** All whole batches of a log; a torn last line counts as absent. */
export function recordsOf(text: string): Rec[] {
  const lines = text.split('\n');
  const records: Rec[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    try {
      records.push(...(JSON.parse(line) as Rec[]));
    } catch (thrown) {
      if (at < lines.length - 1) throw thrown;
    }
  }
  return records;
}

/** The fold of 6.2 and the views of 6.3. */
export function foldReference(records: readonly Rec[]): ReferenceFold {
  let messages: Record<string, unknown>[] = [];
  let standing: string | null = null;
  const steps: ReferenceStep[] = [];
  const inputs = new Map<string, { op: string; prompt: string; applied: boolean; outcome: string | null }>();
  for (const record of records) {
    const inputId = String(record['inputId']);
    if (record.type === 'harness.transcript') {
      messages = [...messages.slice(0, record['keep'] as number), ...(record['add'] as Record<string, unknown>[])];
    } else if (record.type === 'harness.revert') {
      standing = (record['revert'] as { messageId: string } | null)?.messageId ?? null;
    } else if (record.type === 'tanstack/snapshots:step') {
      steps.push(...stepsOf([record]));
    } else if (record.type === 'harness.input' && !inputs.has(inputId)) {
      const input = record['input'] as { op: string; message?: string };
      inputs.set(inputId, { op: input.op, prompt: String(input.message ?? ''), applied: false, outcome: null });
    } else if (record.type === 'harness.input.applied') {
      const known = inputs.get(inputId);
      if (known) known.applied = true;
    } else if (record.type === 'harness.input.settled') {
      const known = inputs.get(inputId);
      if (known) known.outcome = String(record['outcome']);
    }
  }
  const all = messages.map((message): ReferenceMessage => {
    const calls = (message['toolCalls'] as { id: string }[] | undefined) ?? [];
    return {
      id: typeof message['id'] === 'string' ? message['id'] : null,
      role: String(message['role']),
      calls: calls.map((call) => call.id),
    };
  });
  const at = standing === null ? -1 : all.findIndex((message) => message.id === standing);
  const turns = [...inputs.values()]
    .filter((input) => input.op === 'prompt' && input.applied)
    .map(({ prompt, outcome }) => ({ prompt, outcome }));
  return { messages: all, visible: at < 0 ? all : all.slice(0, at + 1), standing, steps, turns };
}

/** A tree as a list: a path and a word for what stands there. */
export type ReferenceTree = ReadonlyMap<string, string>;

/** 9.5: what a restore of these paths does, and the tree afterwards. */
function restore(
  now: ReferenceTree,
  target: ReferenceTree,
  only: readonly string[],
): { verbs: Map<string, string>; after: Map<string, string> } {
  const verbs = new Map<string, string>();
  const after = new Map(now);
  for (const path of only) {
    const [have, want] = [now.get(path), target.get(path)];
    if (have === want) continue;
    verbs.set(path, want === undefined ? 'delete' : have === undefined ? 'recreate' : 'restore');
    if (want === undefined) after.delete(path);
    else after.set(path, want);
  }
  return { verbs, after };
}

/** 12.2: a revert to a message, no revert standing. `trees` gives what a snapshot holds. */
export function revertReference(
  fold: ReferenceFold,
  messageId: string,
  now: ReferenceTree,
  trees: (id: string) => ReferenceTree,
): { verbs: Map<string, string>; after: Map<string, string>; hidden: number } {
  const at = fold.messages.findIndex((message) => message.id === messageId);
  const hidden = fold.messages.slice(at + 1);
  const calls = new Set(hidden.flatMap((message) => message.calls));
  const steps = fold.steps.filter((step) => step.toolCallIds.some((id) => calls.has(id)));
  const files = [...new Set(steps.flatMap((step) => step.files))];
  const first = steps[0];
  return { ...restore(now, first === undefined ? now : trees(first.from), files), hidden: hidden.length };
}

/** 11.2: an undo of the last turn. Null: nothing to undo. */
export function undoReference(
  fold: ReferenceFold,
  now: ReferenceTree,
  trees: (id: string) => ReferenceTree,
): { keep: number; files: number; after: Map<string, string> } | null {
  const keep = fold.messages.findLastIndex((message) => message.role === 'user');
  if (keep < 0) return null;
  const calls = new Set(fold.messages.slice(keep).flatMap((message) => message.calls));
  const steps = fold.steps.filter((step) => step.toolCallIds.some((id) => calls.has(id)));
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return { keep, files: 0, after: new Map(now) };
  const [start, end] = [trees(first.from), trees(last.to)];
  const changed = [...new Set([...start.keys(), ...end.keys()])].filter((path) => start.get(path) !== end.get(path));
  return { keep, files: changed.length, after: restore(now, start, changed).after };
}
