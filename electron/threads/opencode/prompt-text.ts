/**
 * The prompt that a person gave to `opencode run`, or null when the text has not the form that `run` makes of one argument:
 * it wraps an argument that holds a blank in double quotes and escapes the quotes inside (formats/opencode 1.3).
 */
export function unwrapRunPrompt(text: string): string | null {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return null;
  const inner = text.slice(1, -1);
  if (!inner.includes(' ') || /(?:^|[^\\])"/.test(inner)) return null;
  return inner.replaceAll('\\"', '"');
}
