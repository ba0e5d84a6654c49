import { type TravelRecord, travelRecordSchema } from '../../electron/travel/record.ts';

/** A record of a travel without files and messages, with whatever a test needs changed. */
export function travelRecord(more: Partial<TravelRecord> = {}): TravelRecord {
  return travelRecordSchema.parse({
    version: 1,
    entry: 'a-1',
    thread: 'tanstack:t',
    root: '/w',
    format: 'sha1',
    kind: 'revert',
    scope: 'both',
    at: 1,
    target: { messageId: null, stop: 0, words: 'before turn 1' },
    phase: 'intent',
    token: '0'.repeat(32),
    afterStep: null,
    covers: [],
    supersedes: null,
    ended: [],
    files: [],
    left: [],
    folders: [],
    foldersAfter: [],
    logAt: 'x',
    messages: { how: 'none' },
    now: null,
    safety: { tree: null, bytes: 0 },
    ...more,
  });
}
