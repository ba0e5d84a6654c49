import { ContextMenu as Base } from '@base-ui/react/context-menu';
import type { ReactElement } from 'react';
import type { MenuItem } from './menu.tsx';
import './menu.css';

interface ContextMenuProps {
  /** Asked when the menu opens: what is off may have changed since the row was drawn. */
  groups(): readonly (readonly MenuItem[])[];
  /** The row; it takes a ref. */
  children: ReactElement<Record<string, unknown>>;
}

function Groups({ groups }: Pick<ContextMenuProps, 'groups'>) {
  return groups().map((group, at) => (
    <Base.Group key={group[0]?.id} className="menu-group" data-first={at === 0 || undefined}>
      {group.map((item) => (
        <Base.Item key={item.id} className="menu-item" disabled={item.off != null} onClick={item.run}>
          <span className="menu-words">
            {item.label}
            {item.off == null ? null : <span className="menu-why">{item.off}</span>}
          </span>
        </Base.Item>
      ))}
    </Base.Group>
  ));
}

/** The menu of a row at the pointer, or at the row for the menu key. */
export function ContextMenu({ groups, children }: ContextMenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className="menu-place">
          <Base.Popup className="menu">
            <Groups groups={groups} />
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
