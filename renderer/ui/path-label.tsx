import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { Tooltip } from './tooltip.tsx';
import { splitPath } from './words.ts';
import './path-label.css';

/** A path on one line: the folder gives way first, the name stays. Whole in the tooltip. */
export function PathLabel({ path, plain = false }: { path: TreePath; plain?: boolean }) {
  const shown = showTreePath(path);
  const { folder, name } = splitPath(shown);
  const label = (
    <span className="path-label mono">
      {folder === '' ? null : (
        <span className="path-folder">
          <bdi>{folder}</bdi>
        </span>
      )}
      <span className="path-name">
        <bdi>{name}</bdi>
      </span>
    </span>
  );
  return plain ? label : <Tooltip text={shown}>{label}</Tooltip>;
}
