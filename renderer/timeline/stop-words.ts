import { whyNoStop } from '../../shared/can-stand.ts';
import { sessionStore } from '../store/session-store.ts';
import { stopAt } from '../store/stops.ts';
import { count, oneLine, showClock } from '../ui/words.ts';

const START = 48;
const BEFORE_ALL = 'Before the first message';

/** What a stop is, for the bubble and for screen readers. */
export interface StopWords {
  stop: number;
  last: number;
  turn: number | null;
  at: number | null;
  text: string;
  /** The same with all of its words. */
  said: string;
  /** What would change if the thread went back to it. */
  messages: number;
  files: number;
  effects: number;
  whyNot: string | null;
  /** Why the files of the step that ends here are not known. */
  notCaptured: string | null;
}

function notCapturedAt(stop: number): string | null {
  for (const step of sessionStore.getState().index.stepsAt.get(stop) ?? []) {
    if (step.captured !== null && step.captured !== true) return step.captured.message;
  }
  return null;
}

/** The facts of a stop; null when no thread is open. */
export function wordsOfStop(stop: number): StopWords | null {
  const { view, index } = sessionStore.getState();
  const found = stopAt(index.stops, stop);
  if (view === null || found === null) return null;
  const message = view.messages[found.row];
  const said = oneLine(message?.excerpt ?? '') || message?.tools.map((tool) => tool.name).join(', ') || '';
  return {
    stop: found.stop,
    last: index.stops.at(-1)?.stop ?? 0,
    turn: message?.turn ?? null,
    at: message?.at ?? null,
    said: found.stop === 0 ? BEFORE_ALL : said,
    text: found.stop === 0 ? BEFORE_ALL : said.length > START ? `${said.slice(0, START).trimEnd()}…` : said,
    messages: found.messagesAfter,
    files: found.filesAfter,
    effects: found.effectsAfter,
    notCaptured: notCapturedAt(found.stop),
    whyNot: whyNoStop(view.messages, found.row)?.message ?? null,
  };
}

/** "Message 34 of 120, turn 12, Fix the login form, 09:41, 6 files" */
export function valueText(words: StopWords): string {
  const parts = [words.stop === 0 ? `Start, before message 1 of ${words.last}` : `Message ${words.stop} of ${words.last}`];
  if (words.turn !== null) parts.push(`turn ${words.turn}`);
  if (words.stop !== 0 && words.text !== '') parts.push(words.text);
  if (words.at !== null) parts.push(showClock(words.at));
  parts.push(count(words.files, 'file'));
  return parts.join(', ');
}
