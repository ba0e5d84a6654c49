import { z } from 'zod';

const WORDS = {
  travel: 'it is travelling there',
  recover: 'it is ending an interrupted travel there',
  forget: 'it is forgetting a thread',
  clean: 'it is cleaning up what nobody needs any more',
  record: 'it is recording there',
  open: 'it is opening a thread',
} as const;

/** What a process does while it holds something of ours. */
export type Doing = keyof typeof WORDS;

/** Schema of {@link Doing}; null for a word of another version. */
export const doingSchema = z
  .enum(Object.keys(WORDS) as [Doing, ...Doing[]])
  .nullable()
  .catch(null);

/** What the holder does, for people. */
export const wordsOfDoing = (doing: Doing | null): string => (doing === null ? 'it is at work there' : WORDS[doing]);
