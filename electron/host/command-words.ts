import { TurnbackError } from '../../shared/errors.ts';

/**
 * The words of a command that was given as one text: parted by blanks, quotes honoured ('as is', "with \" and \\"), `\` before a blank or a
 * quote outside them. No variable and no pattern means anything. Throws BAD_OPTION for an open quote or no word.
 */
export function commandWords(text: string, option: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    const next = text.charAt(at + 1);
    if (char === '\\' && quote !== "'" && next !== '' && (quote === null ? /[\s'"\\]/ : /["\\]/).test(next)) {
      word = (word ?? '') + next;
      at += 1;
    } else if (quote !== null) {
      if (char === quote) quote = null;
      else word = (word ?? '') + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + char;
  }
  if (quote !== null) throw new TurnbackError('BAD_OPTION', { name: option, cause: 'a quote in it is not closed' });
  if (word !== null) words.push(word);
  if (words.length === 0 || words[0] === '' || text.includes('\0'))
    throw new TurnbackError('BAD_OPTION', { name: option, cause: 'it names no command' });
  return words;
}

/** The command of `--via`, which travels as TURNBACK_VIA so that a viewer which we start has it too; null when none is named. */
export function viaOf(env: NodeJS.ProcessEnv): string[] | null {
  const text = env['TURNBACK_VIA'];
  return text === undefined || text === '' ? null : commandWords(text, '--via');
}
