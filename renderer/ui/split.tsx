import type { ReactNode } from 'react';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';
import './split.css';

export interface SplitPart {
  id: string;
  /** Percent of the whole, at first. */
  size: number;
  /** Least width or height in pixels. */
  least: number;
  content: ReactNode;
}

export interface SplitProps {
  /** Names the remembered sizes. */
  id: string;
  direction: 'horizontal' | 'vertical';
  parts: readonly SplitPart[];
  /** Names of the separators, one fewer than the parts. */
  separators: readonly string[];
}

/** Panes side by side or one above the other; each separator moves by pointer and by arrow keys, and sizes are remembered. */
export function Split({ id, direction, parts, separators }: SplitProps) {
  const remembered = useDefaultLayout({ id: `turnback.${id}`, panelIds: parts.map((part) => part.id), storage: localStorage });
  return (
    <Group className="split" orientation={direction} {...remembered}>
      {parts.flatMap((part, at) => [
        at === 0 ? null : (
          <Separator
            key={`before-${part.id}`}
            className="separator"
            aria-label={separators[at - 1] ?? 'Resize'}
            data-direction={direction}
          />
        ),
        <Panel
          key={part.id}
          id={part.id}
          className="split-part"
          style={{ overflow: 'hidden' }}
          defaultSize={`${part.size}%`}
          minSize={`${part.least}px`}
        >
          {part.content}
        </Panel>,
      ])}
    </Group>
  );
}
