import { memo, useState } from 'react';
import type { Plan, PlanFile } from '../../shared/plan.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { FileCounts } from '../diff/file-counts.tsx';
import { chooseForFile } from '../store/travel.ts';
import type { TravelRequest } from '../store/travel-store.ts';
import { Badge, type BadgeTone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { showNumber } from '../ui/words.ts';
import { choiceWords, keptWords, markedWhy } from './choice-words.ts';
import { type Choices, choiceOf, VERB_WORDS } from './gate-model.ts';
import { GateResult } from './gate-result.tsx';

/** Rows that are drawn at first; drawing thousands would hold the dialog up. */
const FIRST_ROWS = 200;

const VERB_TONES = { restore: 'changed', delete: 'removed', recreate: 'added' } as const satisfies Record<PlanFile['verb'], BadgeTone>;

/** What happens with one file: a menu where it was changed since, else a button to leave it alone. */
function FileChoice({ file, choices }: { file: PlanFile; choices: Choices }) {
  const choice = choiceOf(file, choices);
  const path = showTreePath(file.path);
  if (file.drift) {
    return (
      <select
        className="gate-choice"
        aria-label={`What to do with ${path}`}
        value={choice}
        onChange={(event) => {
          const next = file.choices.find((entry) => entry === event.target.value);
          if (next !== undefined) chooseForFile(file.path, next);
        }}
      >
        {file.choices.map((entry) => (
          <option key={entry} value={entry}>
            {choiceWords(file, entry)}
          </option>
        ))}
      </select>
    );
  }
  if (!file.choices.includes('keep') || file.choices.length < 2) return null;
  const left = choice === 'keep';
  return (
    <Button variant="plain" className="gate-leave" pressed={left} onClick={() => chooseForFile(file.path, left ? file.choice : 'keep')}>
      {left ? keptWords(file).left : keptWords(file).leave}
      <span className="sr"> {path}</span>
    </Button>
  );
}

interface RowProps {
  request: TravelRequest;
  file: PlanFile;
  choices: Choices;
}

function Row({ request, file, choices }: RowProps) {
  const choice = choiceOf(file, choices);
  const kept = choice === 'keep';
  const isPiece = request.kind === 'partial';
  const words = keptWords(file);
  const why = markedWhy(file.why);
  // One file is all that a partial travel is about, so it is shown at once.
  const [open, setOpen] = useState(isPiece);
  return (
    <>
      <tr data-kept={kept || undefined} data-drift={file.drift || undefined}>
        <td className="gate-verb">
          <Badge tone={kept ? 'plain' : VERB_TONES[file.verb]}>{kept ? words.badge : VERB_WORDS[file.verb]}</Badge>
        </td>
        <td className="gate-path">
          <PathLabel path={file.path} />
          {file.drift || file.why !== null ? (
            <p className="gate-why">
              {file.drift ? (
                <>
                  <strong>{why.mark}</strong>
                  {why.rest}{' '}
                  {kept ? null : isPiece && file.verb !== 'recreate' ? 'What stands there now is kept in the undo point.' : words.undo}
                </>
              ) : (
                file.why
              )}
            </p>
          ) : null}
        </td>
        <td className="gate-counts">{kept ? null : <FileCounts file={file} />}</td>
        <td className="gate-act">
          <FileChoice file={file} choices={choices} />
          <Button variant="plain" className="gate-show" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide result' : 'Show result'}
            <span className="sr"> of {showTreePath(file.path)}</span>
          </Button>
        </td>
      </tr>
      {open ? (
        <tr className="gate-result-row">
          <td colSpan={4}>
            <GateResult request={request} file={file} choice={choice} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

/** Every path that the travel may write, with what happens to it. Drawn again when the plan changes, not with every count of its progress. */
export const GateFiles = memo(function Files({ request, plan, choices }: { request: TravelRequest; plan: Plan; choices: Choices }) {
  const [all, setAll] = useState(false);
  const files = all ? plan.files : plan.files.slice(0, FIRST_ROWS);
  return (
    <div className="gate-files">
      <table>
        <caption className="sr">Files</caption>
        <colgroup>
          <col className="gate-col-verb" />
          <col />
          <col className="gate-col-counts" />
          <col className="gate-col-act" />
        </colgroup>
        <thead className="sr">
          <tr>
            <th scope="col">What happens</th>
            <th scope="col">File</th>
            <th scope="col">Lines</th>
            <th scope="col">Choice</th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <Row key={file.path} request={request} file={file} choices={choices} />
          ))}
        </tbody>
      </table>
      {files.length < plan.files.length ? (
        <Button className="gate-all" onClick={() => setAll(true)}>
          Show all {showNumber(plan.files.length)} files
        </Button>
      ) : null}
    </div>
  );
});
