import { ChevronDown, RotateCw, TextSearch } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { onSignal } from '../store/pane-signal.ts';
import { leaveSearchAll, searchAll, whyNotSearchAll } from '../store/search-all.ts';
import { listThreads } from '../store/threads.ts';
import { threadsStore, useThreads } from '../store/threads-store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { SOURCE_NAMES, workspaceName } from '../ui/names.ts';
import { SearchField } from '../ui/search-field.tsx';
import { count, showNumber } from '../ui/words.ts';
import { choicesOf } from './thread-filter.ts';

/** Narrows the list: by words of title, path and agent, by agent, by workspace. Enter looks for the words in all texts. */
export function ThreadFilters() {
  const field = useRef<HTMLInputElement>(null);
  const threads = useThreads((state) => state.threads);
  const filter = useThreads((state) => state.filter);
  const { source, root } = useThreads((state) => state.choice);
  const { sources, roots } = useMemo(() => choicesOf(threads), [threads]);
  useEffect(() => onSignal('focus-search', () => field.current?.focus()), []);
  const choose = (choice: Partial<{ source: typeof source; root: typeof root }>): void =>
    threadsStore.setState(({ choice: before }) => ({ choice: { ...before, ...choice } }));
  const off = whyNotSearchAll(filter);
  return (
    <div className="start-filter">
      <SearchField
        ref={field}
        label="Filter the threads"
        placeholder={threads.length === 0 ? 'Filter' : `Filter ${count(threads.length, 'thread')}: title, path, agent`}
        value={filter}
        onChange={(value) => threadsStore.setState({ filter: value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') leaveSearchAll();
          if (event.key !== 'Enter') return;
          event.preventDefault();
          void searchAll(filter);
        }}
      />
      <Button
        icon={<TextSearch />}
        off={off}
        hint="Looks for the words in the texts of all threads"
        keys="enter"
        onClick={() => void searchAll(filter)}
      >
        Search texts
      </Button>
      <Menu
        trigger={
          <Button className="start-choice">
            {source === null ? 'All agents' : SOURCE_NAMES[source]}
            <ChevronDown aria-hidden="true" />
          </Button>
        }
        groups={() => [
          [{ id: 'all', label: 'All agents', checked: source === null, run: () => choose({ source: null }) }],
          sources.map(([kind, number]) => ({
            id: kind,
            label: `${SOURCE_NAMES[kind]} (${showNumber(number)})`,
            checked: source === kind,
            run: () => choose({ source: kind }),
          })),
        ]}
      />
      <Menu
        align="end"
        trigger={
          <Button className="start-choice">
            <span className="cut">{root === null ? 'All workspaces' : workspaceName(root || null)}</span>
            <ChevronDown aria-hidden="true" />
          </Button>
        }
        groups={() => [
          [{ id: 'all', label: 'All workspaces', checked: root === null, run: () => choose({ root: null }) }],
          roots.map(([path, number]) => ({
            id: `root:${path}`,
            label: `${workspaceName(path || null)} (${showNumber(number)})`,
            checked: root === path,
            run: () => choose({ root: path }),
          })),
        ]}
      />
      <IconButton label="Look again" icon={<RotateCw />} onClick={() => void listThreads()} />
    </div>
  );
}
