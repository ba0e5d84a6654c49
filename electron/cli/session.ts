import type { ThreadView } from '../../shared/contract.ts';
import { TurnbackError } from '../../shared/errors.ts';
import type { Step } from '../../shared/model.ts';
import type { TravelResult } from '../../shared/plan.ts';
import type { Desk } from '../host/desk.ts';
import type { SettingsFile } from '../host/settings.ts';
import type { Upkeep } from '../host/upkeep.ts';
import type { Arguments } from './arguments.ts';

/** What a command works with. */
export interface Session {
  desk: Desk;
  settings: SettingsFile;
  upkeep: Upkeep;
  args: Arguments;
  /** Text for people or bytes of a patch; with `--json` only `json` writes. */
  print(text: string | Uint8Array): void;
  json(value: unknown): void;
  /** A remark for people, on stderr. */
  say(text: string): void;
  /** How far a long act is, where a person looks on. */
  progress(text: string): void;
}

/** Exit codes of the command line. */
export const EXIT = { done: 0, refused: 1, usage: 2, skipped: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Did the travel leave a path of its plan as it was? */
export const leavesOut = ({ files }: TravelResult): boolean =>
  files.some(({ outcome }) => outcome === 'skipped' || outcome === 'kept' || outcome === 'failed');

/** Opens the thread that the first word names, with every step's files. `evenGone`: also where its log is gone, to bring files back. */
export async function openNamed(session: Session, { evenGone = false } = {}): Promise<{ id: string; view: ThreadView }> {
  const { desk, args } = session;
  const [word, named] = [args.words[0] ?? '', { root: args.root, data: args.data }];
  const thread = evenGone ? await desk.openEvenGone(word, named) : await desk.open(word, named);
  return { id: thread.head.id, view: await desk.viewWithSteps(thread.head.id) };
}

/** The step that a word names: an id, or its number. UNKNOWN_STEP otherwise. */
export function stepNamed(view: ThreadView, word: string): Step {
  const byId = view.steps.find((step) => step.id === word);
  if (byId) return byId;
  const number = /^(?:step:)?(\d+)$/.exec(word)?.[1];
  const byNumber = number === undefined ? undefined : view.steps.find((step) => step.index === Number(number));
  if (!byNumber) throw new TurnbackError('UNKNOWN_STEP', { id: word });
  return byNumber;
}

/** The stop that a word names: a message id or `stop:K`. UNKNOWN_MESSAGE or STOP_DROPPED otherwise. */
export function stopNamed(view: ThreadView, word: string): number {
  const byId = view.messages.find((message) => message.id === word);
  if (byId) {
    if (byId.stop === null) throw new TurnbackError('STOP_DROPPED');
    return byId.stop;
  }
  const stop = Number(/^stop:(\d+)$/.exec(word)?.[1] ?? Number.NaN);
  const last = view.messages.reduce((most, message) => Math.max(most, message.stop ?? 0), 0);
  if (!Number.isInteger(stop) || stop > last) throw new TurnbackError('UNKNOWN_MESSAGE', { id: word });
  return stop;
}
