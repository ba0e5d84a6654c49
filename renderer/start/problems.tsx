import { TriangleAlert } from 'lucide-react';
import { useThreads } from '../store/threads-store.ts';
import { count } from '../ui/words.ts';

/** Stores that could not be read, with the reason of each. */
export function Problems() {
  const problems = useThreads((state) => state.problems);
  if (problems.length === 0) return null;
  return (
    <details className="problems">
      <summary>
        <TriangleAlert aria-hidden="true" />
        {count(problems.length, 'place')} could not be read
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
