import { useEffect, useMemo, useState } from 'react';
import type { FileDiff } from '../../shared/contract.ts';
import type { Reason } from '../../shared/errors.ts';
import type { Choice, PlanFile } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { bodyOf } from '../diff/body-of.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { sessionStore } from '../store/session-store.ts';
import type { TravelRequest } from '../store/travel-store.ts';
import { showBytes } from '../ui/words.ts';
import { keptWords } from './choice-words.ts';
import { type ResultLine, resultLines } from './result-lines.ts';
import './gate-result.css';

type Loaded = { diff: FileDiff } | { error: Reason } | null;

/** What the file would be, asked for again with each choice. Null while it is on its way. */
function useResult(request: TravelRequest, path: TreePath, choice: Choice): Loaded {
  const [loaded, setLoaded] = useState<{ request: TravelRequest; choice: Choice; result: Loaded } | null>(null);
  useEffect(() => {
    const thread = sessionStore.getState().id;
    let ended = false;
    if (thread === null || choice === 'keep') return;
    const put = (result: Loaded): void => {
      if (!ended) setLoaded({ request, choice, result });
    };
    call('travel.file', { thread, ...request, path, choice, anyway: false }).then(
      (diff) => put({ diff }),
      (thrown: unknown) => put({ error: reasonOfThrown(thrown) }),
    );
    return () => {
      ended = true;
    };
  }, [request, path, choice]);
  return loaded?.request === request && loaded.choice === choice ? loaded.result : null;
}

const SIGNS = { added: '+', removed: '−', same: ' ', gap: '⋯' } as const satisfies Record<ResultLine['kind'], string>;
const SAID = { added: 'added: ', removed: 'removed: ', same: '', gap: '' } as const satisfies Record<ResultLine['kind'], string>;

function Lines({ before, after }: { before: string | null; after: string | null }) {
  const { lines, more } = useMemo(() => resultLines(before ?? '', after ?? ''), [before, after]);
  return (
    <>
      <ol className="gate-lines">
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is made anew as a whole and has no order of its own
          <li key={at} data-kind={line.kind}>
            <span aria-hidden="true">{SIGNS[line.kind]}</span>
            <code>
              <span className="sr">{SAID[line.kind]}</span>
              {line.text}
            </code>
          </li>
        ))}
      </ol>
      {more > 0 ? <p className="gate-lines-more">And {more} more lines.</p> : null}
    </>
  );
}

function Body({ diff }: { diff: FileDiff }) {
  const { before, after } = diff;
  const body = bodyOf(diff, true);
  switch (body.kind) {
    case 'text':
    case 'long':
      return <Lines before={body.before} after={body.after} />;
    case 'words':
      return (
        <p className="gate-lines-more">{before === null && after === null ? 'Nothing stands there.' : `${body.sentences.join('. ')}.`}</p>
      );
    case 'binary':
      return (
        <p className="gate-lines-more">
          Binary: {before === null ? 'nothing' : showBytes(before.bytes)} now, {after === null ? 'nothing' : showBytes(after.bytes)} then.
        </p>
      );
    case 'heavy':
      return <p className="gate-lines-more">{showBytes(body.bytes)}: too large to be shown here.</p>;
  }
}

/** What one file of the plan would be with the choice, against what it is now. */
export function GateResult({ request, file, choice }: { request: TravelRequest; file: PlanFile; choice: Choice }) {
  const loaded = useResult(request, file.path, choice);
  return (
    <section className="gate-result" aria-label={`What ${showTreePath(file.path)} becomes`} tabIndex={0}>
      {choice === 'keep' ? (
        <p className="gate-lines-more">{keptWords(file).result}</p>
      ) : loaded === null ? (
        <p className="gate-lines-more" role="status">
          Working out what it becomes.
        </p>
      ) : 'error' in loaded ? (
        <p className="gate-lines-more">{loaded.error.message}</p>
      ) : (
        <Body diff={loaded.diff} />
      )}
    </section>
  );
}
