import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { menuTemplate } from '../../electron/menu.ts';
import { commands } from '../../renderer/commands.ts';
import { type ChosenKeys, keysOf } from '../../renderer/key-map.ts';

function itemsOf(template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])]);
}

const tableWith = (chosen: ChosenKeys) =>
  commands.map((command) => ({ id: command.id, title: command.title, keys: keysOf(command, chosen) }));
const table = tableWith({});
const ran: unknown[] = [];
const run = (command: string, argument: string | null): void => void ran.push([command, argument]);
const made = (platform: NodeJS.Platform, devTools = false): MenuItemConstructorOptions[] =>
  itemsOf(menuTemplate({ platform, run, devTools, commands: table }));
const commandItems = made('linux').filter((item) => item.click !== undefined);

test('each item of ours is a command of the page’s table, under its title', () => {
  const titles = new Map(commands.map(({ id, title }) => [id, title]));
  expect(commandItems.length).toBeGreaterThan(15);
  for (const { id, label } of commandItems) expect([id, label]).toEqual([id, titles.get(id ?? '')]);
  for (const item of commandItems) item.click?.(null as never, undefined, null as never);
  expect(ran).toEqual(commandItems.map(({ id }) => [id, null]));
});

const accelerators = (chosen: ChosenKeys): Record<string, unknown> =>
  Object.fromEntries(
    itemsOf(menuTemplate({ platform: 'linux', run, devTools: false, commands: tableWith(chosen) })).flatMap(({ id, accelerator }) =>
      accelerator === undefined ? [] : [[id, accelerator]],
    ),
  );

test('keys that are shown have a modifier, are those in force, and are left to the page', () => {
  expect(accelerators({})).toMatchObject({
    'open-log': 'CmdOrCtrl+O',
    'open-folder': 'CmdOrCtrl+Shift+O',
    settings: 'CmdOrCtrl+,',
    redo: 'CmdOrCtrl+Shift+Z',
  });
  expect(accelerators({})['patch-export']).toBeUndefined();
  expect(accelerators({ 'patch-export': ['x', 'alt+pageup'], undo: [], history: ['f5'], keys: ['mod++'] })).toMatchObject({
    'patch-export': 'Alt+PageUp',
    history: 'F5',
    keys: 'CmdOrCtrl+Plus',
  });
  expect(accelerators({ undo: [] })['undo']).toBeUndefined();
  // A key that the user gave to another command is not shown at the one that had it.
  expect(accelerators({ history: ['mod+o'] })).toMatchObject({ history: 'CmdOrCtrl+O' });
  expect(accelerators({ history: ['mod+o'] })['open-log']).toBeUndefined();
  for (const { registerAccelerator, accelerator } of commandItems) if (accelerator !== undefined) expect(registerAccelerator).toBe(false);
});

test('before the page has told its commands there are only the roles', () => {
  expect(itemsOf(menuTemplate({ platform: 'linux', run, devTools: false, commands: [] })).filter((item) => item.click)).toEqual([]);
});

test('developer tools are in the menu for developers only', () => {
  const roles = (devTools: boolean): unknown[] => made('linux', devTools).map(({ role }) => role);
  expect(roles(false)).not.toContain('toggleDevTools');
  expect(roles(false)).not.toContain('reload');
  expect(roles(true)).toEqual(expect.arrayContaining(['toggleDevTools', 'reload']));
});

test('each platform has its way to end', () => {
  expect(made('darwin').map(({ role }) => role)).toEqual(expect.arrayContaining(['appMenu', 'close']));
  expect(made('linux').map(({ role }) => role)).toContain('quit');
  expect(made('win32').map(({ role }) => role)).not.toContain('appMenu');
});
