import type { Core } from './core.ts';
import { type LogRecord, type Message, records } from './records.ts';
import { undoTrees } from './undo-trees.ts';

/** Calls of the last assistant message that have no answer in the transcript. */
function unanswered(messages: readonly Message[]): string[] {
  const at = messages.findLastIndex((message) => message.role === 'assistant');
  const answered = new Set(messages.slice(at + 1).map((message) => message.toolCallId));
  return (messages[at]?.toolCalls ?? []).map((call) => call.id).filter((id) => !answered.has(id));
}

async function treesOf(core: Core): Promise<Awaited<ReturnType<typeof undoTrees>> | null> {
  if (core.repository === null) return null;
  try {
    return await undoTrees(core.repository, core.fold.turnSteps);
  } catch (error) {
    core.failed(error);
    return null;
  }
}

/**
 * Ends what a recorder that stopped left open: its turn is settled as failed, calls without an answer get one that says so, prompts that
 * had not started are rejected. Turns are never run again by us.
 */
export async function settleOpenTurns(core: Core): Promise<void> {
  const open = core.fold.openTurns();
  if (open.length === 0) return;
  const lost = unanswered(core.fold.messages);
  const note = 'The recorder stopped before this call ended.';
  const answers = lost.map(
    (toolCallId): Message =>
      core.fold.toolResults.get(toolCallId) ?? {
        role: 'tool',
        toolCallId,
        content: JSON.stringify({ interrupted: true, note }),
        error: note,
      },
  );
  const applied = open.filter((input) => input.status === 'applied');
  // A call that ran and is in no step may have changed files that nobody can tell any more: an undo would do half of it.
  const missed = lost.some((id) => core.fold.started.has(id));
  if (missed) core.failed(new Error('the recorder stopped while a tool ran, so what it changed is in no step'));
  const trees = applied.length === 0 || missed ? null : await treesOf(core);
  await core.append((fold) => {
    const keep = fold.messages.findLastIndex((message) => message.role === 'user');
    const batch: LogRecord[] = answers.length === 0 ? [] : [records.transcript(fold.messages.length, answers)];
    if (trees !== null && keep >= 0) batch.push({ type: 'turnback/undo-point', state: 'done', keep, ...trees });
    for (const { inputId, operationId, status } of open) {
      if (status === 'pending') {
        batch.push({ type: 'harness.input.rejected', inputId, reason: 'expired_on_restart' });
        continue;
      }
      const error = { message: 'The recorder stopped before the turn ended.', code: 'attempts_exhausted' };
      batch.push({ type: 'harness.input.settled', inputId, operationId, outcome: 'failed', error });
    }
    return batch;
  });
}
