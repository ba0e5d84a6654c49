/** How often a page is told how far something is: often enough for an eye. */
const EVERY_MS = 100;

type Tell = (done: number, total: number, label: string) => void;

/**
 * Tells the first of each label, the last, and in between no more than ten a second. A travel of hundreds of files counts each of
 * them, and a page that drew every count would not be able to do anything else (case C-15).
 */
export function paced(tell: Tell, now: () => number = () => performance.now()): Tell {
  let label: string | null = null;
  let told = 0;
  return (done, total, what) => {
    const at = now();
    if (what === label && done < total && at - told < EVERY_MS) return;
    label = what;
    told = at;
    tell(done, total, what);
  };
}
