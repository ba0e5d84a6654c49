import { useEffect, useState } from 'react';
import { readTokens } from '../theme/read-tokens.ts';
import { onThemeChange, shownTheme } from '../theme/theme.ts';
import { loadMonaco, type Monaco } from './load-monaco.ts';
import { THEME_TOKENS, themeOf } from './monaco-theme.ts';

function applyTokens(monaco: Monaco): void {
  monaco.editor.defineTheme('turnback', themeOf(readTokens(THEME_TOKENS), shownTheme() === 'dark'));
  monaco.editor.setTheme('turnback');
}

export type MonacoState = { phase: 'loading' } | { phase: 'ready'; monaco: Monaco } | { phase: 'failed'; retry: () => void };

/** Monaco in the colours of the window, kept in step with its theme. */
export function useMonaco(): MonacoState {
  const [state, setState] = useState<MonacoState>({ phase: 'loading' });
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads again
  useEffect(() => {
    let ended = false;
    let stop = (): void => {};
    loadMonaco().then(
      (monaco) => {
        if (ended) return;
        applyTokens(monaco);
        stop = onThemeChange(() => applyTokens(monaco));
        setState({ phase: 'ready', monaco });
      },
      () => !ended && setState({ phase: 'failed', retry: () => setAttempt((count) => count + 1) }),
    );
    return () => {
      ended = true;
      stop();
    };
  }, [attempt]);
  return state;
}
