import { Copy, Flag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Plan } from '../../shared/plan.ts';
import { copyText } from '../store/patch.ts';
import { Button } from '../ui/button.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { showNumber } from '../ui/words.ts';
import { effectsText } from './gate-model.ts';

function Part({ title, tools, children }: { title: string; tools?: ReactNode; children: ReactNode }) {
  return (
    <section className="gate-part">
      <header className="gate-part-head">
        <h3>{title}</h3>
        {tools}
      </header>
      {children}
    </section>
  );
}

/** What no revert can reach, word for word. */
export function GateEffects({ plan }: { plan: Plan }) {
  if (plan.sideEffects.length === 0) return null;
  return (
    <Part
      title={`Cannot be undone (${showNumber(plan.sideEffects.length)})`}
      tools={
        <Button variant="plain" icon={<Copy />} onClick={() => void copyText(effectsText(plan), 'List')}>
          Copy
        </Button>
      }
    >
      <ul className="gate-effects">
        {plan.sideEffects.map((effect, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same command can stand there twice, and the list never changes
          <li key={at} className="gate-effect">
            <Flag aria-hidden="true" />
            <span className="gate-tool">{effect.tool}</span>
            <code>{effect.summary}</code>
            <span className="muted num">turn {effect.turn}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Paths that are not touched, each with why. */
export function GateSkipped({ plan }: { plan: Plan }) {
  if (plan.skipped.length === 0) return null;
  return (
    <Part title={`Left out (${showNumber(plan.skipped.length)})`}>
      <ul className="gate-skipped">
        {plan.skipped.map(({ path, why }) => (
          <li key={path} className="gate-left">
            <PathLabel path={path} />
            <span className="muted">{why}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** Things to know that do not stop the travel. */
export function GateNotes({ plan }: { plan: Plan }) {
  if (plan.notes.length === 0) return null;
  return (
    <Part title="Good to know">
      <ul className="gate-notes">
        {plan.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Part>
  );
}
