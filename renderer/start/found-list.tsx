import { ArrowLeft } from 'lucide-react';
import type { FoundThread, Hit } from '../../shared/search.ts';
import { leaveSearchAll, openHit, stopSearchAll } from '../store/search-all.ts';
import { useSearchAll } from '../store/search-all-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Excerpt } from '../ui/excerpt.tsx';
import { HIDDEN_WORDS, ROLE_NAMES, SOURCE_NAMES, titleOfThread, workspaceName } from '../ui/names.ts';
import { count, showNumber } from '../ui/words.ts';
import { Problems } from './problems.tsx';
import './found-list.css';

function HitRow({ thread, hit }: { thread: string; hit: Hit }) {
  const { role, stop, hidden } = hit;
  return (
    <li>
      <button type="button" className="found-hit" onClick={() => void openHit(thread, hit)}>
        <span className="found-where muted num">
          {ROLE_NAMES[role]}
          {stop === null ? '' : ` ${showNumber(stop)}`}
        </span>
        {hidden === null ? null : <Badge>{HIDDEN_WORDS[hidden.reason]}</Badge>}
        <Excerpt hit={hit} className="found-text" />
      </button>
    </li>
  );
}

function Found({ found }: { found: FoundThread }) {
  const { head, hits } = found;
  return (
    <section className="found-thread" aria-label={titleOfThread(head)}>
      <h2 className="found-title">
        <span className="cut">{titleOfThread(head)}</span>
        <span className="muted cut">{workspaceName(head.root)}</span>
        <Badge>{SOURCE_NAMES[head.source]}</Badge>
        <span className="muted num">{count(found.found, 'message')}</span>
      </h2>
      <ul>
        {hits.map((hit) => (
          <HitRow key={hit.message} thread={head.id} hit={hit} />
        ))}
      </ul>
      {found.found > hits.length ? (
        <p className="found-more muted">
          {count(found.found - hits.length, 'more message')}: open one, and n and Shift+n step through all of them.
        </p>
      ) : null}
    </section>
  );
}

/** What was found in the texts of all threads, thread by thread, while it is being looked for. */
export function FoundList() {
  const { phase, query, done, total, label, found, problems, error } = useSearchAll((state) => state);
  const running = phase === 'running';
  const hits = found.reduce((sum, thread) => sum + thread.found, 0);
  return (
    <div className="found">
      <div className="found-head" role="status">
        <Button icon={<ArrowLeft />} data-focus-home="" onClick={leaveSearchAll}>
          All threads
        </Button>
        <span className="found-words">
          {phase === 'failed' && error !== null
            ? error.message
            : `“${query}” in ${count(hits, 'message')} of ${count(found.length, 'thread')}`}
          {running ? <span className="muted"> · {label === '' ? 'looking…' : `looking through ${label}`}</span> : null}
        </span>
        {running ? (
          <>
            <span className="muted num">{total === null ? '' : `${showNumber(done)} of ${count(total, 'thread')}`}</span>
            <Button onClick={stopSearchAll}>Cancel</Button>
          </>
        ) : null}
      </div>
      {running ? null : <Problems problems={problems} what="could not be searched" />}
      <div className="found-list">
        {found.map((one) => (
          <Found key={one.head.id} found={one} />
        ))}
        {!running && found.length === 0 && phase === 'done' ? (
          <p className="found-none muted">No message holds all of these words.</p>
        ) : null}
      </div>
    </div>
  );
}
