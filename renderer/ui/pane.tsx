import type { ReactNode } from 'react';
import { ErrorBoundary } from './error-boundary.tsx';
import './pane.css';

export interface PaneProps {
  /** Names the region. */
  label: string;
  title: ReactNode;
  /** Buttons at the right end of the head. */
  tools?: ReactNode;
  children: ReactNode;
  /** Below the body, always visible. */
  foot?: ReactNode;
  className?: string;
}

/** A region with a 36 px head. What breaks inside breaks this pane, not the window. */
export function Pane({ label, title, tools, children, foot, className }: PaneProps) {
  return (
    <section className={className === undefined ? 'pane' : `pane ${className}`} aria-label={label}>
      <header className="pane-head">
        <h2 className="pane-title cut">{title}</h2>
        {tools === undefined ? null : <div className="pane-tools">{tools}</div>}
      </header>
      <div className="pane-body">
        <ErrorBoundary>{children}</ErrorBoundary>
      </div>
      {foot}
    </section>
  );
}
