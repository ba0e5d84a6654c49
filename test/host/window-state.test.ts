import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fitBounds, readWindowState, type WindowState, writeWindowState } from '../../electron/host/window-state.ts';
import { tempFolder } from '../scenarios/temp.ts';

const screen = { x: 0, y: 0, width: 1920, height: 1080 };
const right = { x: 1920, y: 0, width: 1280, height: 1024 };

test('where the window was is known again', async () => {
  const folder = path.join(await tempFolder(), 'own');
  const state: WindowState = { version: 1, bounds: { x: -5, y: 20, width: 900, height: 700 }, maximized: true };
  writeWindowState(folder, state);
  expect(readWindowState(folder)).toEqual(state);
});

test.each([
  '',
  '{',
  '{"version":2}',
  '{"version":1,"bounds":{"x":0,"y":0,"width":0,"height":10},"maximized":false}',
  '{"version":1,"bounds":{"x":0.5,"y":0,"width":9,"height":9},"maximized":false}',
])('a damaged state (%s) is none', async (text) => {
  const folder = await tempFolder();
  await writeFile(path.join(folder, 'window.json'), text);
  expect(readWindowState(folder)).toBeNull();
});

test('the first window has its first size, where the system puts it', () => {
  expect(fitBounds(null, [screen])).toEqual({ width: 1280, height: 800 });
});

test.each([
  ['on the screen', { x: 10, y: 10, width: 900, height: 700 }, [screen], { x: 10, y: 10, width: 900, height: 700 }],
  ['on the second screen', { x: 2000, y: 10, width: 900, height: 700 }, [screen, right], { x: 2000, y: 10, width: 900, height: 700 }],
  ['on a screen that is gone', { x: 2000, y: 10, width: 900, height: 700 }, [screen], { width: 900, height: 700 }],
  ['with a corner to grab', { x: 1800, y: 1000, width: 900, height: 700 }, [screen], { x: 1800, y: 1000, width: 900, height: 700 }],
  ['with too little to grab', { x: 1900, y: 1070, width: 900, height: 700 }, [screen], { width: 900, height: 700 }],
  ['with its title above the screen', { x: 10, y: -200, width: 900, height: 700 }, [screen], { width: 900, height: 700 }],
  ['smaller than is usable', { x: 10, y: 10, width: 90, height: 70 }, [screen], { x: 10, y: 10, width: 480, height: 400 }],
])('a window %s', (_, last, areas, fitted) => {
  expect(fitBounds(last, areas)).toEqual(fitted);
});
