import { useEffect, useRef } from 'react';
import { onSignal } from '../store/pane-signal.ts';
import { search, stepMatch } from '../store/search.ts';
import { useSearch } from '../store/search-store.ts';
import { Keys } from '../ui/keys.tsx';
import { SearchField } from '../ui/search-field.tsx';
import { count } from '../ui/words.ts';
import './search-box.css';

function found(query: string, rows: number, at: number): string {
  if (query.trim() === '') return '';
  return rows === 0 ? 'no match' : `${at + 1} of ${rows}`;
}

/** One box over the thread: plain words, or `path:`, `tool:`, `changed:`, `text:`, `turn:`. Enter goes on, Shift+Enter back. */
export function SearchBox() {
  const field = useRef<HTMLInputElement>(null);
  const query = useSearch((state) => state.query);
  const rows = useSearch((state) => state.rows.length);
  const at = useSearch((state) => state.at);
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
        placeholder="Search prompts, tools, files"
        title="Words of the beginnings of messages, of tool calls and of changed files. Fields: path: tool: changed: text: turn:"
        value={query}
        onChange={search}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          stepMatch(event.shiftKey ? -1 : 1);
        }}
      />
      {query === '' ? (
        <Keys keys="/" />
      ) : (
        <span
          className="search-count num"
          role="status"
          aria-label={rows === 0 ? 'No match' : `Match ${at + 1} of ${count(rows, 'match', 'matches')}`}
        >
          {found(query, rows, at)}
        </span>
      )}
    </search>
  );
}
