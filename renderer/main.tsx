import './without-eval.ts';
import '@fontsource-variable/inter/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import { createRoot } from 'react-dom/client';
import { createClient } from '../shared/client.ts';
import { App } from './app/app.tsx';
import { followMenu } from './app/native-menu.ts';
import { preloadOverlays } from './app/overlays.tsx';
import { runCommand } from './commands.ts';
import { appStore } from './store/app-store.ts';
import { pause } from './store/pause.ts';
import { loadApp, startApp } from './store/start.ts';
import { applyTheme } from './theme/theme.ts';
import { preloadMarkdown } from './transcript/lazy-markdown.tsx';
import { createTransport } from './transport.ts';

followMenu();
appStore.subscribe(({ settings }) => applyTheme(settings.theme));
const client = createClient(
  createTransport(() => void loadApp()),
  { pause },
);
void startApp(client, runCommand);

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
requestIdleCallback(() => {
  preloadMarkdown();
  preloadOverlays();
});
