import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import type { ReactNode } from 'react';
import { Tooltip } from './tooltip.tsx';
import './segmented.css';

export interface Segment<T extends string> {
  value: T;
  label: string;
  /** Drawn in place of the label, which is then the name and the tooltip. */
  icon?: ReactNode;
}

export interface SegmentedProps<T extends string> {
  /** Names the whole choice for screen readers. */
  label: string;
  value: T;
  segments: readonly Segment<T>[];
  onChange: (value: T) => void;
}

/** One choice of a few, all visible; a radio group for the keyboard. */
export function Segmented<T extends string>({ label, value, segments, onChange }: SegmentedProps<T>) {
  return (
    <RadioGroup className="segmented" aria-label={label} value={value} onValueChange={(next) => onChange(next as T)}>
      {segments.map((segment) => (
        <Tooltip key={segment.value} text={segment.icon === undefined ? null : segment.label}>
          <Radio.Root
            className="segment"
            value={segment.value}
            aria-label={segment.label}
            data-icon={segment.icon !== undefined || undefined}
          >
            {segment.icon ?? segment.label}
          </Radio.Root>
        </Tooltip>
      ))}
    </RadioGroup>
  );
}
