import { type Message, type Step, type Thread, type ThreadHead, type ToolCall, type Turn, toolStatusSchema } from '../../shared/model.ts';
import { treePathOfBytes } from '../../shared/tree-path.ts';

/** Where a record lies in the log. */
export interface Spot {
  line: number;
  offset: number;
  length: number;
}

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const timeOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const cut = (text: string): string => [...text.slice(0, 480)].slice(0, 240).join('');

/** The model of a neutral log (`user` and `step` records, written by tt.sh), built line by line. Order is the order of the file. */
export class NeutralFold {
  readonly messages: Message[] = [];
  readonly turns: Turn[] = [];
  readonly steps: Step[] = [];
  readonly bad: Thread['bad'] = [];
  readonly spots = new Map<string, Spot>();
  cwd: string | null = null;
  #prompts = new Set<string>();

  /** Takes one whole line. */
  line(bytes: Buffer, spot: Spot): void {
    let record: unknown;
    try {
      record = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      this.spots.set(`line:${spot.line}`, spot);
      this.bad.push({ line: spot.line, bytes: spot.length, why: `line ${spot.line} unreadable (${spot.length} bytes)` });
      return;
    }
    const isRecord = typeof record === 'object' && record !== null && !Array.isArray(record);
    const fields: Fields = isRecord ? { ...(record as Fields) } : {};
    const id = textOf(fields['id']) || `line:${spot.line}`;
    if (this.spots.has(id)) {
      this.bad.push({ line: spot.line, bytes: spot.length, why: `its id ${id} was there before` });
      return;
    }
    this.spots.set(id, spot);
    if (fields['type'] === 'user') this.#user(id, fields);
    else if (fields['type'] === 'step') this.#step(id, fields, spot);
    else if (!isRecord || typeof fields['type'] !== 'string') {
      this.bad.push({ line: spot.line, bytes: spot.length, why: 'it is no record' });
    } else
      this.#message({ id, role: 'system', step: null, excerpt: cut(bytes.toString()), bytes: bytes.length, at: timeOf(fields['time']) });
  }

  #message(message: Pick<Message, 'id' | 'role' | 'step' | 'excerpt' | 'bytes' | 'at'> & Partial<Message>): void {
    const turn = this.turns.at(-1);
    const stop = this.messages.length + 1;
    if (turn) turn.lastStop = stop;
    const rest = { images: 0, thinking: false, tools: [], hidden: null, divider: null, canStand: true as const };
    this.messages.push({ ...rest, stop, turn: turn?.index ?? null, ...message });
  }

  #user(id: string, fields: Fields): void {
    const prompt = textOf(fields['text']);
    const [at, stop] = [timeOf(fields['time']), this.messages.length];
    this.cwd ??= textOf(fields['cwd']) || null;
    this.#prompts.add(id);
    const turn = { index: this.turns.length + 1, id, prompt: cut(prompt), startedAt: at, status: 'completed' as const, hidden: null };
    this.turns.push({ ...turn, steps: [], firstStop: stop, lastStop: stop + 1 });
    const images = Array.isArray(fields['images']) ? fields['images'].length : 0;
    this.#message({ id, role: 'user', step: null, excerpt: cut(prompt), bytes: Buffer.byteLength(prompt), at, images });
  }

  #step(id: string, fields: Fields, spot: Spot): void {
    const parent = textOf(fields['parent']);
    if (!this.#prompts.has(parent)) {
      this.bad.push({ line: spot.line, bytes: spot.length, why: `what came before it is missing: ${parent} is not in this log` });
    }
    const note = textOf(fields['note']);
    const call = callOf(id, fields, note);
    const at = timeOf(fields['time']);
    this.#message({ id, role: 'assistant', step: id, excerpt: cut(note), bytes: Buffer.byteLength(note), at, tools: [call] });
    const turn = this.turns.at(-1);
    turn?.steps.push(id);
    this.steps.push({
      id,
      index: this.steps.length + 1,
      turn: turn?.index ?? null,
      stop: this.messages.length,
      from: textOf(fields['before']) || null,
      to: textOf(fields['after']) || null,
      toolCallIds: [call.id],
      tools: [call.name],
      listed: null,
      files: null,
      captured: null,
      at,
      durationMs: null,
      sideEffects: 0,
      hidden: null,
    });
  }

  thread(head: ThreadHead, notices: Thread['notices']): Thread {
    const { messages, turns, steps, bad } = this;
    const parts = { messages: [...messages], turns: turns.map((turn) => ({ ...turn })), steps: [...steps], bad: [...bad] };
    return { head, status: 'idle', standing: null, gaps: [], notices, keeps: 'overlay', ...parts };
  }
}

/** The call of a step: it says which files it wrote, unless a name of the list was lossy (`�`): then it says nothing. */
function callOf(id: string, fields: Fields, note: string): ToolCall {
  const named = Array.isArray(fields['files']) ? fields['files'].filter((file) => typeof file === 'string') : [];
  const lossy = named.some((file) => file.includes('�'));
  const wrote = lossy ? null : named.map((file) => treePathOfBytes(Buffer.from(file)));
  const status = toolStatusSchema.enum.done;
  return {
    id: `call-${id}`,
    name: 'edit',
    summary: cut(note),
    status,
    sideEffect: null,
    wrote,
    durationMs: null,
    outputBytes: null,
    child: null,
  };
}
