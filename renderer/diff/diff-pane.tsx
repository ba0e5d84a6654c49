import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';

/** The place of the Diff pane. */
export function DiffPane() {
  return (
    <Pane label="Diff" title="Diff">
      <Empty title="Nothing to show" />
    </Pane>
  );
}
