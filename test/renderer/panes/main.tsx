import '@fontsource-variable/inter/wght.css';
import '../../../renderer/theme/tokens.css';
import '../../../renderer/theme/base.css';
import { createRoot } from 'react-dom/client';
import { DiffPane } from '../../../renderer/diff/diff-pane.tsx';
import { appStore } from '../../../renderer/store/app-store.ts';
import { stepFile } from '../../../renderer/store/changes.ts';
import { changesStore } from '../../../renderer/store/changes-store.ts';
import { connect } from '../../../renderer/store/host.ts';
import { sendSignal } from '../../../renderer/store/pane-signal.ts';
import { sessionStore } from '../../../renderer/store/session-store.ts';
import { applyTheme } from '../../../renderer/theme/theme.ts';
import { createClient } from '../../../shared/client.ts';
import { everyKind, manyFiles } from './fake-files.ts';

const scene = new URLSearchParams(location.search);
const files = scene.has('many') ? manyFiles(Number(scene.get('many'))) : everyKind();
const byPath = new Map(files.map((file) => [file.change.path, file]));
const delay = Number(scene.get('delay') ?? 5);

connect(
  createClient({
    async invoke(call, input) {
      await new Promise((done) => setTimeout(done, delay));
      if (call === 'diff.file') {
        const { path, anyway } = input as { path: string; anyway: boolean };
        const file = byPath.get(path);
        return { ok: true, value: anyway ? (file?.anyway ?? file?.diff) : file?.diff };
      }
      if (call === 'settings.set') return { ok: true, value: { ...appStore.getState().settings, ...(input as object) } };
      return { ok: false, error: { code: 'NOT_AVAILABLE_HERE', message: call } };
    },
    subscribe: () => () => {},
  }),
);
appStore.subscribe(({ settings }) => applyTheme(settings.theme));
appStore.setState(({ settings }) => ({
  settings: {
    ...settings,
    theme: scene.get('theme') === 'dark' ? 'dark' : 'light',
    diffLayout: scene.get('layout') === 'inline' ? 'inline' : 'split',
  },
}));
sessionStore.setState({ id: 'fake', phase: 'ready' });
changesStore.setState({
  range: { kind: 'turn', turn: 1 },
  title: 'Turn 1',
  phase: 'ready',
  files: files.map((file) => file.change),
  file: files[0]?.change.path ?? null,
});
window.addEventListener('keydown', (event) => {
  if (event.key === ']') stepFile(1);
  if (event.key === '[') stepFile(-1);
  if (event.key === '.') sendSignal('hunk-next');
  if (event.key === ',') sendSignal('hunk-previous');
});
Object.assign(window, { changesStore, stepFile });

const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<DiffPane />);
