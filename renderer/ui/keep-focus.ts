/** What lies over the window for a while: the focus goes from there to where it was before. */
const OVER = '[role="dialog"], [role="alertdialog"], [role="menu"], .toasts';
/** Where the focus goes when what had it is gone: the time cursor, the list of threads, or the row of the transcript that Tab reaches. */
const HOMES = ['[data-focus-home]', '[role="feed"] article[tabindex="0"]'];

let below: HTMLElement | null = null;

/** Remembers what has the focus below all that lies over the window; the result ends it. */
export function watchFocus(): () => void {
  const note = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target.closest(OVER) === null) below = target;
  };
  document.addEventListener('focusin', note);
  return () => document.removeEventListener('focusin', note);
}

export const isOver = (element: Element): boolean => element.closest(OVER) !== null;

/** The element, then what around it can take the focus: a row outlives its buttons. */
function placesOf(element: HTMLElement | null): HTMLElement[] {
  const places: HTMLElement[] = [];
  for (let at = element; at !== null; at = at.parentElement?.closest<HTMLElement>('[tabindex]') ?? null) places.push(at);
  return places;
}

const canTake = (element: HTMLElement): boolean => element.isConnected && element.checkVisibility();

/** Where the focus shall go back to from an element that had it; asked when it goes back. */
export function placeOf(element: HTMLElement | null): () => HTMLElement | null {
  const places = placesOf(element);
  return () => {
    const homes = HOMES.map((home) => document.querySelector<HTMLElement>(home)).filter((home) => home !== null);
    return [...places, ...homes].find(canTake) ?? null;
  };
}

/** The same from what has the focus now. */
export function keepFocus(): () => HTMLElement | null {
  const { activeElement } = document;
  if (!(activeElement instanceof HTMLElement) || activeElement === document.body) return placeOf(null);
  return placeOf(isOver(activeElement) ? below : activeElement);
}

/** The `ref` of a bar or a message: when it goes while one of its buttons has the focus, the focus goes to where it would be kept. */
export function givesFocusBack(box: HTMLElement | null): (() => void) | undefined {
  if (box === null || box.closest('[role="dialog"], [role="alertdialog"]') !== null) return undefined;
  return () => {
    if (!box.contains(document.activeElement)) return;
    const back = keepFocus();
    // When it is gone.
    queueMicrotask(() => {
      if (document.activeElement === document.body) back()?.focus({ preventScroll: true });
    });
  };
}
