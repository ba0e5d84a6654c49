import type { Message, MessageBody } from '../../shared/model.ts';
import { textOfBody } from '../store/take-back.ts';
import { Button } from '../ui/button.tsx';
import { showBytes } from '../ui/words.ts';
import { toggleExpanded } from './expand.ts';
import { LazyMarkdown } from './lazy-markdown.tsx';

/** Characters of a text that are drawn before "Show all". */
const SHORT = 1800;
/** Characters that are drawn at all; more would hold the window up. */
const MOST = 200_000;

export interface MessageTextProps {
  message: Message;
  body: MessageBody | null;
  open: boolean;
  /** What "Show all" opens. */
  partKey: string;
}

/** The text of a message: the user's as it was typed, the agent's as markdown. Long ones are cut until they are opened. */
export function MessageText({ message, body, open, partKey }: MessageTextProps) {
  const whole = body === null ? message.excerpt : textOfBody(body);
  if (whole === '') return null;
  const limit = open ? MOST : SHORT;
  const cut = whole.length > limit;
  const text = cut ? whole.slice(0, limit) : whole;
  return (
    <div className="row-text">
      {message.role === 'assistant' ? <LazyMarkdown text={text} /> : <p className="row-plain">{text}</p>}
      {whole.length > SHORT ? (
        <Button variant="plain" className="row-more" aria-expanded={open} onClick={() => toggleExpanded(partKey)}>
          {open ? 'Show less' : `Show all (${showBytes(message.bytes)})`}
        </Button>
      ) : null}
      {open && cut ? <p className="muted">The rest is too long to draw; “Copy text” gives all of it.</p> : null}
    </div>
  );
}
