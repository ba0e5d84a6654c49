import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';

/** The place of the Files pane. */
export function FilesPane() {
  return (
    <Pane label="Files" title="Files">
      <Empty title="Nothing to show" />
    </Pane>
  );
}
