import { AlertDialog as BaseAlert } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useState } from 'react';
import { IconButton } from './button.tsx';
import { keepFocus } from './keep-focus.ts';
import './dialog.css';

export interface DialogProps {
  title: ReactNode;
  /** Asked to close: Escape, the close button, or a press outside (not for an alert). */
  onClose: () => void;
  children: ReactNode;
  /** Buttons of the foot, the default one last in reading order on the right. */
  foot?: ReactNode;
  width?: number;
  /** What gets the focus; the first focusable element otherwise. */
  focus?: RefObject<HTMLElement | null>;
  /** A class on the popup. */
  className?: string;
}

const classes = (className: string | undefined): string => (className === undefined ? 'dialog' : `dialog ${className}`);

/** A dialog that can be left at any time. Focus is trapped and goes back to where it was. */
export function Dialog({ title, onClose, children, foot, width = 560, focus, className }: DialogProps) {
  const [back] = useState(keepFocus);
  return (
    <Base.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <Base.Portal>
        <Base.Backdrop className="scrim" />
        <Base.Popup
          className={classes(className)}
          style={{ width }}
          finalFocus={back}
          {...(focus === undefined ? {} : { initialFocus: focus })}
        >
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <IconButton label="Close" keys="escape" icon={<X />} onClick={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {foot === undefined ? null : <footer className="dialog-foot">{foot}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A question that must be answered: `role=alertdialog`; `description` is the sentence that says what happens. */
export function AlertDialog({
  title,
  description,
  onClose,
  children,
  foot,
  width = 640,
  focus,
  className,
}: DialogProps & { description: ReactNode }) {
  const [back] = useState(keepFocus);
  return (
    <BaseAlert.Root open onOpenChange={(open) => (open ? undefined : onClose())}>
      <BaseAlert.Portal>
        <BaseAlert.Backdrop className="scrim" />
        <BaseAlert.Popup
          className={classes(className)}
          style={{ width }}
          finalFocus={back}
          {...(focus === undefined ? {} : { initialFocus: focus })}
        >
          <header className="dialog-head">
            <BaseAlert.Title className="dialog-title">{title}</BaseAlert.Title>
          </header>
          <div className="dialog-body">
            <BaseAlert.Description className="dialog-description" render={<div />}>
              {description}
            </BaseAlert.Description>
            {children}
          </div>
          {foot === undefined ? null : <footer className="dialog-foot">{foot}</footer>}
        </BaseAlert.Popup>
      </BaseAlert.Portal>
    </BaseAlert.Root>
  );
}
