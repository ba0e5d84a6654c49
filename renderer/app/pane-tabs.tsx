import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { appStore, type Pane } from '../store/app-store.ts';
import './pane-tabs.css';

const NAMES: readonly { pane: Pane; name: string }[] = [
  { pane: 'transcript', name: 'Transcript' },
  { pane: 'steps', name: 'Steps' },
  { pane: 'files', name: 'Files' },
  { pane: 'diff', name: 'Diff' },
];

/** One pane at a time, for narrow windows. */
export function PaneTabs({ panes, pane }: { panes: Readonly<Record<Pane, ReactNode>>; pane: Pane }) {
  return (
    <Tabs.Root className="pane-tabs" value={pane} onValueChange={(value: Pane) => appStore.setState({ pane: value })}>
      <Tabs.List className="pane-tab-list" aria-label="Panes">
        {NAMES.map((entry) => (
          <Tabs.Tab key={entry.pane} value={entry.pane} className="pane-tab">
            {entry.name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={pane} className="pane-tab-panel">
        {panes[pane]}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
