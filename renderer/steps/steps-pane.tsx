import { Empty } from '../ui/empty.tsx';
import { Pane } from '../ui/pane.tsx';

/** The place of the Steps pane. */
export function StepsPane() {
  return (
    <Pane label="Steps" title="Steps">
      <Empty title="Nothing to show" />
    </Pane>
  );
}
