import { useId } from 'react';
import type { PatchSecret, SecretChoice } from '../../shared/contract.ts';
import { showTreePath } from '../../shared/tree-path.ts';
import { PathLabel } from '../ui/path-label.tsx';
import { count } from '../ui/words.ts';
import './patch-secrets.css';

/** The files of a patch in which secrets show, each with a tick that lets it in; without it the file stays out. */
export function PatchSecrets({
  found,
  choice,
  onChoose,
}: {
  found: readonly PatchSecret[];
  choice: SecretChoice;
  onChoose: (choice: SecretChoice) => void;
}) {
  const id = useId();
  if (found.length === 0) return null;
  const isIn = ({ path }: PatchSecret): boolean => choice.all || choice.include.includes(path);
  const out = found.filter((one) => !isIn(one)).length;
  const toggle = (one: PatchSecret): void => {
    const before = choice.all ? found.map(({ path }) => path) : choice.include;
    const include = isIn(one) ? before.filter((path) => path !== one.path) : [...before, one.path];
    onChoose({ all: false, include });
  };
  return (
    <fieldset className="patch-secrets" aria-describedby={`${id}-what`}>
      <legend>Secrets</legend>
      <p id={`${id}-what`}>
        {out === 0
          ? 'All of these files leave with what looks like a secret in them.'
          : `${count(out, 'file')} with what looks like a secret ${out === 1 ? 'stays' : 'stay'} out; the rest of the patch applies without ${out === 1 ? 'it' : 'them'}.`}{' '}
        Tick what shall leave as it is.
      </p>
      <ul>
        {found.map((one) => (
          <li key={one.path}>
            <label className="patch-secret">
              <input type="checkbox" checked={isIn(one)} onChange={() => toggle(one)} />
              <span className="sr">Include </span>
              <PathLabel path={showTreePath(one.path)} />
              <span className="muted">{one.kinds.join(', ')}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length > 1 ? (
        <label className="patch-secret">
          <input type="checkbox" checked={found.every(isIn)} onChange={() => onChoose({ all: !found.every(isIn), include: [] })} />
          Include all {found.length} as they are
        </label>
      ) : null}
    </fieldset>
  );
}
