import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';
import { Keys } from './keys.tsx';
import './tooltip.css';

export interface TooltipProps {
  /** The words. Nothing is shown when it is null. */
  text: ReactNode;
  /** Keys of the command table, such as `mod+k`. */
  keys?: string | undefined;
  side?: 'top' | 'bottom' | 'left' | 'right';
  /** One element that takes a ref. */
  children: ReactElement<Record<string, unknown>>;
}

/** A hint on hover and focus. It never holds the only copy of anything: the element carries its own accessible name. */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  const isEmpty = text === null || text === undefined || text === '';
  // The same tree with words and without: a button that goes off or on while it has the focus would be made anew and lose it.
  return (
    <Base.Root disabled={isEmpty}>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner side={side} sideOffset={6} className="tooltip-place">
          {/* What it says is said by the element itself, and it lies outside of every landmark. */}
          <Base.Popup className="tooltip" aria-hidden="true">
            <span className="tooltip-text">{text}</span>
            {keys === undefined ? null : <Keys keys={keys} />}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Tooltips after the first come at once while the pointer moves along a toolbar. */
export function TooltipGroup({ children }: { children: ReactNode }) {
  return (
    <Base.Provider delay={450} closeDelay={0} timeout={300}>
      {children}
    </Base.Provider>
  );
}
