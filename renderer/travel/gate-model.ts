import type { Choice, Piece, Plan, PlanFile, Scope, TravelKind } from '../../shared/plan.ts';
import { count, oneLine, showClock } from '../ui/words.ts';

/** What the user chose other than the plan, by path. */
export type Choices = Readonly<Record<string, Choice>>;

export const VERB_WORDS = { restore: 'Restore', delete: 'Delete', recreate: 'Bring back' } as const satisfies Record<
  PlanFile['verb'],
  string
>;

const KIND_VERBS = {
  revert: 'Revert',
  recall: 'Take back',
  unrevert: 'Unrevert',
  undo: 'Undo',
  redo: 'Redo',
  restore: 'Restore',
  partial: 'Bring back',
} as const satisfies Record<TravelKind, string>;

export const choiceOf = (file: PlanFile, choices: Choices): Choice =>
  Object.hasOwn(choices, file.path) ? (choices[file.path] ?? file.choice) : file.choice;

/** The files that will be written or deleted with these choices. */
export const writtenFiles = (plan: Plan, choices: Choices): readonly PlanFile[] =>
  plan.files.filter((file) => choiceOf(file, choices) !== 'keep');

/** How the messages are spoken of: hidden by going back, shown again by coming forward. */
const messagesGo = (kind: TravelKind): 'hidden' | 'shown again' => (kind === 'unrevert' || kind === 'redo' ? 'shown again' : 'hidden');

/** "Revert 6 files", "Hide 9 messages", "Unrevert 2 files": the verb and the count of what the press will do. */
export function buttonText(plan: Plan, choices: Choices): string {
  const files = writtenFiles(plan, choices).length;
  const verb = KIND_VERBS[plan.kind];
  if (files > 0) return `${verb} ${count(files, 'file')}`;
  if (plan.messages > 0 && plan.scope !== 'files') {
    return `${messagesGo(plan.kind) === 'hidden' ? 'Hide' : 'Show'} ${count(plan.messages, 'message')}`;
  }
  return `${verb} nothing`;
}

/** True when the press would change nothing at all. */
export function doesNothing(plan: Plan, choices: Choices): boolean {
  return writtenFiles(plan, choices).length === 0 && (plan.messages === 0 || plan.scope === 'files');
}

/** The heading: what is asked, and about which message. One that has no words of its own is named by its number. */
export function titleText(kind: TravelKind, title: string, stop: number | null): string {
  // Marks of markdown are not for a title.
  const about = oneLine(title.replace(/\*\*|`/g, ''));
  const quoted = about === '' ? '' : ` “${about.length > 90 ? `${about.slice(0, 89)}…` : about}”`;
  switch (kind) {
    case 'revert':
      if (stop === 0) return 'Revert to the start';
      return quoted === '' ? `Revert to message ${stop ?? ''}`.trim() : `Revert to${quoted}`;
    case 'recall':
      return `Take back${quoted === '' ? ' the message' : quoted}`;
    case 'unrevert':
      return 'Unrevert';
    case 'undo':
      return 'Undo the last turn';
    case 'redo':
      return 'Redo the last turn';
    case 'restore':
      return 'Go back to before this travel';
    case 'partial':
      return `Bring back ${about}`;
  }
}

function filesPhrase(plan: Plan, files: number, at: number | null): string {
  const many = files !== 1;
  switch (plan.kind) {
    case 'unrevert':
    case 'redo':
      return `${count(files, 'file')} ${many ? 'come' : 'comes'} back as ${many ? 'they were' : 'it was'} before`;
    case 'restore':
      return `${count(files, 'file')} ${many ? 'go' : 'goes'} back to before this travel`;
    case 'partial':
      return `${count(files, 'file')} ${many ? 'change' : 'changes'}`;
    default:
      return at === null
        ? `${count(files, 'file')} ${many ? 'go' : 'goes'} back`
        : `${count(files, 'file')} ${many ? 'go' : 'goes'} back to ${showClock(at)}`;
  }
}

/** "6 files go back to 09:41; 9 messages are hidden; you can undo this." `at`: the time of the message, null when unknown. */
export function gateSentence(plan: Plan, choices: Choices, at: number | null): string {
  const files = writtenFiles(plan, choices).length;
  const parts: string[] = [];
  if (plan.scope !== 'messages') parts.push(files === 0 ? 'No file changes' : filesPhrase(plan, files, at));
  if (plan.scope !== 'files' && plan.messages > 0) {
    parts.push(`${count(plan.messages, 'message')} ${plan.messages === 1 ? 'is' : 'are'} ${messagesGo(plan.kind)}`);
  }
  parts.push('you can undo this');
  const text = parts.join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Whether the scope can be chosen; undo, redo and restore have their own. */
export const hasScope = (kind: TravelKind): boolean => kind === 'revert' || kind === 'recall' || kind === 'unrevert';

export const SCOPE_WORDS = {
  both: 'Files and messages',
  files: 'Files only',
  messages: 'Messages only',
} as const satisfies Record<Scope, string>;

/** What a file comes back as. */
export const PIECE_WORDS = {
  out: 'Without this step’s change',
  before: 'As before the step',
  after: 'As after the step',
} as const satisfies Record<Piece['side'], string>;

export interface GateTotals {
  added: number;
  removed: number;
  drifted: number;
  deleted: number;
}

/** Sums over the files that will be written. */
export function totalsOf(plan: Plan, choices: Choices): GateTotals {
  const totals = { added: 0, removed: 0, drifted: 0, deleted: 0 };
  for (const file of plan.files) if (file.drift) totals.drifted += 1;
  for (const file of writtenFiles(plan, choices)) {
    totals.added += file.added ?? 0;
    totals.removed += file.removed ?? 0;
    if (file.verb === 'delete') totals.deleted += 1;
  }
  return totals;
}

/** The list of what cannot be undone as text to copy, one call a line. */
export function effectsText(plan: Plan): string {
  return plan.sideEffects.map((effect) => `turn ${effect.turn}\t${effect.tool}\t${effect.summary}`).join('\n');
}
