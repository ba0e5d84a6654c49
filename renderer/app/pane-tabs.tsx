import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { appStore, type Pane, useApp } from '../store/app-store.ts';
import './pane-tabs.css';

const NAMES = { transcript: 'Transcript', steps: 'Steps', files: 'Files', diff: 'Diff' } as const satisfies Record<Pane, string>;

export interface PaneTabsProps {
  panes: Readonly<Record<Pane, ReactNode>>;
  /** The panes that have a tab here, in order. */
  names: readonly Pane[];
}

/** One pane at a time, for narrow windows. The chosen pane is shown, or the first one when it is elsewhere. */
export function PaneTabs({ panes, names }: PaneTabsProps) {
  const chosen = useApp((state) => state.pane);
  const pane = names.includes(chosen) ? chosen : (names[0] ?? 'transcript');
  return (
    <Tabs.Root className="pane-tabs" value={pane} onValueChange={(value: Pane) => appStore.setState({ pane: value })}>
      <Tabs.List className="pane-tab-list" aria-label="Panes">
        {names.map((name) => (
          <Tabs.Tab key={name} value={name} className="pane-tab">
            {NAMES[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={pane} className="pane-tab-panel">
        {panes[pane]}
      </Tabs.Panel>
    </Tabs.Root>
  );
}
