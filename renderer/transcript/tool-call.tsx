import { ChevronRight, Flag } from 'lucide-react';
import { useEffect } from 'react';
import type { Message, Part, SideEffectKind, ToolCall, ToolStatus } from '../../shared/model.ts';
import { readBody } from '../store/bodies.ts';
import { useBody } from '../store/bodies-store.ts';
import { copyText } from '../store/patch.ts';
import { useSession } from '../store/session-store.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { showBytes, showDuration } from '../ui/words.ts';
import { ChildThread } from './child-thread.tsx';
import { toggleExpanded } from './expand.ts';
import { useOutput } from './use-output.ts';
import './tool-call.css';

export const EFFECT_WORDS = {
  shell: 'A shell command: what it did outside the snapshots cannot be undone.',
  network: 'A network call: it cannot be undone.',
  mcp: 'An MCP call: what it did cannot be undone.',
  subagent: 'A sub-agent: its own calls cannot be undone here.',
  other: 'What this call did outside the snapshots cannot be undone.',
} as const satisfies Record<SideEffectKind, string>;

const STATUS: Record<ToolStatus, { words: string; tone: 'plain' | 'removed' | 'changed' | 'accent' } | null> = {
  requested: { words: 'asked for', tone: 'plain' },
  running: { words: 'running', tone: 'accent' },
  'needs-approval': { words: 'needs approval', tone: 'changed' },
  done: null,
  failed: { words: 'failed', tone: 'removed' },
  lost: { words: 'no result', tone: 'changed' },
};

/** Characters of an output or of arguments that are drawn; the rest is on the clipboard. */
const MOST = 20_000;

function Text({ label, text }: { label: string; text: string }) {
  const cut = text.length > MOST;
  return (
    <div className="tool-part">
      <div className="tool-part-head">
        <span>{label}</span>
        <Button variant="plain" className="tool-copy" onClick={() => void copyText(text, label)}>
          Copy
        </Button>
      </div>
      <pre className="tool-text" tabIndex={0}>
        {cut ? text.slice(0, MOST) : text}
      </pre>
      {cut ? <p className="muted">Cut at {MOST.toLocaleString('en-US')} characters; Copy gives all of it.</p> : null}
    </div>
  );
}

function Details({ call, message }: { call: ToolCall; message: Message }) {
  const entry = useBody(message.id);
  const output = useOutput(call.id, message);
  useEffect(() => void readBody(message), [message]);
  if (entry === null || (entry.phase === 'loading' && entry.body === null)) return <p className="tool-note muted">Reading…</p>;
  if (entry.error !== null) return <p className="tool-note">{entry.error.message}</p>;
  const asked = entry.body?.parts.find((part): part is Extract<Part, { kind: 'call' }> => part.kind === 'call' && part.call.id === call.id);
  return (
    <div className="tool-details">
      {asked === undefined ? null : <Text label="Arguments" text={asked.input} />}
      {output === null ? (
        <p className="tool-note muted">There is no output.</p>
      ) : (
        <Text
          label={`Output, ${showBytes(call.outputBytes ?? new Blob([output.text]).size)}${output.exit === null ? '' : `, exit code ${output.exit}`}`}
          text={output.text}
        />
      )}
    </div>
  );
}

/** One tool call: what was run on one line, its arguments and output below when it is open. */
export function ToolCallRow({ call, message }: { call: ToolCall; message: Message }) {
  const key = `${message.id}/${call.id}`;
  const open = useSession((state) => state.expanded.has(key));
  const status = STATUS[call.status];
  return (
    <div className="tool" data-open={open || undefined}>
      <button type="button" className="tool-head" aria-expanded={open} onClick={() => toggleExpanded(key)}>
        <ChevronRight className="tool-arrow" aria-hidden="true" />
        <span className="tool-name">{call.name}</span>
        <span className="tool-summary mono cut">{call.summary}</span>
        {status === null ? null : <Badge tone={status.tone}>{status.words}</Badge>}
        <span className="tool-facts num">
          {call.outputBytes === null || call.outputBytes === 0 ? null : <span>{showBytes(call.outputBytes)}</span>}
          {call.durationMs === null ? null : <span>{showDuration(call.durationMs)}</span>}
        </span>
        {call.sideEffect === null ? null : (
          <span className="tool-effect" role="img" aria-label={`Side effect: ${call.sideEffect}`} title={EFFECT_WORDS[call.sideEffect]}>
            <Flag aria-hidden="true" />
          </span>
        )}
      </button>
      {open ? <Details call={call} message={message} /> : null}
      {call.child === null ? null : <ChildThread threadId={call.child} />}
    </div>
  );
}
