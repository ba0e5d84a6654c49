import { useEffect, useMemo, useRef } from 'react';
import { useSearch } from '../store/search-store.ts';
import { sessionStore, useSession } from '../store/session-store.ts';
import { readTokens } from '../theme/read-tokens.ts';
import { onThemeChange } from '../theme/theme.ts';
import { oneLine } from '../ui/words.ts';
import { drawTimeline, PAINTS } from './draw.ts';
import { factsOf } from './facts.ts';
import { lanesOf } from './lanes.ts';
import { spanStore } from './span-store.ts';

/** Letters of a prompt that there is room for where one turn is as wide as the window. */
const LABEL = 240;

/** The lanes as one picture. It is drawn again for another view, span, size, search or theme; never for a move of the cursor. */
export function TimelineCanvas({ width, height }: { width: number; height: number }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const index = useSession((state) => state.index);
  const torn = useSession((state) => state.view?.notices.some((notice) => notice.code === 'LOG_TORN') ?? false);
  const numbered = useSession((state) => state.partial === null);
  const matches = useSearch((state) => state.rows);
  const facts = useMemo(() => {
    const { view } = sessionStore.getState();
    return view === null ? null : factsOf(view, index);
  }, [index]);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d') ?? null;
    if (element === null || context === null || facts === null || width <= 0) return;
    let frame = 0;
    let paints = readTokens(PAINTS);
    const labelOf = (turn: number): string => {
      const words = oneLine(index.turns.get(turn)?.prompt ?? '');
      return words.length > LABEL ? `${words.slice(0, LABEL).trimEnd()}…` : words;
    };
    const font = getComputedStyle(element).fontFamily;
    const draw = (): void => {
      frame = 0;
      const ratio = window.devicePixelRatio || 1;
      const wide = Math.round(width * ratio);
      const tall = Math.round(height * ratio);
      if (element.width !== wide) element.width = wide;
      if (element.height !== tall) element.height = tall;
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      drawTimeline(context, {
        facts,
        span: spanStore.getState().span,
        width,
        height,
        lanes: lanesOf(height),
        paints,
        matches,
        torn,
        numbered,
        labelOf,
        font,
      });
    };
    const ask = (): void => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    draw();
    const offSpan = spanStore.subscribe((now, before) => {
      if (now.span !== before.span) ask();
    });
    const offTheme = onThemeChange(() => {
      paints = readTokens(PAINTS);
      ask();
    });
    return () => {
      cancelAnimationFrame(frame);
      offSpan();
      offTheme();
    };
  }, [facts, index, width, height, matches, torn, numbered]);

  return <canvas ref={canvas} className="timeline-canvas" style={{ width, height }} />;
}
