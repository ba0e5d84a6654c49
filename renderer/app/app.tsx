import { KeysHelp } from '../palette/keys-help.tsx';
import { Palette } from '../palette/palette.tsx';
import { FolderPicker } from '../start/folder-picker.tsx';
import { StartScreen } from '../start/start-screen.tsx';
import { useApp } from '../store/app-store.ts';
import { useSession } from '../store/session-store.ts';
import { Gate } from '../travel/gate.tsx';
import { HistoryPanel } from '../travel/history-panel.tsx';
import { PatchDialog } from '../travel/patch-dialog.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';
import { TooltipGroup } from '../ui/tooltip.tsx';
import { InterruptedBanner } from './interrupted-banner.tsx';
import { StatusBar } from './status-bar.tsx';
import { ThreadScreen } from './thread-screen.tsx';
import { TitleBar } from './title-bar.tsx';
import { useHotkeys } from './use-hotkeys.ts';
import './app.css';

/** Everything that lies over the window; each part draws nothing while it is closed. */
function Overlays() {
  const overlay = useApp((state) => state.overlay);
  return (
    <>
      <Gate />
      {overlay === 'palette' ? <Palette /> : null}
      {overlay === 'keys' ? <KeysHelp /> : null}
      {overlay === 'history' ? <HistoryPanel /> : null}
      {overlay === 'patch' ? <PatchDialog /> : null}
      {overlay === 'folder' ? <FolderPicker /> : null}
    </>
  );
}

/** The window: the start screen, or one thread. */
export function App() {
  const open = useSession((state) => state.id !== null);
  useHotkeys();
  return (
    <TooltipGroup>
      <div className="app">
        <TitleBar />
        <InterruptedBanner />
        <ErrorBoundary>{open ? <ThreadScreen /> : <StartScreen />}</ErrorBoundary>
        <StatusBar />
      </div>
      <ErrorBoundary>
        <Overlays />
      </ErrorBoundary>
      <ToastRegion />
    </TooltipGroup>
  );
}
