import { CircleAlert, Copy, RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Reason } from '../../shared/errors.ts';
import { copyText } from '../store/patch.ts';
import { Button } from './button.tsx';
import './message.css';

export interface PaneErrorProps {
  reason: Reason;
  onRetry?: () => void;
  /** Other ways out, before "Copy details". */
  children?: ReactNode;
}

/** What a pane shows when it cannot show its content: the sentence, ways out, and the details to copy. */
export function PaneError({ reason, onRetry, children }: PaneErrorProps) {
  return (
    <div className="message" role="alert">
      <CircleAlert className="message-icon" data-tone="failed" aria-hidden="true" />
      <p className="message-text">{reason.message}</p>
      <div className="message-tools">
        {onRetry === undefined ? null : (
          <Button icon={<RotateCw />} onClick={onRetry}>
            Try again
          </Button>
        )}
        {children}
        <Button variant="plain" icon={<Copy />} onClick={() => void copyText(`${reason.code}: ${reason.message}`, 'Details')}>
          Copy details
        </Button>
      </div>
    </div>
  );
}
