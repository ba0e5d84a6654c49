/**
 * The same text in memory of its own. A piece that was cut out of a longer text (`slice`, a match) keeps all of that text alive, so what is
 * kept of a record while its log is open goes through here.
 */
export const ownText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
