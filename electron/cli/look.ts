import type { ThreadView } from '../../shared/contract.ts';
import type { Can, FileChange } from '../../shared/model.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { EXIT, type Exit, openNamed, type Session } from './session.ts';

const GLYPH = { created: 'A', modified: 'M', deleted: 'D', mode: 'X', kind: 'K' } as const;
const when = (at: number | null): string => (at === null ? '' : new Date(at).toISOString().slice(0, 16).replace('T', ' '));
const oneLine = (text: string, most: number): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
};
const off = (can: Can): string => (can === true ? 'yes' : `no: ${can.message}`);

/** What is said of a recall that is planned. */
export const PENDING_WORDS = 'Recall planned, not yet effective: it takes effect when DSH opens the next step.';

/** One changed file as a line for people. */
export function fileLine(file: FileChange): string {
  const counts = file.binary ? 'binary' : `+${file.added ?? '?'} -${file.removed ?? '?'}`;
  return `${GLYPH[file.change]} ${showTreePath(file.path)}  ${counts}`;
}

/** `turnback threads` */
export async function threads(session: Session): Promise<Exit> {
  const { threads: heads, problems } = await session.desk.list();
  session.json({
    threads: heads.map(({ id, source, title, root, log, updatedAt, size }) => ({ id, source, title, root, log, updatedAt, size })),
    problems,
  });
  for (const head of heads) {
    session.print(
      `${head.id}\n  ${when(head.updatedAt)}  ${oneLine(head.title ?? '(no title)', 70)}\n  ${head.root ?? '(workspace not named)'}\n`,
    );
  }
  if (heads.length === 0) session.say('No threads were found. Name a log or a store: turnback show PATH.');
  for (const problem of problems) session.say(`${problem.path}: ${problem.message}`);
  return EXIT.done;
}

async function messagesOf(session: Session, id: string, view: ThreadView): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (const message of view.messages) {
    const { parts } = await session.desk.body(id, message.id);
    const text = parts.flatMap((part) => (part.kind === 'text' || part.kind === 'output' ? [part.text] : [])).join('\n');
    rows.push({ stop: message.stop, id: message.id, role: message.role, text, hidden: message.hidden });
  }
  return rows;
}

/** `turnback show THREAD` */
export async function show(session: Session): Promise<Exit> {
  const { id, view } = await openNamed(session);
  if (session.args.json) {
    const { head, standing } = view;
    session.json({
      thread: {
        id,
        source: head.source,
        title: head.title,
        root: head.root,
        log: head.log,
        status: view.status,
        standing: standing && {
          messageId: standing.messageId,
          hidden: standing.hidden,
          ...(standing.pending && { pending: standing.pending }),
        },
        can: view.can,
        notices: view.notices,
      },
      turns: view.turns.map(({ index, id: turn, prompt, startedAt, status, steps }) => ({
        index,
        id: turn,
        prompt,
        startedAt,
        status,
        steps,
      })),
      steps: view.steps.map(({ id: step, turn, from, to, toolCallIds, files, captured }) => ({
        id: step,
        turn,
        from,
        to,
        toolCallIds,
        files: files ?? [],
        captured: captured ?? true,
      })),
      messages: await messagesOf(session, id, view),
    });
    return EXIT.done;
  }
  printThread(session, view);
  return EXIT.done;
}

function printThread(session: Session, view: ThreadView): void {
  const { head, standing } = view;
  session.print(`${head.title ?? head.threadId}\n${head.source} · ${view.status} · ${head.root ?? '(workspace not named)'}\n${head.log}\n`);
  if (standing?.pending) session.print(`${PENDING_WORDS} ${standing.hidden} messages, from stop ${standing.stop} on.\n`);
  else if (standing) session.print(`A revert stands at stop ${standing.stop}: ${standing.hidden} messages are hidden.\n`);
  for (const notice of view.notices) session.print(`! ${notice.message}\n`);
  for (const bad of view.bad) session.print(`! line ${bad.line} unreadable (${bad.bytes} bytes): ${bad.why}\n`);
  for (const turn of view.turns) {
    const hidden = turn.hidden ? ` (${turn.hidden.reason})` : '';
    session.print(`\nTurn ${turn.index}${hidden}  ${when(turn.startedAt)}  ${oneLine(turn.prompt, 90)}\n`);
    for (const step of view.steps.filter((one) => one.turn === turn.index)) {
      const mark = step.captured === true || step.captured === null ? '' : `  not captured: ${step.captured.message}`;
      session.print(`  step ${step.index}  ${step.tools.join(', ') || 'answer'}${mark}\n`);
      for (const file of step.files ?? []) session.print(`    ${fileLine(file)}\n`);
    }
  }
  const stops = view.messages.filter((message) => message.stop !== null && message.canStand === true);
  session.print(`\nStops: ${stops.length} of ${view.messages.length} messages can be stood at.\n`);
  for (const name of ['revert', 'unrevert', 'undo', 'redo', 'patch'] as const) session.print(`  ${name}: ${off(view.can[name])}\n`);
}
