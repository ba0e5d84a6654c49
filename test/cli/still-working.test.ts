import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stillWorking } from '../../electron/cli/still-working.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, written, write: (text: string) => void written.push(text) };
}

test('a silence of more than a second is told, once a second, until something else is written', () => {
  const to = terminal(true);
  const { heard, stop } = stillWorking(to);
  vi.advanceTimersByTime(900);
  expect(to.written).toEqual([]);
  vi.advanceTimersByTime(1200);
  expect(to.written.splice(0)).toEqual(['\r\x1b[KWorking, 1 s so far', '\r\x1b[KWorking, 2 s so far']);
  heard();
  expect(to.written.splice(0)).toEqual(['\r\x1b[K']);
  // What is written again and again tells it all by itself.
  for (let k = 0; k < 9; k++) {
    vi.advanceTimersByTime(500);
    heard();
  }
  expect(to.written).toEqual([]);
  vi.advanceTimersByTime(1000);
  stop();
  vi.advanceTimersByTime(5000);
  expect(to.written).toEqual(['\r\x1b[KWorking, 8 s so far', '\r\x1b[K']);
});

test('where no person looks nothing is written', () => {
  const to = terminal(false);
  const { heard, stop } = stillWorking(to);
  vi.advanceTimersByTime(10_000);
  heard();
  stop();
  expect(to.written).toEqual([]);
});
