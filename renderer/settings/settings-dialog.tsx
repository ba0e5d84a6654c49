import { Tabs } from '@base-ui/react/tabs';
import { useEffect, useRef, useState } from 'react';
import type { Reason } from '../../shared/errors.ts';
import { appStore, type SettingsPage, useApp } from '../store/app-store.ts';
import { call, reasonOfThrown } from '../store/host.ts';
import { Banner } from '../ui/banner.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { KeysPage } from './keys-page.tsx';
import { LookPage } from './look-page.tsx';
import { PlacesPage } from './places-page.tsx';
import { SafetyPage } from './safety-page.tsx';
import './settings-dialog.css';

const PAGES: readonly { value: SettingsPage; label: string; page: () => React.JSX.Element }[] = [
  { value: 'look', label: 'Look', page: LookPage },
  { value: 'keys', label: 'Keys', page: KeysPage },
  { value: 'safety', label: 'Safety snapshots', page: SafetyPage },
  { value: 'places', label: 'Folders and git', page: PlacesPage },
];

/** Why the settings are not what their file says; null when they are. */
function useNotice(): Reason | null {
  const [notice, setNotice] = useState<Reason | null>(null);
  useEffect(() => {
    let ended = false;
    call('settings.notice', {}).then(
      (answer) => !ended && setNotice(answer.notice),
      (thrown: unknown) => !ended && setNotice(reasonOfThrown(thrown)),
    );
    return () => {
      ended = true;
    };
  }, []);
  return notice;
}

/** Everything that can be set, on four pages. Each change holds at once and is kept on disk. */
export function SettingsDialog() {
  const page = useApp((state) => state.settingsPage);
  const notice = useNotice();
  const first = useRef<HTMLButtonElement>(null);
  return (
    <Dialog title="Settings" width={780} className="settings" focus={first} onClose={() => appStore.setState({ overlay: null })}>
      {notice === null ? null : <Banner tone="failed">{notice.message}</Banner>}
      <Tabs.Root
        className="settings-tabs"
        value={page}
        orientation="vertical"
        onValueChange={(value) => appStore.setState({ settingsPage: value as SettingsPage })}
      >
        <Tabs.List className="settings-list" aria-label="Pages">
          {PAGES.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value} className="settings-tab" {...(value === page ? { ref: first } : {})}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {PAGES.map(({ value, page: Page }) => (
          <Tabs.Panel key={value} value={value} className="settings-page" tabIndex={-1}>
            <Page />
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </Dialog>
  );
}
