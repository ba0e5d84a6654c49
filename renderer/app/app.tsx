import { useEffect } from 'react';
import { StartScreen } from '../start/start-screen.tsx';
import { useSession } from '../store/session-store.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { watchFocus } from '../ui/keep-focus.ts';
import { ToastRegion } from '../ui/toast-region.tsx';
import { TooltipGroup } from '../ui/tooltip.tsx';
import { InterruptedBanner } from './interrupted-banner.tsx';
import { Overlays } from './overlays.tsx';
import { StatusBar } from './status-bar.tsx';
import { ThreadScreen } from './thread-screen.tsx';
import { TitleBar } from './title-bar.tsx';
import { useHotkeys } from './use-hotkeys.ts';
import './app.css';

/** The window: the start screen, or one thread. */
export function App() {
  const open = useSession((state) => state.id !== null);
  useHotkeys();
  useEffect(watchFocus, []);
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
