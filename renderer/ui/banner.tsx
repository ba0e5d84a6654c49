import { CircleAlert, History, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { givesFocusBack } from './keep-focus.ts';
import './banner.css';

const ICONS = { note: Info, failed: CircleAlert, time: History } as const;

/** A line across a pane or the window that says what is off, with ways out at its end. */
export function Banner({ tone = 'note', children, tools }: { tone?: keyof typeof ICONS; children: ReactNode; tools?: ReactNode }) {
  const Icon = ICONS[tone];
  return (
    <div className="banner" ref={givesFocusBack} data-tone={tone} role={tone === 'failed' ? 'alert' : 'status'}>
      <Icon aria-hidden="true" />
      <div className="banner-text">{children}</div>
      {tools === undefined ? null : <div className="banner-tools">{tools}</div>}
    </div>
  );
}
