import { useEffect, useId, useState } from 'react';

/** A limit that can be off: a tick, and a whole number of a unit. A number that is none changes nothing, and says so. */
export function LimitField({
  label,
  unit,
  value,
  least,
  most,
  usual,
  onChange,
}: {
  label: string;
  unit: string;
  /** Null: no limit. */
  value: number | null;
  least: number;
  most: number;
  /** What is set when the limit is switched on. */
  usual: number;
  onChange: (value: number | null) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState(value === null ? '' : String(value));
  useEffect(() => setTyped(value === null ? '' : String(value)), [value]);
  const number = Number(typed);
  const good = typed.trim() !== '' && Number.isInteger(number) && number >= least && number <= most;
  const commit = (): void => {
    if (good && number !== value) onChange(number);
  };
  return (
    <div className="settings-row">
      <label className="settings-check settings-name">
        <input type="checkbox" checked={value !== null} onChange={(event) => onChange(event.target.checked ? usual : null)} />
        {label}
      </label>
      {value === null ? (
        <span className="muted">no limit</span>
      ) : (
        <>
          <input
            className="field settings-number"
            inputMode="numeric"
            aria-label={`${label}: ${unit}`}
            aria-invalid={!good}
            aria-describedby={good ? undefined : id}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={commit}
            onKeyDown={(event) => {
              if (event.key === 'Enter') commit();
            }}
          />
          <span className="muted">{unit}</span>
          {good ? null : (
            <p id={id} className="settings-why settings-bad">
              A whole number from {least} to {most.toLocaleString('en')}. The limit stays at {value}.
            </p>
          )}
        </>
      )}
    </div>
  );
}
