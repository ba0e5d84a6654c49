import { ChevronRight, CornerDownRight } from 'lucide-react';
import { useEffect } from 'react';
import type { Message } from '../../shared/model.ts';
import { readBody } from '../store/bodies.ts';
import { useBody } from '../store/bodies-store.ts';
import { useSession } from '../store/session-store.ts';
import { oneLine, showBytes } from '../ui/words.ts';
import { toggleExpanded } from './expand.ts';
import { OtherParts } from './other-parts.tsx';

const MOST = 20_000;

function Output({ message }: { message: Message }) {
  const entry = useBody(message.id);
  useEffect(() => void readBody(message), [message]);
  if (entry?.body == null) return <p className="tool-note muted">{entry?.error?.message ?? 'Reading…'}</p>;
  const text = entry.body.parts.flatMap((part) => (part.kind === 'output' || part.kind === 'text' ? [part.text] : [])).join('\n');
  return (
    <>
      <pre className="tool-text" tabIndex={0}>
        {text.length > MOST ? `${text.slice(0, MOST)}\n… cut at ${MOST.toLocaleString('en-US')} characters` : text}
      </pre>
      <OtherParts message={message} body={entry.body} />
    </>
  );
}

/** A tool's answer as a row of its own, on one line until it is opened. */
export function ToolResult({ message }: { message: Message }) {
  const key = `${message.id}/output`;
  const open = useSession((state) => state.expanded.has(key));
  return (
    <div className="tool-result" data-open={open || undefined}>
      <button type="button" className="tool-result-head" aria-expanded={open} onClick={() => toggleExpanded(key)}>
        <ChevronRight className="tool-arrow" aria-hidden="true" />
        <CornerDownRight className="tool-result-icon" aria-hidden="true" />
        <span className="sr">Tool result: </span>
        <span className="tool-summary mono cut">{oneLine(message.excerpt) || 'no output'}</span>
        <span className="tool-facts num">{showBytes(message.bytes)}</span>
      </button>
      {open ? <Output message={message} /> : null}
    </div>
  );
}
