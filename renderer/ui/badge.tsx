import type { ReactNode } from 'react';
import './badge.css';

export type BadgeTone = 'plain' | 'accent' | 'time' | 'added' | 'removed' | 'changed';

/** A small word in a box: a source, a status, a mark. */
export function Badge({ tone = 'plain', icon, children }: { tone?: BadgeTone; icon?: ReactNode; children: ReactNode }) {
  return (
    <span className="badge" data-tone={tone}>
      {icon}
      {children}
    </span>
  );
}
