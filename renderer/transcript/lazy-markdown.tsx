import { lazy, Suspense } from 'react';

const load = () => import('./markdown.tsx');
const Loaded = lazy(async () => ({ default: (await load()).Markdown }));

/** Fetches the markdown reader ahead of its first use; it is not part of the page's first chunk. */
export function preloadMarkdown(): void {
  void load();
}

/** Markdown, as plain text for the moment until its reader is there. */
export function LazyMarkdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="row-plain">{text}</p>}>
      <Loaded text={text} />
    </Suspense>
  );
}
