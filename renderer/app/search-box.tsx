import { useEffect, useRef } from 'react';
import { onSignal } from '../store/pane-signal.ts';
import { search, stepMatch } from '../store/search.ts';
import { useSearch } from '../store/search-store.ts';
import { Keys } from '../ui/keys.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { count } from '../ui/words.ts';
import './search-box.css';

/** "3 of 17", and how far the whole texts are searched. */
function found(rows: number, at: number, running: number | null, more: boolean): string {
  const many = `${at + 1} of ${rows}${more ? '+' : ''}`;
  if (running === null) return rows === 0 ? 'no match' : many;
  const percent = `${Math.floor(running * 100)} %`;
  return rows === 0 ? `searching ${percent}` : `${many} · ${percent}`;
}

/** One box over the thread: plain words, or `path:`, `tool:`, `changed:`, `text:`, `turn:`. Enter goes on, Shift+Enter back. */
export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const query = useSearch((state) => state.query);
  const rows = useSearch((state) => state.rows.length);
  const at = useSearch((state) => state.at);
  const more = useSearch((state) => state.more);
  const error = useSearch((state) => state.error);
  const running = useSearch((state) => state.running?.done ?? null);
  useEffect(
    () =>
      onSignal('focus-search', () => {
        field.current?.focus();
        field.current?.select();
      }),
    [],
  );
  return (
    <search className="search-box">
      <SearchField
        ref={field}
        label="Search the thread"
        placeholder="Search texts, tools, files"
        title="Words of messages, of tool calls with their arguments and outputs, and of changed files. Fields: path: tool: changed: text: turn:"
        value={query}
        onChange={search}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          stepMatch(event.shiftKey ? -1 : 1);
        }}
      />
      {query.trim() === '' ? (
        <Keys keys="/" />
      ) : (
        <span
          className="search-count num"
          role="status"
          data-failed={error !== null || undefined}
          title={error?.message}
          aria-label={
            error !== null
              ? error.message
              : running !== null && rows === 0
                ? 'Searching'
                : rows === 0
                  ? 'No match'
                  : `Match ${at + 1} of ${count(rows, 'match', 'matches')}`
          }
        >
          {error === null ? found(rows, at, running, more) : 'search failed'}
        </span>
      )}
    </search>
  );
}
