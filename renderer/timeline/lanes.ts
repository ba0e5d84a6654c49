export interface Lane {
  top: number;
  height: number;
}

export interface Lanes {
  overview: Lane;
  turns: Lane;
  lines: Lane;
  effects: Lane;
}

/** The height at first. */
export const LANES_HEIGHT = 84;

/** The lanes for a height in pixels: what is added goes to the lines that changed. */
export function lanesOf(height: number): Lanes {
  const lines = Math.max(height - 54, 16);
  return {
    overview: { top: 0, height: 14 },
    turns: { top: 18, height: 18 },
    lines: { top: 38, height: lines },
    effects: { top: 39 + lines, height: 13 },
  };
}
