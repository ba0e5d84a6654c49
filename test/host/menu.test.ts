import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { menuTemplate } from '../../electron/menu.ts';
import { commands } from '../../renderer/commands.ts';

function itemsOf(template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? itemsOf(item.submenu) : [])]);
}

const ran: unknown[] = [];
const run = (command: string, argument: string | null): void => void ran.push([command, argument]);
const made = (platform: NodeJS.Platform, devTools = false): MenuItemConstructorOptions[] =>
  itemsOf(menuTemplate({ platform, run, devTools }));
const commandItems = made('linux').filter((item) => item.click !== undefined);

test('each item of ours asks for a command of the page’s table', () => {
  const known = new Set(commands.map(({ id }) => id));
  expect(commandItems.map(({ id }) => id).filter((id) => !known.has(id ?? ''))).toEqual([]);
  expect(commandItems.length).toBeGreaterThan(10);
  for (const item of commandItems) item.click?.(null as never, undefined, null as never);
  expect(ran).toEqual(commandItems.map(({ id }) => [id, null]));
});

test('a key that is shown is one of the command’s own, has a modifier, and is left to the page', () => {
  for (const { id, accelerator, registerAccelerator } of commandItems.filter((item) => item.accelerator !== undefined)) {
    const { keys = [] } = commands.find((command) => command.id === id) ?? {};
    expect([id, keys]).toEqual([id, expect.arrayContaining([accelerator?.toString().toLowerCase().replace('cmdorctrl', 'mod')])]);
    expect(registerAccelerator).toBe(false);
  }
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
