import { parseQuery, wordsOf } from '../../shared/query.ts';
import type { Hit } from '../../shared/search.ts';
import { appStore } from './app-store.ts';
import { call, reasonOfThrown } from './host.ts';
import { sendSignal } from './pane-signal.ts';
import { findRows } from './search-query.ts';
import { searchStore } from './search-store.ts';
import { sessionStore } from './session-store.ts';

/** The whole texts are looked through when typing rests this long. */
const REST_MS = 180;
/** Hits come in many pieces; the rows are made again not more often than this. */
const SHOW_MS = 120;
/** A thread that grows is searched again when it rests. */
const AGAIN_MS = 1500;

let resting: ReturnType<typeof setTimeout> | null = null;
let showing: ReturnType<typeof setTimeout> | null = null;
let coming: Hit[] = [];

/** The message that is looked at, by its id: rows may come before it. */
function lookedAt(): string | null {
  const { rows, at } = searchStore.getState();
  return sessionStore.getState().view?.messages[rows[at] ?? -1]?.id ?? null;
}

/** Brings the match into view, also where the window shows one pane at a time and it is another. */
function showMatch(): void {
  if (appStore.getState().pane !== 'transcript') appStore.setState({ pane: 'transcript' });
  // A transcript that was not drawn goes to the match when it is.
  sendSignal('scroll-to-match');
}

/** Makes the rows again; the match that is looked at stays the one. */
function find(): void {
  const { query, hits, at } = searchStore.getState();
  const { view, index } = sessionStore.getState();
  const looked = lookedAt();
  const rows = view === null ? [] : findRows(view, index, query, hits);
  const row = looked === null ? undefined : index.rowOf.get(looked);
  const kept = row === undefined ? -1 : rows.indexOf(row);
  searchStore.setState({ rows, at: kept >= 0 ? kept : Math.min(Math.max(at, 0), rows.length - 1) });
  if (at < 0 && rows.length > 0) showMatch();
}

function showComing(): void {
  showing = null;
  const { hits } = searchStore.getState();
  const next = new Map(hits);
  for (const hit of coming) next.set(hit.message, hit);
  coming = [];
  searchStore.setState({ hits: next });
  find();
}

function cancelRunning(): void {
  const { running } = searchStore.getState();
  for (const timer of [resting, showing]) if (timer !== null) clearTimeout(timer);
  resting = null;
  showing = null;
  coming = [];
  searchStore.setState({ running: null });
  if (running !== null) call('cancel', { operation: running.operation }).catch((thrown: unknown) => console.error('cancel', thrown));
}

/** Looks through the whole texts; the newest query wins. */
async function searchTexts(): Promise<void> {
  cancelRunning();
  const { id: thread, partial } = sessionStore.getState();
  const words = wordsOf(parseQuery(searchStore.getState().query)).slice(0, 20);
  if (thread === null || partial !== null || words.length === 0 || words.some((word) => word.length > 1000)) return;
  const operation = crypto.randomUUID();
  searchStore.setState({ running: { operation, done: 0 }, error: null });
  const isMine = (): boolean => searchStore.getState().running?.operation === operation;
  try {
    const { more } = await call('search.thread', { thread, operation, words });
    if (!isMine()) return;
    searchStore.setState({ running: null, more });
    showComing();
  } catch (thrown) {
    if (isMine()) searchStore.setState({ running: null, error: reasonOfThrown(thrown) });
  }
}

function later(ms: number): void {
  if (resting !== null) clearTimeout(resting);
  resting = setTimeout(() => {
    resting = null;
    void searchTexts();
  }, ms);
}

/** Keeps hits that arrived, when they are of the search under way. */
export function takeHits(operation: string, hits: readonly Hit[]): void {
  if (searchStore.getState().running?.operation !== operation) return;
  coming.push(...hits);
  showing ??= setTimeout(showComing, SHOW_MS);
}

export function takeSearchProgress(operation: string, done: number, total: number | null): void {
  const { running } = searchStore.getState();
  if (running?.operation === operation && total) searchStore.setState({ running: { operation, done: done / total } });
}

/** Marks the messages that match; the first one is looked at. What the window knows, `known` hits too, is there at once; whole texts come after. */
export function search(query: string, known: readonly Hit[] = []): void {
  cancelRunning();
  searchStore.setState({ ...searchStore.getInitialState(), query, hits: new Map(known.map((hit) => [hit.message, hit])) });
  find();
  if (parseQuery(query).length > 0) later(REST_MS);
}

/** Goes to the next or previous match, around the ends. */
export function stepMatch(direction: -1 | 1): void {
  const { rows, at } = searchStore.getState();
  if (rows.length === 0) return;
  searchStore.setState({ at: (at + direction + rows.length) % rows.length });
  showMatch();
}

/** Goes to the match in a message; false when it is none. */
export function lookAtMatch(message: string): boolean {
  const row = sessionStore.getState().index.rowOf.get(message);
  const at = row === undefined ? -1 : searchStore.getState().rows.indexOf(row);
  if (at < 0) return false;
  searchStore.setState({ at });
  showMatch();
  return true;
}

/** Finds again in a view that changed. */
export function refreshSearch(): void {
  const { query } = searchStore.getState();
  if (query === '') return;
  find();
  later(AGAIN_MS);
}

export function clearSearch(): void {
  cancelRunning();
  searchStore.setState(searchStore.getInitialState());
}
