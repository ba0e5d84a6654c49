import { useSyncExternalStore } from 'react';

/** `three`: all columns; `two`: the files fold into the diff's head; `one`: one pane at a time, with tabs. */
export type Layout = 'three' | 'two' | 'one';

const wide = '(min-width: 1000px)';
const middle = '(min-width: 720px)';

const read = (): Layout => (window.matchMedia(wide).matches ? 'three' : window.matchMedia(middle).matches ? 'two' : 'one');

function subscribe(run: () => void): () => void {
  const queries = [window.matchMedia(wide), window.matchMedia(middle)];
  for (const query of queries) query.addEventListener('change', run);
  return () => {
    for (const query of queries) query.removeEventListener('change', run);
  };
}

/** The layout for the width of the window, kept current. */
export const useLayout = (): Layout => useSyncExternalStore(subscribe, read);
