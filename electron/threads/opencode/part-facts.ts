import type { SideEffectKind, ToolStatus } from '../../../shared/model.ts';
import { asName, asNumber, asRecord, asText, asTree, jsonOf, type Loose } from '../loose.ts';
import { ownText } from '../own-text.ts';
import { unwrapRunPrompt } from './prompt-text.ts';
import { claimedPaths, subjectOf, toolKind } from './tools.ts';

/** Characters of a text that the fold keeps. */
export const EXCERPT = 240;
/** Characters of a call's arguments that the fold keeps: more than a row shows. */
export const SUBJECT = 800;

export interface TextFacts {
  excerpt: string;
  bytes: number;
}

export interface CallFacts {
  /** The provider's id of the call; some providers repeat theirs. */
  callId: string;
  name: string;
  subject: { kind: 'text' | 'path'; text: string };
  status: ToolStatus;
  sideEffect: SideEffectKind | null;
  /** Paths as the call names them; null for a tool that does not say. */
  claims: readonly string[] | null;
  /** It asks a person and waits. */
  asks: boolean;
  durationMs: number | null;
  outputBytes: number | null;
  /** Session ids that the call's answer names, the surest first. */
  children: readonly string[];
}

/** What the fold needs of one part; its whole content is read when it is looked at. */
export type PartFacts =
  | { kind: 'start'; tree: string | null }
  | { kind: 'finish'; tree: string | null }
  /** `quiet`: a text that OpenCode added itself. `unwrapped`: the text without the quotes of `opencode run`. */
  | { kind: 'text'; text: TextFacts; quiet: boolean; unwrapped: TextFacts | null }
  | { kind: 'tool'; call: CallFacts }
  | { kind: 'reasoning' | 'image' | 'compaction' | 'other' };

const NONE: readonly string[] = [];
/** Thousands of parts tell nothing but what they are. */
const OTHER: PartFacts = { kind: 'other' };
const REASONING: PartFacts = { kind: 'reasoning' };
const IMAGE: PartFacts = { kind: 'image' };
const COMPACTION: PartFacts = { kind: 'compaction' };

/** A text cut to what the fold keeps. */
export function textFacts(text: string): TextFacts {
  return { excerpt: cutExcerpt(text), bytes: Buffer.byteLength(text) };
}

/** The first characters of a text, never half a surrogate pair. */
export function cutExcerpt(text: string): string {
  if (text.length <= EXCERPT) return text;
  const last = text.charCodeAt(EXCERPT - 1);
  return ownText(text.slice(0, last >= 0xd800 && last <= 0xdbff ? EXCERPT - 1 : EXCERPT));
}

/** The facts of a part as `part.data` has it (formats/opencode 1.3). */
export function partFacts(data: Loose): PartFacts {
  switch (data['type']) {
    case 'step-start':
      return { kind: 'start', tree: asTree(data['snapshot']) };
    case 'step-finish':
      return { kind: 'finish', tree: asTree(data['snapshot']) };
    case 'text': {
      const text = asText(data['text']) ?? '';
      const unwrapped = unwrapRunPrompt(text);
      return {
        kind: 'text',
        text: textFacts(text),
        quiet: data['synthetic'] === true || data['ignored'] === true,
        unwrapped: unwrapped === null ? null : textFacts(unwrapped),
      };
    }
    case 'reasoning':
      return asName(data['text']) === null ? OTHER : REASONING;
    case 'file':
      return asText(data['mime'])?.startsWith('image/') ? IMAGE : OTHER;
    case 'compaction':
      return COMPACTION;
    case 'tool':
      return {
        kind: 'tool',
        call: callFacts(asName(data['tool']) ?? 'unknown', asText(data['callID']) ?? '', asRecord(data['state']) ?? {}),
      };
    default:
      return OTHER;
  }
}

const STATUS: ReadonlyMap<unknown, ToolStatus> = new Map([
  ['pending', 'requested'],
  ['streaming', 'requested'],
  ['running', 'running'],
  ['completed', 'done'],
  ['error', 'failed'],
]);

/** The facts of a tool call from its state; a state that is not known counts as lost. */
export function callFacts(name: string, callId: string, state: Loose): CallFacts {
  const input = asRecord(state['input']) ?? {};
  const metadata = asRecord(state['metadata']) ?? {};
  const time = asRecord(state['time']) ?? {};
  const kind = toolKind(name);
  const status = STATUS.get(state['status']) ?? 'lost';
  const output = asText(state['output']) ?? asText(state['error']);
  const [start, end] = [asNumber(time['start']), asNumber(time['end'])];
  return {
    callId,
    name,
    subject: cutSubject(subjectOf(name, input)) ?? {
      kind: 'text',
      text: state['input'] === undefined ? '' : cutText(jsonOf(state['input']) ?? '(nested too deeply)'),
    },
    status,
    sideEffect: kind.sideEffect,
    claims: kind.writes === 'unknown' ? null : kind.writes === 'none' ? NONE : claimedPaths(name, input, metadata),
    asks: name === 'question',
    durationMs: start === null || end === null ? null : Math.max(0, end - start),
    outputBytes: output === null ? null : Buffer.byteLength(output),
    children: name === 'task' ? childIds(metadata, output ?? '') : NONE,
  };
}

/** Paths are compared, so they stay whole. */
const cutSubject = (subject: CallFacts['subject'] | null): CallFacts['subject'] | null =>
  subject?.kind === 'text' ? { kind: 'text', text: cutText(subject.text) } : subject;

const cutText = (text: string): string => (text.length > SUBJECT ? ownText(text.slice(0, SUBJECT)) : text);

function childIds(metadata: Loose, output: string): string[] {
  const said = asName(metadata['sessionId']) ?? asName(metadata['sessionID']);
  const named = output.slice(0, 100_000).match(/\bses_[0-9A-Za-z]+/g) ?? [];
  return [...new Set(said === null ? named : [said, ...named])].slice(0, 20).map(ownText);
}
