import { Copy } from 'lucide-react';
import type { Scope } from '../../shared/plan.ts';
import { copyText } from '../store/patch.ts';
import { Button } from '../ui/button.tsx';
import { Counts } from '../ui/counts.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { showNumber } from '../ui/words.ts';
import { changedByTurn, type RecallPlan } from './recall-words.ts';
import './gate-recall.css';

/** What the turns changed, while the files stay as they are. */
function Changed({ plan }: { plan: RecallPlan }) {
  return (
    <section className="gate-part" aria-label="Changed in these turns">
      {changedByTurn(plan).map(({ turn, files }) => (
        <div key={turn} className="recall-turn">
          <h3>
            Turn {turn} changed {showNumber(files.length)} {files.length === 1 ? 'file' : 'files'}, which{' '}
            {files.length === 1 ? 'stays' : 'stay'}
          </h3>
          <ul>
            {files.map(({ path, added, removed, binary }) => (
              <li key={path}>
                <PathLabel path={path} />
                <Counts added={added} removed={removed} binary={binary} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}

export interface GateRecallProps {
  plan: RecallPlan;
  scope: Scope;
  onScope: (scope: Scope) => void;
}

/** What only a recall asks: whether the files go back, too. Its prompt can be copied, to be sent again in other words. */
export function GateRecall({ plan, scope, onScope }: GateRecallProps) {
  const { changed, text } = plan.recall;
  return (
    <>
      <div className="recall-text">
        <blockquote>{text}</blockquote>
        <Button variant="plain" icon={<Copy />} onClick={() => void copyText(text, 'Prompt')}>
          Copy text
        </Button>
      </div>
      {changed.length === 0 || scope === 'files' ? null : (
        <label className="recall-restore">
          <input type="checkbox" checked={scope === 'both'} onChange={(event) => onScope(event.target.checked ? 'both' : 'messages')} />
          Restore these files
        </label>
      )}
      {scope === 'messages' && changed.length > 0 ? <Changed plan={plan} /> : null}
    </>
  );
}
