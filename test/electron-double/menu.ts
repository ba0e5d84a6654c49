export interface Item {
  id?: string;
  role?: string;
  label?: string;
  click?: (item: Item) => void;
  submenu?: readonly Item[] | FakeMenu;
  [option: string]: unknown;
}

/** A menu that can be walked and clicked, though not seen. */
export class FakeMenu {
  readonly items: Item[];

  constructor(template: readonly Item[]) {
    this.items = template.map((item) => ({
      enabled: true,
      visible: true,
      ...item,
      ...(Array.isArray(item.submenu) ? { submenu: new FakeMenu(item.submenu) } : {}),
    }));
  }

  getMenuItemById(id: string): Item | null {
    for (const item of this.items) {
      if (item.id === id) return item;
      const found = item.submenu instanceof FakeMenu ? item.submenu.getMenuItemById(id) : null;
      if (found !== null) return found;
    }
    return null;
  }
}
