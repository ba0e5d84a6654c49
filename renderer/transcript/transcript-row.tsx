import { ChevronRight, TriangleAlert } from 'lucide-react';
import { memo, type PointerEvent, useState } from 'react';
import { selectStep, selectTurn } from '../store/selection.ts';
import { useSession } from '../store/session-store.ts';
import { beginDrag } from '../timeline/drag.ts';
import { HIDDEN_WORDS } from '../ui/names.ts';
import { count, showBytes } from '../ui/words.ts';
import { toggleGroup } from './expand.ts';
import { MessageRow } from './message-row.tsx';
import { RecalledText } from './recalled-text.tsx';
import { QuietTools, RowTools } from './row-tools.tsx';
import type { Row } from './rows.ts';

const DIVIDER_WORDS = {
  reset: 'The model’s context was reset here',
  compaction: 'The messages above were compacted',
} as const;

function Content({ row }: { row: Row }) {
  switch (row.kind) {
    case 'message':
      return <MessageRow message={row.message} />;
    case 'group':
      return (
        <div className="row-group-line" data-reason={row.reason}>
          <button type="button" className="row-group" aria-expanded={row.open} onClick={() => toggleGroup(row.key.slice(2))}>
            <ChevronRight className="tool-arrow" aria-hidden="true" />
            {count(row.count, 'message')} {HIDDEN_WORDS[row.reason]}
          </button>
          {row.reason === 'recalled' ? <RecalledText at={row.at} /> : null}
        </div>
      );
    case 'divider':
      return <p className="row-divider">{DIVIDER_WORDS[row.divider]}</p>;
    case 'bad':
      return (
        <p className="row-bad">
          <TriangleAlert aria-hidden="true" />
          <span>
            Line {row.bad.line} unreadable ({showBytes(row.bad.bytes)}): {row.bad.why}
          </span>
        </p>
      );
  }
}

/** True when the click was meant for something inside the row, or marked text. */
const isOther = (target: EventTarget): boolean =>
  (target instanceof Element && target.closest('button, a, pre, summary, .row-line, [role="menu"]') !== null) ||
  String(window.getSelection()) !== '';

function choose(row: Row): void {
  if (row.kind !== 'message') return;
  if (row.message.step !== null) void selectStep(row.message.step);
  else if (row.message.turn !== null) void selectTurn(row.message.turn);
}

/** The line of the cursor below a row; it can be dragged like the cursor itself. Hidden unless the row is painted with it. */
function CursorLine() {
  return (
    <div
      className="row-line"
      aria-hidden="true"
      onPointerDown={(event: PointerEvent<HTMLDivElement>) => {
        event.preventDefault();
        beginDrag(event.nativeEvent, event.currentTarget);
      }}
    >
      <span className="row-line-words" data-when="here">
        You are here
      </span>
      <span className="row-line-words" data-when="drop">
        Files return to here
      </span>
    </div>
  );
}

export interface TranscriptRowProps {
  row: Row;
  /** Place in the whole list, from 1. */
  position: number;
  size: number;
  active: boolean;
}

/** One row; which rows are ghosts and where the line is are painted on its element from outside (`paint-rows.ts`). */
export const TranscriptRow = memo(function TranscriptRow({ row, position, size, active }: TranscriptRowProps) {
  const message = row.kind === 'message' ? row.message : null;
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const near = pointed || focused;
  const selected = useSession(({ selection }) => message?.step != null && selection.step === message.step);
  const planned = useSession(({ view }) => message?.hidden?.reason === 'reverted' && view?.standing?.pending !== undefined);
  return (
    <article
      className="row"
      data-kind={row.kind}
      data-role={message?.role}
      data-stop={message?.stop ?? undefined}
      data-selected={selected || undefined}
      data-hidden={message?.hidden?.reason}
      data-planned={planned || undefined}
      aria-posinset={position}
      aria-setsize={size}
      aria-label={
        message === null ? undefined : `${message.role === 'user' ? 'Prompt' : 'Message'}${message.stop === null ? '' : ` ${message.stop}`}`
      }
      tabIndex={active ? 0 : -1}
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
      onClick={(event) => {
        if (!isOther(event.target)) choose(row);
      }}
    >
      <span className="sr row-hidden-word">hidden</span>
      {planned ? <span className="sr">planned to be taken back</span> : null}
      <Content row={row} />
      {message === null || message.role === 'tool' ? null : near ? <RowTools message={message} /> : <QuietTools message={message} />}
      <CursorLine />
    </article>
  );
});

export { choose as chooseRow };
