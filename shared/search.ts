import { z } from 'zod';
import { hiddenReasonSchema, problemSchema, threadHeadSchema } from './model.ts';

/** Where in a message a word was found. */
export const hitPlaceSchema = z.enum(['text', 'thinking', 'arguments', 'output', 'raw']);
export type HitPlace = z.infer<typeof hitPlaceSchema>;

/** One message in which words were found, with the surroundings of the first of them. */
export const hitSchema = z.object({
  /** Id of the message, and the stop after it where it has one. */
  message: z.string(),
  stop: z.number().nullable(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  turn: z.number().nullable(),
  /** The message is not part of the conversation any more. */
  hidden: z.object({ reason: hiddenReasonSchema }).nullable(),
  place: hitPlaceSchema,
  /** The tool call whose arguments or output it is. */
  call: z.string().nullable(),
  /** One line around the first match, and where the match is in it (UTF-16 units). */
  excerpt: z.string(),
  at: z.number(),
  length: z.number(),
  /** Which of the asked words the message holds: places in the asked list. */
  words: z.array(z.number()),
  /** How often they occur in it. */
  times: z.number(),
});
export type Hit = z.infer<typeof hitSchema>;

/** The words to look for, each of them anywhere in the texts, whatever its case. */
export const wordsSchema = z.array(z.string().min(1).max(1000)).min(1).max(20);

/** What became of a search: how many messages hold a word, and whether everything was looked at. */
export const searchedSchema = z.object({
  found: z.number(),
  /** More was found than is told of. */
  more: z.boolean(),
});
export type Searched = z.infer<typeof searchedSchema>;

/** A thread in which every word of a search over all threads was found. */
export const foundThreadSchema = z.object({ head: threadHeadSchema, hits: z.array(hitSchema), found: z.number() });
export type FoundThread = z.infer<typeof foundThreadSchema>;

export const searchedThreadsSchema = z.object({
  threads: z.number(),
  found: z.number(),
  /** Threads that could not be searched, and stores that could not be read. */
  problems: z.array(problemSchema),
});
export type SearchedThreads = z.infer<typeof searchedThreadsSchema>;

/** A text as it is compared: without the difference of case. One unit for one unit, so that places stay what they are. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase();
  // A sigma at the end of a word has a form of its own there; one letter is one letter wherever it stands.
  if (lower.length === text.length) return lower.replaceAll('ς', 'σ');
  // A few letters become two; those keep their form, or every place behind them would move.
  const folded = [...text].map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter));
  return folded.join('').replaceAll('ς', 'σ');
}
