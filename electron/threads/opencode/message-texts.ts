import { cutExcerpt, type TextFacts } from './part-facts.ts';
import type { MessageRow } from './rows.ts';

/** The text of a message for lists: what people or the model wrote; what OpenCode added only where there is nothing else. */
export function messageTexts(row: MessageRow, byRun: boolean): TextFacts {
  const texts = row.parts.filter((part) => part.kind === 'text');
  const said = texts.filter((part) => !part.quiet);
  const [only] = said;
  if (row.role === 'user' && byRun && said.length === 1 && only?.unwrapped) return only.unwrapped;
  const shown = (said.length > 0 ? said : texts).map((part) => part.text);
  const excerpt = shown.map((text) => text.excerpt).join('\n');
  return {
    excerpt: cutExcerpt(excerpt === '' ? (row.error?.message ?? '') : excerpt),
    bytes: shown.reduce((sum, text) => sum + text.bytes, 0),
  };
}
