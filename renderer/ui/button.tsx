import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, type Ref, useId } from 'react';
import { Tooltip } from './tooltip.tsx';
import './button.css';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled'> {
  variant?: 'plain' | 'outline' | 'primary' | 'danger' | 'time';
  icon?: ReactNode;
  /** Off, with the reason: the button stays focusable, and its tooltip and its description say why. */
  off?: string | null | undefined;
  /** Tooltip words when it is on. */
  hint?: string | undefined;
  keys?: string | undefined;
  pressed?: boolean | undefined;
  ref?: Ref<HTMLButtonElement>;
}

/** A labelled button, 28 px high. */
export function Button({ variant = 'outline', icon, off, hint, keys, pressed, className, onClick, children, ...rest }: ButtonProps) {
  const isOff = off !== null && off !== undefined;
  const why = useId();
  const click = (event: MouseEvent<HTMLButtonElement>): void => {
    if (isOff) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <Tooltip text={isOff ? off : (hint ?? null)} keys={isOff ? undefined : keys}>
      <button
        type="button"
        {...rest}
        className={['button', `button-${variant}`, className].filter(Boolean).join(' ')}
        aria-disabled={isOff || undefined}
        aria-describedby={isOff ? why : undefined}
        aria-pressed={pressed}
        onClick={click}
      >
        {icon}
        {children === undefined ? null : <span className="button-label">{children}</span>}
        {isOff ? (
          <span id={why} hidden>
            {off}
          </span>
        ) : null}
      </button>
    </Tooltip>
  );
}

/** A square button with an icon only; `label` is its name and its tooltip. */
export function IconButton({ label, className, ...rest }: Omit<ButtonProps, 'children' | 'hint'> & { label: string }) {
  return (
    <Button variant="plain" aria-label={label} hint={label} className={['icon-button', className].filter(Boolean).join(' ')} {...rest} />
  );
}
