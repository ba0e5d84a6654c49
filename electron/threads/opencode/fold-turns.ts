import type { HiddenReason, ThreadStatus, Turn } from '../../../shared/model.ts';
import type { MessageRow } from './rows.ts';

interface TurnMessage {
  row: MessageRow;
  stop: number | null;
  hidden: { reason: HiddenReason } | null;
  prompt: string;
}

/**
 * A turn is a user message and the answers that name it as their parent; an answer whose prompt is not there belongs to the
 * turn it follows. `turnOf` holds the turn's index for each message, null before the first.
 */
export function foldTurns(messages: readonly TurnMessage[], status: ThreadStatus): { turns: Turn[]; turnOf: (number | null)[] } {
  // Each turn is opened by its prompt.
  const members: { prompt: TurnMessage; own: TurnMessage[] }[] = [];
  const byPrompt = new Map<string, number>();
  // Apart, because an answer without a prompt follows the conversation that it is in, not a dropped branch beside it.
  const current = { shown: null as number | null, dropped: null as number | null };
  const turnOf = messages.map((message): number | null => {
    const side = message.row.gone === null ? 'shown' : 'dropped';
    if (message.row.role === 'user') {
      members.push({ prompt: message, own: [] });
      byPrompt.set(message.row.id, members.length);
      current[side] = members.length;
    }
    const named = message.row.parentId === null ? undefined : byPrompt.get(message.row.parentId);
    const turn = message.row.role === 'user' ? members.length : (named ?? current[side]);
    if (turn !== null) members[turn - 1]?.own.push(message);
    return turn;
  });
  return { turns: members.map((own, at) => turnFrom(own, at + 1, at === members.length - 1, status)), turnOf };
}

function turnFrom(
  { prompt, own }: { prompt: TurnMessage; own: readonly TurnMessage[] },
  index: number,
  last: boolean,
  status: ThreadStatus,
): Turn {
  const answers = own.filter((message) => message.row.role === 'assistant').map((message) => message.row);
  const stops = own.flatMap((message) => message.stop ?? []);
  const running = last && status !== 'idle' && status !== 'unknown' && prompt.hidden === null;
  return {
    index,
    id: prompt.row.id,
    prompt: prompt.prompt,
    startedAt: prompt.row.at,
    status: running ? 'running' : statusOf(answers),
    steps: answers.map((row) => row.id),
    firstStop: stops.length === 0 ? null : Math.min(...stops) - 1,
    lastStop: stops.length === 0 ? null : Math.max(...stops),
    hidden: own.every((message) => message.hidden !== null) ? prompt.hidden : null,
  };
}

function statusOf(answers: readonly MessageRow[]): Turn['status'] {
  const last = answers.at(-1);
  if (!last) return 'unknown';
  if (last.error) return last.error.name === 'MessageAbortedError' ? 'aborted' : 'failed';
  if (last.finish !== null && last.finish !== 'tool-calls' && last.finish !== 'unknown') return 'completed';
  return 'interrupted';
}
