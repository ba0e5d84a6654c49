import { Bot, ChevronRight, ExternalLink } from 'lucide-react';
import { useEffect } from 'react';
import type { Message } from '../../shared/model.ts';
import { headOfChild, readChild, useChild } from '../store/child-threads.ts';
import { openThread } from '../store/session.ts';
import { useSession } from '../store/session-store.ts';
import { useThreads } from '../store/threads-store.ts';
import { Button } from '../ui/button.tsx';
import { HIDDEN_WORDS, ROLE_NAMES, titleOfThread } from '../ui/names.ts';
import { count, oneLine } from '../ui/words.ts';
import { toggleExpanded } from './expand.ts';
import './child-thread.css';

/** Messages of a sub-agent that are drawn in place; the rest is in its own thread. */
const MOST = 60;
/** A sub-agent of a sub-agent and so on: deeper ones are opened as threads. */
const DEEPEST = 3;

function ChildMessage({ message, depth }: { message: Message; depth: number }) {
  const text = oneLine(message.excerpt);
  return (
    <li className="child-row" data-role={message.role}>
      <span className="child-role">{ROLE_NAMES[message.role]}</span>
      <div className="child-words">
        {text === '' ? null : <p className="child-text">{text}</p>}
        {message.tools.map((call) => (
          <div key={call.id} className="child-tool">
            <p className="mono cut">
              <span className="child-tool-name">{call.name}</span> {call.summary}
            </p>
            {call.child === null ? null : <ChildThread threadId={call.child} depth={depth + 1} />}
          </div>
        ))}
        {message.hidden === null ? null : <p className="muted">{HIDDEN_WORDS[message.hidden.reason]}</p>}
      </div>
    </li>
  );
}

function ChildRows({ threadId, depth }: { threadId: string; depth: number }) {
  const entry = useChild(threadId);
  useEffect(() => void readChild(threadId), [threadId]);
  if (entry === null || entry.phase === 'loading') return <p className="child-note muted">Reading…</p>;
  if (entry.phase === 'failed') return <p className="child-note">{entry.error.message}</p>;
  const { messages } = entry.view;
  const shown = messages.slice(0, MOST).filter((message) => message.role !== 'tool');
  if (messages.length === 0) return <p className="child-note muted">It has no message yet.</p>;
  return (
    <>
      <ol className="child-rows">
        {shown.map((message) => (
          <ChildMessage key={message.id} message={message} depth={depth} />
        ))}
      </ol>
      {messages.length > MOST ? <p className="child-note muted">{count(messages.length - MOST, 'more message')} in its thread.</p> : null}
    </>
  );
}

/** The thread of a sub-agent inside the call that started it: closed until it is asked for, and a way to its own screen. */
export function ChildThread({ threadId, depth = 0 }: { threadId: string; depth?: number }) {
  const key = `child/${threadId}`;
  const open = useSession((state) => state.expanded.has(key));
  const threads = useThreads((state) => state.threads);
  const head = headOfChild(threads, threadId);
  const title = head === null ? threadId : titleOfThread(head);
  return (
    <section className="child" aria-label={`Sub-agent: ${title}`} data-open={open || undefined}>
      <div className="child-line">
        {depth >= DEEPEST ? (
          <span className="child-head">
            <Bot aria-hidden="true" />
            <span className="cut">Sub-agent: {title}</span>
          </span>
        ) : (
          <button type="button" className="child-head" aria-expanded={open} onClick={() => toggleExpanded(key)}>
            <ChevronRight className="tool-arrow" aria-hidden="true" />
            <Bot aria-hidden="true" />
            <span className="cut">Sub-agent: {title}</span>
          </button>
        )}
        {head === null ? null : (
          <Button variant="plain" className="child-open" icon={<ExternalLink />} onClick={() => void openThread(head.id)}>
            Open thread
          </Button>
        )}
      </div>
      {open && depth < DEEPEST ? <ChildRows threadId={threadId} depth={depth} /> : null}
    </section>
  );
}
