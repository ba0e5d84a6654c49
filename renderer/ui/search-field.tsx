import { Search, X } from 'lucide-react';
import type { InputHTMLAttributes, Ref } from 'react';
import './search-field.css';

export interface SearchFieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange' | 'value' | 'type'> {
  /** The accessible name. */
  label: string;
  value: string;
  onChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** A field that filters what is below it. Escape empties it, then leaves it. */
export function SearchField({ label, value, onChange, className, onKeyDown, ...rest }: SearchFieldProps) {
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
        onKeyDown={(event) => {
          onKeyDown?.(event);
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.preventDefault();
          if (value !== '') onChange('');
          else event.currentTarget.blur();
        }}
      />
      {value === '' ? null : (
        <button type="button" className="search-clear" aria-label="Clear" onClick={() => onChange('')}>
          <X aria-hidden="true" />
        </button>
      )}
    </label>
  );
}
