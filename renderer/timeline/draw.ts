import type { Token } from '../theme/read-tokens.ts';
import { barHeight, bucketsOf, rowsPerBar } from './buckets.ts';
import type { Facts } from './facts.ts';
import { isWhole, type Span, wholeSpan, xOfBoundary } from './geometry.ts';
import type { Lanes } from './lanes.ts';

export const PAINTS = [
  'panel',
  'sunken',
  'hover',
  'border',
  'border-strong',
  'text',
  'muted',
  'accent',
  'time',
  'added',
  'removed',
  'changed',
] as const satisfies readonly Token[];
export type Paints = Record<(typeof PAINTS)[number], string>;

export interface Scene {
  facts: Facts;
  span: Span;
  width: number;
  height: number;
  lanes: Lanes;
  paints: Paints;
  /** Rows that the search found. */
  matches: readonly number[];
  /** The end of the log is an unfinished record. */
  torn: boolean;
  /** Turns are counted from the start of the thread; false while only its end is there. */
  numbered: boolean;
  /** The first words of a turn. */
  labelOf: (turn: number) => string;
  font: string;
}

/** Slanted lines over a part that is not known. */
function hatch(context: CanvasRenderingContext2D, x: number, top: number, width: number, height: number, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(x, top, width, height);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 5) {
    context.moveTo(at, top + height);
    context.lineTo(at + height, top);
  }
  context.stroke();
  context.restore();
}

function drawOverview(context: CanvasRenderingContext2D, scene: Scene): void {
  const { facts, width, paints, span, matches } = scene;
  const { top, height } = scene.lanes.overview;
  const whole = wholeSpan(facts.rows);
  context.fillStyle = paints.sunken;
  context.fillRect(0, top, width, height);
  for (const bucket of bucketsOf(facts, whole, width)) {
    const x = xOfBoundary(whole, width, bucket.from);
    const wide = Math.max(1, xOfBoundary(whole, width, bucket.to) - x);
    const tall = barHeight(bucket.added + bucket.removed, facts.mostLines * 2, height - 3);
    if (tall > 0) {
      context.fillStyle = paints['border-strong'];
      context.fillRect(x, top + height - tall, wide > 2 ? wide - 1 : wide, tall);
    }
  }
  context.fillStyle = paints.accent;
  for (const row of matches) context.fillRect(xOfBoundary(whole, width, row), top, Math.max(2, width / facts.rows - 1), 4);
  if (isWhole(span, facts.rows)) return;
  const from = xOfBoundary(whole, width, span.from);
  const to = xOfBoundary(whole, width, span.to);
  context.fillStyle = paints.panel;
  context.globalAlpha = 0.65;
  context.fillRect(0, top, from, height);
  context.fillRect(to, top, width - to, height);
  context.globalAlpha = 1;
  context.strokeStyle = paints.accent;
  context.lineWidth = 1;
  context.strokeRect(from + 0.5, top + 0.5, Math.max(to - from - 1, 2), height - 1);
}

/** The text, cut with an ellipsis to a width. */
function fitText(context: CanvasRenderingContext2D, text: string, room: number): string {
  const width = context.measureText(text).width;
  if (width <= room) return text;
  const letters = Math.floor((text.length * room) / width) - 1;
  return letters < 3 ? '' : `${text.slice(0, letters).trimEnd()}…`;
}

/** A turn's number, and as much of its first words as there is room for. */
function drawLabel(context: CanvasRenderingContext2D, scene: Scene, turn: number, from: number, to: number, middle: number): void {
  const { paints, labelOf, numbered } = scene;
  const number = numbered ? String(turn) : '·';
  const room = to - from;
  if (room < context.measureText(number).width) return;
  context.fillStyle = paints.text;
  context.fillText(number, from, middle);
  const after = from + context.measureText(number).width + 6;
  if (to - after < 40) return;
  context.fillStyle = paints.muted;
  context.fillText(fitText(context, labelOf(turn), to - after), after, middle);
}

/** Where turns are thinner than bars: a mark for each bar that holds a prompt. */
function drawPrompts(context: CanvasRenderingContext2D, scene: Scene): void {
  const { facts, span, width, paints } = scene;
  const { top, height } = scene.lanes.turns;
  context.fillStyle = paints.hover;
  context.fillRect(0, top, width, height);
  context.fillStyle = paints['border-strong'];
  for (const bucket of bucketsOf(facts, span, width)) {
    if (bucket.prompt) context.fillRect(xOfBoundary(span, width, bucket.from), top + 4, 1, height - 8);
  }
}

/** Blocks of turns, in two shades, with their numbers where they fit. */
function drawTurns(context: CanvasRenderingContext2D, scene: Scene): void {
  if (rowsPerBar(scene.span, scene.width) > 2) {
    drawPrompts(context, scene);
    return;
  }
  const { facts, span, width, paints, font } = scene;
  const { top, height } = scene.lanes.turns;
  const last = Math.min(Math.ceil(span.to), facts.rows);
  context.font = `11px ${font}`;
  context.textBaseline = 'middle';
  let begin = Math.max(0, Math.floor(span.from));
  while (begin > 0 && facts.turns[begin - 1] === facts.turns[begin]) begin -= 1;
  while (begin < last) {
    const turn = facts.turns[begin] ?? 0;
    let end = begin + 1;
    while (end < facts.rows && facts.turns[end] === turn) end += 1;
    const x = xOfBoundary(span, width, begin);
    const wide = xOfBoundary(span, width, end) - x;
    if (turn !== 0) {
      context.fillStyle = turn % 2 === 1 ? paints.hover : paints.sunken;
      context.fillRect(x, top, Math.max(wide - 1, 1), height);
      context.fillStyle = paints.accent;
      context.fillRect(x, top, Math.min(2, Math.max(wide, 1)), height);
      drawLabel(context, scene, turn, Math.max(x, 0) + 7, Math.min(x + wide, width) - 6, top + height / 2 + 1);
    }
    begin = end;
  }
}

/** Lines added above the middle, removed below it; hatched where they are not known. */
function drawLines(context: CanvasRenderingContext2D, scene: Scene): void {
  const { facts, span, width, paints } = scene;
  const { top, height } = scene.lanes.lines;
  const middle = top + Math.round(height * 0.6);
  context.fillStyle = paints.border;
  context.fillRect(0, middle, width, 1);
  const buckets = bucketsOf(facts, span, width);
  const most = buckets.reduce((sum, bucket) => Math.max(sum, bucket.added, bucket.removed), 1);
  for (const bucket of buckets) {
    const x = xOfBoundary(span, width, bucket.from);
    const room = xOfBoundary(span, width, bucket.to) - x;
    const wide = Math.max(1, Math.min(room > 4 ? room - 2 : room - 0.5, 14));
    const left = x + Math.max(0, room - wide - (room > 4 ? 1 : 0));
    const up = barHeight(bucket.added, most, middle - top);
    const down = barHeight(bucket.removed, most, top + height - middle - 1);
    context.fillStyle = paints.added;
    context.fillRect(left, middle - up, wide, up);
    context.fillStyle = paints.removed;
    context.fillRect(left, middle + 1, wide, down);
    if (bucket.unknown && up + down === 0) hatch(context, left, top + 6, Math.max(wide, 5), height - 10, paints.changed);
  }
}

/** A small flag for each bar with calls that no revert reaches; taller with more of them. */
function drawEffects(context: CanvasRenderingContext2D, scene: Scene): void {
  const { facts, span, width, paints } = scene;
  const { top, height } = scene.lanes.effects;
  for (const bucket of bucketsOf(facts, span, width)) {
    if (bucket.effects === 0) continue;
    const x = xOfBoundary(span, width, bucket.from);
    const room = xOfBoundary(span, width, bucket.to) - x;
    const left = x + Math.max(0, room - Math.min(room, 9));
    context.fillStyle = paints.changed;
    if (room < 7) {
      context.fillRect(left, top + 2, Math.max(1, room - 0.5), 4 + Math.min(4, bucket.effects));
      continue;
    }
    context.fillRect(left, top + 1, 1.5, height - 3);
    context.beginPath();
    context.moveTo(left + 1.5, top + 1);
    context.lineTo(left + 8, top + 4);
    context.lineTo(left + 1.5, top + 7);
    context.fill();
  }
}

/** Veils rows that are hidden, and hatches those that are gone for good and the torn end. */
function drawHidden(context: CanvasRenderingContext2D, scene: Scene): void {
  const { facts, span, width, paints, torn } = scene;
  const top = scene.lanes.turns.top;
  const height = scene.height - top;
  const last = Math.min(Math.ceil(span.to), facts.rows);
  for (let row = Math.max(0, Math.floor(span.from)); row < last; row++) {
    if (facts.hidden[row] !== 2) continue;
    let end = row + 1;
    while (end < last && facts.hidden[end] === 2) end += 1;
    const x = xOfBoundary(span, width, row);
    const wide = xOfBoundary(span, width, end) - x;
    context.globalAlpha = 0.6;
    context.fillStyle = paints.panel;
    context.fillRect(x, top, wide, height);
    context.globalAlpha = 1;
    hatch(context, x, top, wide, height, paints.border);
    row = end - 1;
  }
  if (torn && span.to >= facts.rows) hatch(context, width - 12, top, 12, height, paints.changed);
}

/** Draws everything but the cursor, which is an element of its own. */
export function drawTimeline(context: CanvasRenderingContext2D, scene: Scene): void {
  context.clearRect(0, 0, scene.width, scene.height);
  drawTurns(context, scene);
  drawLines(context, scene);
  drawEffects(context, scene);
  drawHidden(context, scene);
  drawOverview(context, scene);
}
