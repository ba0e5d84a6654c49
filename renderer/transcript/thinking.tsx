import { Brain, ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import type { Message } from '../../shared/model.ts';
import { readBody } from '../store/bodies.ts';
import { useBody } from '../store/bodies-store.ts';
import { useSession } from '../store/session-store.ts';
import { toggleExpanded } from './expand.ts';

function Thoughts({ message }: { message: Message }) {
  const entry = useBody(message.id);
  useEffect(() => void readBody(message), [message]);
  if (entry?.body == null) return <p className="thinking-text muted">{entry?.error?.message ?? 'Reading…'}</p>;
  const text = entry.body.parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : [])).join('\n\n');
  return <p className="thinking-text muted">{text === '' ? 'The log keeps no text of it.' : text}</p>;
}

/** The agent's thinking, closed until it is asked for. */
export function Thinking({ message }: { message: Message }) {
  const key = `${message.id}/thinking`;
  const open = useSession((state) => state.expanded.has(key));
  return (
    <div className="thinking" data-open={open || undefined}>
      <button type="button" className="thinking-head" aria-expanded={open} onClick={() => toggleExpanded(key)}>
        <ChevronRight className="tool-arrow" aria-hidden="true" />
        <Brain className="thinking-icon" aria-hidden="true" />
        Thinking
      </button>
      {open ? <Thoughts message={message} /> : null}
    </div>
  );
}
