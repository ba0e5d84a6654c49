import { type ReactNode, startTransition, useEffect, useState } from 'react';

/**
 * Draws its content some frames after the rest, so that a window with much in it appears part by part and answers in between.
 * `order` 0 is drawn at once.
 */
export function Later({ order, children }: { order: number; children: ReactNode }) {
  const [left, setLeft] = useState(order);
  useEffect(() => {
    if (left === 0) return;
    // A task of its own after the frame, not a part of it.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => startTransition(() => setLeft(left - 1)), 0);
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [left]);
  return left === 0 ? children : null;
}
