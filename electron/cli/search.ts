import { TurnbackError } from '../../shared/errors.ts';
import type { ThreadHead } from '../../shared/model.ts';
import { parseQuery, wordsOf } from '../../shared/query.ts';
import type { Hit } from '../../shared/search.ts';
import { countOf } from './count-words.ts';
import { EXIT, type Exit, type Session } from './session.ts';

/** The words of a query; fields need a thread that is looked at, so here they are refused. */
function words(query: string): string[] {
  const terms = parseQuery(query);
  const field = terms.find((term) => term.field !== 'any' && term.field !== 'text');
  if (field) throw new TurnbackError('USAGE', { what: `turnback search looks for words in texts; ${field.field}: is for the viewer.` });
  const found = wordsOf(terms);
  if (found.length === 0 || found.length > 20) throw new TurnbackError('USAGE', { what: 'turnback search takes 1 to 20 words.' });
  return found;
}

const asJson = ({ message, stop, turn, role, hidden, place, excerpt, at, length, times }: Hit): object => ({
  message,
  stop,
  turn,
  role,
  hidden,
  place,
  excerpt,
  match: { at, length },
  times,
});

function print(session: Session, hit: Hit): void {
  const { message, stop, turn, place, hidden, excerpt } = hit;
  const where = [stop === null ? 'no stop' : `stop:${stop}`, turn === null ? null : `turn ${turn}`, hidden?.reason, place];
  session.print(`  ${message}  ${where.filter(Boolean).join(', ')}\n    ${excerpt}\n`);
}

async function inThread(session: Session, wanted: readonly string[]): Promise<{ threads: object[] }> {
  const { desk, args } = session;
  const opened = await desk.open(args.thread ?? '', { root: args.root, data: args.data });
  const { id } = opened.head;
  const { head, messages } = await desk.view(id);
  const hidden = new Map(messages.map((message) => [message.id, message]));
  const hits: Hit[] = [];
  await desk.search(id, wanted, {
    onHits: (found) => hits.push(...found.filter((hit) => hit.words.length === wanted.length)),
  });
  // Messages that only Turnback hides are known to the view.
  const shown = hits.map((hit) => ({ ...hit, hidden: hidden.get(hit.message)?.hidden ?? null }));
  for (const hit of shown) print(session, hit);
  return { threads: shown.length === 0 ? [] : [threadJson(head, shown, shown.length)] };
}

const threadJson = ({ id, source, title, root, log }: ThreadHead, hits: readonly Hit[], found: number): object => ({
  thread: { id, source, title, root, log },
  found,
  hits: hits.map(asJson),
});

/** `turnback search QUERY [--thread THREAD]`: the messages whose texts, tool arguments or outputs hold every word. */
export async function search(session: Session): Promise<Exit> {
  const { desk, args } = session;
  const wanted = words(args.words[0] ?? '');
  if (args.thread !== null) {
    const { threads } = await inThread(session, wanted);
    session.json({ threads, problems: [] });
    if (threads.length === 0) session.say('Nothing was found.');
    return EXIT.done;
  }
  const threads: object[] = [];
  const result = await desk.searchAll(wanted, {
    onFound: ({ head, hits, found }) => {
      threads.push(threadJson(head, hits, found));
      session.print(`${head.id}  ${head.title ?? '(no title)'}\n`);
      for (const hit of hits) print(session, hit);
      if (found > hits.length) session.print(`  and ${found - hits.length} more: turnback search … --thread ${head.id}\n`);
    },
  });
  session.json({ threads, problems: result.problems });
  if (threads.length === 0) session.say(`Nothing was found in ${countOf(result.threads, 'thread')}.`);
  for (const problem of result.problems) session.say(`${problem.path}: ${problem.message}`);
  return EXIT.done;
}
