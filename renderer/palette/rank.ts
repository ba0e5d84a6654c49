/** Where each letter of the words was found, and how well: smaller is better. Null when they are not all there, in order. */
function place(text: string, words: string): number | null {
  const whole = text.indexOf(words);
  if (whole === 0) return 0;
  if (whole > 0) return text[whole - 1] === ' ' ? 1 : 2 + whole / 100;
  let at = -1;
  let gaps = 0;
  for (const letter of words) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    if (next !== at + 1) gaps += 1;
    at = next;
  }
  return 10 + gaps;
}

/** The entries that match what was typed, best first; all of them, in order, for nothing typed. */
export function rank<T>(entries: readonly T[], typed: string, textOf: (entry: T) => string): T[] {
  const words = typed.trim().toLowerCase();
  if (words === '') return [...entries];
  return entries
    .flatMap((entry, order) => {
      const score = place(textOf(entry).toLowerCase(), words);
      return score === null ? [] : [{ entry, score, order }];
    })
    .sort((a, b) => a.score - b.score || a.order - b.order)
    .map(({ entry }) => entry);
}
