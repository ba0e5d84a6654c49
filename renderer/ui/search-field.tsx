import { Search, X } from 'lucide-react';
import { type FocusEvent, type InputHTMLAttributes, type KeyboardEvent, type MouseEvent, type Ref, useRef } from 'react';
import { isOver, placeOf } from './keep-focus.ts';
import './search-field.css';

export interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'type'> {
  /** The accessible name. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A field that filters what is below it. Escape empties it and gives the focus back to what had it before. In a dialog it only
 * empties it, and an empty one leaves the key to the dialog.
 */
export function SearchField({ label, value, onChange, className, onKeyDown, ...rest }: SearchFieldProps) {
  const back = useRef(placeOf(null));
  const focus = ({ relatedTarget, currentTarget }: FocusEvent<HTMLInputElement>): void => {
    const from = relatedTarget instanceof HTMLElement ? relatedTarget : null;
    if (from === null || currentTarget.parentElement?.contains(from) !== true) back.current = placeOf(from);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    onKeyDown?.(event);
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    const inDialog = isOver(event.currentTarget);
    if (inDialog && value === '') return;
    event.preventDefault();
    event.stopPropagation();
    if (value !== '') onChange('');
    if (inDialog) return;
    event.currentTarget.blur();
    // What it goes to may only be drawn now that nothing is looked for.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) back.current()?.focus({ preventScroll: true });
    });
  };
  const clear = (event: MouseEvent<HTMLButtonElement>): void => {
    onChange('');
    event.currentTarget.parentElement?.querySelector('input')?.focus();
  };
  return (
    <label className={className === undefined ? 'search-field' : `search-field ${className}`}>
      <Search aria-hidden="true" />
      <input
        {...rest}
        type="text"
        spellCheck={false}
        autoComplete="off"
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onFocus={focus}
        onKeyDown={press}
      />
      {value === '' ? null : (
        <button type="button" className="search-clear" aria-label="Clear" onClick={clear}>
          <X aria-hidden="true" />
        </button>
      )}
    </label>
  );
}
