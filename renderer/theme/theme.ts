import { useEffect, useState } from 'react';
import type { Settings } from '../../shared/contract.ts';

const dark = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)');

/** Sets the theme on the root; `system` leaves it to the platform. */
export function applyTheme(theme: Settings['theme']): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** What the root shows now. */
export function shownTheme(): 'light' | 'dark' {
  const named = document.documentElement.dataset['theme'];
  if (named === 'light' || named === 'dark') return named;
  return dark().matches ? 'dark' : 'light';
}

/** Calls back when the shown theme or the contrast may have changed; the result ends it. */
export function onThemeChange(run: () => void): () => void {
  const observer = new MutationObserver(run);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const queries = [dark(), window.matchMedia('(prefers-contrast: more)'), window.matchMedia('(forced-colors: active)')];
  for (const query of queries) query.addEventListener('change', run);
  return () => {
    observer.disconnect();
    for (const query of queries) query.removeEventListener('change', run);
  };
}

/** The shown theme, kept current. */
export function useShownTheme(): 'light' | 'dark' {
  const [theme, setTheme] = useState(shownTheme);
  useEffect(() => onThemeChange(() => setTheme(shownTheme())), []);
  return theme;
}
