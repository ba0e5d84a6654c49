import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const boundsSchema = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) });
const stateSchema = z.object({ version: z.literal(1), bounds: boundsSchema, maximized: z.boolean() });

export type Bounds = z.infer<typeof boundsSchema>;
export type WindowState = z.infer<typeof stateSchema>;

/** The least size at which the viewer is usable, in CSS pixels. */
export const LEAST = { width: 480, height: 400 };

const FIRST = { width: 1280, height: 800 };

const fileOf = (ownData: string): string => path.join(ownData, 'window.json');

/** Where the window was when it was last closed; null when that is not known. */
export function readWindowState(ownData: string): WindowState | null {
  try {
    return stateSchema.parse(JSON.parse(readFileSync(fileOf(ownData), 'utf8')));
  } catch {
    // None yet, or damaged: the window opens in the middle at its first size, which is all that is lost.
    return null;
  }
}

/** Keeps where the window is. Synchronous, because a closing window does not wait. */
export function writeWindowState(ownData: string, state: WindowState): void {
  mkdirSync(ownData, { recursive: true, mode: 0o700 });
  const temp = `${fileOf(ownData)}.${process.pid}`;
  writeFileSync(temp, JSON.stringify(state), { mode: 0o600 });
  renameSync(temp, fileOf(ownData));
}

/** The bounds to open with: those of last time where enough of them lies on a display that is there now, else the first size. */
export function fitBounds(last: Bounds | null, areas: readonly Bounds[]): Partial<Bounds> & { width: number; height: number } {
  if (last === null) return FIRST;
  const width = Math.max(last.width, LEAST.width);
  const height = Math.max(last.height, LEAST.height);
  const visible = areas.some((area) => {
    const across = Math.min(last.x + width, area.x + area.width) - Math.max(last.x, area.x);
    const down = Math.min(last.y + height, area.y + area.height) - Math.max(last.y, area.y);
    // A corner that can be grabbed, its title bar included.
    return across >= 100 && down >= 50 && last.y >= area.y - 10;
  });
  return visible ? { x: last.x, y: last.y, width, height } : { width, height };
}
