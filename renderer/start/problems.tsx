import { TriangleAlert } from 'lucide-react';
import type { Problem } from '../../shared/model.ts';
import { count } from '../ui/words.ts';

/** Places with which something is off, each with its reason; nothing where there is none. */
export function Problems({ problems, what }: { problems: readonly Problem[]; what: string }) {
  if (problems.length === 0) return null;
  return (
    <details className="problems">
      <summary>
        <TriangleAlert aria-hidden="true" />
        {count(problems.length, 'place')} {what}
      </summary>
      <ul>
        {problems.map((problem) => (
          <li key={`${problem.path} ${problem.message}`}>
            <span className="mono">{problem.path}</span>
            <span className="muted">{problem.message}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
