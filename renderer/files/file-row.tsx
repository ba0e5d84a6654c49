import { ChevronRight } from 'lucide-react';
import { memo } from 'react';
import type { FileChange } from '../../shared/model.ts';
import type { PlanFile } from '../../shared/plan.ts';
import { showTreePath, type TreePath } from '../../shared/tree-path.ts';
import { ChangeGlyph } from '../diff/change-glyph.tsx';
import { FileCounts } from '../diff/file-counts.tsx';
import { CHANGE_WORDS } from '../diff/file-words.ts';
import type { RowPlace } from '../steps/row-list.tsx';
import { selectFile } from '../store/changes.ts';
import { Badge } from '../ui/badge.tsx';
import { ContextMenu } from '../ui/context-menu.tsx';
import { PathLabel } from '../ui/path-label.tsx';
import { Tooltip } from '../ui/tooltip.tsx';
import { itemsOfFile } from './file-menu.ts';
import type { FileRow } from './file-tree.ts';

const INDENT = 14;

const VERBS = { restore: 'restore', delete: 'delete', recreate: 'bring back' } as const satisfies Record<PlanFile['verb'], string>;

/** What a revert to the cursor would do with a file, in a word or two. */
const verbOf = (plan: PlanFile): string =>
  plan.choice === 'keep'
    ? plan.verb === 'recreate'
      ? 'stays absent'
      : 'your version stays'
    : plan.drift
      ? 'changed since'
      : VERBS[plan.verb];

export interface FileItemProps {
  row: FileRow;
  place: RowPlace;
  /** In a list, the whole path is drawn. */
  flat: boolean;
  selected: boolean;
  /** The file that this one looks moved to or from. */
  moved: TreePath | undefined;
  /** What a revert to the cursor would do with it, while looking at a stop. */
  plan: PlanFile | undefined;
  onToggle(path: TreePath): void;
}

/** What happens to the file, for those who cannot see the signs; after all that is seen, so that the name of the row begins with it. */
function Said({ file, plan, moved }: { file: FileChange; plan: PlanFile | undefined; moved: TreePath | undefined }) {
  return (
    <span className="sr">
      {' '}
      {plan === undefined
        ? CHANGE_WORDS[file.change]
        : plan.choice === 'keep'
          ? `would stay${plan.verb === 'recreate' ? ' absent' : ''}`
          : `would ${VERBS[plan.verb]}`}
      {moved === undefined ? null : `, looks moved ${file.change === 'deleted' ? 'to' : 'from'} ${showTreePath(moved)}`}
    </span>
  );
}

/** A folder or a file of the list. */
export const FileItem = memo(function FileItem({ row, place, flat, selected, moved, plan, onToggle }: FileItemProps) {
  const style = { ...place.style, paddingLeft: 4 + row.depth * INDENT };
  const tree = { 'aria-level': row.depth + 1, 'aria-posinset': row.position, 'aria-setsize': row.size, tabIndex: place.tabIndex };
  if (row.kind === 'folder') {
    return (
      <div
        {...place}
        {...tree}
        style={style}
        role="treeitem"
        className="row-list-row folder-row"
        aria-expanded={row.open}
        aria-selected={false}
        onClick={() => onToggle(row.path)}
      >
        <ChevronRight className="row-list-arrow" aria-hidden="true" />
        <span className="folder-name mono cut">
          <bdi>{showTreePath(row.name)}</bdi>
        </span>
        <span className="muted num folder-count">
          {row.files}
          <span className="sr"> {row.files === 1 ? 'file' : 'files'}</span>
        </span>
      </div>
    );
  }
  const { file } = row;
  return (
    <ContextMenu groups={() => itemsOfFile(file)}>
      <div
        {...place}
        {...tree}
        style={style}
        role="treeitem"
        className="row-list-row file-row"
        aria-selected={selected}
        onClick={() => selectFile(file.path)}
      >
        <ChangeGlyph change={file.change} />
        {flat ? (
          <PathLabel path={file.path} />
        ) : (
          <Tooltip text={showTreePath(file.path)}>
            <span className="file-name mono cut">
              <bdi>{showTreePath(row.name)}</bdi>
            </span>
          </Tooltip>
        )}
        <span className="row-list-push" />
        {moved === undefined || plan !== undefined ? null : (
          <Tooltip text={`Looks moved ${file.change === 'deleted' ? 'to' : 'from'} ${showTreePath(moved)}`}>
            <span className="file-moved">
              <Badge>looks moved</Badge>
            </span>
          </Tooltip>
        )}
        {plan === undefined ? null : (
          <span className="file-verb" data-drift={plan.drift || undefined}>
            {verbOf(plan)}
          </span>
        )}
        <FileCounts file={file} />
        <Said file={file} plan={plan} moved={moved} />
      </div>
    </ContextMenu>
  );
});
