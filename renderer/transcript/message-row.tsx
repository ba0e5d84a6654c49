import { useEffect } from 'react';
import type { Message } from '../../shared/model.ts';
import { readBody } from '../store/bodies.ts';
import { useBody } from '../store/bodies-store.ts';
import { useSession } from '../store/session-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Counts } from '../ui/counts.tsx';
import { HIDDEN_WORDS, ROLE_NAMES } from '../ui/names.ts';
import { When } from '../ui/when.tsx';
import { count, showBytes } from '../ui/words.ts';
import { MatchLine } from './match-line.tsx';
import { MessageText } from './message-text.tsx';
import { OtherParts } from './other-parts.tsx';
import { Thinking } from './thinking.tsx';
import { ToolCallRow } from './tool-call.tsx';
import { ToolResult } from './tool-result.tsx';
import { useStepCounts } from './use-step-counts.ts';

/** Texts up to this many bytes are whole in the excerpt. */
const EXCERPT = 240;
/** A row that is scrolled past at speed is not worth a read. */
const REST_MS = 90;

/** What the message's step changed, on the right of its head. */
function Changes({ message }: { message: Message }) {
  const changes = useStepCounts(message);
  if (changes === null) return null;
  return (
    <span className="row-changes">
      {changes.notCaptured ? <Badge tone="changed">not captured</Badge> : null}
      {changes.files === 0 ? null : <span className="muted num">{count(changes.files, 'file')}</span>}
      {changes.lines === null || changes.files === 0 ? null : <Counts {...changes.lines} />}
    </span>
  );
}

function Head({ message }: { message: Message }) {
  return (
    <header className="row-head">
      <span className="row-role" data-role={message.role}>
        {ROLE_NAMES[message.role]}
      </span>
      <span className="row-when muted">
        <When at={message.at} as="clock" />
      </span>
      {message.hidden === null || message.hidden.reason === 'reverted' ? null : <Badge>{HIDDEN_WORDS[message.hidden.reason]}</Badge>}
      <Changes message={message} />
    </header>
  );
}

/** Reads the body of a message that is looked at, if there is more than its excerpt. */
function useWholeBody(message: Message, wanted: boolean): void {
  useEffect(() => {
    if (!wanted) return;
    const timer = setTimeout(() => void readBody(message), REST_MS);
    return () => clearTimeout(timer);
  }, [message, wanted]);
}

/** A message of the user or the agent: its text, its thinking (closed), its tool calls. */
export function MessageRow({ message }: { message: Message }) {
  const entry = useBody(message.id);
  const key = `${message.id}/text`;
  const open = useSession((state) => state.expanded.has(key));
  const isTool = message.role === 'tool';
  const more = message.bytes > EXCERPT || message.images > 0;
  useWholeBody(message, !isTool && more);
  if (isTool) {
    return (
      <>
        <ToolResult message={message} />
        <MatchLine message={message} />
      </>
    );
  }
  const body = entry?.body ?? null;
  return (
    <>
      <Head message={message} />
      {message.thinking ? <Thinking message={message} /> : null}
      {message.excerpt === '' && message.bytes === 0 ? null : <MessageText message={message} body={body} open={open} partKey={key} />}
      {entry?.error == null ? null : (
        <p className="row-error">
          {entry.error.message} <span className="muted">The beginning is shown ({showBytes(message.bytes)} in all).</span>
        </p>
      )}
      {message.tools.length === 0 ? null : (
        <div className="row-tools">
          {message.tools.map((call) => (
            <ToolCallRow key={call.id} call={call} message={message} />
          ))}
        </div>
      )}
      {body === null && message.images === 0 ? null : <OtherParts message={message} body={body} />}
      <MatchLine message={message} />
    </>
  );
}
