/** A path as one line of `objects/info/alternates` or one part of the variable of that name: quoted where git would misread it. */
export function quoteAlternate(folder: string, separator = '\n'): string {
  const path = process.platform === 'win32' ? folder.replaceAll('\\', '/') : folder;
  const plain = !/^["#]|\p{Cc}/u.test(path) && !path.includes(separator);
  if (plain) return path;
  const escaped = path.replace(/["\\]/g, '\\$&').replace(/\p{Cc}/gu, (char) => {
    const octal = char.charCodeAt(0) < 0x80 ? [char.charCodeAt(0)] : [...Buffer.from(char)];
    return octal.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  });
  return `"${escaped}"`;
}

/** The content of an alternates file that names these folders. */
export function alternatesFile(folders: readonly string[]): string {
  return folders.map((folder) => `${quoteAlternate(folder)}\n`).join('');
}

/** The value of GIT_ALTERNATE_OBJECT_DIRECTORIES that names these folders. */
export function alternatesVariable(folders: readonly string[]): string {
  const separator = process.platform === 'win32' ? ';' : ':';
  return folders.map((folder) => quoteAlternate(folder, separator)).join(separator);
}
