import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { Keys } from './keys.tsx';
import './menu.css';

export interface MenuItem {
  id: string;
  label: string;
  icon?: ReactNode;
  keys?: string | undefined;
  /** Off, with the reason that is shown below the label. */
  off?: string | null;
  /** A choice that is on gets a check mark. */
  checked?: boolean;
  danger?: boolean;
  run: () => void;
}

type Groups = readonly (readonly MenuItem[])[];

export interface MenuProps {
  /** The button that opens it; it takes a ref. */
  trigger: ReactElement<Record<string, unknown>>;
  /** Groups of items, with a line between them; a function is asked when the menu opens. */
  groups: Groups | (() => Groups);
  align?: 'start' | 'end';
}

function Row({ item }: { item: MenuItem }) {
  const isOff = item.off !== null && item.off !== undefined;
  return (
    <Base.Item className="menu-item" data-danger={item.danger || undefined} disabled={isOff} onClick={item.run}>
      <span className="menu-mark" aria-hidden="true">
        {item.checked === undefined ? item.icon : item.checked ? '✓' : null}
      </span>
      <span className="menu-words">
        {item.label}
        {item.checked ? <span className="sr"> (on)</span> : null}
        {isOff ? <span className="menu-why">{item.off}</span> : null}
      </span>
      {item.keys === undefined ? null : <Keys keys={item.keys} />}
    </Base.Item>
  );
}

function Items({ groups }: Pick<MenuProps, 'groups'>) {
  return (typeof groups === 'function' ? groups() : groups)
    .filter((group) => group.length > 0)
    .map((group, at) => (
      <Base.Group key={group[0]?.id} className="menu-group" data-first={at === 0 || undefined}>
        {group.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </Base.Group>
    ));
}

/** A menu of commands on a button. */
export function Menu({ trigger, groups, align = 'start' }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="menu-place" sideOffset={4} align={align}>
          <Base.Popup className="menu">
            <Items groups={groups} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
