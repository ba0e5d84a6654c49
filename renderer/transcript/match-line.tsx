import type { Message } from '../../shared/model.ts';
import type { HitPlace } from '../../shared/search.ts';
import { useSearch } from '../store/search-store.ts';
import { sessionStore } from '../store/session-store.ts';
import { Excerpt } from '../ui/excerpt.tsx';
import { HIDDEN_WORDS } from '../ui/names.ts';
import { count } from '../ui/words.ts';
import './match-line.css';

const PLACES: Record<HitPlace, string> = {
  text: 'in the text',
  thinking: 'in the thinking',
  arguments: 'in the arguments',
  output: 'in the output',
  raw: 'in a record',
};

/** Bytes of a text that is never cut. */
const SHORT = 1800;

/** The first match of a row that the search found, where it lies in a part that is closed or cut. */
export function MatchLine({ message }: { message: Message }) {
  const hit = useSearch((state) => state.hits.get(message.id) ?? null);
  const current = useSearch(({ rows, at }) => sessionStore.getState().view?.messages[rows[at] ?? -1]?.id === message.id);
  // Short texts are drawn whole, and the words are marked in them.
  if (hit === null || (hit.place === 'text' && message.role !== 'tool' && message.bytes < SHORT)) return null;
  const { place, times } = hit;
  const call = hit.call === null ? null : (message.tools.find((tool) => tool.id === hit.call)?.name ?? null);
  return (
    <p className="match-line" data-current={current || undefined}>
      <span className="match-place">
        {message.hidden === null ? '' : `${HIDDEN_WORDS[message.hidden.reason]}, `}
        {PLACES[place]}
        {call === null ? '' : ` of ${call}`}
        {times > 1 ? `, ${count(times, 'time')}` : ''}
      </span>
      <Excerpt hit={hit} className="match-text" />
    </p>
  );
}
