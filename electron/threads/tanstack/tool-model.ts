import type { ToolCall, ToolStatus } from '../../../shared/model.ts';
import type { Entry, EntryCall } from './message-entry.ts';
import type { ThreadFold } from './thread-fold.ts';

/** The status of a call (`formats/tanstack.md`, tool call status). A call that began in a turn that ended without a result is lost. */
function statusOf(fold: ThreadFold, call: EntryCall, waiting: ReadonlySet<string | null>, running: boolean): ToolStatus {
  const tool = fold.tools.get(call.id);
  if (fold.events.failed.has(call.id)) return 'failed';
  if (tool?.outcome) return tool.outcome.state;
  if (waiting.has(call.id)) return 'needs-approval';
  if (!tool?.started) return 'requested';
  return running ? 'running' : 'lost';
}

/** The calls of a message as they are shown. */
export function toolCalls(fold: ThreadFold, entry: Entry, waiting: ReadonlySet<string | null>): ToolCall[] {
  const running = entry.turn !== null && fold.turns.current === entry.turn && entry.gone === null;
  return entry.content.calls.map((call) => ({
    id: call.id,
    name: call.name,
    summary: call.effect.summary,
    status: statusOf(fold, call, waiting, running),
    sideEffect: call.effect.sideEffect,
    wrote: call.effect.wrote,
    durationMs: fold.events.callTime(call.id),
    outputBytes: fold.tools.get(call.id)?.outcome?.bytes ?? null,
    child: fold.events.children.get(call.id) ?? null,
  }));
}
