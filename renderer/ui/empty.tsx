import type { ReactNode } from 'react';
import './message.css';

export interface EmptyProps {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
}

/** A pane with nothing to show, and what to do about it. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div className="message">
      {icon === undefined ? null : (
        <span className="message-icon" aria-hidden="true">
          {icon}
        </span>
      )}
      <p className="message-title">{title}</p>
      {children === undefined ? null : <div className="message-text">{children}</div>}
    </div>
  );
}
